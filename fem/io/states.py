"""What a run keeps of the states that it has been in, and how a checkpoint holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from loligo.cases.dataset.surface import shown_steps
from loligo.fem.io.checkpoint import made, plain
from loligo.fem.io.solver_history import solver_history
from loligo.fem.march.step import StepResult
from loligo.fem.observe.skin import Skin, Snapshot
from loligo.fem.observe.stretch import LargestStretch

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Observed:
    """A state as the data set will have it."""

    place: float
    """How far along the case's steps: 1.5 is halfway from 1 to 2."""
    variables: Mapping[str, Array]


class Kept:
    """The reported states, the last one on the way to the next, and the history of all."""

    def __init__(self, surface: Skin, steps: int) -> None:
        """Begin with nothing.

        Args:
            surface: of the body; its shapes are kept on rank 0.
            steps: how many states the case reports.
        """
        self._surface, self._steps = surface, steps
        self.reported: list[Observed] = []
        self.latest: Observed | None = None
        """The last converged state, reported or not."""
        self.states: list[StepResult] = []
        """How every converged state was reached."""
        self.most_stretched: LargestStretch | None = None
        """The largest stretch of any state so far."""
        self._skins: dict[int, Snapshot | None] = {}
        self._modes: dict[int, Snapshot | None] = {}

    def add(self, result: StepResult, observed: Observed, stretch: LargestStretch | None) -> None:
        """Keep a converged state, in which the problem still is; collective."""
        if result.mode is not None:
            self._modes[len(self.states)] = self._surface.snapshot(result.mode)
        self.states.append(replace(result, mode=None))  # the mode is of these ranks
        self.latest, before = observed, self.most_stretched
        if before is None or (stretch is not None and stretch.stretch > before.stretch):
            self.most_stretched = stretch
        if result.target is not None:
            self.reported.append(observed)
            if result.target in shown_steps(self._steps):
                self._skins[result.target] = self._surface.snapshot()

    @property
    def complete(self) -> bool:
        """Whether all reported states are there."""
        return len(self.reported) == self._steps

    def observed(self) -> list[Observed]:
        """Return the reported states, and the last one on the way to the next."""
        last = self.latest
        return self.reported if last is None or last in self.reported else [*self.reported, last]

    def groups(self) -> dict[str, xr.Dataset]:
        """Return the groups ``solver`` and, on rank 0, ``surface`` and ``modes``."""
        found = {"solver": solver_history(self.states)}
        skins, modes = (
            {number: shape for number, shape in shapes.items() if shape is not None}
            for shapes in (self._skins, self._modes)
        )
        if skins:
            found["surface"] = self._surface.dataset(skins)
        if modes:
            found["modes"] = self._surface.modes(modes)
        return found

    def facts(self, put: Callable[[Array], str]) -> dict[str, Any]:
        """Return all of it as what JSON can say.

        Args:
            put: takes an array and gives the name it goes by.
        """
        kept = self.observed()
        return {
            "places": [one.place for one in kept],
            "reported": len(self.reported),
            "observed": {
                name: put(np.array([one.variables[name] for one in kept]))
                for name in kept[0].variables
            },
            "skin_rest": put(self._surface.rest),
            "skins": plain({str(step): skin for step, skin in self._skins.items()}, put),
            "modes": plain({str(state): mode for state, mode in self._modes.items()}, put),
            "states": plain(self.states, put),
            "most_stretched": plain(self.most_stretched, put),
        }

    def adopt(
        self,
        facts: Mapping[str, Any],
        take: Callable[[str], Array],
        take_skin: Callable[[str], Array],
        needed: Iterable[str],
        first: bool,
    ) -> None:
        """Take up what another run kept.

        Args:
            facts: of :meth:`facts`.
            take: gives the array of a name.
            take_skin: the same of a shape of the surface, which rank 0 alone needs.
            needed: names of variables which every state must have, as those that come will.
            first: whether this is rank 0.

        Raises:
            KeyError: if something is not there.
        """
        observed = {name: take(array) for name, array in facts["observed"].items()}
        for name in needed:
            _ = observed[name]
        kept = [
            Observed(place, {name: values[i] for name, values in observed.items()})
            for i, place in enumerate(facts["places"])
        ]
        self.reported, self.latest = kept[: facts["reported"]], kept[-1]
        rest = take_skin(facts["skin_rest"])
        skins, modes = (  # read on all ranks, which must find out alike what is not there
            {int(number): made(Snapshot, shape, take_skin) for number, shape in facts[kind].items()}
            for kind in ("skins", "modes")
        )
        self._skins, self._modes = (
            {
                number: self._surface.adopt(rest, shape) if first else None
                for number, shape in shapes.items()
            }
            for shapes in (skins, modes)
        )
        self.states = [made(StepResult, one, take) for one in facts["states"]]
        self.most_stretched = made(LargestStretch, facts["most_stretched"], take)
