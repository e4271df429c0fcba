"""Thread wound around axes along x, which resists stretch alone: on facets or in a layer.

A hoop, or two crossed helices of half the stiffness each, at the same angle to the hoop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dolfinx.mesh
import numpy as np
import ufl
from dolfinx.fem import Constant

from loligo.cases.case import Winding as Thread
from loligo.fem.core.domain import Domain, Names
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.materials.fibres import Fibres, fibre_stretch, thread_energy, thread_work
from loligo.meshes.bodies import Piece

_AXIS = ufl.as_vector((1.0, 0.0, 0.0))


@dataclass(frozen=True)
class ThreadMembrane:
    """Facets, outer or inside the body, that carry the energy k/2 (hoop stretch - 1)^2 per area.

    The hoop direction is tangent to the facet and perpendicular to x at rest. With thread of
    modulus E_f and thickness t, k = E_f t; around a rubber of radius R, k/(mu R) >= 1e3 is stiff.
    """

    facets: Names
    stiffness: float
    """k (N/m)."""
    tension_only: bool = False
    """Whether the thread goes slack instead of carrying compression."""
    angle: float = 0.0
    """Between thread and hoop (rad); above zero two threads cross and share the stiffness."""

    def energy(self, k: Kinematics, stiffness: Constant, softness: Constant | None = None) -> Any:
        """Return the stored energy (a UFL form, J); reference areas throughout."""
        return sum(
            share
            * stiffness
            * thread_energy(
                fibre_stretch(side(k.gradient), direction),
                tension_only=self.tension_only,
                softness=softness,
            )
            * measure
            for measure, side, direction, share in self._strands(k)
        )

    def work(self, start: Kinematics, k: Kinematics, stiffness: Constant) -> Any:
        """Return the virtual work between two states, see :func:`thread_work` (a UFL form)."""
        return sum(
            share
            * stiffness
            * thread_work(
                side(start.gradient),
                side(k.gradient),
                side(ufl.grad(k.virtual)),
                direction,
                tension_only=self.tension_only,
            )
            * measure
            for measure, side, direction, share in self._strands(k)
        )

    def _strands(self, k: Kinematics) -> Iterator[tuple[Any, Callable[[Any], Any], Any, float]]:
        """Measure, side of the facets, direction, and share of the stiffness of every thread."""
        parts: list[tuple[Any, Callable[[Any], Any]]] = []
        outside, inside = _sides(k.domain, self.facets)
        if outside:
            parts.append((k.facets(self.facets), lambda x: x))
        if inside:  # the hoop stretch is that of either side
            parts.append((k.inner_facets(self.facets), lambda x: x("+")))
        normal = ufl.FacetNormal(k.domain.mesh)
        for measure, side in parts:
            for angle, share in strands(self.angle):
                yield measure, side, leaning(ufl.cross(_AXIS, side(normal)), angle), share


def windings(
    stack: Sequence[Piece], thread: Thread, domain: Domain
) -> tuple[ThreadMembrane | Fibres, ...]:
    """Return what a case's thread is on a mesh.

    The facets `winding` are wound around the body's axis. In the cells `winding` the hoops run
    around the axis of each chamber, and the thread's stiffness is spread over the thickness of the
    chamber's sleeve.

    Args:
        stack: the pieces of an arm, from its base to its tip; none of a body from a file.
        thread: its stiffness, and whether it goes slack.
        domain: the mesh.

    Raises:
        ValueError: if the mesh has no group `winding`, or one of cells where no piece has sleeves.
    """
    found: list[ThreadMembrane | Fibres] = []
    if "winding" in domain.facet_groups:
        found.append(ThreadMembrane("winding", thread.stiffness, thread.tension_only, thread.angle))
    if "winding" in domain.cell_groups:
        sleeved = [piece for piece in stack if any(hole.sleeve for hole in piece.holes)]
        if not sleeved:
            raise ValueError(
                'where the hoops of the cells "winding" run is not known: put the wound surface '
                'into a group of facets "winding" instead'
            )
        found += [
            Fibres(
                "winding",
                partial(_thread_at, sleeved, angle),
                share * thread.stiffness,
                lambda x: _ring_at(x, sleeved)[2],
                thread.tension_only,
            )
            for angle, share in strands(thread.angle)
        ]
    if not found:
        raise ValueError('there is thread, but the mesh has no group "winding" to carry it')
    return tuple(found)


def strands(angle: float) -> tuple[tuple[float, float], ...]:
    """Angle to the hoop and share of the stiffness of every thread."""
    return ((0.0, 1.0),) if angle == 0.0 else ((angle, 0.5), (-angle, 0.5))


def leaning(hoop: Any, angle: float) -> Any:
    """Turn a hoop direction, perpendicular to x, towards x."""
    if angle == 0.0:
        return hoop
    return hoop / ufl.sqrt(ufl.inner(hoop, hoop)) + math.tan(angle) * _AXIS


def _thread_at(sleeved: Sequence[Piece], angle: float, x: Any) -> Any:
    """Direction of a thread in the sleeve that a point of the reference lies in."""
    return leaning(_around(x, *_ring_at(x, sleeved)[:2]), angle)


def _around(x: Any, y: Any, z: Any) -> Any:
    """Direction of the hoop around the axis along x through (y, z)."""
    return ufl.as_vector((0.0, z - x[2], x[1] - y))


def _ring_at(x: Any, sleeved: Sequence[Piece]) -> tuple[Any, Any, Any]:
    """Centre (y, z) and thickness of the sleeve that a point of the reference lies in."""
    ring = _nearest(x, sleeved[0])
    for piece in sleeved[1:]:
        ring = _choose(ufl.gt(x[0], piece.start), _nearest(x, piece), ring)
    return ring[0], ring[1], ring[2]


def _nearest(x: Any, piece: Piece) -> tuple[Any, ...]:
    """Centre and thickness of a piece's nearest sleeve, and the squared distance to its axis."""
    nearest: tuple[Any, ...] = ()
    for hole in piece.holes:
        if hole.sleeve:
            distance = (x[1] - hole.y) ** 2 + (x[2] - hole.z) ** 2
            ring = (hole.y, hole.z, hole.sleeve[1] - hole.sleeve[0], distance)
            nearest = _choose(ufl.lt(distance, nearest[3]), ring, nearest) if nearest else ring
    return nearest


def _choose(condition: Any, this: tuple[Any, ...], that: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(ufl.conditional(condition, a, b) for a, b in zip(this, that, strict=True))


def _sides(domain: Domain, names: Names) -> tuple[bool, bool]:
    """Whether some facets of the groups are on the surface, and whether some are inside."""
    topology = domain.mesh.topology
    exterior = dolfinx.mesh.exterior_facet_indices(topology)
    owned = topology.index_map(topology.dim - 1).size_local
    facets = domain.facets(names)
    outer = np.isin(facets[facets < owned], exterior)
    counts = domain.mesh.comm.allreduce(np.array([outer.sum(), (~outer).sum()]))
    return bool(counts[0]), bool(counts[1])
