"""One static boundary value problem: built once, then driven by values alone.

Unknowns are the displacement u (P2, or Q2 on hexahedra) and the pressure p (P1 or Q1, positive in
compression). Stationary point: int W_iso(F) - p (J - 1) - p^2/(2 kappa) dV minus the work of loads.
Every load, motion and cavity has a name and one value; nothing is compiled after construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mpi4py import MPI
from petsc4py import PETSc

import dolfinx
import dolfinx.fem.petsc
import numpy as np
import numpy.typing as npt
from dolfinx.fem import Constant, form, locate_dofs_topological

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain, Names
from loligo.fem.core.fields import Fields, Method
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Load, Vector
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Support, Supports
from loligo.fem.loads.tendons import Strand, Tendon
from loligo.fem.materials.fibres import Fibres
from loligo.fem.materials.hyperelastic import Material
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem import forms
from loligo.fem.problem.conserving import ConservingStep
from loligo.fem.problem.fluid import MovingFluid
from loligo.fem.problem.forms import Acting
from loligo.fem.problem.inertia import INERTIA, AffineRates, Inertia

Array = npt.NDArray[np.float64]

QUADRATURE = {"tetrahedron": (3, 6), "hexahedron": (4, 6)}
"""Degrees in cells and on facets. In cells the least that passes the patch test on curved P2 and
has full rank (6 points; 27 on Q2): more doubles the time of assembly and changes results by less
than the mesh does. On facets 6 is exact for pressures on P2."""


@dataclass(frozen=True)
class State:
    """Everything that a solve changes: unknowns of this rank with its ghosts, and the values."""

    unknowns: Array
    values: Mapping[str, float]


class Problem:
    """A hyperelastic body with its supports, loads and cavities, in its current state."""

    def __init__(
        self,
        domain: Domain,
        materials: Mapping[str, Elastomer] | Elastomer,
        *,
        supports: Sequence[Support],
        loads: Sequence[Load] = (),
        cavities: Sequence[Cavity] = (),
        windings: Sequence[ThreadMembrane | Fibres] = (),
        tendons: Sequence[Tendon] = (),
        parameters: Sequence[str] = (),
        method: Method = "mixed",
        degree: int = 2,
        quadrature: tuple[int, int] | None = None,
        moving: bool = False,
        added_mass: float = 0.0,
        conserving: bool = False,
    ) -> None:
        """Compile the forms and set up the unknowns at rest, with every value zero.

        Args:
            domain: the mesh with its groups.
            materials: the elastomer of every cell group, or one for all.
            supports: fixed and moved facets.
            loads: loads by distinct names.
            cavities: cavities; their names are distinct from those of loads, too.
            windings: wound facets, and cells with fibres.
            tendons: tendons by names of their own; their values are tensions (N).
            parameters: names of more values, of what is given as :attr:`water`.
            method: "mixed" unless locking is to be shown.
            degree: of the displacement; the pressure's is one less.
            quadrature: degrees in cells and on facets, :data:`QUADRATURE` unless its influence is
                to be shown.
            moving: whether the problem has inertia and viscosity, see
                :mod:`loligo.fem.march.motion`.
            added_mass: of water that moves with every point, over the body's own mass.
            conserving: whether it moves in steps of :mod:`loligo.fem.problem.conserving`.

        Raises:
            ValueError: for groups that the mesh lacks, cells without a material, repeated names,
                and for what has no step that conserves energy.
        """
        if not isinstance(materials, Mapping):
            materials = dict.fromkeys(domain.cell_groups, materials)
        _check_cover(domain, materials)
        if conserving and (tendons or method != "mixed" or not moving):
            raise ValueError(
                "steps that conserve energy are there for the mixed form and without tendons; "
                "take generalised-alpha"
            )
        self.domain, self.comm = domain, domain.mesh.comm
        self.quadrature = quadrature or QUADRATURE[domain.mesh.topology.cell_name()]
        self.loads = (*loads, Inertia()) if moving else tuple(loads)
        self.cavities, self.tendons = tuple(cavities), tuple(tendons)
        self.materials = {g: Material(domain.mesh, e) for g, e in materials.items()}
        self.fields = Fields(domain.mesh, method, degree)
        self.supports = Supports(domain, self.fields, supports)
        stiff = [(w, Constant(domain.mesh, w.stiffness)) for w in windings]
        self.threads = tuple(windings)
        """Wound facets, and cells with fibres."""
        self.softness = Constant(domain.mesh, 0.0)
        """Rounds the kink of slack thread in forces, see `fem.materials.fibres.thread_energy`;
        above zero only while :class:`loligo.fem.solvers.newton.Newton` is on its way."""
        self._strands = {tendon.name: Strand(self.fields, tendon) for tendon in tendons}
        driven = [x.name for x in (*self.loads, *self.cavities)]
        driven += [*(tendon.name for tendon in tendons), *parameters]
        self._constants = {name: Constant(domain.mesh, 0.0) for name in driven}
        names = [*driven, *self.supports.motions]
        if len(set(names)) < len(names):
            raise ValueError(
                f"loads, cavities, tendons and motions share a name: {', '.join(names)}"
            )
        self.values: dict[str, float] = dict.fromkeys(names, 0.0)
        """The current value of every load, motion, tendon and cavity (pressure); see set_value."""
        self.units: Mapping[str, str] = {}
        """Units of values in messages, as far as they are known."""
        self.motion = AffineRates(self.fields) if moving else None
        """The rates that a step in time prescribes; None in a problem that cannot move."""
        self.water: MovingFluid | None = None
        """What moves with the body beside its own mass, if it is given any. The low-rank part of
        the tangent that it has is not in :attr:`tangent`; :meth:`multiply_water` applies it."""
        self.kinematics = Kinematics(
            domain,
            self.fields.displacement,
            self.fields.virtual_displacement,
            {g: m.density for g, m in self.materials.items()},
            *domain.measures(*self.quadrature),
            velocity=self.motion.velocity if self.motion else None,
            acceleration=self.motion.acceleration if self.motion else None,
            added_mass=added_mass,
        )
        swelling = [g for g, m in self.materials.items() if not m.incompressible]
        self.step = (
            ConservingStep(self.fields, driven, domain.cells(tuple(swelling)))
            if conserving
            else None
        )
        """Where a step begins whose forces are those between its ends; None if no step is such."""
        at_rest = self.fields.function.x.array
        self._rest_lengths = {n: strand.length(at_rest) for n, strand in self._strands.items()}
        acting = Acting(
            self.fields,
            self.kinematics,
            self.materials,
            stiff,
            self.softness,
            self.loads,
            self.cavities,
            self._constants,
            moving,
        )
        self._still, self._contents = forms.forces(acting), forms.contents(acting)
        self._between = forms.forces_between(acting, self.step) if self.step else None
        self._forces = self._still
        self._measure_scales(acting)
        if moving:
            self.set_value(INERTIA, 1.0)
        vector = self.fields.function.x.petsc_vec
        self._work = [vector.duplicate() for _ in range(3)]

    def _measure_scales(self, acting: Acting) -> None:
        """Sizes that make residuals dimensionless."""
        every = self.kinematics.cells(tuple(self.materials))
        volume = global_sum(form(Constant(self.domain.mesh, 1.0) * every))
        moduli = [m.elastomer.shear_modulus for m in self.materials.values()]
        self.modulus = min(moduli)
        """The smallest initial shear modulus (Pa): rigid discs must not set the scale of forces."""
        self.stiffest = max(*moduli, _thread_modulus(acting) / volume)
        """The largest (Pa), also of thread spread over the body; it sets how large rounding errors
        of forces are."""
        self.length = volume ** (1 / 3)
        """Cube root of the body's volume (m)."""
        weights = 0.0
        if self.fields.virtual_pressure is not None:
            vector = dolfinx.fem.assemble_vector(form(self.fields.virtual_pressure * every))
            vector.scatter_reverse(dolfinx.la.InsertMode.add)
            weights = float(np.sum(vector.array[: self.fields.owned] ** 2))
        self.volume_norm = float(np.sqrt(self.comm.allreduce(weights)))
        """Euclidean norm of the volumes that belong to the pressure unknowns (m^3)."""

    # State ---------------------------------------------------------------------------------------

    def set_value(self, name: str, value: float) -> None:
        """Set the value of a load, a motion, a tension (N), or a cavity's pressure (Pa)."""
        if name in self._constants:
            self._constants[name].value = value
        elif name in self.supports.motions:
            self.supports.move(name, value)
        else:
            raise ValueError(f'there is no load "{name}"; there are {", ".join(self.values)}')
        self.values[name] = value

    def size(self, part: Array) -> float:
        """Return the Euclidean norm of a vector of which this rank has a part."""
        return float(np.sqrt(self.comm.allreduce(float(np.sum(part**2)))))

    def save(self) -> State:
        """Return a copy of the state."""
        return State(self.fields.function.x.array.copy(), dict(self.values))

    def begin_step(self, unknowns: Array, values: Mapping[str, float]) -> None:
        """Let forces be those between these unknowns and values, and the current ones."""
        assert self.step is not None
        assert self._between is not None
        self.step.begin(unknowns, values)
        self._forces = self._between

    def end_step(self) -> None:
        """Let forces be those of the current state again."""
        self._forces = self._still

    @property
    def between(self) -> bool:
        """Whether forces are those between the ends of a step."""
        return self._forces is self._between

    def restore(self, state: State) -> None:
        """Return to a saved state; rates are set by whoever steps in time."""
        self.fields.function.x.array[:] = state.unknowns
        for name, value in state.values.items():
            self.set_value(name, value)

    def disturb(self) -> None:
        """Leave the current state for a generic deformed one with every load at work."""
        for constant in self._constants.values():
            constant.value = self.modulus
        if self.motion:
            self.motion.disturb()
        function, owned = self.fields.function, self.fields.owned
        function.x.array[:owned] = self.fields.wave(self.length, 0.0)
        function.x.array[self.supports.held] = 0.0
        function.x.scatter_forward()

    def cavity_volume(self, name: str) -> float:
        """Return the enclosed volume of a cavity (m^3)."""
        return global_sum(self._contents.volumes[name])

    def tendon_length(self, name: str) -> float:
        """Return the deformed length of a tendon in the body (m)."""
        return self._strands[name].length(self.fields.function.x.array)

    def delivered(self, name: str) -> float:
        """Return what the supply of a cavity has given (m^3), or a tendon's shortening (m).

        A supply gives V + C p, the enclosed volume and what its compliance swallows. The tendon's
        shortening is that of its path from rest. A pressure or tension does work on volume or
        shortening, so that either of each pair can be prescribed.
        """
        if name in self._strands:
            return self._rest_lengths[name] - self.tendon_length(name)
        return self.cavity_volume(name) + self.compliance(name) * self.values[name]

    def compliance(self, name: str) -> float:
        """Return C of a cavity's supply (m^3/Pa); a tendon's winch is rigid."""
        return next((c.compliance for c in self.cavities if c.name == name), 0.0)

    def delivery_scale(self, name: str) -> float:
        """Return the size of what is delivered, for tolerances (m^3 or m)."""
        if name in self._strands:
            return self._rest_lengths[name]
        return max(abs(self.cavity_volume(name)), 1e-30)

    def strain_energy(self) -> float:
        """Return the stored energy (J)."""
        return global_sum(self._contents.strain_energy)

    def kinetic_energy(self) -> float:
        """Return the kinetic energy (J), of water that moves along, too; zero if none can move."""
        carried = self.water.kinetic_energy() if self.water else 0.0
        of_solid = self._contents.kinetic_energy
        return carried + (global_sum(of_solid) if of_solid else 0.0)

    def dissipated_power(self) -> float:
        """Return what viscosity and drag dissipate (W); zero in a problem that cannot move."""
        drained = self.water.drained_power() if self.water else 0.0
        return drained + (global_sum(self._forces.power) if self._forces.power else 0.0)

    def folded_volume(self) -> float:
        """Return the reference volume around quadrature points where det F is not positive (m^3).

        The same on all ranks; a point where det F is not a number counts.
        """
        return global_sum(self._contents.folded)

    # Assembly ------------------------------------------------------------------------------------

    @property
    def tangent(self) -> dolfinx.fem.Form:
        """d(residual)/d(unknowns), compiled."""
        return self._forces.tangent

    def assemble_residual(self) -> tuple[PETSc.Vec, PETSc.Vec]:
        """Return internal forces and residual (internal minus external), supports ignored.

        The vectors belong to the problem; the next call overwrites them.
        """
        internal, residual, external = self._work
        _assemble(internal, self._forces.internal)
        internal.copy(residual)
        if self._forces.external is not None:
            _assemble(external, self._forces.external)
            residual.axpy(-1.0, external)
        if self._strands:
            unknowns = self.fields.function.x.array
            with _accumulate(external) as force:
                for name, strand in self._strands.items():
                    strand.add_force(unknowns, float(self._constants[name].value), force)
            residual.axpy(-1.0, external)
        if self.water:
            self.water.add_force(-1.0, residual.array_w)
        return internal, residual

    def lift(self, residual: PETSc.Vec) -> float:
        """Bring the supports into a residual; return their largest violation (m).

        Rows of held unknowns become their distance from where they should be, and the others get
        the linear effect of closing it, so that symmetric elimination is consistent; that of
        tendons is left to the next iteration.
        """
        x, conditions = self.fields.function.x.petsc_vec, self.supports.conditions
        dolfinx.fem.petsc.set_bc(residual, conditions, x, -1.0)
        violation = float(np.abs(residual.array_r[self.supports.held]).max(initial=0.0))
        violation = float(self.comm.allreduce(violation, MPI.MAX))
        if violation > 0.0:
            with residual.localForm() as local:
                local.array_w[self.fields.owned :] = 0.0  # sent to their owners already
            dolfinx.fem.petsc.apply_lifting(residual, [self.tangent], [conditions], [x], -1.0)
            residual.ghostUpdate(PETSc.InsertMode.ADD, PETSc.ScatterMode.REVERSE)
            dolfinx.fem.petsc.set_bc(residual, conditions, x, -1.0)
        return violation

    def assemble_tangent(self, matrix: PETSc.Mat) -> None:
        """Fill the tangent, with unit rows and columns at the supports."""
        matrix.zeroEntries()
        unknowns = self.fields.function.x.array
        for name, strand in self._strands.items():
            tension = float(self._constants[name].value)
            strand.add_stiffness(unknowns, tension, self.supports.held_here, matrix)
        dolfinx.fem.petsc.assemble_matrix(matrix, self.tangent, self.supports.conditions)
        matrix.assemble()

    def multiply(self, way: PETSc.Vec, out: PETSc.Vec) -> None:
        """Set a vector to the tangent at the current state times a way, with unit rows at supports.

        It takes a twentieth of the time of assembling the matrix, which inserts most of that time.
        """
        fields, held = self.fields, self.supports.held
        product, along = self._work[2], fields.way.x
        along.array[: fields.owned] = way.array_r
        along.array[held] = 0.0
        along.scatter_forward()
        with _accumulate(product) as force:
            dolfinx.fem.assemble_vector(force, self._forces.product)
            for name, strand in self._strands.items():
                tension = float(self._constants[name].value)
                strand.add_product(fields.function.x.array, tension, along.array, force)
        out.array_w[:] = product.array_r
        out.array_w[held] = way.array_r[held]

    def multiply_water(self, way: PETSc.Vec, out: PETSc.Vec, mass: bool = False) -> None:
        """Add the water's part of the tangent, or its mass, times a way to a vector.

        Supports are held.
        """
        if self.water:
            held, free = self.supports.held, way.array_r.copy()
            free[held] = 0.0
            force = np.zeros_like(free)
            multiply = self.water.add_mass if mass else self.water.add_tangent
            multiply(free, force)
            force[held] = 0.0
            out.array_w[:] += force

    def assemble_border(self, name: str) -> tuple[PETSc.Vec, PETSc.Vec]:
        """Return d(residual)/d(value) and d(volume or shortening)/d(unknowns), supports held.

        The value is a cavity's pressure or a tendon's tension.
        """
        column, row = self._work[0].duplicate(), self._work[0].duplicate()
        if name in self._strands:
            with _accumulate(row) as slope:
                self._strands[name].add_force(self.fields.function.x.array, 1.0, slope)
            row.copy(column)
            column.scale(-1.0)
        else:
            _assemble(column, self._forces.columns[name])
            _assemble(row, self._contents.rows[name])
        for vector in (column, row):
            vector.array_w[self.supports.held] = 0.0
        return column, row

    def reaction(
        self, facets: Names = (), about: Vector = (0.0, 0.0, 0.0), *, cells: Names = ()
    ) -> Array:
        """Return the wrench (moment; force) of what holds a part on the body (N m, N).

        By the residual of a converged state, tested with rigid modes of the deformed body about a
        point in space (m). A node on an edge counts fully for each of the two faces.

        Args:
            facets: the facets that are held.
            about: the point.
            cells: groups of cells that are held throughout.
        """
        fields, dim = self.fields, self.domain.mesh.topology.dim
        found = [
            locate_dofs_topological(fields.nodal_space, d, entities)
            for d, entities in (
                (dim - 1, self.domain.facets(facets)),
                (dim, self.domain.cells(cells)),
            )
        ]
        nodes = np.unique(np.concatenate(found))
        nodes = nodes[nodes < len(fields.node_unknowns)]
        unknowns = fields.node_unknowns[nodes]
        force = self.assemble_residual()[1].array_r[unknowns]
        position = fields.node_positions[nodes] + fields.function.x.array[unknowns] - about
        wrench = np.concatenate([np.cross(position, force).sum(0), force.sum(0)])
        return np.asarray(self.comm.allreduce(wrench))


def _thread_modulus(acting: Acting) -> float:
    """Return the integral of all threads' modulus (N m): twice their energy at stretch 2."""
    if not acting.windings:
        return 0.0
    fields = acting.fields
    x = fields.function.x
    x.array[fields.node_unknowns] = fields.node_positions
    x.scatter_forward()
    stored = sum(one.energy(acting.kinematics, stiffness) for one, stiffness in acting.windings)
    doubled = 2.0 * global_sum(form(stored))
    x.array[:] = 0.0
    return doubled


def _assemble(vector: PETSc.Vec, of: dolfinx.fem.Form) -> None:
    with _accumulate(vector) as array:
        dolfinx.fem.assemble_vector(array, of)


@contextmanager
def _accumulate(vector: PETSc.Vec) -> Iterator[Array]:
    """Give zeros for this rank's unknowns and ghosts; sum what was added into a vector."""
    with vector.localForm() as local:
        local.set(0.0)
        yield local.array_w
    vector.ghostUpdate(PETSc.InsertMode.ADD, PETSc.ScatterMode.REVERSE)


def _check_cover(domain: Domain, materials: Mapping[str, Any]) -> None:
    tagged = np.isin(domain.cell_tags.values, domain.cell_tag(tuple(materials)))
    owned = domain.mesh.topology.index_map(domain.mesh.topology.dim).size_local
    bare = owned - int(np.count_nonzero(domain.cell_tags.indices[tagged] < owned))
    bare = domain.mesh.comm.allreduce(bare)
    if bare:
        raise ValueError(
            f"{bare} cells have no material; the materials name {', '.join(materials)}, "
            f"the mesh has {', '.join(domain.cell_groups)}"
        )
