"""What a checkpoint holds: without any of it a run is refused, and each part decides how it goes.

Every run here goes on from the same checkpoint as the uninterrupted one, but for one entry.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
from slender import slender_arm

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.fem.io.checkpoint import Checkpoint
from loligo.fem.io.states import Kept
from loligo.fem.march.standing import StepControl
from loligo.fem.observe.skin import Skin
from loligo.fem.observe.stretch import Stretches
from loligo.fem.run import Run

Change = Callable[[dict[str, Any], dict[str, Any]], None]
Told = Callable[[Run], Any]

RUBBER = {"mu": 3e4, "density": 1080.0, "viscosity": 100.0}


def pulled() -> Case:
    """An arm whose tendon is wound up: its tension is a multiplier."""
    body = slender_arm(0.06, 0.012, RUBBER, load={}).body.model_dump()
    tendons = {"count": 4, "base_offset": 0.005, "tip_offset": 0.005}
    return slender_arm(
        0.06,
        0.012,
        RUBBER,
        body={**body, "tip_disc": 2e-3, "tendons": tendons},
        load={"pull": {"kind": "shortening", "tendons": [1], "shortening": 2e-3}},
        mesh={"size": 0.024},
        steps=(0.6, 1.0),
    )


def released() -> Case:
    """An arm that sagged under its weight, which is switched off."""
    history = {"kind": "step", "before": 1.0, "after": 0.0}
    return slender_arm(
        0.1,
        0.012,
        RUBBER,
        gravity=(0.0, -1.0, 0.0),
        load={"weight": {"kind": "weight", "history": history}},
        mesh={"size": 0.04},
        time={"duration": 0.04, "every": 0.02, "tolerance": 1e-3},
    )


def started(case: Case) -> Run:
    return Run(case, MPI.COMM_SELF, control=StepControl(first=0.25))


def interrupted(case: Case, after: int) -> tuple[Run, Checkpoint]:
    """Return the uninterrupted run, and the checkpoint that it took on its way."""
    run, taken = started(case), None
    for _ in run.march():
        if len(run.states) == after:
            taken = run.checkpoint()
    assert taken is not None and run.status == "complete"
    return run, taken


def resumed(case: Case, taken: Checkpoint, change: Change | None = None) -> Run:
    taken = copy.deepcopy(taken)
    if change is not None:
        change(taken.facts, taken.arrays)
    run = started(case)
    run.resume(taken)
    for _ in run.march():
        pass
    return run


@pytest.fixture(scope="module")
def march() -> tuple[Run, Checkpoint]:
    """On the way to the first step; three states follow."""
    return interrupted(pulled(), 1)


@pytest.fixture(scope="module")
def motion() -> tuple[Run, Checkpoint]:
    return interrupted(released(), 4)


def entry_of(facts: Any, keys: tuple[Any, ...]) -> Any:
    for key in keys:
        facts = facts[key]
    return facts


def less(*keys: Any, share: float = 0.99) -> Change:
    """Leave a share of a number, or of the numbers of an array, that stands under these keys."""

    def change(facts: dict[str, Any], arrays: dict[str, Any]) -> None:
        inner, last = entry_of(facts, keys[:-1]), keys[-1]
        if isinstance(inner[last], str):
            arrays[inner[last]] = share * arrays[inner[last]]
        else:
            inner[last] *= share

    return change


def put(value: Any, *keys: Any) -> Change:
    def change(facts: dict[str, Any], arrays: dict[str, Any]) -> None:
        entry_of(facts, keys[:-1])[keys[-1]] = value

    return change


def where(run: Run) -> Any:
    """Where it stopped on the way."""
    return [(one.time, *one.values.values()) for one in run.states]


def guessed(run: Run) -> Any:
    """How far off the guesses were that Newton's method began with."""
    return [one.history[0]["displacement"] for one in run.states]


def cut(run: Run) -> Any:
    return [len(one.cutbacks) for one in run.states]


def iterated(run: Run) -> Any:
    return [one.iterations for one in run.states]


def numbered(run: Run) -> Any:
    return [one.number for one in run.states]


def of(name: str) -> Told:
    return lambda run: run.dataset()[name].values


MARCH: dict[str, tuple[Change, Told]] = {
    "step size": (less("standing", "step"), where),
    "share of the way": (less("standing", "done"), where),
    "where the way began": (put(1e-4, "standing", "start", "tendon_1"), where),
    "state of the predictor": (put(None, "standing", "before"), guessed),
    "displacements, pressures": (less("standing", "now", "state", "unknowns"), of("external_work")),
    "values": (less("standing", "now", "values", "tendon_1"), guessed),
    "multiplier": (less("standing", "now", "state", "values", "tendon_1"), of("external_work")),
    "stability": (put(False, "standing", "stable"), cut),
    "number": (put(7, "standing", "number"), numbered),
    "work": (less("work", "tendon_1"), of("external_work")),
    "history": (put(9, "states", 0, "iterations"), iterated),
}
MOTION: dict[str, tuple[Change, Told]] = {
    "time": (put(0.0, "standing", "now"), where),
    "step size": (less("standing", "size", share=0.4), where),
    "last step": (less("standing", "step"), guessed),
    "jump": (put(True, "standing", "fresh"), of("frame")),
    "displacements": (less("standing", "state", "unknowns"), of("frame")),
    "velocity": (less("standing", "velocity"), of("frame")),
    "acceleration": (less("standing", "acceleration"), of("frame")),
    "auxiliary of the scheme": (less("standing", "auxiliary"), of("frame")),
    "dissipated so far": (less("observed", "dissipated_energy"), of("dissipated_energy")),
    "work": (less("work", "load_weight"), of("external_work")),
}


def same(one: Any, other: Any) -> bool:
    """Whether two runs tell the same, to what Newton's tolerances leave."""
    one, other = (np.asarray(value, dtype=float) for value in (one, other))
    scale = float(np.nanmax(np.abs(other)))
    return one.shape == other.shape and bool(
        np.allclose(one, other, rtol=0.0, atol=1e-6 * scale, equal_nan=True)
    )


@pytest.mark.parametrize("entry", MARCH)
def test_each_entry_decides_how_a_march_goes_on(march: tuple[Run, Checkpoint], entry: str) -> None:
    whole, taken = march
    change, told = MARCH[entry]
    assert not same(told(resumed(pulled(), taken, change)), told(whole))


@pytest.mark.parametrize("entry", MOTION)
def test_each_entry_decides_how_a_motion_goes_on(
    motion: tuple[Run, Checkpoint], entry: str
) -> None:
    whole, taken = motion
    change, told = MOTION[entry]
    assert not same(told(resumed(released(), taken, change)), told(whole))


def test_all_of_them_together_change_nothing(
    march: tuple[Run, Checkpoint], motion: tuple[Run, Checkpoint]
) -> None:
    for case, (whole, taken), entries in (
        (pulled(), march, MARCH),
        (released(), motion, MOTION),
    ):
        again = resumed(case, taken)
        for entry, (_, told) in entries.items():
            assert same(told(again), told(whole)), entry


def names(facts: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Names of all entries, and of those within where the run stands."""
    for key, value in facts.items():
        yield (*way, key)
        if (*way, key) in WITHIN and isinstance(value, dict):
            yield from names(value, (*way, key))


WITHIN = {
    ("standing",),
    ("standing", "now"),
    ("standing", "now", "state"),
    ("standing", "before"),
    ("standing", "state"),
}


@pytest.mark.parametrize("kind", ["march", "motion"])
def test_without_any_entry_it_is_refused(kind: str, request: pytest.FixtureRequest) -> None:
    _, taken = request.getfixturevalue(kind)
    run = started(pulled() if kind == "march" else released())
    for way in names(taken.facts):
        facts = copy.deepcopy(taken.facts)
        del entry_of(facts, way[:-1])[way[-1]]
        with pytest.raises(BadInput, match=r"is of another|lacks"):
            run.resume(Checkpoint(facts, taken.arrays))
    for name in taken.arrays:
        arrays = {key: array for key, array in taken.arrays.items() if key != name}
        with pytest.raises(BadInput, match=f"lacks '{name}'"):
            run.resume(Checkpoint(taken.facts, arrays))


def test_without_a_skin_it_is_refused_on_all_ranks(march: tuple[Run, Checkpoint]) -> None:
    """Also on those that keep no skin, or they would wait for rank 0."""
    run, taken = march
    facts = copy.deepcopy(taken.facts)
    facts["modes"] = {"0": {"displacement": "there", "stretch": "gone"}}
    arrays = {**taken.arrays, "there": np.zeros((1, 3))}
    kept = Kept(Skin(run.setup.problem, Stretches(run.setup.problem)), 1)
    for first in (True, False):
        with pytest.raises(KeyError, match="gone"):
            kept.adopt(facts, arrays.__getitem__, arrays.__getitem__, (), first)
