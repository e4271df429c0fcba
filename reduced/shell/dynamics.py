"""Motion of a shell of revolution: inertia, viscous wall, water, a base that moves along the axis.

A step of the duration dt takes displacement q and velocity v of the nodes from 0 to 1 by

    M (v1 - v0)/dt + f = F,    (q1 - q0)/dt = (v0 + v1)/2,

f the mean forces of `loligo.reduced.shell.wall_step`, F the mean loads. The scheme is implicit, of
second order, and keeps account: kinetic and stored energy change by the work less what the
viscosity took, to rounding for Green and linear walls, and the momentum along the axis by the
impulse of loads, water and supports. It damps nothing by itself: an inviscid wall goes on ringing.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from loligo.cases.core.record import LoligoError
from loligo.reduced.lie import Array
from loligo.reduced.shell.advance import Account, Model, StepFailed, advance, make_model
from loligo.reduced.shell.assembly import enclosed_volume, stored_energy
from loligo.reduced.shell.loads import Drive
from loligo.reduced.shell.model import Shell
from loligo.reduced.shell.motion import FreeBase, Motion, State, Surge, Water
from loligo.reduced.stepping import output_times

SMALLEST_STEP = 2.0**-12  # of the step that was asked for


class MotionLost(LoligoError, RuntimeError):
    """Steps kept failing; `reached` holds the motion up to the last output time before."""

    def __init__(self, message: str, reached: Motion) -> None:
        """Keep what was reached."""
        super().__init__(message)
        self.reached = reached


def simulate(
    shell: Shell,
    mass: csr_array,
    times: Sequence[float] | Array,
    step: float,
    *,
    drives: Sequence[Drive] = (),
    water: Water | None = None,
    base: Surge | FreeBase | None = None,
    start: State | None = None,
) -> Motion:
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
            along x; `FreeBase` lets the one support that holds x go where the forces take it.
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
    states, accounts = [state], [Account()]
    # Newton's first guess follows the mean velocity of the step before: it is free of what rings.
    drift = state.velocity
    size, steps, halved = step, 0, 0
    for now, end in pairwise(clock):
        account = Account()
        while now < end:
            left = int(np.ceil((end - now) / size - 1e-9))
            after = end if left == 1 else now + (end - now) / left
            try:
                new, entry = advance(model, state, drift, now, after)
            except StepFailed as failure:
                size, halved = 0.5 * (after - now), halved + 1
                if size < SMALLEST_STEP * step:
                    reached = _motion(model, clock[: len(states)], states, accounts, steps, halved)
                    raise MotionLost(
                        f"no step of {size:.3g} s or more goes on from t = {now:.6g} s: {failure}. "
                        "The wall may be collapsing: lower the load, or use a finer mesh.",
                        reached,
                    ) from failure
                continue
            drift = (new.displacement - state.displacement) / (after - now)
            state, now, steps, size = new, after, steps + 1, min(2.0 * size, step)
            account = account.plus(entry)
        states.append(state)
        accounts.append(account)
    return _motion(model, clock, states, accounts, steps, halved)


def _initial(model: Model, time: float, start: State | None) -> State:
    shape = model.shell.fixed.shape
    start = start or State(np.zeros(shape), np.zeros(shape))
    for name, value in (("displacement", start.displacement), ("velocity", start.velocity)):
        if value.shape != shape or not np.isfinite(value).all():
            raise ValueError(f"the {name} at the start must be finite, of shape {shape}")
    velocity = np.where(model.shell.fixed, 0.0, start.velocity)
    velocity[model.shell.fixed[:, 0], 0] = model.towed(time)
    return State(start.displacement, velocity)


def _motion(
    model: Model,
    time: Array,
    states: Sequence[State],
    accounts: Sequence[Account],
    steps: int,
    halved: int,
) -> Motion:
    shell, mass = model.shell, model.mass
    displacement = np.array([state.displacement for state in states])
    velocity = np.array([state.velocity for state in states])
    cavity = [enclosed_volume(shell, q) for q in displacement]
    flat = velocity.reshape(len(velocity), -1)
    momentum = flat @ mass
    sums = Account(*np.array(accounts).T)
    interval = np.diff(time, prepend=time[0] - 1.0)
    return Motion(
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
        steps=steps,
        halved=halved,
    )
