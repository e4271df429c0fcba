"""The end of a body at a disc, in three dimensions: what it does under pressure and small loads.

A soft length between two discs that are alike is its own mirror image, as long as nothing twists or
shears it. So half of it is solved: from the mirror at x = 0, a plane that stays plane and carries
no shear, to the disc. The disc moves freely; the chambers' pressure acts on it, too. Far from the
disc the section is that of :mod:`loligo.fem.cross_section.problem`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mpi4py import MPI

import numpy as np

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.fem.core.domain import distribute
from loligo.fem.cross_section.solve import Array
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.discs import DiscForce, disc_material
from loligo.fem.loads.supports import Fixed, Pinned
from loligo.fem.march.standing import MarchStopped
from loligo.fem.march.static import march
from loligo.fem.materials.thread import windings
from loligo.fem.observe.section_fit import fit, moments
from loligo.fem.observe.section_points import facet_points
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton
from loligo.meshes.arms import build_end
from loligo.meshes.bodies import Piece

_LOADS = ("pull", "pull_y", "pull_z")
"""Forces along x on the disc: in the axis, and a radius beside it along y and along z."""
_EXACT = 1e-10
"""Relative residual of the compliances."""
_WAY = 1e-5
"""Largest displacement over the radius by which the disc's motion is differenced."""


@dataclass(frozen=True)
class EndState:
    """The piece at pressures of its chambers, with no other load."""

    pressures: Array
    """Of the chambers (Pa)."""
    frame: Array
    """Of the disc's face, seen from the section at the mirror, shape (4, 4)."""
    volumes: Array
    """Of the chambers between mirror and disc (m^3)."""
    energy: float
    """Stored (J)."""
    compliance: Array
    """Displacement along x of the three points by unit forces along x there (m/N), (3, 3)."""
    arms: Array
    """The points (y, z) in the disc's face (m), shape (3, 2)."""


class EndPiece:
    """Half of a soft length between two discs."""

    def __init__(self, case: Case, piece: Piece, depth: float, size: float) -> None:
        """Mesh the piece and compile its problem.

        Args:
            case: the rubber, its thread.
            piece: a soft length; its section counts, not its length.
            depth: length of the soft part of the half (m).
            size: length of the edges on the outer surface (m).
        """
        domain = distribute(build_end(piece, depth, size), MPI.COMM_SELF)
        radius = piece.start_radius
        body = case.material["body"]
        rubber = {
            group: disc_material(body) if group == "disc_tip" else case.material.get(group, body)
            for group in domain.cell_groups
        }
        points = ((0.0, 0.0), (radius, 0.0), (0.0, radius))
        self._arms = np.array(points)
        self._chambers = [hole.name for hole in piece.holes if hole.name != "bore"]
        self.depth, self.unknowns = depth, 0
        self.problem = Problem(
            domain,
            rubber,
            supports=[
                Fixed("base", (0,)),
                Pinned((0.0, radius, 0.0), (1, 2)),
                Pinned((0.0, -radius, 0.0), (2,)),
            ],
            loads=[
                DiscForce(name, "disc_tip", (depth, y, z), (1.0, 0.0, 0.0))
                for name, (y, z) in zip(_LOADS, points, strict=True)
            ],
            cavities=[Cavity(name, name, open_along_x=True) for name in self._chambers],
            windings=windings([piece], case.winding, domain) if case.winding else (),
        )
        self.unknowns = self.problem.fields.owned
        along, degree = np.array([1.0, 0.0, 0.0]), self.problem.quadrature[1]
        self._faces = [
            facet_points(domain, self.problem.fields, name, along, degree)
            for name in ("base", "tip")
        ]
        self._thickness = float(self._faces[1].rest[0, 0]) - depth

    def states(self, pressures: Sequence[Array]) -> Iterator[EndState]:
        """Yield the state at every one of some pressures (Pa), in their order.

        Raises:
            BadInput: if the march from one to the next stops.
        """
        targets = [dict(zip(self._chambers, map(float, p), strict=True)) for p in pressures]
        for target in targets:
            try:
                for _ in march(self.problem, [target]):
                    pass
            except MarchStopped as stop:
                raise BadInput(
                    f"no law of the body's end at a disc: {stop}; leave the ends out, --no-ends"
                ) from None
            yield self._state(target)

    def _state(self, at: Mapping[str, float]) -> EndState:
        problem = self.problem
        newton = Newton(problem)
        newton.solve()
        still = dict.fromkeys(problem.values, 0.0)
        slopes = [newton.slope({**still, name: 1.0}, _EXACT) for name in _LOADS]
        newton.destroy()
        u = problem.fields.function.x.array
        here = u.copy()
        mirror, disc = self._frames(u)
        columns, moves = [], problem.fields.by_name["displacement"]
        for slope in slopes:
            h = _WAY * self._arms.max() / np.abs(slope.unknowns[moves]).max()
            ends = []
            for sign in (1.0, -1.0):
                u[:] = here + sign * h * slope.unknowns
                ends.append(self._along(self._frames(u)[1]))
            columns.append((ends[0] - ends[1]) / (2.0 * h))
        u[:] = here
        compliance = np.array(columns)
        return EndState(
            np.array(list(at.values())),
            np.linalg.inv(mirror) @ disc,
            np.array([problem.cavity_volume(name) for name in self._chambers]),
            problem.strain_energy(),
            (compliance + compliance.T) / 2.0,
            self._arms,
        )

    def _along(self, disc: Array) -> Array:
        """Return x of the three points in the disc's face."""
        return np.asarray(disc[0, 3] + self._arms @ disc[0, 1:3])

    def _frames(self, unknowns: Array) -> tuple[Array, Array]:
        """Return the frames of the mirror and of the disc's face."""
        fits = [
            fit(moments(points.rest[:, 1:], points.weight, points.positions(unknowns)))
            for points in self._faces
        ]
        mirror, disc = (one.frame.copy() for one in fits)
        disc[:3, 3] -= self._thickness * disc[:3, 0]
        return mirror, disc
