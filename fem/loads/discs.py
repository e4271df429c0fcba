"""Rigid discs: volumes so stiff that they move like rigid bodies, with what acts on their motion.

A disc is a group of cells of :func:`disc_material`. Forces and moments are spread over its volume
such that their virtual work is that of a point force or moment for every rigid motion of the disc,
however large, while everything stays local to a cell: no dense row couples the disc's unknowns.

How rigid they are, measured on a cantilever (section 1 x 1, length 20, disc 1/2 thick) under F =
EI/L^2 or M = EI/L, against a factor of 1e6: error of the tip's position over its way, and of the
tip's rotation (rad), the worse of dead and follower loads.

    factor   force              moment             steps to the whole moment
    1e2      3e-6    8e-6       2e-4    1e-3       5
    1e3      3e-6    2e-5       2e-4    4e-4       9
    1e4      8e-7    1e-6       4e-5    9e-5       11

A stiffer disc costs steps: Newton's linear rotation stretches it, which it resists by its factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dolfinx.mesh
import numpy as np
import ufl
from dolfinx.fem import Constant, form

from loligo.cases.body import Solid
from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain, Names
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Vector
from loligo.meshes.bodies import AnyBody, stations

STIFFNESS = 1e3
"""Shear modulus of a disc over that of its body."""


def disc_material(body: Elastomer, stiffness: float = STIFFNESS) -> NeoHooke:
    """Return what a disc is made of: rubber of the body's density, ``stiffness`` times as stiff."""
    return NeoHooke(mu=stiffness * body.shear_modulus, density=body.density)


@dataclass(frozen=True)
class DiscForce:
    """A force on a disc at a point that moves with it; its value in N."""

    name: str
    disc: Names
    """Cell groups that are the disc."""
    point: Vector
    """Where it acts in the reference (m), inside the disc's volume or not."""
    direction: Vector
    """Unit vector at rest."""
    follower: bool = False
    """Whether the force turns with the disc; otherwise its direction is fixed in space."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return int w f . v dV with the weight of the point; f turns with F, the disc's rotation.

        The weight is linear in X with int w dV = 1 and int w X dV = point. A rigid motion is linear
        in X, too, so that int w v dV is the point's virtual displacement.
        """
        f = _turned(k, self.direction, self.follower)
        weight = _weight(k, self.disc, self.point)
        return value * weight * ufl.inner(f, k.virtual) * k.cells(self.disc)


@dataclass(frozen=True)
class DiscMoment:
    """A moment on a disc; its value in N m. Without ``follower`` it has no potential in space."""

    name: str
    disc: Names
    """Cell groups that are the disc."""
    direction: Vector
    """Unit vector at rest."""
    follower: bool = False
    """Whether the moment turns with the disc; otherwise its direction is fixed in space."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return the mean over the disc of m . omega, omega the virtual rotation.

        omega is the axial vector of (grad v) F^-1, so that the resultant is m for any deformation.
        """
        w = ufl.grad(k.virtual) * ufl.inv(k.gradient)
        omega = ufl.as_vector([w[2, 1] - w[1, 2], w[0, 2] - w[2, 0], w[1, 0] - w[0, 1]]) / 2
        volume = global_sum(form(Constant(k.domain.mesh, 1.0) * k.cells(self.disc)))
        m = _turned(k, self.direction, self.follower)
        return value / volume * ufl.inner(m, omega) * k.cells(self.disc)


def tip_point(body: AnyBody, domain: Domain) -> Vector:
    """Return the centre of the inner face of the disc at an arm's tip, where tip loads act (m).

    Where the geometry is not known in closed form, the middle of the facets between the disc's
    cells and others.
    """
    if not isinstance(body, Solid):
        return (float(stations(body)[-1]), 0.0, 0.0)
    mesh, disc = domain.mesh, domain.cells("disc_tip")
    links = mesh.topology.connectivity(mesh.topology.dim - 1, mesh.topology.dim)
    owned = mesh.topology.index_map(mesh.topology.dim - 1).size_local
    face = [
        f for f in range(owned) if np.isin(links.links(f), disc).sum() == 1 < len(links.links(f))
    ]
    facets = np.array(face, dtype=np.int32)
    tags = dolfinx.mesh.meshtags(mesh, mesh.topology.dim - 1, facets, np.ones_like(facets))
    area = ufl.Measure("dS", mesh, subdomain_data=tags, metadata={"quadrature_degree": 6})(1)
    x = ufl.SpatialCoordinate(mesh)("+")
    size = global_sum(form(Constant(mesh, 1.0) * area))
    first, second, third = (global_sum(form(x[i] * area)) / size for i in range(3))
    return first, second, third


def _turned(k: Kinematics, direction: Vector, follower: bool) -> Any:
    rest = ufl.as_vector(direction)
    return k.gradient * rest if follower else rest


def _weight(k: Kinematics, disc: Names, point: Vector) -> Any:
    """Return (1 + (P - C) . J^-1 (X - C)) / V, C the centroid and J V the second moment of a disc.

    The moments are those of the quadrature in use: the resultants are exact on curved cells, too.
    """
    x, dx = ufl.SpatialCoordinate(k.domain.mesh), k.cells(disc)
    one = Constant(k.domain.mesh, 1.0)
    volume = global_sum(form(one * dx))
    centre = np.array([global_sum(form(x[i] * dx)) for i in range(3)]) / volume
    arm = x - ufl.as_vector(centre.tolist())
    second = [[global_sum(form(a * b * dx)) for b in arm] for a in arm]
    slope = volume * np.linalg.solve(second, np.asarray(point) - centre)
    return (1 + ufl.inner(ufl.as_vector(slope.tolist()), arm)) / volume
