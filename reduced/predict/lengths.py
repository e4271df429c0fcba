r"""An arm of chambers as arcs through the lengths of its chambers: Gong 2018 and Liu 2020.

The pressure of a chamber tells its length, the lengths of a segment its arc (Liu Eq 1f), whatever
hangs on the arm. With :math:`s(p)` of `loligo.reduced.arcs.length_law`, chamber j of a segment of
length L is

.. math:: l_j = L \Bigl(f + (s(p_j) - 1) + k \sum_{i \ne j} (s(p_i) - 1)\Bigr)

long on the surface. f L is the length without pressure under what hangs there, which Liu measures
before all else. He has k = 0; of one piece of rubber, a chamber takes its neighbours along.
Segment 1 carries the others: a pressure in it counts as :math:`(p - b)/a`, so that p1 = a p2 + b
bends segments 1 and 2 alike (Liu Eq 1g, printed a = 1.02, b = -0.89 kPa). A chamber without
pressure stays without.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import xarray as xr

from loligo.cases.body import ChamberedArm, Segment
from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.cases.core.record import BadInput
from loligo.meshes.bodies import stations
from loligo.reduced.arcs import pcc
from loligo.reduced.arcs.length_law import stretch
from loligo.reduced.lie import Array
from loligo.reduced.predict.collect import collect_arm, shapes
from loligo.reduced.predict.march import NoAnswer, march
from loligo.reduced.section.arm_law import soft_pieces
from loligo.reduced.section.pressures import cavity_pressures

ASSUMPTIONS = (
    "every segment is one arc through the lengths of its chambers, and those follow their "
    "pressures; no other load is felt, but for Liu's a and b in segment 1; no shear, no torsion"
)
LONG_NAMES = {"max_stretch": "largest stretch along the arm's surface"}


def length_values(case: Case) -> dict[str, float]:
    """Return the coefficients that a case's geometry gives the lengths of its chambers."""
    body = _checked(case)
    segment = body.segments[0]
    bores = np.pi * segment.chambers * segment.chamber_radius**2
    rubber = np.pi * body.radius**2 - bores
    hoops = [segment.winding_radius] if segment.winding_radius else []
    if segment.sleeve:
        hoops = [segment.sleeve.inner_radius] * segment.chambers
    hooped = np.pi * sum(radius**2 for radius in hoops)
    gain = hooped / rubber if hoops else 4.0 * bores / (3.0 * rubber)
    offset = {"offset_slope": 1.0, "offset_pressure": 0.0} if len(body.segments) > 1 else {}
    return {"length_gain": float(gain), **offset}


def predict_lengths(
    case: Case,
    values: Mapping[str, float] = MappingProxyType({}),
    *,
    shape_only: bool = False,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return what the lengths of the chambers make of every reported step.

    Args:
        case: the case.
        values: coefficients in place of those of the geometry, by name.
        shape_only: whether frames are all that is asked for.
        on_the_way: whether the last state before a step that is not reached is kept.

    Raises:
        BadInput: for an arm without chambers.
    """
    body = _checked(case)
    values = length_values(case) | dict(values)
    mu = case.material["body"].shear_modulus

    def advance(now: Case, step: int, start: None) -> tuple[None, dict[str, Array]]:
        pressure = cavity_pressures(body, now, step)
        felt = [
            np.array([pressure[f"s{i}c{j}"] for j in range(1, segment.chambers + 1)])
            for i, segment in enumerate(body.segments, 1)
        ]
        offset = values.get("offset_pressure", 0.0)
        felt[0] = (felt[0] - offset * (felt[0] != 0.0)) / values.get("offset_slope", 1.0)
        arcs = [
            _arc(segment, body.radius, p / mu, values)
            for segment, p in zip(body.segments, felt, strict=True)
        ]
        return None, _distil(body, np.array(list(pressure.values())), np.array(arcs))

    marched = march(case, advance, on_the_way=on_the_way)
    reached = {"status": marched.status, "reached": marched.place}
    if shape_only:
        return shapes(body, marched.reports).assign_attrs(reached)
    found = collect_arm(body, marched.reports, LONG_NAMES)
    return found.assign_attrs(reached, assumptions=ASSUMPTIONS)


def _checked(case: Case) -> ChamberedArm:
    body = case.body
    if not isinstance(body, ChamberedArm):
        raise BadInput(f"{case.name}: lengths of chambers move an arm that has chambers")
    return body


def _arc(segment: Segment, radius: float, pressure: Array, values: Mapping[str, float]) -> Array:
    own = stretch(pressure, values["length_gain"], values.get("length_growth", 0.0)) - 1.0
    more = own + values.get("length_coupling", 0.0) * (own.sum() - own)
    lengths = segment.length * (values.get("length_at_rest", 1.0) + more)
    if segment.chambers == 1:
        return np.array([lengths[0], 0.0, 0.0])
    return pcc.from_chambers(lengths, radius, pcc.chamber_directions(len(lengths), segment.turn))


def _distil(body: ChamberedArm, pressure: Array, arcs: Array) -> dict[str, Array]:
    """Everything that is reported of one step, from the arcs of the segments."""
    frame = _frames(body, arcs)
    lines, most = [], 1.0
    for segment, arc in zip(body.segments, arcs, strict=True):
        directions = pcc.chamber_directions(segment.chambers, segment.turn)
        offsets = (segment.chamber_offset, body.radius)
        lines.append(np.stack([pcc.chamber_lengths(arc, r, directions) for r in offsets], axis=-1))
        bend = body.radius * np.hypot(arc[1], arc[2])
        ends = (arc[0] + np.array([-bend, bend])) / segment.length
        if ends[0] <= 0.0:
            raise NoAnswer("the surface on the inner side of the bend is compressed to nothing")
        most = max(most, ends[1], ends[0] ** -0.5)
    return {
        "frame": frame,
        "strain": strain_between(frame, stations(body), _strains(body, arcs)),
        "pressure": pressure,
        "chamber_length": np.concatenate(lines),
        "stable": np.array(-1),  # a map of lengths knows no energy
        "max_stretch": np.array(most),
    }


def _frames(body: ChamberedArm, arcs: Array) -> Array:
    """Frames of the stations: plates go straight on, soft lengths bend as their arcs."""
    frames, end, at = [], np.eye(4), 0.0
    for piece, arc in zip(soft_pieces(body), arcs, strict=True):
        start = end.copy()
        start[:3, 3] += (piece.start - at) * end[:3, 0]
        share = (np.array(piece.stations) - piece.start) / piece.length
        frames.append(start @ pcc.pose(share[:, None] * arc))
        end, at = start @ pcc.pose(arc), piece.end
    return np.concatenate(frames)


def _strains(body: ChamberedArm, arcs: Array) -> Array:
    """Strains between the stations: those of the arcs, and none of the plates between them."""
    plate, found = pcc.twist([1.0, 0.0, 0.0]), []
    for piece, arc in zip(soft_pieces(body), arcs, strict=True):
        strain = pcc.twist(arc) / piece.length
        found += [*[strain] * (len(piece.stations) - 1), plate]
    return np.array(found[:-1])
