"""Newton's method for one state of a problem, with linear systems no more exact than they need be.

The correction is solved for until its residual is a share eta of the nonlinear one. With eta in
proportion to the residual Newton's method stays quadratic (Dembo, Eisenstat and Steihaug 1982).

Where thread goes slack and taut by turns, corrections are for forces with a softened kink (see
:mod:`loligo.fem.solvers.slack`). An iterate is a solution when the sharp forces balance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.bordered import Edge
from loligo.fem.solvers.factor import Solver
from loligo.fem.solvers.linear import Linear
from loligo.fem.solvers.load_line import Line
from loligo.fem.solvers.slack import Slackening
from loligo.fem.solvers.stability import PivotSigns, inertia

Array = npt.NDArray[np.float64]

_SMALL_FORCE = 1e-5
"""Share of mu L^2 that is added to the internal forces as the scale of the force residual."""
_ROUNDING = 1e-6
"""The same for the stiffest part: a displacement u is rounded by 1e-16 u, which a disc a thousand
times as stiff as the rubber, or stiff thread, resists by 1e-17 to 1e-16 of its mu L^2, however far
Newton goes on."""
_SUPPORT = 1e-12
"""Largest distance of supports from where they should be, over L."""
_LOOSEST, _SHARE = 1e-3, 0.1
"""Largest eta, and eta over the scaled residual. Looser ones cost more iterations of Newton's
method, thus assemblies, than they save in linear ones."""
_LOOSEST_SLACK = 1e-4
"""Largest eta where thread can go slack at once: what is left of a correction says which parts do.
With ten times as much Zhang's joint takes 1.6 times the systems."""
_PROBE = 1e-4
"""Share of the way over which the residual is differenced along a path, forwards alone: behind its
beginning a motion may have no meaning. The change must stand out of rounding."""
_HALVINGS = [0.5**i for i in range(1, 11)]
"""Shares of a correction that are taken back in turn while it folds a body with slack thread."""
_SLOPE = 1e-6
"""Relative residual of the slope of a path."""


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
    slackening: int = 100
    """Iterations where thread can go slack."""


@dataclass(frozen=True)
class Solve:
    """What one run of Newton's method did."""

    failure: str | None
    """Why there is no solution; None if there is one."""
    iterations: int
    history: tuple[Mapping[str, float], ...]
    """Scaled residual of every field, before the first and after every iteration."""
    inertia: PivotSigns | None
    """At the solution; None if it failed or the factor does not know."""


@dataclass(frozen=True)
class Slope:
    """Derivative of a solution along a path."""

    unknowns: Array
    """Those of this rank."""
    pressures: Mapping[str, float]
    """Of volume-controlled cavities."""
    factor: float = 1.0
    """Of the load factor."""
    failure: str | None = None
    """Why it is not the derivative; None if it is."""

    def times(self, factor: float) -> Slope:
        """Return the derivative along a way so many times as long."""
        pressures = {name: factor * value for name, value in self.pressures.items()}
        return replace(self, unknowns=factor * self.unknowns, pressures=pressures)


class Newton:
    """The solver of one problem under one choice of volume-controlled cavities."""

    def __init__(
        self,
        problem: Problem,
        volume_controlled: tuple[str, ...] = (),
        tolerances: Tolerances | None = None,
        solver: Solver = "auto",
        watch: Callable[[], None] | None = None,
        line: Line | None = None,
    ) -> None:
        """Allocate matrix, factor and vectors; what `watch` raises at an iteration ends a solve.

        On a `line` its factor is one more unknown, and all values follow it.
        """
        self.problem, self.line = problem, line
        self._watch = watch or (lambda: None)
        self.tolerances = tolerances or Tolerances()
        self._slackens = any(thread.tension_only for thread in problem.threads)
        self.volume_targets = {name: problem.delivered(name) for name in volume_controlled}
        self._volume_scale = {n: problem.delivery_scale(n) for n in volume_controlled}
        edge = self._edge if line else None
        self.linear = Linear(problem, volume_controlled, solver, edge)
        self._right, self._correction = (self.linear.border.scale.duplicate() for _ in range(2))
        self._head, self._weights = (self.linear.matrix.createVecRight() for _ in range(2))

    @property
    def options(self) -> dict[str, str]:
        """What the linear and nonlinear solver are."""
        part = "" if self.linear.potential else " of the symmetric part"
        return {
            "newton": "full steps, inexact",
            "linear": "FGMRES with the last factor",
            "factor": self.linear.factor.description + part,
            "volume_controlled": ", ".join(self.volume_targets),
            "quadrature": "degree {} in cells, {} on facets".format(*self.problem.quadrature),
        }

    def solve(self, *, settle: bool = True) -> Solve:
        """Iterate from the problem's current state; on failure the state is where it ended.

        Args:
            settle: whether the tangent is factored at the solution: its inertia is that of the
                solution, and the next solve begins with it. Else the inertia is not known.
        """
        most = self.tolerances.slackening if self._slackens else self.tolerances.iterations
        history: list[Mapping[str, float]] = []
        failure: str | None = None
        # What acts between the ends of a step has no softness to set.
        softens = self._slackens and not self.problem.between
        path = Slackening(self.problem, self._residual) if softens else None
        while True:
            self._watch()
            norms, failure = self._measure()
            if failure and history and self._slackens:
                norms, failure = self._shortened()
            history.append(norms)
            if failure or self._converged(norms):
                break
            if len(history) > most:
                worst = max(norms, key=lambda name: norms[name])
                failure = (
                    f"no convergence: residual of {worst} still {norms[worst]:.1e} of its scale"
                )
                break
            if path:
                path.soften(self._head.array_r, norms["displacement"])
            self.linear.assemble()
            failure = self.linear.solve(self._right, self._correction, self._forcing())
            self.problem.softness.value = 0.0
            if failure:
                break
            self._move()
        found = None
        if settle and not failure:
            failure, found = self.settle()
        return Solve(failure, len(history) - 1, tuple(history), found)

    def refine(self) -> None:
        """Take one more iteration at a solution: three digits beyond the tolerances, or more."""
        self.linear.assemble()
        if not self.linear.solve(self._right, self._correction, _LOOSEST):
            self._move()

    def settle(self) -> tuple[str | None, PivotSigns | None]:
        """Factor the tangent at a solution; return why that failed, and its inertia."""
        self.linear.assemble()
        self.linear.compute()
        failure = self.linear.factor.failure or None
        return failure, None if failure else inertia(self.problem, self.linear)

    def apply(self, values: Mapping[str, float]) -> None:
        """Set values by name; those of volume-controlled cavities are what they are to deliver."""
        for name, value in values.items():
            if name in self.volume_targets:
                self.volume_targets[name] = value
            else:
                self.problem.set_value(name, value)

    def slope(self, way: Mapping[str, float], tolerance: float = _SLOPE) -> Slope:
        """Return the derivative by the share of the way, at a solution that has just been found.

        Args:
            way: how much every value changes on the way.
            tolerance: of the linear system, relative to its right-hand side.
        """
        force, given = self._drift(way)
        self._head.array_w[:] = -force
        return self._derivative(-given, tolerance)

    def tangent(self) -> Slope:
        """Return the derivative of the path along its line, at a solution that has been settled.

        By the load factor, or where the line has an origin by the distance from there: the path
        goes on the way it came.
        """
        self._head.set(0.0)
        return self._derivative([*(0.0 for _ in self.volume_targets), 1.0])

    def norm(self, unknowns: Array) -> float:
        """Return the Euclidean norm of the displacements of all nodes (m)."""
        return self.problem.size(unknowns[self.problem.fields.by_name["displacement"]])

    def _shortened(self) -> tuple[dict[str, float], str | None]:
        """Take back half of the last correction, and half of the rest, while the body is folded."""
        for share in _HALVINGS:
            self._move(-share)
            norms, failure = self._measure()
            if not failure:
                break
        return norms, failure

    def _derivative(self, tail: npt.ArrayLike, tolerance: float = _SLOPE) -> Slope:
        """Solve for a slope; its right-hand side is the head and this tail."""
        names = [*self.volume_targets, *(["factor"] if self.line else [])]
        self._put(self._right, tail)
        failure = self.linear.solve(self._right, self._correction, tolerance)
        found = dict(zip(names, map(float, self.linear.border.tail(self._correction)), strict=True))
        return Slope(
            self._correction.array_r[: self.problem.fields.owned].copy(),
            {name: found[name] for name in self.volume_targets},
            found.get("factor", 1.0),
            failure and f"no slope of the path: {failure}",
        )

    def _drift(self, way: Mapping[str, float]) -> tuple[Array, Array]:
        """Derivatives by the share of the way, where only supports move.

        Returns:
            That of the residual, with the distance of supports from where they should be in their
            rows; and what cavities are yet to be given beyond what moving supports deliver.
        """
        problem, held = self.problem, self.problem.supports.held
        unknowns = problem.fields.function.x.array
        kept = unknowns.copy()
        values = {name: problem.values[name] for name in way if name not in self.volume_targets}
        sides = []
        for share in (0.0, _PROBE):
            for name, value in values.items():
                problem.set_value(name, value + share * way[name])
            problem.supports.impose(unknowns)
            _, residual = problem.assemble_residual()
            force = residual.array_r.copy()
            force[held] = -unknowns[held]
            delivered = np.array([problem.delivered(name) for name in self.volume_targets])
            sides.append((force, delivered))
        for name, value in values.items():
            problem.set_value(name, value)
        unknowns[:] = kept
        force, swept = ((b - a) / _PROBE for a, b in zip(*sides, strict=True))
        given = np.array([way.get(name, 0.0) for name in self.volume_targets])
        return force, given - swept

    def _edge(self) -> Edge:
        """What the load factor and its equation add to the tangent at the current state."""
        line = self.line
        assert line is not None
        column, row = (self.linear.matrix.createVecRight() for _ in range(2))
        column.array_w[:], given = self._drift(line.way)
        row.set(0.0)
        if line.origin is not None:
            moves = self.problem.fields.by_name["displacement"]
            row.array_w[moves] = self._way_from(line.origin) / line.length
        return Edge(column, row, given, 1.0 if line.origin is None else 0.0)

    def _way_from(self, origin: Array) -> Array:
        """Displacements since the origin."""
        here = self.problem.fields.function.x.array[: len(origin)]
        return np.asarray((here - origin)[self.problem.fields.by_name["displacement"]])

    def _off_line(self, line: Line) -> tuple[float, float]:
        """Return by how much the equation of the load factor is missed, and the size of its terms.

        Around the origin it is (u - o)^2/2L - L/2 = 0.
        """
        if line.origin is None:
            return line.factor - line.wanted, 1.0
        square = float(np.sum(self._way_from(line.origin) ** 2))
        square = float(self.problem.comm.allreduce(square))
        return (square / line.length - line.length) / 2.0, line.length

    def destroy(self) -> None:
        """Free what PETSc and MUMPS hold; collective."""
        self.linear.destroy()
        for vector in (self._right, self._correction, self._head, self._weights):
            vector.destroy()

    def _put(self, out: PETSc.Vec, tail: npt.ArrayLike) -> None:
        """Set a right-hand side from the head and a tail, rows scaled."""
        border = self.linear.border
        border.join(out, self._head, tail)
        out.pointwiseMult(out, border.scale)

    def _move(self, share: float = 1.0) -> None:
        """Subtract a share of the correction from the unknowns."""
        fields = self.problem.fields
        fields.function.x.array[: fields.owned] -= share * self._correction.array_r[: fields.owned]
        fields.function.x.scatter_forward()
        tail = [share * value for value in self.linear.border.tail(self._correction)]
        for name, change in zip(self.volume_targets, tail, strict=False):
            self.problem.set_value(name, self.problem.values[name] - float(change))
        if self.line:
            self.line.factor -= float(tail[-1])
            self.apply(self.line.values(self.line.factor))

    def _measure(self) -> tuple[dict[str, float], str | None]:
        """Set right-hand side and scale; return the scaled residuals, and why they are none."""
        folded = self.problem.folded_volume()
        if folded > 0.0:
            share = folded / self.problem.length**3
            return {}, f"det F is not positive in {share:.2g} of the body"
        norms = self._balance()
        finite = np.isfinite(list(norms.values())).all()
        return norms, None if finite else "the residual is not finite"

    def _balance(self) -> dict[str, float]:
        """Set right-hand side and scale; return the scaled residuals of a body without folds."""
        problem, border = self.problem, self.linear.border
        by_name, held, owned = problem.fields.by_name, problem.supports.held, problem.fields.owned
        internal, residual = problem.assemble_residual()
        forces = internal.array_r[by_name["displacement"]]
        mismatch = problem.lift(residual)
        free = residual.array_r.copy()
        free[held] = 0.0
        squares = {name: np.sum(free[unknowns] ** 2) for name, unknowns in by_name.items()}
        sums = problem.comm.allreduce(np.array([np.sum(forces**2), *squares.values()]))
        small = _SMALL_FORCE * problem.modulus + _ROUNDING * problem.stiffest
        scale = {
            "displacement": np.sqrt(sums[0]) + small * problem.length**2,
            "pressure": problem.volume_norm,
        }
        norms = {n: float(np.sqrt(s) / scale[n]) for n, s in zip(squares, sums[1:], strict=True)}
        norms["support"] = mismatch / problem.length
        gaps, sizes, weights = [], list(self._volume_scale.values()), np.ones(owned)
        for name, target in self.volume_targets.items():
            gaps.append(target - problem.delivered(name))
            norms[f"volume of {name}"] = abs(gaps[-1]) / self._volume_scale[name]
        if self.line:
            gap, size = self._off_line(self.line)
            gaps.append(gap)
            sizes.append(size)
            norms["load factor"] = abs(gap) / size
        for name, unknowns in by_name.items():
            weights[unknowns] = 1.0 / scale[name]
        weights[held] = 1.0 / problem.length
        residual.copy(self._head)
        self._weights.array_w[:] = weights
        border.join(border.scale, self._weights, [1.0 / size for size in sizes])
        self._put(self._right, gaps)
        return norms

    def _residual(self) -> Array:
        """Set right-hand side and scale with the softness there is; return the residual."""
        self._balance()
        return np.asarray(self._head.array_r)

    def _forcing(self) -> float:
        """Return eta: in proportion to the residual, and never to more digits than are wanted.

        On the path of softened thread the next forces are others, and convergence is not quadratic.
        """
        if self.problem.softness.value:
            return _LOOSEST
        t, size = self.tolerances, float(self._right.norm())
        enough = 0.3 * min(t.displacement, t.pressure, t.cavity) / size
        loosest = _LOOSEST_SLACK if self._slackens else _LOOSEST
        return min(loosest, max(_SHARE * size, enough))

    def _converged(self, norms: Mapping[str, float]) -> bool:
        t = self.tolerances
        limits = {"displacement": t.displacement, "pressure": t.pressure, "support": _SUPPORT}
        return all(value <= limits.get(name, t.cavity) for name, value in norms.items())
