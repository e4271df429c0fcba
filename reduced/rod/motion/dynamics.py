"""Motion of a rod: inertia, viscous sections, water, a base that stays, is carried or is free.

Both schemes are implicit: stiff strains do not limit the step, and a strain without a degree is
rigid for no cost at all.

"midpoint" (see `loligo.reduced.rod.motion.midpoint`) is of second order and keeps account: kinetic
and stored energy change by the work less what viscosity and drag took and what the scheme loses,
which is never negative and of third order in the step. The linear momentum of a free rod in vacuum
changes by the impulse of the loads to rounding. Motions faster than the step ring on.

"radau" (see `loligo.reduced.rod.motion.radau`) is of fifth order, and L-stable: motions faster than
the step die. Energy and momentum are kept to fifth order. It is the faster one, at any error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.rod.loads import Load
from loligo.reduced.rod.loadset import LoadSet, load_set
from loligo.reduced.rod.model import Rod, check_frame
from loligo.reduced.rod.motion import midpoint as rod_step
from loligo.reduced.rod.motion import radau as rod_radau
from loligo.reduced.rod.motion.equations import Carried, FreeBase, MovingRod, RodMotion, RodWater
from loligo.reduced.rod.motion.inertia import damping_at_gauss, lumps, require_mass
from loligo.reduced.rod.motion.midpoint import Drift
from loligo.reduced.rod.motion.midpoint_equations import (
    RodAccount,
    RodModel,
    momentum_of,
    nodes,
)
from loligo.reduced.rod.motion.radau import Memory
from loligo.reduced.stepping import MotionLost, Pace, Trial, Walk, output_times, walk

SMALLEST_STEP = 2.0**-20  # of the longest one
_SAFETY, _SHRINK = 0.9, 0.2
_LEAST = 1e-6  # error of a step that is not measured, or has none
_ENERGY = np.polynomial.legendre.leggauss(4)


def simulate(
    rod: Rod,
    inertia: Array | FieldOfX,
    times: Sequence[float] | Array,
    *,
    loads: Sequence[Load] | Callable[[float], Sequence[Load]] = (),
    damping: Array | FieldOfX | None = None,
    water: RodWater | None = None,
    base: Carried | FreeBase | None = None,
    start: MovingRod | None = None,
    step: float = np.inf,
    tolerance: float | None = 1e-4,
    scheme: Literal["midpoint", "radau"] = "midpoint",
) -> RodMotion:
    """Return the motion of a rod.

    Args:
        rod: its base is where the motion begins, unless `start` or `base` say otherwise.
        inertia: of the sections per length, [[J, 0], [0, m I]] in kg m and kg/m, constant or a
            function of X: see `circular_inertia`.
        times: of the output (s), increasing; the motion begins at the first. Every one is the end
            of a step: let one be where a load jumps or kinks.
        loads: what acts on the rod; if it changes, a function of the time.
        damping: Upsilon of Kelvin-Voigt sections, which add Upsilon xi_dot to their wrench, (6, 6)
            in the order of the strains or a function of X. Renda 2018: `circular_stiffness(radius,
            3 eta, eta, 1.0)`.
        water: around the rod.
        base: None keeps it where it is; a function of the time carries it; `FreeBase` lets it go.
        start: state at the first time; at rest if None. Where `base` is a function, that rules.
        step: the longest step (s).
        tolerance: of a step's own error, in the place of any section over the length and in its
            rotation in rad: steps are halved and redone until they differ by no more. None takes
            steps of equal length, which only shrink where Newton's method fails.
        scheme: "midpoint" for exact accounts, "radau" for speed and for what is stiff; see above.

    Raises:
        ValueError: if something is no input.
        MotionLost: where even the shortest steps fail; it keeps the motion before.
    """
    clock = output_times(times)
    longest = min(step, float(np.diff(clock).max()))
    if not longest > 0.0:
        raise ValueError(f"the step is {step} s; it must be positive")
    if tolerance is not None and not tolerance > 0.0:
        raise ValueError(f"the tolerance is {tolerance}; it must be positive, or None")
    if scheme not in _SCHEMES:
        raise ValueError(f'the scheme is "midpoint" or "radau", not "{scheme}"')
    free = base if isinstance(base, FreeBase) else None
    carried = lumps(rod, inertia, water, free)
    require_mass(carried)
    model = RodModel(
        rod,
        carried,
        damping_at_gauss(rod, damping),
        _histories(rod, loads),
        base,
    )
    state = _initial(model, clock[0], longest, start)
    taker = _SCHEMES[scheme](model, tolerance)
    outputs = frozenset(map(float, clock))

    def attempt(carry: _RodCarry, now: float, after: float) -> Trial[_RodCarry, RodAccount]:
        # At an output time a load may jump, which a scheme that does not close remembers wrongly.
        memory = carry.memory if taker.closes or now not in outputs else None
        new, entries, remembered, error = taker.attempt(carry.state, memory, now, after)
        return Trial(_RodCarry(new, remembered), entries, error)

    def next_size(length: float, _: float, error: float) -> float:
        best = _SAFETY * max(error, _LEAST) ** (-1.0 / taker.order)
        return min(longest, length * float(np.clip(best, _SHRINK, taker.growth)))

    nothing = RodAccount(np.zeros(6), 0.0, 0.0, 0.0, 0.0)
    pace = Pace(longest, SMALLEST_STEP * longest, next_size)
    path, failure = walk(clock, _RodCarry(state, None), nothing, attempt, pace)
    motion = _motion(model, clock, path, taker.closes)
    if failure:
        advice = "Make an output time of every jump of a load; where the rod collapses, lower it"
        raise MotionLost(f"{failure}. {advice}", motion)
    return motion


class _RodCarry(NamedTuple):
    """What a step hands to the next one: the state, and what the scheme remembers."""

    state: MovingRod
    memory: Any


class _Scheme(NamedTuple):
    """How steps are taken.

    Attributes:
        attempt: state, what it remembers (None at first), start and end of a step, to the new
            state, entries in the account, what to remember, and the error by the tolerance.
        order: of the error of a step.
        growth: of steps, at most.
        closes: whether the entries say what the scheme itself loses.
    """

    attempt: Callable[
        [MovingRod, Any, float, float], tuple[MovingRod, list[RodAccount], Any, float]
    ]
    order: int
    growth: float
    closes: bool


def _midpoint(model: RodModel, tolerance: float | None) -> _Scheme:
    """Return the midpoint rule, which remembers the mean rates of the step before.

    With a tolerance the state is that after two half steps. One whole step is off by four times as
    much, so that a third of the difference is the error.
    """

    def attempt(
        state: MovingRod, memory: Drift | None, now: float, after: float
    ) -> tuple[MovingRod, list[RodAccount], Drift, float]:
        drift = memory or Drift(state.velocity, state.base_twist)
        whole, entry, drift = rod_step.advance(model, state, drift, now, after)
        if tolerance is None:
            return whole, [entry], drift, 0.0
        middle = 0.5 * (now + after)
        half, first, drift = rod_step.advance(model, state, drift, now, middle)
        fine, second, drift = rod_step.advance(model, half, drift, middle, after)
        one, other = nodes(model, whole).frames, nodes(model, fine).frames
        apart = np.linalg.norm(one[:, :3, 3] - other[:, :3, 3], axis=1).max() / model.rod.length
        turned = np.linalg.norm(one[:, :3, :3] - other[:, :3, :3], axis=(1, 2)).max() / np.sqrt(2.0)
        return fine, [first, second], drift, max(float(apart), float(turned)) / (3.0 * tolerance)

    return _Scheme(attempt, order=3, growth=2.0, closes=True)


def _radau(model: RodModel, tolerance: float | None) -> _Scheme:
    """Return collocation, which remembers its stages, but for where a load may have jumped."""
    ready = rod_radau.prepare(model)

    def attempt(
        state: MovingRod, memory: Memory | None, now: float, after: float
    ) -> tuple[MovingRod, list[RodAccount], Memory, float]:
        new, entry, stages, error = rod_radau.advance(ready, state, memory, now, after, tolerance)
        return new, [entry], stages, 0.0 if tolerance is None else error / tolerance

    return _Scheme(attempt, order=4, growth=4.0, closes=False)


_SCHEMES = {"midpoint": _midpoint, "radau": _radau}


def _histories(
    rod: Rod, loads: Sequence[Load] | Callable[[float], Sequence[Load]]
) -> Callable[[float], LoadSet]:
    if callable(loads):
        return lambda time: load_set(rod, loads(time))
    constant = load_set(rod, loads)
    return lambda time: constant


def _initial(model: RodModel, time: float, longest: float, start: MovingRod | None) -> MovingRod:
    n = model.rod.grid.unknowns
    if start is None:
        start = MovingRod(np.zeros(n), np.zeros(n), np.asarray(model.rod.base, float), np.zeros(6))
    for name, value, size in (
        ("q", start.q, n),
        ("velocity", start.velocity, n),
        ("base_twist", start.base_twist, 6),
    ):
        if value.shape != (size,) or not np.isfinite(value).all():
            raise ValueError(f"{name} of the start must be {size} finite numbers")
    check_frame(start.base, "the base of the start")
    if isinstance(model.base, FreeBase):
        return start
    return MovingRod(start.q, start.velocity, model.base_at(time), model.base_twist(time, longest))


def _motion(
    model: RodModel, clock: Array, path: Walk[_RodCarry, RodAccount], closes: bool
) -> RodMotion:
    states = [carry.state for carry in path.carries]
    time = clock[: len(states)]
    measured = [momentum_of(model, nodes(model, state)) for state in states]
    interval = np.diff(time, prepend=time[0] - 1.0)
    reaction, dissipated, drained, lost, work = map(np.array, zip(*path.accounts, strict=True))
    dissipated, drained, lost, work = np.cumsum([dissipated, drained, lost, work], axis=1)
    kinetic = np.array([energy for _, energy in measured])
    stored = np.array([stored_energy(model.rod, state.q) for state in states])
    if not closes:
        energy = kinetic + stored
        lost = work - dissipated - drained - (energy - energy[0])
    return RodMotion(
        rod=model.rod,
        time=time,
        q=np.array([state.q for state in states]),
        velocity=np.array([state.velocity for state in states]),
        base=np.array([state.base for state in states]),
        base_twist=np.array([state.base_twist for state in states]),
        reaction=reaction / interval[:, None],
        momentum=np.array([momentum for momentum, _ in measured]),
        kinetic=kinetic,
        stored=stored,
        dissipated=dissipated,
        drained=drained,
        lost=lost,
        work=work,
        steps=path.taken,
        refused=path.refused,
    )


def stored_energy(rod: Rod, q: Array) -> float:
    """Return the energy in the sections: their wrench along the straight way from rest.

    Four Gauss points: exact for sections that are linear, or of the seventh power in the strains.
    """
    rest = rod.rest_at_gauss
    excess = rod.strain_at_gauss(q) - rest
    if rod.law is None:
        density = 0.5 * np.sum(rod.section(rest + excess)[0] * excess, axis=1)
    else:
        density = sum(
            0.5 * weight * np.sum(rod.section(rest + 0.5 * (1.0 + x) * excess)[0] * excess, axis=1)
            for x, weight in zip(*_ENERGY, strict=True)
        )
    return float(rod.grid.gauss_weights @ density)
