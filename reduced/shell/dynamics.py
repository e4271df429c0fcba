"""Motion of a shell of revolution: inertia, viscous wall, water, a base that moves along the axis.

A step of the duration dt takes displacement q and velocity v of the nodes from 0 to 1 by

    M (v1 - v0)/dt + f = F,    (q1 - q0)/dt = (v0 + v1)/2,

f the mean forces of `loligo.reduced.shell.wall_step`, F the mean loads. The scheme is implicit, of
second order, and keeps account: kinetic and stored energy change by the work less what the
viscosity took, to rounding for Green and linear walls, and the momentum along the axis by the
impulse of loads, water and supports. It damps nothing by itself: an inviscid wall goes on ringing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from loligo.reduced.lie import Array
from loligo.reduced.shell.advance import ShellAccount, ShellModel, advance, make_model
from loligo.reduced.shell.assembly import enclosed_volume, stored_energy
from loligo.reduced.shell.loads import TimedLoads
from loligo.reduced.shell.model import Shell
from loligo.reduced.shell.motion import MantleWater, ShellMotion, ShellState, SlidingBase, Surge
from loligo.reduced.stepping import MotionLost, Trial, Walk, halving, output_times, walk

SMALLEST_STEP = 2.0**-12  # of the step that was asked for


def simulate(
    shell: Shell,
    mass: csr_array,
    times: Sequence[float] | Array,
    step: float,
    *,
    drives: Sequence[TimedLoads] = (),
    water: MantleWater | None = None,
    base: Surge | SlidingBase | None = None,
    start: ShellState | None = None,
) -> ShellMotion:
    """Return the motion of a shell under drives, in water, on a base that may move along x.

    Args:
        shell: at rest.
        mass: of wall and water that moves with it, from `mass_matrix`.
        times: of the output (s), increasing; the motion begins at the first. Every one is the end
            of a step.
        step: the longest step (s). Steps halve where Newton's method fails, and grow back.
        drives: loads with their histories.
        water: jet and drag, or none.
        base: None keeps the supports where they are; a velocity of the time moves what they hold
            along x; `SlidingBase` lets the one support that holds x go where the forces take it.
        start: state at the first time; at rest if None. Where the supports hold, `base` rules.

    Raises:
        ValueError: if times, step or start are no input, or a base cannot be free.
        MotionLost: where even short steps fail; it keeps the motion before.
    """
    clock = output_times(times)
    if not 0.0 < step < np.inf:
        raise ValueError(f"the step is {step} s; it must be positive and finite")
    model = make_model(shell, mass, tuple(drives), water, base)
    state = _initial(model, clock[0], start)

    def attempt(carry: _ShellCarry, now: float, after: float) -> Trial[_ShellCarry, ShellAccount]:
        new, entry = advance(model, carry.state, carry.drift, now, after)
        drift = (new.displacement - carry.state.displacement) / (after - now)
        return Trial(_ShellCarry(new, drift), (entry,))

    carry = _ShellCarry(state, state.velocity)
    path, failure = walk(clock, carry, ShellAccount(), attempt, halving(step, SMALLEST_STEP * step))
    motion = _motion(model, clock, path)
    if failure:
        advice = "The wall may be collapsing: lower the load, or use a finer mesh."
        raise MotionLost(f"{failure}. {advice}", motion)
    return motion


class _ShellCarry(NamedTuple):
    """What a step hands to the next one.

    Newton's first guess follows the mean velocity of the step before: it is free of what rings.
    """

    state: ShellState
    drift: Array


def _initial(model: ShellModel, time: float, start: ShellState | None) -> ShellState:
    shape = model.shell.fixed.shape
    start = start or ShellState(np.zeros(shape), np.zeros(shape))
    for name, value in (("displacement", start.displacement), ("velocity", start.velocity)):
        if value.shape != shape or not np.isfinite(value).all():
            raise ValueError(f"the {name} at the start must be finite, of shape {shape}")
    velocity = np.where(model.shell.fixed, 0.0, start.velocity)
    velocity[model.shell.fixed[:, 0], 0] = model.towed(time)
    return ShellState(start.displacement, velocity)


def _motion(model: ShellModel, clock: Array, path: Walk[_ShellCarry, ShellAccount]) -> ShellMotion:
    shell, mass = model.shell, model.mass
    states = [carry.state for carry in path.carries]
    time = clock[: len(states)]
    displacement = np.array([state.displacement for state in states])
    velocity = np.array([state.velocity for state in states])
    cavity = [enclosed_volume(shell, q) for q in displacement]
    flat = velocity.reshape(len(velocity), -1)
    momentum = flat @ mass
    sums = ShellAccount(*np.array(path.accounts).T)
    interval = np.diff(time, prepend=time[0] - 1.0)
    return ShellMotion(
        time=time,
        displacement=displacement,
        velocity=velocity,
        volume=np.array([volume for volume, _ in cavity]),
        volume_rate=np.array([(g * v).sum() for (_, g), v in zip(cavity, velocity, strict=True)]),
        reaction=sums.reaction / interval,
        thrust=sums.thrust / interval,
        drag=sums.drag / interval,
        momentum=momentum[:, ::3].sum(-1),
        kinetic=0.5 * (momentum * flat).sum(-1),
        stored=np.array([stored_energy(shell, q) for q in displacement]),
        dissipated=np.cumsum(sums.dissipated),
        work=np.cumsum(sums.work),
        steps=path.taken,
        halved=path.refused,
    )
