"""Newton's method for one state of a problem, by PETSc's SNES with a direct factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from petsc4py import PETSc

import dolfinx.fem.petsc
import numpy as np
import numpy.typing as npt

from loligo.fem.border import Border
from loligo.fem.problem import Problem
from loligo.fem.tangent import Factor

Array = npt.NDArray[np.float64]

_SYMMETRIC = 1e-11
"""Largest |(K - K^T) v| / |K v| of a tangent that is factored as symmetric."""
_SMALL_FORCE = 1e-5
"""Share of mu L^2 that is added to the internal forces as the scale of the force residual."""
_ROUNDING = 1e-6
"""The same for the stiffest part: a displacement u is rounded by 1e-16 u, which a disc a thousand
times as stiff as the rubber resists by 1e-17 to 1e-16 of its mu L^2, however far Newton goes on."""
_SUPPORT = 1e-12
"""Largest distance of supports from where they should be, over L."""


@dataclass(frozen=True)
class Tolerances:
    """When an iterate is a solution; each number is relative to a scale of its own."""

    displacement: float = 1e-9
    """Force residual over internal forces, Euclidean norms of nodal forces."""
    pressure: float = 1e-9
    """Volume error, weighted by the pressure's test functions: about a mean of |J - 1|."""
    cavity: float = 1e-10
    """Error of a prescribed cavity volume over the volume when its control began."""
    iterations: int = 15


@dataclass(frozen=True)
class Inertia:
    """Signs of the pivots of the last factored tangent, volume control's border included."""

    negative: int
    zero: int
    expected: int
    """Negative pivots of a stable state: one for every pressure unknown and every border."""

    @property
    def stable(self) -> bool:
        """Whether the potential energy has a minimum here, under the control in force."""
        return self.zero == 0 and self.negative == self.expected


@dataclass(frozen=True)
class Solve:
    """What one run of Newton's method did."""

    failure: str | None
    """Why there is no solution; None if there is one."""
    iterations: int
    history: tuple[Mapping[str, float], ...]
    """Scaled residual of every field, before the first and after every iteration."""
    inertia: Inertia | None
    """None if the tangent is not symmetric."""


class Newton:
    """The solver of one problem under one choice of volume-controlled cavities."""

    def __init__(
        self,
        problem: Problem,
        volume_controlled: tuple[str, ...] = (),
        tolerances: Tolerances | None = None,
    ) -> None:
        """Allocate matrix, factor and SNES; whether the tangent is symmetric is measured."""
        self.problem = problem
        self.tolerances = tolerances or Tolerances()
        self.volume_targets = {name: problem.cavity_volume(name) for name in volume_controlled}
        self._volume_scale = {n: max(abs(v), 1e-30) for n, v in self.volume_targets.items()}
        self._comm = problem.comm
        self._matrix = dolfinx.fem.petsc.create_matrix(problem.tangent)
        self.asymmetry = self._measure_asymmetry()
        """|(K - K^T) v| / |K v| at a generic state under every load."""
        self.symmetric = self.asymmetry <= _SYMMETRIC
        self._factor = Factor(self._matrix, self.symmetric)
        self._border = Border(problem, volume_controlled, self._matrix, self._factor)
        self._make_snes()
        self._history: list[dict[str, float]] = []
        self._failure = ""

    def _make_snes(self) -> None:
        self._last = self._comm.rank == self._comm.size - 1
        extra = len(self.volume_targets) if self._last else 0
        size = (self.problem.fields.owned + extra, None)
        self._x = PETSc.Vec().createMPI(size, comm=self._comm)
        residual = self._x.duplicate()
        operator = PETSc.Mat().createPython((size, size), self._border, comm=self._comm)
        operator.setUp()
        self._snes = snes = PETSc.SNES().create(self._comm)
        # petsc4py has no call for it. Full steps: a cutback of the load beats a creeping search.
        snes.setOptionsPrefix("loligo_newton_")
        PETSc.Options()["loligo_newton_snes_linesearch_type"] = "basic"
        snes.setType("newtonls")
        snes.setFunction(self._residual, residual)
        snes.setJacobian(self._jacobian, operator, operator)
        snes.setConvergenceTest(self._converged)
        ksp = snes.getKSP()
        ksp.setType("preonly")
        pc = ksp.getPC()
        pc.setType("python")
        pc.setPythonContext(self._border)
        snes.setFromOptions()

    @property
    def options(self) -> dict[str, str]:
        """What the linear and nonlinear solver are."""
        return {
            "snes": "newtonls, basic line search",
            "factor": self._factor.description,
            "volume_controlled": ", ".join(self.volume_targets),
            "quadrature": "degree {} in cells, {} on facets".format(*self.problem.quadrature),
        }

    def solve(self) -> Solve:
        """Iterate from the problem's current state; on failure the state is where it ended."""
        self._history, self._failure = [], ""
        self._factor.forget()
        fields = self.problem.fields
        self._x.array_w[: fields.owned] = fields.function.x.array[: fields.owned]
        if self._last:
            self._x.array_w[fields.owned :] = [
                self.problem.values[name] for name in self.volume_targets
            ]
        self._snes.solve(None, self._x)
        reason = self._snes.getConvergedReason()
        failure = None
        if reason > 0:
            self._take(self._x)
            if not self._factor.fresh:  # accepted without an iteration: its stability is not known
                self._border.factor()
        else:
            failure = self._factor.failure or self._failure or self._why(reason)
        return Solve(
            failure, self._snes.getIterationNumber(), tuple(self._history), self._inertia()
        )

    def destroy(self) -> None:
        """Free what PETSc and MUMPS hold; collective."""
        self._snes.destroy()
        self._border.clear()
        self._factor.destroy()
        self._matrix.destroy()

    def _inertia(self) -> Inertia | None:
        if not self.symmetric or not self._factor.fresh or not self._border.symmetric:
            return None
        negative, zero = self._factor.inertia()
        negative += int(np.count_nonzero(np.linalg.eigvalsh(self._border.schur) < 0.0))
        expected = self.problem.fields.pressure_count + len(self.volume_targets)
        return Inertia(negative, zero, expected)

    def _take(self, x: PETSc.Vec) -> None:
        """Copy a SNES vector into the problem."""
        fields = self.problem.fields
        fields.function.x.array[: fields.owned] = x.array_r[: fields.owned]
        fields.function.x.scatter_forward()
        if self.volume_targets:
            tail = x.array_r[fields.owned :].copy() if self._last else None
            pressures = self._comm.bcast(tail, self._comm.size - 1)
            for name, pressure in zip(self.volume_targets, pressures, strict=True):
                self.problem.set_value(name, float(pressure))

    def _residual(self, snes: PETSc.SNES, x: PETSc.Vec, out: PETSc.Vec) -> None:
        self._take(x)
        problem = self.problem
        folded = problem.folded_volume()
        if folded > 0.0:
            self._failure = f"det F is not positive in {folded / problem.length**3:.2g} of the body"
            out.set(np.inf)
            return
        internal, residual = problem.assemble_residual()
        forces = internal.array_r[problem.fields.by_name["displacement"]]
        mismatch = problem.lift(residual)
        out.array_w[: problem.fields.owned] = residual.array_r
        residual.array_w[problem.supports.held] = 0.0
        squares = {n: np.sum(residual.array_r[i] ** 2) for n, i in problem.fields.by_name.items()}
        sums = np.sqrt(self._comm.allreduce(np.array([np.sum(forces**2), *squares.values()])))
        small = _SMALL_FORCE * problem.modulus + _ROUNDING * problem.stiffest
        scale = {
            "displacement": sums[0] + small * problem.length**2,
            "pressure": problem.volume_norm,
        }
        norms = {n: float(s / scale[n]) for n, s in zip(squares, sums[1:], strict=True)}
        norms["support"] = mismatch / problem.length
        if not np.isfinite(list(norms.values())).all():
            self._failure = "the residual is not finite"
        gaps = []
        for name, target in self.volume_targets.items():
            gaps.append(target - problem.cavity_volume(name))
            norms[f"volume of {name}"] = abs(gaps[-1]) / self._volume_scale[name]
        if self._last:
            out.array_w[problem.fields.owned :] = gaps
        self._history.append(norms)

    def _jacobian(self, snes: PETSc.SNES, x: PETSc.Vec, operator: Any, _: Any) -> None:
        self._take(x)
        self._border.factor()
        operator.assemble()

    def _converged(self, snes: PETSc.SNES, its: int, norms: tuple[float, float, float]) -> int:
        reasons = PETSc.SNES.ConvergedReason
        if not np.isfinite(norms[2]):
            return int(reasons.DIVERGED_FUNCTION_DOMAIN)
        last, t = self._history[-1], self.tolerances
        limits = {"displacement": t.displacement, "pressure": t.pressure, "support": _SUPPORT}
        if all(value <= limits.get(name, t.cavity) for name, value in last.items()):
            return int(reasons.CONVERGED_FNORM_RELATIVE)
        if its >= t.iterations:
            return int(reasons.DIVERGED_MAX_IT)
        return int(reasons.ITERATING)

    def _why(self, reason: int) -> str:
        if reason == PETSc.SNES.ConvergedReason.DIVERGED_MAX_IT:
            last = self._history[-1]
            worst = max(last, key=lambda name: last[name])
            return f"no convergence: residual of {worst} still {last[worst]:.1e} of its scale"
        return f"SNES stopped with reason {reason}"

    def _measure_asymmetry(self) -> float:
        problem = self.problem
        state = problem.save()
        problem.disturb()  # at rest the tangents of pressures vanish
        problem.assemble_tangent(self._matrix)
        problem.restore(state)
        v, right, left = (self._matrix.createVecRight() for _ in range(3))
        v.array_w[:] = problem.fields.wave(problem.length, 0.5)
        v.array_w[problem.supports.held] = 0.0
        self._matrix.mult(v, right)
        self._matrix.multTranspose(v, left)
        left.axpy(-1.0, right)
        return float(left.norm() / right.norm())
