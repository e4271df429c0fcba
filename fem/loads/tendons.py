"""Frictionless tendons: a tension that does work on the length of a path through the solid.

The path is a material line X(s), at rest of unit tangent t: deformed, its length is int |F t| ds. A
tension T does the virtual work -T dL, whose derivative along the unknowns is exact for the sum over
quadrature points that stands for the integral. A form has no integrals along lines: every point
is located in one cell of one rank, and adds to that cell's rows and columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt

from loligo.cases.body import Body, TaperedArm
from loligo.fem.core import compat
from loligo.fem.core.fields import Fields
from loligo.fem.core.measure import locate
from loligo.fem.loads.base import Vector
from loligo.fem.loads.line_integrals import quadrature
from loligo.meshes.bodies import tendon_offset

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tendon:
    """A tendon under tension; its value in N, positive. Its shortening may be prescribed instead.

    It is anchored at the end of its path, on the tip disc's inner face, say, and pulled from beyond
    its start on the base face, at a distance that does not change. The path lies in the body;
    it pulls the body at its anchor back along itself, and inwards wherever it bends. The residual
    at a held base holds the pull of what winds the tendon up there, so that it is that of the other
    loads; the `reaction` of a data set is without it, and bears the tension.
    """

    name: str
    path: tuple[Vector, ...]
    """Corners of the path at rest from its start to the anchor (m), at least two."""

    def __post_init__(self) -> None:
        """Refuse a path of no length."""
        corners = np.array(self.path)
        if len(corners) < 2 or not np.all(np.linalg.norm(np.diff(corners, axis=0), axis=1) > 0):
            raise ValueError(
                f"the path of tendon {self.name} needs two corners or more, each away from the last"
            )


def tendon(body: Body, number: int) -> Tendon:
    """Return a tendon of an arm: straight, from the base face to the inner face of the tip disc."""
    assert isinstance(body, TaperedArm)  # the case has been checked
    corners: list[Vector] = []
    for x in (0.0, body.base_disc + body.length):
        y, z = tendon_offset(body, number, x)
        corners.append((x, float(y), float(z)))
    return Tendon(f"tendon_{number}", tuple(corners))


class Strand:
    """A tendon in the cells of one mesh."""

    def __init__(self, fields: Fields, tendon: Tendon) -> None:
        """Locate the quadrature points; ValueError on all ranks if one lies outside the body."""
        mesh = fields.space.mesh
        self._comm = mesh.comm
        points, weights, tangents = quadrature(mesh, tendon.path)
        mine, cells = locate(mesh, points)
        self._weights, self._tangents = weights[mine], tangents[mine]
        dofs = fields.nodal_space.dofmap.list[cells]
        self._unknowns = fields.every_node_unknowns[dofs]
        """Unknowns of this rank, shape (points, nodes of a cell, 3)."""
        self._slopes = _slopes(fields, points[mine], cells, self._tangents)
        """Derivative of every node's shape function along the path, shape (points, nodes)."""

    def length(self, unknowns: Array) -> float:
        """Return the deformed length (m), at the unknowns of this rank with its ghosts."""
        stretch = self._stretch(unknowns)[1]
        return float(self._comm.allreduce(float(self._weights @ stretch)))

    def add_force(self, unknowns: Array, tension: float, force: Array) -> None:
        """Add -T dL/du to the nodal forces of this rank and its ghosts."""
        direction = self._stretch(unknowns)[0]
        pull = -tension * self._weights[:, None, None] * direction[:, None, :]
        np.add.at(force, self._unknowns, pull * self._slopes[:, :, None])

    def add_stiffness(
        self, unknowns: Array, tension: float, held: npt.NDArray[np.bool_], matrix: PETSc.Mat
    ) -> None:
        """Add T d2L/du2 to a matrix, rows and columns of held unknowns left out."""
        across = self._across(unknowns, tension)
        blocks = np.einsum("pij,pa,pb->paibj", across, self._slopes, self._slopes)
        rows = np.where(held[self._unknowns], -1, self._unknowns)  # PETSc skips negative indices
        for index, block in zip(rows.astype(PETSc.IntType), blocks, strict=True):
            flat = index.ravel()
            matrix.setValuesLocal(flat, flat, block.ravel(), PETSc.InsertMode.ADD_VALUES)

    def add_product(self, unknowns: Array, tension: float, way: Array, force: Array) -> None:
        """Add T d2L/du2 times a way of the unknowns to the nodal forces."""
        turned = np.einsum("pa,pai->pi", self._slopes, way[self._unknowns])
        pull = np.einsum("pij,pj->pi", self._across(unknowns, tension), turned)
        np.add.at(force, self._unknowns, pull[:, None, :] * self._slopes[:, :, None])

    def _across(self, unknowns: Array, tension: float) -> Array:
        """T w (1 - n n^T)/|F t| of every point: its stiffness for each pair of slopes."""
        direction, stretch = self._stretch(unknowns)
        across = np.eye(3) - direction[:, :, None] * direction[:, None, :]
        return np.asarray(across * (tension * self._weights / stretch)[:, None, None])

    def _stretch(self, unknowns: Array) -> tuple[Array, Array]:
        """Direction of F t and its length at this rank's points."""
        moved = np.einsum("pa,pai->pi", self._slopes, unknowns[self._unknowns])
        vector = self._tangents + moved
        stretch = np.linalg.norm(vector, axis=1)
        return vector / stretch[:, None], stretch


def _slopes(fields: Fields, points: Array, cells: npt.NDArray[np.int32], tangents: Array) -> Array:
    """Return t . grad N of every node of the point's cell, shape (points, nodes)."""
    mesh = fields.space.mesh
    shape = fields.nodal_space.ufl_element().basix_element
    geometry = mesh.ufl_domain().ufl_coordinate_element().basix_element
    pull_back = compat.coordinate_map(mesh).pull_back
    slopes = np.zeros((len(points), shape.dim))
    for i, cell in enumerate(cells):
        nodes = mesh.geometry.x[compat.geometry_dofmap(mesh)[cell]]
        reference = pull_back(points[i : i + 1], nodes)
        jacobian = geometry.tabulate(1, reference)[1:, 0, :, 0] @ nodes  # row j: dX/dxi_j
        along = np.linalg.solve(jacobian.T, tangents[i])
        slopes[i] = along @ shape.tabulate(1, reference)[1:, 0, :, 0]
    return slopes
