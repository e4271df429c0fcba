"""Motion of a star system: see `reduced.star.system` for what it is, `star_step` for the scheme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from loligo.reduced.checks import vector
from loligo.reduced.lie import Array
from loligo.reduced.rod.loadset import LoadSet, load_set
from loligo.reduced.rod.model import check_frame
from loligo.reduced.rod.motion.dynamics import stored_energy as rod_energy
from loligo.reduced.rod.motion.equations import FreeBase
from loligo.reduced.rod.motion.inertia import damping_at_gauss, lumps, require_mass
from loligo.reduced.rod.motion.midpoint_equations import RodModel
from loligo.reduced.shell.assembly import enclosed_volume
from loligo.reduced.shell.assembly import stored_energy as shell_energy
from loligo.reduced.star.bell import BellModel
from loligo.reduced.star.model import StarModel, measure
from loligo.reduced.star.step import Guess, StarAccount, advance
from loligo.reduced.star.system import RodLimb, Star, StarMotion, StarState
from loligo.reduced.stepping import MotionLost, Trial, Walk, halving, output_times, walk

SMALLEST_STEP = 2.0**-12  # of the step that was asked for


def at_rest(star: Star, root: Array | None = None, twist: Array | None = None) -> StarState:
    """Return the state of a robot whose shapes are at rest, its root moving with a twist."""
    model = make_model(star)
    frame = np.eye(4) if root is None else np.asarray(root, float)
    check_frame(frame, "the root")
    return StarState(
        frame,
        np.zeros(6) if twist is None else vector("twist", twist, 6),
        tuple((np.zeros(m.rod.grid.unknowns), np.zeros(m.rod.grid.unknowns)) for m in model.limbs),
        tuple((np.zeros(b.shell.fixed.shape), np.zeros(b.shell.fixed.shape)) for b in star.bells),
    )


def simulate(
    star: Star,
    times: Sequence[float] | Array,
    step: float,
    *,
    start: StarState | None = None,
    report: Callable[[float], None] | None = None,
) -> StarMotion:
    """Return the motion of a robot.

    Args:
        star: the robot; it begins at rest at the world's origin unless `start` says otherwise.
        times: of the output (s), increasing; the motion begins at the first. Every one is the end
            of a step: let one be where a load jumps or kinks.
        step: the longest step (s). Steps halve where Newton's method fails, and grow back.
        start: state at the first time.
        report: told the time at every output.

    Raises:
        ValueError: if something is no input.
        MotionLost: where even short steps fail; it keeps the motion before.
    """
    clock = output_times(times)
    if not 0.0 < step < np.inf:
        raise ValueError(f"the step is {step} s; it must be positive and finite")
    model = make_model(star)
    if not model.mass > 0.0:
        raise ValueError("a robot has a mass: give it a part, a limb or a bell")
    state = at_rest(star) if start is None else start
    drift = Guess(
        state.twist,
        tuple(rate for _, rate in state.limbs),
        tuple(rate for _, rate in state.bells),
    )
    nothing = StarAccount(
        np.zeros((len(star.limbs), 6)), np.zeros((len(star.bells), 6)), 0.0, 0.0, 0.0, 0.0, 0.0
    )

    def attempt(carry: _StarCarry, now: float, after: float) -> Trial[_StarCarry, StarAccount]:
        ahead = 0.5 * (now + after) - carry.middle
        guess = carry.drift.plus(carry.trend.scaled(ahead))
        new, entry, rates = advance(model, carry.state, guess, now, after)
        trend = rates.plus(carry.drift.scaled(-1.0)).scaled(1.0 / ahead)
        return Trial(_StarCarry(new, rates, trend, carry.middle + ahead), (entry,))

    carry = _StarCarry(state, drift, drift.scaled(0.0), float(clock[0]))
    pace = halving(step, SMALLEST_STEP * step)
    path, failure = walk(clock, carry, nothing, attempt, pace, report)
    motion = _motion(model, clock, path)
    if failure:
        advice = (
            "Make an output time of every jump of a load; where a wall or a rod collapses, lower it"
        )
        raise MotionLost(f"{failure}. {advice}", motion)
    return motion


class _StarCarry(NamedTuple):
    """What a step hands to the next one.

    A step's first guess continues, in a straight line, the rates in the middles of those before.
    """

    state: StarState
    drift: Guess
    trend: Guess
    middle: float
    """Of the step before (s)."""


def make_model(star: Star) -> StarModel:
    """Return a robot ready to step."""
    return StarModel(
        star,
        tuple(_limb_model(limb) for limb in star.limbs),
        tuple(BellModel(bell) for bell in star.bells),
    )


def _limb_model(limb: RodLimb) -> RodModel:
    carried = lumps(limb.rod, limb.inertia, limb.water, None)
    require_mass(carried)
    damping = damping_at_gauss(limb.rod, limb.damping)
    return RodModel(limb.rod, carried, damping, _history(limb), FreeBase())


def _history(limb: RodLimb) -> Callable[[float], LoadSet]:
    loads = limb.loads
    if callable(loads):
        return lambda time: load_set(limb.rod, loads(time))
    constant = load_set(limb.rod, loads)
    return lambda time: constant


def _motion(model: StarModel, clock: Array, path: Walk[_StarCarry, StarAccount]) -> StarMotion:
    states = [carry.state for carry in path.carries]
    time = clock[: len(states)]
    star = model.star
    measured = [measure(model, state) for state in states]
    limbs, bells, dissipated, drained, lost, driven, jet = map(
        np.array, zip(*path.accounts, strict=True)
    )
    interval = np.diff(time, prepend=time[0] - 1.0)[:, None, None]
    return StarMotion(
        star=star,
        time=time,
        root=np.array([state.root for state in states]),
        twist=np.array([state.twist for state in states]),
        limbs=_histories([state.limbs for state in states], len(star.limbs)),
        bells=_histories([state.bells for state in states], len(star.bells)),
        volume=np.array(
            [
                [
                    enclosed_volume(b.shell, q)[0]
                    for b, (q, _) in zip(star.bells, s.bells, strict=True)
                ]
                for s in states
            ]
        ),
        limb_wrench=limbs / interval,
        bell_wrench=bells / interval,
        momentum=np.array([momentum for momentum, _ in measured]),
        kinetic=np.array([energy for _, energy in measured]),
        stored=np.array([_stored(star, state) for state in states]),
        dissipated=np.cumsum(dissipated),
        drained=np.cumsum(drained),
        lost=np.cumsum(lost),
        driven=np.cumsum(driven),
        jet=np.cumsum(jet),
        steps=path.taken,
        halved=path.refused,
    )


def _histories(
    shapes: Sequence[tuple[tuple[Array, Array], ...]], count: int
) -> tuple[tuple[Array, Array], ...]:
    """Shapes and rates of each appendage over the times."""
    return tuple(
        (np.array([shape[k][0] for shape in shapes]), np.array([shape[k][1] for shape in shapes]))
        for k in range(count)
    )


def _stored(star: Star, state: StarState) -> float:
    rods = sum(rod_energy(m.rod, q) for m, (q, _) in zip(star.limbs, state.limbs, strict=True))
    return rods + sum(
        shell_energy(b.shell, q) for b, (q, _) in zip(star.bells, state.bells, strict=True)
    )
