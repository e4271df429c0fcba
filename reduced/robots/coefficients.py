"""A robot with the coefficients of its parts that finite elements or coupons gave.

Coefficients belong to the body of a part, and count over what its geometry and a rubber of a third
of its Young's modulus give. With them an arm is of incompressible rubber with Cowper's shear factor
(Renda 2018 has a Poisson ratio of 0 and a factor of 1): it has the section law of its case. A
mantle's wall has that rubber's law in place of Eq 7, and the springs of a chain's joint are bars of
the rubber of the case that it is made of.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from loligo.cases.case import Case
from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficients, body_text, check_belongs
from loligo.cases.core.record import BadInput
from loligo.cases.robot.chain import SoftJoint
from loligo.cases.robot.swimmer import FACTORS, Bell, Limb, Robot
from loligo.cases.rubber.elastomer import NeoHooke, Yeoh, scaled
from loligo.reduced.predict.joint import joint_of
from loligo.reduced.robots.swimmer import cycle_means, screw
from loligo.reduced.star.system import StarMotion

EFFICIENCY = (
    "efficiency: drag over the muscle's power (Renda 2018 Eq 26). In the paper's model the work of "
    "the jet is not taken from the muscle, so that drag, jet and viscosity do not add up to its "
    "power: compare it within this model alone"
)
"""What to know of the merit efficiency."""
_JOINT = ("actuator_area", "c10", "c20", "c30")

Given = Mapping[str, Coefficients]
"""Coefficients by the name of a limb, a bell or an arm, or "joint" for those of a chain."""


def calibrated(robot: Robot, given: Given) -> Robot:
    """Return a robot with coefficients of its parts.

    Raises:
        BadInput: where coefficients are of another body, or of a part that there is not, or where
            the robot cannot use one.
    """
    limbs, bells, chain = dict(robot.limb), dict(robot.bell), robot.chain
    for name, coefficients in given.items():
        values = dict(coefficients.values)
        if name in limbs:
            limb = limbs[name]
            _check_body(coefficients, limb, name)
            factor = {FACTORS[key]: values.pop(key) for key in FACTORS if key in values}
            changed: dict[str, Any] = {"poisson": 0.5, "shear_factor": None}  # the section of cases
            changed["factor"] = limb.factor.model_copy(update=factor)
            if coefficients.section:
                raise BadInput(f"{robot.name}: {name} takes factors, no sections, of a file")
            limbs[name] = limb.model_copy(update=changed | _rubber(limb, values))
        elif name in bells:
            bell = bells[name]
            _check_body(coefficients, bell, name)
            changed = {"law": "rubber", "wall_bending": values.pop("wall_bending", 1.0)}
            bells[name] = bell.model_copy(update=changed | _rubber(bell, values))
        elif name == "joint" and chain is not None:
            altered = _joint(robot.name, chain.joint, coefficients, values)
            chain = chain.model_copy(update={"joint": altered})
        else:
            known = ", ".join([*limbs, *bells, *(["joint"] if chain else [])])
            raise BadInput(f'{robot.name} has no part "{name}" for coefficients; it has {known}')
        if values:
            raise BadInput(f"{robot.name}: {name} cannot use {', '.join(values)}")
    return robot.model_copy(update={"limb": limbs, "bell": bells, "chain": chain})


def _joint(
    robot: str, joint: SoftJoint, coefficients: Coefficients, values: dict[str, float]
) -> SoftJoint:
    """Take the coefficients of a joint out of values, and return what they make of it.

    Areas and rubber are those of the case that the joint is made of, where the coefficients do not
    tell another.
    """
    case = case_of(f"{robot}: joint", joint.made_of, coefficients)
    rubber = scaled(case.material["body"], values.pop("modulus", 1.0))
    case = case.model_copy(update={"material": {**case.material, "body": rubber}})
    known = {name: values.pop(name) for name in _JOINT if name in values}
    found = joint_of(case, known)
    if not isinstance(found.law, Yeoh | NeoHooke):
        raise BadInput(f"{robot}: joint: its rubber must be yeoh or neo_hooke in {case.name}")
    further = (found.law.c20, found.law.c30) if isinstance(found.law, Yeoh) else (0.0, 0.0)
    return joint.model_copy(
        update={
            "actuator_area": found.pressure_area,
            "spring_area": sum(found.areas),
            "young": None,
            "yeoh": (0.5 * found.law.shear_modulus, *further),
        }
    )


def case_of(part: str, made_of: str | None, coefficients: Coefficients) -> Case:
    """Return the case that a part is made of, to which its coefficients must belong.

    Raises:
        BadInput: if it is made of none, or they belong to another.
    """
    if made_of is None:
        raise BadInput(f"{part}: name the case of its body, made_of, before it takes coefficients")
    case = load(made_of)
    check_belongs(coefficients, case)
    return case


def _rubber(part: Limb | Bell, values: dict[str, float]) -> dict[str, float]:
    """Take the factors on a part's rubber out of values, and return what they make of it."""
    changed = {"young": part.young * values.pop("modulus", 1.0)}
    changed["viscosity"] = part.viscosity * values.pop("viscosity", 1.0)
    changed["density"] = part.density * values.pop("density", 1.0)
    return changed


def _check_body(coefficients: Coefficients, part: Limb | Bell, name: str) -> None:
    own = hashlib.sha256(body_text(part.body).encode()).hexdigest()
    if coefficients.belongs_to.get("body") != own:
        raise BadInput(
            f"{name}: these coefficients ({coefficients.source}) belong to another body; "
            "calibrate them with cases of this one"
        )


def merits(robot: Robot, motion: StarMotion) -> dict[str, float]:
    """Return what a motion is worth: numbers by name, with their units in the name.

    The speed is that along the root's x, the efficiency that of Renda 2018 Eqs 26 and 27, both over
    the last period of the pulses, or else the speed at the end. The radius is the median one over
    the time that the robot turns at a tenth of its fastest rate or more. The reach is the farthest
    that the tip of an arm gets from where it rests, as seen from the root. What weighs has no such
    efficiency, for what pulls it down gives power beside the muscle.
    """
    found: dict[str, float] = {}
    pulses = [
        bell.pulse.frequency
        for bell in robot.bell.values()
        if bell.pulse is not None and bell.pulse.frequency is not None
    ]
    if pulses and motion.time[-1] >= 1.0 / pulses[0]:
        speed, efficiency = cycle_means(motion, 1.0 / pulses[0])
        found["speed_m_per_s"] = speed
        if robot.down is None:  # or what sinks works, too
            found["efficiency"] = efficiency
    else:
        found["speed_m_per_s"] = float(np.linalg.norm(motion.twist[-1, 3:]))
    radius, rate = screw(motion, 1.0)
    turning = rate > 0.1 * rate.max()
    if rate.max() > 1e-3:
        found["turning_radius_m"] = float(np.median(radius[turning]))
    if robot.limb:
        ways = []
        for k, limb in enumerate(motion.star.limbs[: sum(x.copies for x in robot.limb.values())]):
            tips = np.array([limb.rod.frames(q, [limb.rod.length])[0] for q in motion.limbs[k][0]])
            ways.append(np.linalg.norm(tips[:, :3, 3] - tips[0, :3, 3], axis=1).max())
        found["reach_m"] = float(max(ways))
    return found
