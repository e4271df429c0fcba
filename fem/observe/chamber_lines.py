"""Lengths of the chambers' lines, which constant-curvature models take for their coordinates.

`bore`: the line of the centres of material circles around the bore, a little outside its wall, from
one end of the soft length to the other. `surface`: the material line on the outer surface, at the
chamber's azimuth. Lengths are those of cubic splines through points on either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from loligo.fem.core.measure import Probe
from loligo.fem.problem.problem import Problem
from loligo.meshes.bodies import Arm, pieces

Array = npt.NDArray[np.float64]

_ALONG, _AROUND = 25, 8
"""Points along a line and around a bore."""
_OUTSIDE = 1.02
"""Radius of the circles over that of the bore, whose wall is not quite round in the mesh."""
_INSIDE = (0.98, 0.99)
"""Radii over the outer one from which the surface is extrapolated, for the same reason."""
_GAUSS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True)
class _Chamber:
    """The points of one chamber, in its rows of the probe."""

    x: Array
    """Along the soft length (m)."""
    rows: slice


class ChamberLines:
    """The lines of all chambers of an arm."""

    def __init__(self, problem: Problem, body: Arm) -> None:
        """Locate the points of every line."""
        self._problem = problem
        self._chambers: list[_Chamber] = []
        points: list[Array] = []
        around = np.arange(_AROUND) * 2 * np.pi / _AROUND
        count = 0
        for piece in pieces(body):
            for hole in piece.holes:
                if not hole.name.startswith("cavity_"):
                    continue
                # A central chamber is the first of one, at +z.
                central = hole.y == hole.z == 0.0
                azimuth = np.pi / 2 if central else np.arctan2(hole.z, hole.y)
                x = np.linspace(piece.start, piece.end, _ALONG)
                ring = hole.radius * _OUTSIDE * np.stack([np.cos(around), np.sin(around)], axis=1)
                outward = piece.start_radius * np.array([np.cos(azimuth), np.sin(azimuth)])
                across = np.concatenate(
                    [
                        ring + np.array([hole.y, hole.z]),
                        *(share * outward[None] for share in _INSIDE),
                    ]
                )
                here = np.empty((len(x), len(across), 3))
                here[:, :, 0], here[:, :, 1:] = x[:, None], across
                points.append(here.reshape(-1, 3))
                self._chambers.append(
                    _Chamber(np.asarray(x, np.float64), slice(count, count + len(points[-1])))
                )
                count += len(points[-1])
        self._points = np.concatenate(points)
        self._probe = Probe(problem.domain.mesh, self._points)

    def lengths(self) -> Array:
        """Return the lengths of bore and surface line of every chamber, shape (chambers, 2) (m)."""
        moved = self._points + self._probe.read(self._problem.fields.displacement_field())
        found = []
        for chamber in self._chambers:
            here = moved[chamber.rows].reshape(len(chamber.x), -1, 3)
            bore = here[:, :_AROUND].mean(axis=1)
            (a, b), inner, outer = _INSIDE, here[:, _AROUND], here[:, _AROUND + 1]
            surface = outer + (1.0 - b) / (b - a) * (outer - inner)
            found.append([curve_length(chamber.x, line) for line in (bore, surface)])
        return np.array(found)


def curve_length(x: Array, points: Array) -> float:
    """Return the length of the cubic spline through points, shape (n, 3), at parameters x (n,)."""
    slope = CubicSpline(x, points).derivative()
    middle, half = (x[1:] + x[:-1]) / 2, np.diff(x) / 2
    at = (middle[:, None] + half[:, None] * _GAUSS[0]).ravel()
    weight = (half[:, None] * _GAUSS[1]).ravel()
    return float(weight @ np.linalg.norm(slope(at), axis=1))
