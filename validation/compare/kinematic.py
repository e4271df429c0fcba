r"""The best member of a model class: how near the class can come to a shape, whatever its loads.

A member has piecewise constant strains on equal parts of every soft length, rigid lengths between
them, and stands where the reference stands at its first station. Free are some of the six strains;
the others keep their values of a straight unstretched rod. It is the one with the least

.. math:: \|p - \hat p\|^2 + (\epsilon L)^2 \|\log(\hat R^T R)\|^2,

over the stations; :math:`\epsilon` = 1e-3 keeps the attitude from being free where points alone do
not see it, and moves the points by next to nothing. Strains that vary along the body as they like
pass through every frame: of a Cosserat rod only what happens within the section is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
import xarray as xr
from scipy.optimize import least_squares

from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.frames import derived_strain, log_so3, strain_between
from loligo.meshes.bodies import pieces
from loligo.reduced.lie import Array, exp_se3_batch

ATTITUDE = 1e-3
STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
STEP = 1e-5
"""Of differences, in strains without unit: the error of slopes is its square."""
Span = tuple[float, float]


@dataclass(frozen=True)
class ModelClass:
    """Parts of equal length in every soft length, and which of their strains are free."""

    name: str
    title: str
    parts: int
    free: tuple[int, ...]


CLASSES = (
    ModelClass("arc", "one arc of constant curvature a segment", 1, (1, 2, 3)),
    ModelClass("two_arcs", "two arcs of constant curvature a segment", 2, (1, 2, 3)),
    ModelClass("constant_strain", "one constant strain a segment", 1, tuple(range(6))),
    ModelClass("two_strains", "two constant strains a segment", 2, tuple(range(6))),
)


def soft_spans(case: Case, reference: xr.Dataset) -> list[Span]:
    """Return where the soft lengths of an arm begin and end (m)."""
    match case.body:
        case TaperedArm() | ChamberedArm() | Bar() as arm:
            return [(p.start, p.end) for p in pieces(arm) if p.region == "body"]
        case Solid():
            station = reference["station"].values
            return [(float(station[0]), float(station[-1]))]
        case Mantle():
            raise ValueError(f"{case.name}: a mantle has no axis")
        case unknown:
            assert_never(unknown)


def best_member(reference: xr.Dataset, spans: Sequence[Span], kind: ModelClass) -> xr.Dataset:
    """Return the frames and strains of the best member of a class at every step."""
    station = reference["station"].values
    target = reference["frame"].values
    parts = [
        (a + (b - a) * i / kind.parts, a + (b - a) * (i + 1) / kind.parts)
        for a, b in spans
        for i in range(kind.parts)
    ]
    ends = np.unique(np.concatenate([station, *parts]))
    ends = ends[(ends >= station[0]) & (ends <= station[-1])]
    middle = 0.5 * (ends[1:] + ends[:-1])
    part_of = np.array(
        [next((k for k, p in enumerate(parts) if p[0] < m < p[1]), -1) for m in middle]
    )
    at_station = np.searchsorted(ends, station)
    strains = derived_strain(target, station)
    guess = np.stack([_mean_strain(strains, station, part) for part in parts], axis=1)
    fitted = np.stack(
        [
            _fit(g, start, ends, part_of, at_station, kind.free)
            for g, start in zip(target, guess, strict=True)
        ]
    )
    return xr.Dataset(
        {
            "frame": (reference["frame"].dims, fitted),
            "strain": (
                ("step", "station_mid", "strain_component"),
                strain_between(fitted, station),
            ),
            **({"strain_rest": reference["strain_rest"]} if "strain_rest" in reference else {}),
        },
        {name: reference[name] for name in ("station", "station_mid") if name in reference.coords},
    )


def _mean_strain(strain: Array, station: Array, part: Span) -> Array:
    """Mean over a part of strains (step, station_mid, 6) that are constant between stations."""
    overlap = np.minimum(station[1:], part[1]) - np.maximum(station[:-1], part[0])
    weight = np.clip(overlap, 0.0, None)
    return np.asarray(np.einsum("smc,m->sc", strain, weight / weight.sum()))


def _fit(
    target: Array, guess: Array, ends: Array, part_of: Array, at_station: Array, free: Sequence[int]
) -> Array:
    """Fit the free strains of one step, (parts, 6) from a guess; returns frames at the stations."""
    station = ends[at_station]
    length = station[-1] - station[0]
    width = np.diff(station) / length
    share = 0.5 * (np.append(width, 0.0) + np.append(0.0, width))  # trapezoids
    weight = np.sqrt(share)[:, None]
    columns = list(free)

    def frames(unknown: Array) -> Array:
        """Frames (..., station, 4, 4) of unknowns (..., n): a chain of exponentials each."""
        many = unknown.reshape(-1, len(guess), len(columns))
        strain = np.tile(STRAIGHT, (len(many), len(guess) + 1, 1))  # the last: of rigid lengths
        strain[:, :-1, columns] = many / scale
        twists = strain[:, part_of] * np.diff(ends)[:, None]
        steps = exp_se3_batch(twists.reshape(-1, 6)).reshape(*twists.shape[:2], 4, 4)
        g = [np.broadcast_to(target[0], (len(many), 4, 4))]
        for k in range(steps.shape[1]):
            g.append(g[-1] @ steps[:, k])
        every = np.stack(g, axis=1)[:, at_station]
        return every.reshape(*unknown.shape[:-1], *every.shape[1:])

    def residual(unknown: Array) -> Array:
        g = frames(unknown)
        place = weight * (g[..., :3, 3] - target[:, :3, 3]) / length
        turn = log_so3(np.swapaxes(g[..., :3, :3], -1, -2) @ target[:, :3, :3])
        parts = np.stack([place, ATTITUDE * weight * turn], axis=-3)
        return parts.reshape(*unknown.shape[:-1], -1)

    def slopes(unknown: Array) -> Array:
        """Central differences, all at once."""
        change = STEP * np.eye(unknown.size)
        ahead, behind = residual(unknown + np.stack([change, -change]))
        return np.asarray((ahead - behind).T / (2.0 * STEP))

    scale = np.array([length] * 3 + [1.0] * 3)[columns]
    start = (guess[:, columns] * scale).ravel()
    found = least_squares(residual, start, slopes, xtol=1e-12, ftol=1e-12)
    return frames(found.x)
