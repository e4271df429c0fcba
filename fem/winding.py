"""Thread wound around the x axis: a membrane on facets that resists hoop stretch alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dolfinx.mesh
import numpy as np
import ufl
from dolfinx.fem import Constant

from loligo.fem.domain import Domain, Names
from loligo.fem.kinematics import Kinematics


@dataclass(frozen=True)
class Winding:
    """Facets, outer or inside the body, that carry the energy k/2 (hoop stretch - 1)^2 per area.

    The hoop direction is tangent to the facet and perpendicular to x at rest. With thread of
    modulus E_f and thickness t, k = E_f t; around a rubber of radius R, k/(mu R) >= 1e3 is stiff.
    """

    facets: Names
    stiffness: float
    """k (N/m)."""

    def energy(self, k: Kinematics, stiffness: Constant) -> Any:
        """Return the stored energy (a UFL form, J); reference areas throughout."""
        f, normal = k.gradient, ufl.FacetNormal(k.domain.mesh)
        parts: list[tuple[Any, Callable[[Any], Any]]] = []
        outside, inside = _sides(k.domain, self.facets)
        if outside:
            parts.append((k.facets(self.facets), lambda x: x))
        if inside:  # the hoop stretch is that of either side
            parts.append((k.inner_facets(self.facets), lambda x: x("+")))
        return sum(
            stiffness / 2 * (_hoop_stretch(side(f), side(normal)) - 1) ** 2 * measure
            for measure, side in parts
        )


def _hoop_stretch(f: Any, normal: Any) -> Any:
    hoop = ufl.cross(ufl.as_vector((1.0, 0.0, 0.0)), normal)
    return ufl.sqrt(ufl.inner(f * hoop, f * hoop) / ufl.inner(hoop, hoop))


def _sides(domain: Domain, names: Names) -> tuple[bool, bool]:
    """Whether some facets of the groups are on the surface, and whether some are inside."""
    topology = domain.mesh.topology
    exterior = dolfinx.mesh.exterior_facet_indices(topology)
    owned = topology.index_map(topology.dim - 1).size_local
    facets = domain.facets(names)
    outer = np.isin(facets[facets < owned], exterior)
    counts = domain.mesh.comm.allreduce(np.array([outer.sum(), (~outer).sum()]))
    return bool(counts[0]), bool(counts[1])
