"""The neutral record of an exported arm, and its forms as JSON, CSV and MATLAB tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from loligo.cases.section_law.parts import Polynomial
from loligo.meshes.bodies import Piece
from loligo.reduced.lie import Array
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.held_out import HeldOut
from loligo.validation.export.losses import Loss

FORMAT = "loligo export 1"
ORDER = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
_PARTS = ("free", "stiffness", "cubic", "quartic")
"""Of a law of the solid, what a wrench follows from."""
_TAPERED = 65
"""Places on a soft length whose sections vary."""
_LINE = 8
"""Gauss points on every piece for forces along the arm."""


def plain(arm: ExportedArm, step: HeldOut | None) -> dict[str, Any]:
    """Return the record as plain data, in SI."""
    X = np.concatenate(places(arm))
    at = np.concatenate([_within(p, x) for p, x in zip(arm.soft, places(arm), strict=True)])
    return {
        "format": FORMAT,
        "case": arm.case.name,
        "source": arm.source,
        "notes": list(arm.notes),
        "order": list(ORDER),
        "units": {"length": "m", "moment": "N m", "force": "N", "pressure": "Pa"},
        "pieces": [
            {
                "start": piece.start,
                "end": piece.end,
                "soft": piece.region == "body",
                "radius": [piece.start_radius, piece.end_radius],
            }
            for piece in arm.pieces
        ],
        "x": X.tolist(),
        "stiffness": arm.law.stiffness(at).tolist(),
        "damping": arm.damping(at).tolist(),
        "inertia": arm.inertia(at).tolist(),
        "chambers": [
            {
                "name": chamber.name,
                "start": chamber.start,
                "end": chamber.end,
                "wrench": chamber.wrench.tolist(),
                "area": chamber.area,
                "place": list(chamber.place),
                "drawn_area": chamber.drawn_area,
                "drawn_place": [chamber.drawn.y, chamber.drawn.z],
                "pressure": _finite(chamber.pressure),
                "allowed": _finite(chamber.allowed),
            }
            for chamber in arm.chambers
        ],
        "range": {
            "max_stretch": _finite([arm.max_stretch])[0],
            "allowed": _finite([arm.allowed_stretch])[0],
        },
        "softening": arm.law.softening,
        "growth": arm.law.growth,
        "linear_error": arm.error,
        **solid_data(arm),
        "held_out": None if step is None else _step(arm, step),
    }


def solid_data(arm: ExportedArm) -> dict[str, Any]:
    """Return the law of the solid of every soft length as plain data; nothing without one."""
    if arm.solid is None:
        return {}

    def plain(part: Polynomial) -> dict[str, Any]:
        return {"exponents": part.exponents.tolist(), "coefficients": part.coefficients.tolist()}

    return {
        "solid": [
            {
                "cavities": length.law.cavities,
                "directions": length.law.directions.tolist(),
                **{name: plain(getattr(length.law, name)) for name in _PARTS},
            }
            for length in arm.solid.lengths
        ]
    }


def _step(arm: ExportedArm, step: HeldOut) -> dict[str, Any]:
    X, weight = line_points(arm)
    return {
        "step": step.step,
        "fitted": step.fitted,
        "beyond_range": step.beyond,
        "pressure": step.pressure,
        "tip_force": step.force.tolist(),
        "tip_moment": step.moment.tolist(),
        "follower": step.follower,
        "line": {"x": X.tolist(), "weight": weight.tolist(), "force": step.line(X).tolist()},
        "tip_rest": step.rest.tolist(),
        "tip_3d": step.tip.tolist(),
        "tip_loligo": step.repeated.tolist(),
        "moved": step.moved,
        "error": step.error,
    }


def places(arm: ExportedArm) -> list[Array]:
    """Return the places along every soft length: its ends, and more where its sections vary."""
    found = []
    for piece in arm.soft:
        ends = arm.law.stiffness(
            np.array([piece.start, 0.5 * (piece.start + piece.end), piece.end])
        )
        varies = np.ptp(ends, axis=0).max() > 1e-9 * np.abs(ends).max()
        found.append(np.linspace(piece.start, piece.end, _TAPERED if varies else 2))
    return found


def _within(piece: Piece, X: Array) -> Array:
    """Return places with those at the ends a little inside: a face belongs to two pieces."""
    close = 1e-9 * piece.length
    inside: Array = np.clip(X, piece.start + close, piece.end - close)
    return inside


def line_points(arm: ExportedArm) -> tuple[Array, Array]:
    """Return places along the whole arm (m) and the lengths that they stand for (m)."""
    place, weight = np.polynomial.legendre.leggauss(_LINE)
    spans = [(p.start, p.end) for p in arm.pieces]
    X = [a + (b - a) * 0.5 * (1.0 + place) for a, b in spans]
    return np.concatenate(X), np.concatenate([0.5 * (b - a) * weight for a, b in spans])


def interpolated(arm: ExportedArm) -> Loss:
    """Return the error of a stiffness that is taken linearly between the record's places."""
    worst = 0.0
    for X in places(arm):
        middle = np.array([0.5 * (a + b) for a, b in pairwise(X)])
        exact = np.diagonal(arm.law.stiffness(middle), axis1=1, axis2=2)
        ends = np.diagonal(arm.law.stiffness(X), axis1=1, axis2=2)
        worst = max(worst, float(np.abs(0.5 * (ends[1:] + ends[:-1]) / exact - 1.0).max()))
    return Loss("stiffness between places", worst, "of linear interpolation between the rows")


def as_json(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the record as one file."""
    return {"law.json": json.dumps(plain(arm, step), indent=1) + "\n"}


def as_csv(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the record as tables: sections along the arm, and chambers."""
    record = plain(arm, step)
    pairs = [(i, j) for i in range(6) for j in range(i, 6)]
    names = [f"{i + 1}{j + 1}" for i, j in pairs]
    heads = ["x", "EI_y", "EI_z", "GJ", "EA"]
    heads += [f"{what}{name}" for what in "KDM" for name in names]
    rows = [",".join(heads)]
    for x, k, d, m in zip(
        record["x"], record["stiffness"], record["damping"], record["inertia"], strict=True
    ):
        named = [x, k[1][1], k[2][2], k[0][0], k[3][3]]
        parts = [matrix[i][j] for matrix in (k, d, m) for i, j in pairs]
        rows.append(",".join(f"{value:.17g}" for value in (*named, *parts)))
    chambers = [
        "name,start,end,area,y,z,drawn_area,drawn_y,drawn_z,min_pressure,max_pressure,mx,my,mz,fx,fy,fz"
    ]
    for one in record["chambers"]:
        numbers = [one["start"], one["end"], one["area"], *one["place"], one["drawn_area"]]
        numbers += [*one["drawn_place"], *_numbers(one["pressure"]), *one["wrench"]]
        chambers.append(",".join([one["name"], *(f"{value:.17g}" for value in numbers)]))
    return {"sections.csv": _lines(rows), "chambers.csv": _lines(chambers)}


def as_matlab(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the record as a function that returns a struct, for MATLAB and Octave."""
    record = plain(arm, step)
    names = ", ".join(f"'{one['name']}'" for one in record["chambers"])
    chambers, X = record["chambers"], places(arm)
    spans = [[piece.start, piece.end] for piece in arm.soft]
    rows = [
        "function law = loligo_law()",
        f"% Section law of {record['case']}: {record['source']}.",
        "% Strains: torsion, bend_y, bend_z, stretch, shear_y, shear_z; SI. Rest: 0 0 0 1 0 0.",
        "% K(:, :, i), D(:, :, i), M(:, :, i) belong to x(i), in the soft length piece(i).",
        "% soft, span: start and end of soft lengths and chambers. Columns are chambers.",
        f"law.x = {_matlab(record['x'])};",
        *(
            f"law.{short} = permute(reshape({_matlab(np.ravel(record[name]))}, 6, 6, []), [2 1 3]);"
            for short, name in (("K", "stiffness"), ("D", "damping"), ("M", "inertia"))
        ),
        f"law.soft = reshape({_matlab(np.ravel(spans))}, 2, []);",
        f"law.piece = {_matlab(np.repeat(np.arange(1, len(X) + 1), [len(x) for x in X]))};",
        f"law.chambers = {{{names}}};",
        f"law.area = {_matlab([one['area'] for one in chambers])};",
        f"law.place = reshape({_matlab(np.ravel([one['place'] for one in chambers]))}, 2, []);",
        f"law.wrench = reshape({_matlab(np.ravel([one['wrench'] for one in chambers]))}, 6, []);",
        f"law.span = reshape({_matlab(np.ravel([[c['start'], c['end']] for c in chambers]))}"
        ", 2, []);",
        f"law.allowed = reshape({_matlab(np.ravel([_numbers(c['allowed']) for c in chambers]))}"
        ", 2, []);",
        f"law.allowed_stretch = {_matlab(_numbers([record['range']['allowed']]))};",
        "law.check_range = @(stretch, pressure) assert(all(stretch <= law.allowed_stretch) && ...",
        "  all(pressure(:).' >= law.allowed(1, :)) && all(pressure(:).' <= law.allowed(2, :)), ...",
        "  'beyond the range of the law');",
        "end",
    ]
    return {"loligo_law.m": _lines(rows)}


def _matlab(values: Any) -> str:
    return "[" + " ".join(f"{value:.17g}" for value in np.asarray(values, float)) + "]"


def _finite(values: Iterable[float]) -> list[float | None]:
    """Return numbers as JSON has them, none for infinity."""
    return [None if np.isinf(value) else value for value in values]


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Return them back: the first of two is a lower end."""
    ends = (-np.inf, np.inf) if len(values) == 2 else (np.inf,)
    return [end if value is None else value for value, end in zip(values, ends, strict=True)]


def _lines(rows: list[str]) -> str:
    return "\n".join(rows) + "\n"
