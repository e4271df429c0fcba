"""A case of a soft joint, solved as Zhang's constant-curvature joint and distilled to a data set.

Its coefficients are those of the geometry, and differ from the paper's where those cannot hold: the
areas are the section's own, and a wound actuator has K = dV/dq = pi r_h^2, r_h the radius within
the winding, since bore and wall fill the hoop at any stretch (the paper has the bore's area).

A blocked tip holds the lengths (q = 0), and every actuator pushes it with K p along its own axis:
that is how K is measured apart from the rubber's modulus.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import xarray as xr

from loligo.cases.body import ChamberedArm
from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Yeoh
from loligo.meshes.bodies import stations
from loligo.reduced.arcs import pcc
from loligo.reduced.joint import model as joints
from loligo.reduced.joint.material import Newtonian, PowerLaw, exact_areas
from loligo.reduced.joint.model import Joint
from loligo.reduced.joint.solve import equilibrium
from loligo.reduced.lie import Array
from loligo.reduced.predict.collect import collect_arm, shapes
from loligo.reduced.predict.march import NoAnswer, march
from loligo.reduced.section.arm_law import chambers
from loligo.reduced.section.pressures import cavity_pressures

ASSUMPTIONS = (
    "one arc of constant curvature; each actuator stretches a third of the rubber along its own "
    "axis, as a bar that is free across; the winding does not stretch and the wall within it fills "
    "it, so that an actuator takes in pi r^2 a length, r the sleeve's inner radius; no shear, no "
    "torsion; pressure alone acts"
)
_YEOH = ("c10", "c20", "c30")
LONG_NAMES = {"max_stretch": "largest stretch of an actuator along its axis"}


def joint_of(case: Case, values: Mapping[str, float] = MappingProxyType({})) -> Joint:
    """Return the joint of a case's body, with the coefficients that its geometry gives.

    Args:
        case: the case.
        values: coefficients to take in their place, by name.
    """
    body = case.body
    if (
        not isinstance(body, ChamberedArm)
        or len(body.segments) != 1
        or body.segments[0].chambers != 3
        or body.segments[0].sleeve is None
    ):
        raise BadInput(f"{case.name}: a joint is one segment with three chambers in sleeves")
    segment, law = body.segments[0], case.material["body"]
    assert segment.sleeve is not None
    if yeoh := {name: values[name] for name in _YEOH if name in values}:
        if not isinstance(law, Yeoh):
            raise BadInput(f"{case.name}: {', '.join(yeoh)} belong to Yeoh, not to {law.energy}")
        law = law.model_copy(update=yeoh)
    inner, outer = segment.sleeve.inner_radius, segment.sleeve.outer_radius
    bore = segment.chamber_radius
    areas = exact_areas(body.radius, bore, inner - bore, outer - inner)
    return Joint(
        rest_length=segment.length,
        radius=body.radius,
        actuator_offset=segment.chamber_offset,
        areas=areas,
        pressure_area=values.get("actuator_area", np.pi * inner**2),
        mass=law.density * 3.0 * sum(areas) * segment.length,
        law=law,
        viscosity=(
            Newtonian(law.viscosity)
            if law.rate_index == 1.0
            else PowerLaw(3.0 * law.viscosity, law.rate_index, law.smallest_rate)
        ),
        turn=segment.turn,
        matrix_fraction=values.get("matrix_fraction", 1.0),
        matrix_to_fabric=values.get("matrix_to_fabric", 0.0),
    )


def joint_values(case: Case) -> dict[str, float]:
    """Return the coefficients that a case's geometry and rubber give its joint, by name."""
    joint = joint_of(case)
    found = {"actuator_area": joint.pressure_area}
    if isinstance(joint.law, Yeoh):
        found |= {name: getattr(joint.law, name) for name in _YEOH}
    return found


def predict_joint(
    case: Case,
    values: Mapping[str, float] = MappingProxyType({}),
    *,
    shape_only: bool = False,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return what the joint predicts at every reported step, or up to where it stops.

    With ``shape_only`` it gives its shape and the tip's reaction, with ``on_the_way`` the last
    state before a step that is not reached, too.

    Raises:
        BadInput: for another body.
    """
    joint = joint_of(case, values)
    body = case.body
    assert isinstance(body, ChamberedArm)
    blocked = case.support.tip == "blocked"

    def advance(now: Case, step: int, start: Array | None) -> tuple[Array, dict[str, Array]]:
        pressure = np.array(list(cavity_pressures(body, now, step).values()))
        q: Array = np.zeros(3) if start is None else start
        try:
            q = q if blocked else equilibrium(joint, pressure, start=q)
        except RuntimeError as failure:
            raise NoAnswer(str(failure)) from None
        return q, _distil(joint, body, pressure, q, blocked)

    marched = march(case, advance, on_the_way=on_the_way)
    reached = {"status": marched.status, "reached": marched.place}
    if shape_only:
        return shapes(body, marched.reports).assign_attrs(reached)
    found = collect_arm(body, marched.reports, LONG_NAMES)
    return found.assign_attrs(reached, assumptions=ASSUMPTIONS)


def _distil(
    joint: Joint, body: ChamberedArm, pressure: Array, q: Array, blocked: bool
) -> dict[str, Array]:
    """Everything that is reported of one step."""
    X = stations(body)
    plate = body.plates[0]
    arc = joints.arc(joint, q)
    share = np.clip((X - plate) / joint.rest_length, 0.0, 1.0)
    frame = pcc.pose(share[:, None] * arc)
    frame[:, 0, 3] += plate
    directions = pcc.chamber_directions(3, joint.turn)
    lines = [pcc.chamber_lengths(arc, r, directions) for r in (joint.actuator_offset, joint.radius)]
    elastic = joints.elastic(joint, q)
    bores = np.array([np.pi * hole.radius**2 * joint.rest_length for _, _, hole in chambers(body)])
    stretch = 1.0 + q / joint.rest_length
    push = np.zeros(6)
    if blocked:
        for force, (_, _, hole) in zip(joint.pressure_area * pressure, chambers(body), strict=True):
            push += force * np.array([0.0, hole.z, -hole.y, 1.0, 0.0, 0.0])
    return {
        "frame": frame,
        "strain": strain_between(frame, X, np.asarray(pcc.twist(arc) / joint.rest_length)),
        "pressure": pressure,
        "volume": bores + joint.pressure_area * q,
        "chamber_length": np.stack(lines, axis=-1),
        "reaction": push,
        "reaction_tip": 0.0 - push,
        "stored_energy": elastic.energy.sum(),
        "stable": np.array(1),  # Newton's method refuses any other equilibrium
        "max_stretch": np.maximum(stretch, stretch**-0.5).max(),
    }
