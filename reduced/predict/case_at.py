"""A case in motion: its loads at a time, its times, and where it stopped.

At any time its loads are those of a static case (`at`), so that arms and walls are loaded in motion
as in statics. It begins in equilibrium with its loads at 0 s. What the loads have done until then
is what is stored, since they got there slowly: external_work begins with it, and external work less
stored, kinetic and dissipated energy is what the scheme loses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import factor
from loligo.cases.load.history import Sine
from loligo.cases.load.kinds import BaseMotion, Current, RecruitedTorque
from loligo.reduced.lie import Array

SAME = 1e-9
"""Share of the duration, or of a length, within which two times or places are one."""
SHORTER = 0.5**0.5
"""Length of steps over that of those whose error they show."""
_BASE = 1e-4  # of a period of the base, to either side for its velocity and acceleration


@dataclass(frozen=True)
class Steps:
    """Time steps of a motion.

    Attributes:
        tolerance: of a rod's step, over its length and in rad; a shell takes equal steps.
        longest: the longest step (s).
    """

    tolerance: float
    longest: float

    def shorter(self) -> Steps:
        """Return steps of `SHORTER` times the length; a step's error is of fourth order."""
        return Steps(self.tolerance * SHORTER**4, self.longest * SHORTER)


def at(case: Case, time: float) -> Case:
    """Return the static case with the loads of a motion as they are at a time (s).

    A torque that spreads has its length of that time; what moves base or water is no load.
    """
    loads = {}
    for name, load in case.load.items():
        share = factor(load, time)
        if isinstance(load, BaseMotion | Current):
            continue
        if isinstance(load, RecruitedTorque) and load.spreads:
            if share * load.recruited < SAME:
                continue
            changes = {"recruited": share * load.recruited, "spreads": False}
            share, load = 1.0, load.model_copy(update=changes)
        loads[name] = load.model_copy(update={"path": (share,), "history": None})
    return case.model_copy(update={"time": None, "steps": (1.0,), "load": loads})


def refuse_jolt(case: Case, name: str, load: BaseMotion) -> None:
    """Refuse a base whose velocity jumps: reduced models would miss the impulse."""
    if (history := load.history) is None:
        return
    if not isinstance(history, Sine) or abs(np.cos(history.phase)) > SAME:
        raise BadInput(
            f"{case.name}: load.{name}: the velocity of the base jumps, and the impulse is not in "
            'a reduced model; move it by a sine with phase = "90 deg" or "-90 deg"'
        )


def base_rates(load: BaseMotion, time: float) -> tuple[float, float]:
    """Return the rate of the factor on a base's way (1/s), and the rate of that (1/s^2)."""
    if not isinstance(load.history, Sine):  # it stays, or `refuse_jolt` has refused it
        return 0.0, 0.0
    h = _BASE / load.history.frequency
    before, now, behind = (factor(load, time + side) for side in (-h, 0.0, h))
    return (behind - before) / (2.0 * h), (behind - 2.0 * now + before) / h**2


def clock_of(case: Case, ramp: float = 0.0) -> tuple[Array, Array]:
    """Times at which a step must end, and which of them are reported.

    Those are where a load jumps or turns, too; `ramp`, in durations, puts one more behind a jump.
    """
    assert case.time is not None
    end = case.time.duration
    histories = [load.history for load in case.load.values() if load.history is not None]
    jumps = [t for history in histories for t in history.jumps(end)]
    for load in case.load.values():
        if isinstance(load, Current) and load.history is not None:
            jumps += [0.0, *load.history.kinks(end)]  # of its acceleration
    behind = [t + ramp * end for t in jumps] if ramp else []
    kinks = [t for history in histories for t in history.kinks(end)]
    wanted = list(case.time.times)
    clock: list[float] = []
    for time in [*jumps, *behind, *wanted, *kinks]:
        inside = time <= end * (1.0 + SAME)
        if inside and all(abs(time - other) > SAME * end for other in clock):
            clock.append(time)
    ordered = np.array(sorted(clock))
    return ordered, np.abs(ordered - np.array(wanted)[:, None]).argmin(axis=1)


def stopped_at(reported: Array, reached: int, why: str) -> str:
    """Return the status of a motion that went so many times far, of which some are reported."""
    return f"stopped at step {int(np.sum(reported < reached)) + 1}: {why}"
