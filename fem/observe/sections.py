"""The sections of a body in a problem's current state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpi4py import MPI

import numpy as np
import numpy.typing as npt

from loligo.cases.core.frames import log_se3
from loligo.fem.observe.section_fit import MOMENTS, fit, moments, plane, residuals
from loligo.fem.observe.section_points import facet_points
from loligo.fem.observe.wrench import wrench_of
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies
from loligo.meshes.bodies import AnyBody

Array = npt.NDArray[np.float64]

_WAY = 1e-4
"""Way over the body's length along which frames are differenced for their velocity."""


@dataclass(frozen=True)
class StationState:
    """All sections in one state, the same on all ranks."""

    frame: Array
    """Shape (stations, 4, 4)."""
    residual: Array
    """Area change, ovalisation and warping, shape (stations, 3)."""


class StationPlanes:
    """The section planes of a body in its mesh."""

    def __init__(self, problem: Problem, body: AnyBody) -> None:
        """Find the facets of every plane; ValueError if the mesh lacks one."""
        self._problem = problem
        self._planes = [plane(*where) for where in bodies.station_planes(body)]
        self._points = [
            facet_points(problem.domain, problem.fields, group, p.axes[:, 0], problem.quadrature[1])
            for group, p in zip(bodies.station_groups(body), self._planes, strict=True)
        ]
        self._coordinates = [
            p.coordinates(points.rest) for p, points in zip(self._planes, self._points, strict=True)
        ]
        self.rest = np.tile(np.eye(4), (len(self._planes), 1, 1))
        """Frames at rest, shape (stations, 4, 4)."""
        for i, p in enumerate(self._planes):
            self.rest[i, :3, :3], self.rest[i, :3, 3] = p.axes, p.centre

    def measure(self) -> StationState:
        """Return what the sections are in the problem's current state."""
        unknowns, comm = self._problem.fields.function.x.array, self._problem.comm
        position = [points.positions(unknowns) for points in self._points]
        total = np.zeros((len(self._planes), MOMENTS))
        for row, eta, points, x in zip(
            total, self._coordinates, self._points, position, strict=True
        ):
            row[:] = moments(eta, points.weight, x)
        total = comm.allreduce(total)
        fits = [fit(row) for row in total]
        second = np.zeros((len(fits), 4))
        for row, fitted, points, x in zip(second, fits, self._points, position, strict=True):
            height = (x - fitted.origin) @ fitted.rotation[:, 0]
            row[:3], row[3] = points.areas(unknowns).sum(0), points.weight @ height**2
        second = comm.allreduce(second)
        return StationState(
            np.array([fitted.frame for fitted in fits]),
            np.array(
                [
                    residuals(row, fitted, more[:3], more[3])
                    for row, fitted, more in zip(total, fits, second, strict=True)
                ]
            ),
        )

    def velocity(self) -> Array:
        """Return the twist g^-1 dg/dt of every frame, (angular; linear), shape (stations, 6).

        By a central difference along the velocity of the problem's current state.
        """
        problem = self._problem
        assert problem.motion is not None
        unknowns, fields = problem.fields.function.x.array, problem.fields
        here = unknowns.copy()
        velocity = problem.motion.velocity_at(here)
        fastest = np.abs(velocity[fields.node_unknowns]).max(initial=0.0)
        fastest = problem.comm.allreduce(fastest, MPI.MAX)
        if fastest == 0.0:
            return np.zeros((len(self._planes), 6))
        span, ends = _WAY * problem.length / fastest, []
        for sign in (-1.0, 1.0):
            unknowns[:] = here + sign * span * velocity
            ends.append(self.measure().frame)
        unknowns[:] = here
        twist: Array = log_se3(np.linalg.inv(ends[0]) @ ends[1]) / (2.0 * span)
        return twist

    def pressed(self, station: int, pressure: Callable[[Array], Array]) -> Array:
        """Return the wrench of p n dA over a deformed section, n towards the tip.

        Fixed axes, about the origin; only this rank's share.

        Args:
            station: which section.
            pressure: gives p (Pa) at deformed positions, shape (points, 3).
        """
        unknowns = self._problem.fields.function.x.array
        points = self._points[station]
        x = points.positions(unknowns)
        return wrench_of(x, pressure(x)[:, None] * points.areas(unknowns))
