r"""Small vibrations about a state of equilibrium, loaded or not: frequencies, modes and damping.

.. math:: K \varphi = \omega^2 M \varphi,

K the tangent of the state, M the mass of the displacements and of water that moves along with them
(Lanczos, shift-and-invert by SLEPc).
The pressure has no mass: its rows keep every mode isochoric. Of an unstable state some
:math:`\omega^2` are negative. Light viscous damping, with C that of the rubber, leaves modes and
frequencies alone; the share of critical damping is
:math:`\zeta = \varphi \cdot C \varphi / (2 \omega\,\varphi \cdot M \varphi)`, for one rubber in
bending or torsion :math:`\eta \omega/(2 \mu)`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from petsc4py import PETSc

import dolfinx.fem.petsc
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Function, form
from slepc4py import SLEPc

from loligo.fem.core.measure import global_sum
from loligo.fem.materials.viscosity import dissipated_power
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.linear import Linear

Array = npt.NDArray[np.float64]

_TOLERANCE = 1e-9
"""Relative error of omega^2."""
_SYMMETRIC = 1e-9
"""Largest |(K - K^T) v| / |K v| of a tangent that counts as symmetric."""
_PREFIX = "loligo_vibrations_"
"""Of PETSc's options: SLEPc leaves no other way to MUMPS's before it factors."""
_WORKSPACE = 100
"""Per cent by which MUMPS may miss its guess; its own 20 is too little on 2 ranks at times."""


@dataclass(frozen=True)
class Vibration:
    """One mode."""

    square: float
    """omega^2 (1/s^2); negative if the state is unstable."""
    damping: float
    """Share of critical damping; of no meaning where the state is unstable, and not a number of a
    power law of viscosity, which damps small vibrations more than large ones."""
    mode: Array
    """Displacement of this rank's unknowns and ghosts, of unit kinetic energy at omega = 1/s."""

    @property
    def frequency(self) -> float:
        """Frequency (Hz); not a number if the state is unstable."""
        return float(np.sqrt(self.square) / (2.0 * np.pi)) if self.square >= 0.0 else np.nan


def vibrations(problem: Problem, count: int) -> list[Vibration]:
    """Return the slowest modes about the problem's current state, which is an equilibrium.

    Raises:
        ValueError: if a load has no potential, so that the tangent is not symmetric, or modes are
            missing.
    """
    if problem.water and problem.water.flows:
        raise ValueError("the drag of a current has no potential; vibrations are in still water")
    linear = Linear(problem, (), "direct")
    fields, k = problem.fields, problem.kinematics
    problem.assemble_tangent(linear.matrix)
    if linear.asymmetry() > _SYMMETRIC:
        raise ValueError(
            "a load has no potential (a follower force or moment, pressure with a free edge): "
            "the vibrations of such a body need not be modes"
        )
    inner = ufl.inner(*(fields.parts(of)[0] for of in (fields.trial, fields.test)))
    weighed = sum(rho * inner * k.cells(group) for group, rho in k.inertia.items())
    mass_form = form(weighed)
    mass = dolfinx.fem.petsc.create_matrix(mass_form)
    dolfinx.fem.petsc.assemble_matrix(mass, mass_form, problem.supports.conditions, 0.0)
    mass.assemble()
    wet = _Wet(problem, mass)
    found = _slowest(linear.matrix, wet.operator, count)
    linear.destroy()
    wet.operator.destroy()
    mass.destroy()
    velocity = Function(fields.space)
    moving = replace(k, velocity=fields.parts(velocity)[0])
    power = form(
        sum(
            dissipated_power(moving, material) * k.cells(group)
            for group, material in problem.materials.items()
        )
    )
    linear_damper = all(m.elastomer.rate_index == 1.0 for m in problem.materials.values())
    vibrating = []
    for square, mode in found:
        velocity.x.array[: fields.owned] = mode
        velocity.x.scatter_forward()
        rate = float(np.sqrt(abs(square)))
        damping = global_sum(power) / (2.0 * rate) if linear_damper else np.nan
        vibrating.append(Vibration(square, damping, velocity.x.array.copy()))
    return vibrating


class _Wet:
    """Mass with that of the water that moves along, as PETSc's operator."""

    def __init__(self, problem: Problem, dry: PETSc.Mat) -> None:
        self._problem, self._dry = problem, dry
        self.operator = PETSc.Mat().createPython(dry.getSizes(), self, comm=dry.comm)
        self.operator.setUp()

    def mult(self, matrix: PETSc.Mat, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Set y = M x."""
        self._dry.mult(x, y)
        self._problem.multiply_water(x, y, mass=True)


def _slowest(stiffness: PETSc.Mat, mass: PETSc.Mat, count: int) -> list[tuple[float, Array]]:
    """Return omega^2 and this rank's part of the mode, with unit mass, the slowest first."""
    solver = SLEPc.EPS().create(stiffness.comm)
    stiffness.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    mass.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    solver.setOperators(stiffness, mass)
    solver.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    solver.setDimensions(count)
    solver.setTolerances(_TOLERANCE)
    solver.setTarget(0.0)
    solver.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    transform = solver.getST()
    transform.setType(SLEPc.ST.Type.SINVERT)
    ksp = transform.getKSP()
    ksp.setType("preonly")
    ksp.getPC().setType("cholesky")
    ksp.getPC().setFactorSolverType("mumps")
    solver.setOptionsPrefix(_PREFIX)
    PETSc.Options()[f"{_PREFIX}st_mat_mumps_icntl_14"] = _WORKSPACE
    try:
        solver.solve()
    except PETSc.Error as error:  # of all ranks, as MUMPS's are
        raise ValueError(
            f"the tangent could not be factored: PETSc's error {error.ierr}"
        ) from error
    found: list[tuple[float, Array]] = []
    vector, weighed = stiffness.createVecs()
    if solver.getConverged() < count:
        raise ValueError(
            f"{solver.getConverged()} of {count} modes were found; the state may be at its limit"
        )
    for i in range(count):
        square = solver.getEigenpair(i, vector).real
        mass.mult(vector, weighed)
        vector.scale(1.0 / np.sqrt(vector.dot(weighed)))
        found.append((float(square), vector.array_r.copy()))
    solver.destroy()
    return sorted(found, key=lambda pair: pair[0])
