"""A serial robot of rigid modules and soft joints with propellers: Zhang 2022, corrected.

Modules and joints are one rod with a free base: rigid spans, and between them joints of constant
curvature and stretch. That is the paper's chain (its Eqs 1 to 13 with the tangent along x in both
Eq 4 and Eq 5) for any number of modules. Of Eqs 27 to 37 it takes

- the sums of Eqs 28, 31, 34 and 37 over all modules, the first one too;
- the inertia of a cylinder about its own middle (Eq 29 prints the area's pi R^2/4);
- the added mass of Eq 30 as the integral of strips, positive (its entry (5, 5) is not);
- the linear drag of Eq 32 with the radius that it lacks, rho pi R L C_d V (beta, 1, 1) and
  Omega R^2 in roll, and the quadratic one of strips across the axis (Eq 31, which prints no law:
  here |v| is the whole speed of a section, as in Renda 2018 Eq 11, and not that across alone);
- the convective terms of Eq 33 complete, as they follow from the momenta;
- weight and buoyancy of Eq 34, the centre of mass on the axis, where the robot says what is down;
- forces and moments of the propellers by Eq 36, of the actuators by K (Eq 35).

A joint is three springs at its actuators, linear with E_m or bars of Yeoh's rubber (Eqs 22, 23).

Different from the paper: its viscosity is Kelvin-Voigt's. It carries inertia in water that does
nothing to it, as there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from loligo.cases.robot.chain import Chain, SoftJoint, Stage, commands
from loligo.cases.rubber.elastomer import Yeoh
from loligo.reduced.lie import Array
from loligo.reduced.rod.fibres import fibre_law
from loligo.reduced.rod.loads import Load, PointLoad, chamber_pressure, net_weight
from loligo.reduced.rod.model import Rod, SectionLaw
from loligo.reduced.rod.motion.equations import RodWater
from loligo.reduced.star.system import RodLimb

_ACTUATORS = 2.0 * np.pi / 3.0 * np.arange(3)  # azimuths from +y towards +z


def limb(
    chain: Chain, density: float, stages: Sequence[Stage], gravity: Array | None = None
) -> RodLimb:
    """Return a chain in water of a density (kg/m^3) as one limb, whose base is the tail.

    Args:
        chain: what it is made of.
        density: of the water.
        stages: what its propellers and actuators are told.
        gravity: acceleration in the world (m/s^2); None where all is trimmed.
    """
    module, joint, wet = chain.module, chain.joint, chain.water

    def in_module(X: Array) -> Array:
        inside: Array = X % chain.pitch < module.length
        return inside

    def inertia(X: Array) -> Array:
        inside = in_module(X)
        mass = np.where(inside, module.mass / module.length, joint.mass / joint.length)
        radius = np.where(inside, module.radius, joint.radius)
        turning = np.multiply.outer(radius**2, np.diag([0.5, 0.25, 0.25, 0.0, 0.0, 0.0]))
        sections: Array = turning + np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        return mass[:, None, None] * sections  # Eq 16 with the tangent along x

    # Three springs at the actuators: 3 A along, 3/2 A r_s^2 about every axis across.
    across = 1.5 * joint.spring_area * joint.actuator_offset**2
    shape = np.diag([across] * 3 + [3.0 * joint.spring_area] * 3)
    rod = Rod(
        chain.length,
        None if joint.yeoh else joint.modulus * shape,
        _bars(joint, joint.modulus * shape) if joint.yeoh else None,
        degrees={"bend_y": 0, "bend_z": 0, "stretch": 0},
        segments=sorted({0.0, *_ends(chain), *_attacks(chain)}),
        rigid=[chain.module_span(k) for k in range(chain.modules)],
    )
    reference = wet.linear * wet.speed
    water = RodWater(
        density,
        lambda X: np.where(in_module(X), module.radius, 0.0),
        (0.0, wet.cross_flow, wet.cross_flow),
        (wet.added * wet.added_surge, wet.added, wet.added),
        (reference * wet.roll, reference * wet.surge, reference, reference),
    )
    weight = [] if gravity is None else _weight(chain, density, gravity)
    return RodLimb(
        rod, inertia, joint.viscosity * shape, water, _loads(chain, tuple(stages), weight)
    )


def _bars(joint: SoftJoint, at_rest: Array) -> SectionLaw:
    """Zhang 2022 Eqs 22 and 23: three bars of rubber at the actuators, free across."""
    assert joint.yeoh is not None
    rubber = Yeoh(
        c10=joint.yeoh[0],
        c20=joint.yeoh[1],
        c30=joint.yeoh[2],
        density=joint.mass / (3.0 * joint.spring_area * joint.length),
    )
    r = joint.actuator_offset
    bars = np.stack(
        [r * np.cos(_ACTUATORS), r * np.sin(_ACTUATORS), np.full(3, joint.spring_area)], axis=-1
    )
    return fibre_law(rubber, lambda X: np.tile(bars, (len(X), 1, 1)), at_rest)


def _ends(chain: Chain) -> list[float]:
    return [end for k in range(chain.modules) for end in chain.module_span(k)]


def _attacks(chain: Chain) -> list[float]:
    """Where along the chain the propellers are (m)."""
    places = []
    for propeller in chain.propeller:
        start, end = chain.module_span(propeller.module)
        share = 0.5 + propeller.at[0] / chain.module.length
        places.append(
            start if share == 0.0 else end if share == 1.0 else start + share * (end - start)
        )
    return places


def _weight(chain: Chain, density: float, gravity: Array) -> list[Load]:
    """Return weight less buoyancy of solid cylinders, with its couple: Zhang 2022 Eq 34."""
    loads: list[Load] = []
    for body, spans in (
        (chain.module, [chain.module_span(k) for k in range(chain.modules)]),
        (chain.joint, [chain.joint_span(k) for k in range(chain.modules - 1)]),
    ):
        area = np.pi * body.radius**2
        own = body.mass / (area * body.length)
        found = net_weight(area, own, density, gravity)
        loads += [replace(found, span=span) for span in spans]
    module = chain.module
    lift = -density * np.pi * module.radius**2 * module.length * gravity
    for k in range(chain.modules):
        start, _ = chain.module_span(k)
        # A couple: where on a rigid module does not matter.
        above = PointLoad(lift, at=start, lever=(0.0, 0.0, module.buoyancy_above))
        loads += [above, PointLoad(-lift, at=start)]
    return loads


def _loads(
    chain: Chain, stages: tuple[Stage, ...], weight: Sequence[Load]
) -> Callable[[float], list[Load]]:
    joint = chain.joint
    y, z = joint.actuator_offset * np.cos(_ACTUATORS), joint.actuator_offset * np.sin(_ACTUATORS)
    places = list(zip(chain.propeller, _attacks(chain), strict=True))

    def loads(time: float) -> list[Load]:
        propel, inflate = commands(stages, time)
        acting: list[Load] = [*weight]
        for (propeller, at), command in zip(places, propel, strict=True):
            way = np.array(propeller.along) / np.linalg.norm(propeller.along)
            push = command * propeller.thrust * way
            moment = np.cross([0.0, propeller.at[1], propeller.at[2]], push)
            acting.append(PointLoad(push, moment, "body", at))
        for k, pressure in enumerate(inflate):
            number, j = divmod(k, 3)
            acting.append(
                chamber_pressure(
                    pressure, joint.actuator_area, y[j], z[j], chain.joint_span(number)
                )
            )
        return acting

    return loads


def bends(chain: Chain, rod: Rod, q: Array) -> Array:
    """Return (theta cos phi, theta sin phi) of every joint, (joints, 2): Zhang 2022 Eq 3.

    The bend towards +y is about +z, the one towards +z about -y.
    """
    middles = [0.5 * sum(chain.joint_span(k)) for k in range(chain.modules - 1)]
    strain = rod.strain(q, middles)
    bent: Array = chain.joint.length * np.stack([strain[:, 2], -strain[:, 1]], axis=-1)
    return bent


def largest_stretch(chain: Chain, rod: Rod, q: Array) -> float:
    """Return the largest stretch in the actuators; one that is shortened widens by its root."""
    middles = [0.5 * sum(chain.joint_span(k)) for k in range(chain.modules - 1)]
    strain = rod.strain(q, middles)
    r = chain.joint.actuator_offset
    y, z = r * np.cos(_ACTUATORS), r * np.sin(_ACTUATORS)
    along = strain[:, 3:4] + np.outer(strain[:, 1], z) - np.outer(strain[:, 2], y)
    return float(np.maximum(along, along**-0.5).max())


def stations(chain: Chain) -> Array:
    """Return where modules and joints begin, end and have their middles (m)."""
    ends = np.unique(_ends(chain))
    places: Array = np.sort(np.concatenate([ends, 0.5 * (ends[1:] + ends[:-1])]))
    return places
