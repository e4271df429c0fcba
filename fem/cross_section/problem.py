r"""The equations of a cross-section whose strain is uniform along the body.

In a uniform state the body is :math:`x(X, Y, Z) = r(X) + R(X)\,y(Y, Z)` with :math:`r' = R v` and
:math:`R' = R\,[k]_\times`: a helix with the constant strain :math:`\xi = (k; v)` (torsion, bend_y,
bend_z; stretch, shear_y, shear_z), as in the data set. Seen from R,

.. math:: F = (v + k \times y) \otimes e_1 + y_{,Y} \otimes e_2 + y_{,Z} \otimes e_3 .

The unknowns are the place y of every point of the section (m) and the pressure p (Pa). The
potential per reference length, at the pressures :math:`p_c` of the chambers, is

.. math:: \Pi(\xi, p_c; y, p) = \int_S W_{iso}(F) - p\,(J - 1) - \frac{p^2}{2\kappa}\,dA
          + \text{thread} - \sum_c p_c V_c' ,

where the volume of chamber c per reference length is a loop integral, counter-clockwise about +x,

.. math:: V_c' = \oint \bigl[\tfrac12 v \times y - \tfrac12 |y|^2 k\bigr] \cdot dy ,

since the curl of the bracket is :math:`v + k \times y`, the rate at which X sweeps volume. Pi is
stationary in y and p under six linear conditions that make R the frame of the section as
docs/sections.md defines it: origin and polar factor of the affine map that fits the solid best.
Then

- the wrench of section and fluid together is dPi/dxi (moments N m, forces N),
- the wrench of the solid alone is that without the chambers' term,
- the volume of a chamber per length is -dPi/dp_c (m^2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import basix.ufl
import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, Function, form

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import global_sum
from loligo.fem.materials.fibres import fibre_stretch, thread_energy
from loligo.fem.materials.hyperelastic import Material
from loligo.fem.materials.thread import leaning, strands

Array = npt.NDArray[np.float64]

_DEGREES = {"triangle": (4, 6), "quadrilateral": (6, 6)}
"""Quadrature degrees in cells and on edges."""
REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
"""Strain of a section at rest."""


@dataclass(frozen=True)
class Thread:
    """Thread on edges, or spread over cells around the axes of the chambers."""

    group: str
    stiffness: float
    """On edges, of the surface (N/m); in cells, the modulus of the layer (Pa)."""
    angle: float = 0.0
    """Between thread and hoop (rad); above zero two threads cross and share the stiffness."""
    tension_only: bool = False
    centres: tuple[tuple[float, float], ...] = ()
    """Axes (y, z) that thread in cells runs around (m); empty for thread on edges."""


class SectionProblem:
    """A cross-section with its rubbers, its thread and its chambers; forms are compiled once."""

    def __init__(
        self,
        domain: Domain,
        materials: Mapping[str, Elastomer],
        *,
        chambers: Sequence[str] = (),
        threads: Sequence[Thread] = (),
    ) -> None:
        """Compile the forms and set the section to rest.

        Args:
            domain: the plane mesh with its groups, see :mod:`loligo.fem.cross_section.plane`.
            materials: rubber of every cell group.
            chambers: edge groups of the walls of chambers, in the order of their pressures.
            threads: thread that is wound.
        """
        mesh = domain.mesh
        self.domain, self.chambers = domain, tuple(chambers)
        cell = mesh.basix_cell()
        self.space = dolfinx.fem.functionspace(
            mesh,
            basix.ufl.mixed_element(
                [
                    basix.ufl.element("Lagrange", cell, 2, shape=(3,)),
                    basix.ufl.element("Lagrange", cell, 1),
                ]
            ),
        )
        self.unknowns = Function(self.space)
        self._strain = Function(
            dolfinx.fem.functionspace(mesh, basix.ufl.element("DG", cell, 0, shape=(6,)))
        )
        self._pressures = Constant(mesh, np.zeros(max(1, len(chambers))))
        self.materials = {group: Material(mesh, e) for group, e in materials.items()}
        self.modulus = min(e.shear_modulus for e in materials.values())
        """The smallest initial shear modulus (Pa)."""
        self.slackens = any(thread.tension_only for thread in threads)
        """Whether thread pulls only where it is longer than at rest."""
        self.softness = Constant(mesh, 0.0)
        """Rounds the kink of slack thread, see `fem.materials.fibres.thread_energy`."""
        self._energy(threads)
        self._conditions()
        self.size = self.unknowns.x.array.size
        self.pressure_unknowns = np.asarray(self.space.sub(1).collapse()[1])
        """Numbers of the unknowns that are pressures."""
        self.set_strain(np.array(REST))

    # Forms ---------------------------------------------------------------------------------------

    def _energy(self, threads: Sequence[Thread]) -> None:
        domain, mesh = self.domain, self.domain.mesh
        cells, edges = _DEGREES[mesh.topology.cell_name()]
        dx = ufl.Measure(
            "dx", mesh, subdomain_data=domain.cell_tags, metadata={"quadrature_degree": cells}
        )
        ds, inner_ds = (
            ufl.Measure(
                kind, mesh, subdomain_data=domain.facet_tags, metadata={"quadrature_degree": edges}
            )
            for kind in ("ds", "dS")
        )
        plane, normal = ufl.SpatialCoordinate(mesh), ufl.FacetNormal(mesh)
        rest = ufl.as_vector((0.0, plane[0], plane[1]))
        moved, pressure = ufl.split(self.unknowns)
        place = rest + moved
        turn = ufl.as_vector([self._strain[i] for i in range(3)])
        along = ufl.as_vector([self._strain[i] for i in range(3, 6)])
        sweep = along + ufl.cross(turn, place)
        across = ufl.grad(place)
        f = ufl.as_matrix([[sweep[i], across[i, 0], across[i, 1]] for i in range(3)])
        c, j = f.T * f, ufl.det(f)
        test = ufl.TestFunction(self.space)
        solid: list[Any] = []
        residual: list[Any] = []
        for group, material in self.materials.items():
            measure = dx(domain.cell_tag(group))
            volumetric = material.mixed_volumetric(j, pressure)
            solid.append((material.isochoric(c, j) + volumetric) * measure)
            variation = material.isochoric_variation(c, j, self.unknowns, test)
            variation += ufl.derivative(volumetric, self.unknowns, test)
            residual.append(variation * measure)
        for thread in threads:
            stored = self._thread(thread, f, rest, normal, dx, ds, inner_ds)
            solid.append(stored)
            residual.append(ufl.derivative(stored, self.unknowns, test))
        # Counter-clockwise around the hole, with the solid on the right.
        tangent = ufl.as_vector((normal[1], -normal[0]))
        bracket = ufl.cross(along, place) / 2 - ufl.inner(place, place) / 2 * turn
        step = ufl.dot(ufl.grad(place), tangent)
        volumes = [ufl.inner(bracket, step) * ds(domain.facet_tag(name)) for name in self.chambers]
        work = [self._pressures[i] * volume for i, volume in enumerate(volumes)]
        residual += [-ufl.derivative(one, self.unknowns, test) for one in work]
        eta, zeta = (Constant(mesh, np.zeros(6)) for _ in range(2))
        self._directions = eta, zeta
        every = dx(domain.cell_tag(tuple(self.materials)))
        total, force = sum(solid) - sum(work), sum(residual)
        by_strain = ufl.derivative(total, self._strain, eta)
        self._forms = {
            "energy": form(sum(solid)),
            "residual": form(force),
            "tangent": form(ufl.derivative(force, self.unknowns, ufl.TrialFunction(self.space))),
            "wrench": form(by_strain),
            "solid": form(ufl.derivative(sum(solid), self._strain, eta)),
            "coupling": form(ufl.derivative(force, self._strain, eta)),
            "second": form(ufl.derivative(by_strain, self._strain, zeta)),
            "folded": form(ufl.conditional(ufl.gt(j, 0.0), 0.0, 1.0) * every),
        }
        self._volumes = [form(one) for one in volumes]
        self._volume_rows = [form(ufl.derivative(v, self.unknowns, test)) for v in volumes]
        self._volume_strains = [form(ufl.derivative(v, self._strain, eta)) for v in volumes]
        self._measure, self._rest, self._test = every, rest, test

    def _thread(
        self, thread: Thread, f: Any, rest: Any, normal: Any, dx: Any, ds: Any, inner_ds: Any
    ) -> Any:
        """Return the energy of thread per reference length (UFL)."""
        domain = self.domain

        def stored(gradient: Any, hoop: Any) -> Any:
            return sum(
                share
                * thread_energy(
                    fibre_stretch(gradient, leaning(hoop, angle)),
                    tension_only=thread.tension_only,
                    softness=self.softness,
                )
                for angle, share in strands(thread.angle)
            )

        if thread.centres:
            hoop = _around_nearest(rest, thread.centres)
            return thread.stiffness * stored(f, hoop) * dx(domain.cell_tag(thread.group))
        tags = domain.facet_tag(thread.group)
        outside = dolfinx.mesh.exterior_facet_indices(domain.mesh.topology)
        if np.all(np.isin(domain.facets(thread.group), outside)):
            hoop = ufl.as_vector((0.0, -normal[1], normal[0]))
            return thread.stiffness * stored(f, hoop) * ds(tags)
        hoop = ufl.as_vector((0.0, -normal("+")[1], normal("+")[0]))
        return thread.stiffness * stored(f("+"), hoop) * inner_ds(tags)

    def _conditions(self) -> None:
        """Six linear conditions on y: origin at 0, normal and polar factor those of the frame.

        Rows: o_x, o_y, o_z, M_x2, M_x3, M_y3 - M_z2 of docs/sections.md, Eq (2), each of which a
        section in its own frame has zero.
        """
        mesh = self.domain.mesh
        weight = Constant(mesh, np.zeros((3, 3)))  # component by (1, Y, Z)
        basis = ufl.as_vector((1.0, self._rest[1], self._rest[2]))
        virtual, _ = ufl.split(self._test)
        row = form(ufl.inner(weight * basis, virtual) * self._measure)
        value = form(ufl.inner(weight * basis, self._rest) * self._measure)
        one = Constant(mesh, 1.0)
        eta = self._rest
        area, *first = (global_sum(form(one * g * self._measure)) for g in (1.0, eta[1], eta[2]))
        second = np.array(
            [[global_sum(form(eta[a] * eta[b] * self._measure)) for b in (1, 2)] for a in (1, 2)]
        )
        centroid = np.array(first) / area
        inverse = np.linalg.inv(second - area * np.outer(centroid, centroid))
        # Column b of M is int x g_b dA with g_b = (eta - centroid) . inverse[:, b].
        slope = [np.r_[-centroid @ inverse[:, b], inverse[:, b]] for b in range(2)]
        origin = np.r_[1.0 / area, 0.0, 0.0] - centroid[0] * slope[0] - centroid[1] * slope[1]
        rows, values = [], []
        for parts in (
            {0: origin},
            {1: origin},
            {2: origin},
            {0: slope[0]},
            {0: slope[1]},
            {1: slope[1], 2: -slope[0]},
        ):
            weight.value = np.array([parts.get(i, np.zeros(3)) for i in range(3)])
            rows.append(dolfinx.fem.assemble_vector(row).array.copy())
            values.append(global_sum(value))
        self.area = float(area)
        """Of the solid (m^2)."""
        self.conditions: Array = np.array(rows)
        """Rows on the unknowns, shape (6, unknowns)."""
        self.condition_values: Array = np.array(values)
        """Their value at rest, which is zero but for rounding."""

    # State ---------------------------------------------------------------------------------------

    @property
    def strain(self) -> Array:
        """The strain (k; v), shape (6,)."""
        return np.array(self._strain.x.array[:6])

    def set_strain(self, strain: Array) -> None:
        """Set the strain (k; v)."""
        self._strain.x.array[:] = np.tile(strain, self._strain.x.array.size // 6)

    @property
    def pressures(self) -> Array:
        """Pressure of every chamber (Pa)."""
        return np.array(self._pressures.value[: len(self.chambers)])

    def set_pressures(self, pressures: Array) -> None:
        """Set the pressure of every chamber (Pa)."""
        self._pressures.value[: len(self.chambers)] = pressures

    # Assembly ------------------------------------------------------------------------------------

    def residual(self) -> Array:
        """Return dPi/d(unknowns)."""
        return np.array(dolfinx.fem.assemble_vector(self._forms["residual"]).array)

    def tangent(self) -> Any:
        """Return d2Pi/d(unknowns)2 as a sparse matrix of scipy."""
        matrix = dolfinx.fem.assemble_matrix(self._forms["tangent"])
        matrix.scatter_reverse()
        return matrix.to_scipy()

    def gradient(self) -> Array:
        """Return dPi/d(strain, pressures), shape (6 + chambers,): wrench, and minus volumes."""
        return np.concatenate([self._by_strain("wrench"), -self.volumes()])

    def wrench_of_solid(self) -> Array:
        """Return the wrench of the solid alone (N m, N), shape (6,)."""
        return self._by_strain("solid")

    def volumes(self) -> Array:
        """Return the volume of every chamber per reference length (m^2)."""
        return np.array([global_sum(one) for one in self._volumes])

    def energy(self) -> float:
        """Return the energy of the solid per reference length (J/m)."""
        return global_sum(self._forms["energy"])

    def folded(self) -> float:
        """Return the area around quadrature points where det F is not positive (m^2)."""
        return global_sum(self._forms["folded"])

    def coupling(self) -> Array:
        """Return d2Pi/d(unknowns)d(strain, pressures), shape (unknowns, 6 + chambers)."""
        columns = []
        for mode in np.eye(6):
            self._directions[0].value[:] = mode
            columns.append(dolfinx.fem.assemble_vector(self._forms["coupling"]).array.copy())
        columns += [-dolfinx.fem.assemble_vector(row).array for row in self._volume_rows]
        return np.array(columns).T

    def second(self) -> Array:
        """Return d2Pi/d(strain, pressures)2 at fixed unknowns, symmetric."""
        eta, zeta = self._directions
        count = 6 + len(self.chambers)
        matrix = np.zeros((count, count))
        for i, mode in enumerate(np.eye(6)):
            eta.value[:] = mode
            for k in range(i + 1):
                zeta.value[:] = np.eye(6)[k]
                matrix[i, k] = global_sum(self._forms["second"])
                matrix[k, i] = matrix[i, k]
            for n, one in enumerate(self._volume_strains):
                matrix[6 + n, i] = matrix[i, 6 + n] = -global_sum(one)
        return matrix

    def _by_strain(self, name: str) -> Array:
        values = []
        for mode in np.eye(6):
            self._directions[0].value[:] = mode
            values.append(global_sum(self._forms[name]))
        return np.array(values)


def _around_nearest(rest: Any, centres: Sequence[tuple[float, float]]) -> Any:
    """Direction of the hoop around the nearest of some axes along x (UFL)."""
    chosen: tuple[Any, Any, Any] | None = None
    for y, z in centres:
        distance = (rest[1] - y) ** 2 + (rest[2] - z) ** 2
        this = (y - 0.0 * rest[1], z - 0.0 * rest[1], distance)
        if chosen is None:
            chosen = this
        else:
            nearer = ufl.lt(distance, chosen[2])
            chosen = tuple(ufl.conditional(nearer, a, b) for a, b in zip(this, chosen, strict=True))
    assert chosen is not None
    return ufl.as_vector((0.0, chosen[1] - rest[2], rest[1] - chosen[0]))
