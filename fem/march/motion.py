"""Motion: one state of dynamic equilibrium after the other, in steps that keep to a tolerance.

Every step is a problem of statics with the forces of inertia and viscosity that its displacement
implies (:mod:`loligo.fem.problem.inertia`, :mod:`loligo.fem.problem.generalised_alpha`); pressures,
supplies, tendons and supports work as they do there. Steps end at all requested times and where a
value jumps. A problem that was built to conserve energy is stepped by
:mod:`loligo.fem.march.midpoint`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from mpi4py import MPI

import numpy as np
import numpy.typing as npt

from loligo.fem.march.contact import ContactSurface
from loligo.fem.march.midpoint import Midpoint
from loligo.fem.march.standing import MarchStopped
from loligo.fem.march.step import StepResult, Teller
from loligo.fem.problem.generalised_alpha import Alpha, MotionState, Rates, euler, guess
from loligo.fem.problem.problem import Problem, State
from loligo.fem.solvers.factor import Solver
from loligo.fem.solvers.newton import Newton, Solve, Tolerances

Array = npt.NDArray[np.float64]

Values = Callable[[float], Mapping[str, float]]
"""Gives the values of loads, motions and cavities at a time (s); where one jumps, those before."""

_SAFETY, _CHANGE = 0.9, (0.2, 2.0)
_SLIVER = 1e-9
"""Share of a step by which the way to the next end may exceed a whole number of steps, and of the
longest one within which two ends are one."""
_BEGIN = 1.0 / 16.0
"""Share of the first step after which the acceleration is found that the motion begins with."""


@dataclass(frozen=True)
class TimeControl:
    """How a motion is stepped."""

    rho_inf: float = 0.8
    """What a step leaves of vibrations that are much faster than it, from 0 to 1; of no account
    where energy is conserved."""
    tolerance: float | None = 1e-4
    """A step's own error in the place of any point, over the body's extent; None takes equal steps,
    which only shrink where one fails."""
    longest: float = np.inf
    """Longest step (s)."""
    smallest: float = 2.0**-16
    """Share of the longest step, or of the longest way to a requested time, below which the motion
    is given up."""
    newton: Tolerances = field(default_factory=Tolerances)
    solver: Solver = "auto"

    def __post_init__(self) -> None:
        """Refuse what cannot be stepped."""
        Alpha(self.rho_inf)
        if self.tolerance is not None and not self.tolerance > 0.0:
            raise ValueError(f"the tolerance is {self.tolerance}; it must be positive, or None")
        if not self.longest > 0.0:
            raise ValueError(f"the longest step is {self.longest} s; it must be positive")


@dataclass(frozen=True)
class Travel:
    """All that a motion needs to go on from a state, on these ranks or on others."""

    now: float
    """Time (s)."""
    size: float
    """Next step (s)."""
    fresh: bool
    """Whether the motion goes on as it began: a value jumps."""
    number: int
    """Of states so far."""
    state: State
    delivered: Mapping[str, float]
    """Values of what is volume-controlled."""
    velocity: Array
    acceleration: Array
    auxiliary: Array
    step: float
    """Size of the last step (s)."""


def restore(problem: Problem, travel: Travel) -> None:
    """Return to where a motion stood, its rates included."""
    assert problem.motion is not None
    problem.restore(travel.state)
    problem.motion.set(Rates(0.0, travel.velocity, 0.0, travel.acceleration))


def move(
    problem: Problem,
    times: Sequence[float],
    values: Values,
    *,
    jumps: Sequence[float] = (),
    kinks: Sequence[float] = (),
    volume_controlled: tuple[str, ...] = (),
    control: TimeControl | None = None,
    resume: Travel | None = None,
    keep: Callable[[Travel], None] | None = None,
    watch: Callable[[], None] | None = None,
) -> Iterator[StepResult]:
    """Yield the states of a motion that begins in the problem's current state, at rest.

    Behind it the problem keeps its last rates; ``problem.motion.rest()`` returns to statics.

    Args:
        problem: one that can move, in any state; its values are of no account.
        times: at which states are requested (s); the motion begins at the first, which is not one.
        values: of everything that is driven, by the time; names that are absent keep theirs.
        jumps: times at which a value jumps, the first one included or not: there the motion goes on
            as it began.
        kinks: further times at which a step shall end, for a value changes its slope.
        volume_controlled: cavities and tendons whose values are what is delivered.
        control: steps and tolerances.
        resume: where to go on, in place of the problem's current state.
        keep: is told where the motion stands before every state is yielded.
        watch: is called on all ranks at every iteration; what it raises ends the motion.

    Raises:
        ValueError: if the problem cannot move, or times do not increase.
        MarchStopped: where even the shortest steps fail, or the surface meets itself.
    """
    if problem.motion is None:
        raise ValueError("the problem was built without inertia; build it with moving=True")
    clock = [float(t) for t in times]
    if len(clock) < 2 or not np.isfinite(clock).all() or not (np.diff(clock) > 0.0).all():
        raise ValueError(f"times must be two or more, finite and increasing, not {times!r}")
    control = control or TimeControl()
    newton = Newton(problem, volume_controlled, control.newton, control.solver, watch)
    mover = _Mover(problem, newton, values, clock, jumps, kinks, control)
    if resume is not None:
        mover.resume(resume)
    for result in mover.run():
        if keep is not None:
            keep(mover.travel)
        yield result
    newton.destroy()  # collective, hence not where an exception leaves that is one rank's alone


class _Mover:
    def __init__(
        self,
        problem: Problem,
        newton: Newton,
        values: Values,
        clock: Sequence[float],
        jumps: Sequence[float],
        kinks: Sequence[float],
        control: TimeControl,
    ) -> None:
        assert problem.motion is not None
        self._problem, self._newton, self._values = problem, newton, values
        self._motion, self._control = problem.motion, control
        self._scheme: Alpha | Midpoint = (
            Midpoint(problem.step.jumps) if problem.step else Alpha(control.rho_inf)
        )
        self._dissipated: float | None = None
        self._longest = min(control.longest, float(np.diff(clock).max()))
        self._jumps = frozenset(map(float, jumps))
        near = _SLIVER * self._longest
        turns = sorted(self._jumps)
        for kink in map(float, kinks):
            if all(abs(kink - turn) > near for turn in turns):
                turns.append(kink)
        snapped = [next((s for s in turns if abs(s - t) <= near), t) for t in clock]
        self._targets = {t: i for i, t in enumerate(snapped[1:])}
        self._ends = sorted({*self._targets, *(t for t in turns if t < snapped[-1])})
        self._surface = ContactSurface(problem)
        x = problem.fields.function.x.array
        nothing = np.zeros_like(x)
        self._place = MotionState(x.copy(), nothing, nothing, nothing, self._longest)
        self._fresh = True
        self._now, self._size = snapped[0], self._longest
        self._extent = self._measure_extent()
        self._teller = Teller(self._newton)

    @property
    def travel(self) -> Travel:
        """Where the motion stands."""
        place = self._place
        return Travel(
            self._now,
            self._size,
            self._fresh,
            self._teller.number,
            self._problem.save(),
            dict(self._newton.volume_targets),
            place.velocity,
            place.acceleration,
            place.auxiliary,
            place.step,
        )

    def resume(self, travel: Travel) -> None:
        """Go on from there."""
        t = travel
        restore(self._problem, t)
        self._newton.volume_targets.update(t.delivered)
        self._now, self._size, self._fresh = t.now, t.size, t.fresh
        self._teller.number = t.number
        u = t.state.unknowns
        self._place = MotionState(u, t.velocity, t.acceleration, t.auxiliary, t.step)

    def run(self) -> Iterator[StepResult]:
        for end in (t for t in self._ends if t > self._now):
            reasons: list[str] = []
            while self._now < end:
                now = self._now
                left = max(int(np.ceil((end - now) / self._size - _SLIVER)), 1)
                after = end if left == 1 else now + (end - now) / left
                solve, error = self._attempt(now, after)
                share = _SAFETY * max(error, 1e-6) ** (-1.0 / 3.0)
                if solve.failure is not None or error > 1.0:
                    why = solve.failure or f"its error is {error:.2g} times the tolerance"
                    reasons.append(f"{why} (step of {after - now:.3g} s)")
                    shrink = 0.5 if solve.failure else max(share, _CHANGE[0])
                    self._size = (after - now) * shrink
                    self._check(reasons)
                    continue
                if self._control.tolerance is not None:
                    self._size = min((after - now) * min(share, _CHANGE[1]), self._longest)
                self._now, self._fresh = after, after in self._jumps
                yield self._result(solve, reasons)
                reasons = []

    def _attempt(self, now: float, after: float) -> tuple[Solve, float]:
        """Solve a step; return also its own error over the tolerance."""
        problem, x = self._problem, self._problem.fields.function.x
        before, targets = problem.save(), dict(self._newton.volume_targets)
        place, step, error = self._place, after - now, 0.0
        if self._fresh:
            solve, place = self._begin(now, step)
            problem.restore(before)
            if solve.failure is not None:
                self._newton.volume_targets.update(targets)
                return solve, error
        self._motion.set(self._scheme.rates(place, step))
        with self._between(now, place, step):
            self._apply(self._values(after))
            moving = problem.fields.every_node_unknowns
            x.array[moving] = guess(place, step)[moving]
            solve = self._newton.solve(settle=False)
            if problem.step and solve.failure is None:
                self._newton.refine()  # what Newton's tolerance leaves is energy
                self._dissipated = step * problem.dissipated_power()
        if solve.failure is None and (contact := self._surface.contact()) is not None:
            solve = replace(solve, failure=str(contact))
        if solve.failure is None:
            found = self._scheme.arrive(place, step, x.array.copy())
            if self._control.tolerance is not None:
                off = self._largest(self._scheme.own_error(place, found))
                error = off / (self._control.tolerance * self._extent)
            if error <= 1.0:
                self._place = found
                x.array[:] = found.displacement
                self._motion.set(Rates(0.0, found.velocity, 0.0, found.acceleration))
                return solve, error
        problem.restore(before)
        self._newton.volume_targets.update(targets)
        return solve, error

    def _begin(self, now: float, step: float) -> tuple[Solve, MotionState]:
        """Find the acceleration that the motion begins, or goes on, with.

        By two small steps of Euler's method: the first one gives supports that are moved their
        velocity, which may jump, so that the second one shows no more of the jump.
        """
        problem, small = self._problem, _BEGIN * step
        u, v = self._place.displacement, self._place.velocity
        places = [(u, v)]
        for i in (1, 2):
            there = euler(*places[-1], small)
            self._motion.set(there)
            self._apply(self._values(now + i * small))
            solve = self._newton.solve(settle=False)
            x = problem.fields.function.x.array.copy()
            places.append((x, there.velocity_slope * x + there.velocity_start))
            if solve.failure is not None:
                break
        acceleration = there.acceleration_slope * x + there.acceleration_start
        middle = places[1][1] - small / 2.0 * acceleration
        velocity = np.where(problem.supports.held_here, middle, v)
        if not problem.step:
            return solve, MotionState(u, velocity, acceleration, acceleration, step)
        u = np.where(problem.step.jumps, x, u)
        means = np.where(problem.step.jumps, x, acceleration)
        return solve, MotionState(u, velocity, acceleration, means, 0.0)

    @contextmanager
    def _between(self, now: float, place: MotionState, step: float) -> Iterator[None]:
        """Let forces be those between the ends of a step, if the scheme asks for them."""
        problem = self._problem
        if not problem.step:
            yield
            return
        values = dict(problem.values)
        if self._fresh:  # those behind a jump
            behind = self._values(float(np.nextafter(now, np.inf)))
            values |= {n: v for n, v in behind.items() if n not in self._newton.volume_targets}
        problem.begin_step(place.displacement, values)
        try:
            yield
        finally:
            problem.end_step()

    def _apply(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            if name in self._newton.volume_targets:
                self._newton.volume_targets[name] = value
            else:
                self._problem.set_value(name, value)

    def _largest(self, off: Array) -> float:
        """Largest norm of a displacement over all nodes of all ranks (m)."""
        nodes = off[self._problem.fields.node_unknowns]
        mine = float(np.sqrt((nodes**2).sum(axis=1)).max(initial=0.0))
        return float(self._problem.comm.allreduce(mine, MPI.MAX))

    def _measure_extent(self) -> float:
        """Diagonal of the box around the body at rest (m)."""
        x, comm = self._problem.fields.node_positions, self._problem.comm
        low, high = np.empty(3), np.empty(3)
        comm.Allreduce(x.min(axis=0, initial=np.inf), low, op=MPI.MIN)
        comm.Allreduce(x.max(axis=0, initial=-np.inf), high, op=MPI.MAX)
        return float(np.linalg.norm(high - low))

    def _check(self, reasons: Sequence[str]) -> None:
        """Give up when the step has become too small."""
        if self._size < self._control.smallest * self._longest:
            restore(self._problem, self.travel)  # its rates: the state has been restored
            raise MarchStopped(
                f"stopped at t = {self._now:.6g} s, after {len(reasons)} failed attempts; the "
                f"last: {reasons[-1]}",
                dict(self._problem.values),
            )

    def _result(self, solve: Solve, cutbacks: Sequence[str]) -> StepResult:
        values = {**self._problem.values, **self._newton.volume_targets}
        told = self._teller.tell(solve, values, self._targets.get(self._now), cutbacks)
        solver = {**told.solver, "time": self._scheme.description}
        # The factor is not that of the state: its inertia says nothing of it.
        return replace(
            told, solver=solver, inertia=None, time=self._now, dissipated=self._dissipated
        )
