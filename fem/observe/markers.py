"""Markers on a 3D body: material points, and what stands off them turned with their section."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loligo.cases.case import Case
from loligo.cases.core.frames import frames_between
from loligo.cases.core.record import BadInput
from loligo.cases.markers import spans, turns
from loligo.fem.core.measure import Probe
from loligo.fem.observe.sections import StationPlanes
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies

Array = npt.NDArray[np.float64]


class Markers:
    """The markers, turns and distances of a case, located once; collective."""

    def __init__(self, problem: Problem, case: Case, sections: StationPlanes | None) -> None:
        """Find the cell of every marker; BadInput, on all ranks, for a place beside the body."""
        self._problem, self._case, self._sections = problem, case, sections
        self._station = bodies.stations(case.body)
        self._at = np.array([one.at for one in case.marker.values()]).reshape(-1, 3)
        self._offset = np.array([one.offset for one in case.marker.values()]).reshape(-1, 3)
        self.rest = self._at + self._offset
        """Where the markers are at rest (m)."""
        if sections is None and self._offset.any():
            raise BadInput(
                f"{case.name}: a wall without sections carries no marker off it: leave offset out"
            )
        self._section = bodies.arc_lengths(case.body, self._at)
        self._probe = None
        if case.marker:
            try:
                self._probe = Probe(problem.domain.mesh, self._at)
            except ValueError as error:
                raise BadInput(
                    f"{case.name}: marker: {error}; what stands off the body has its place in "
                    "offset"
                ) from None

    def coordinates(self) -> dict[str, object]:
        """Return the labels of markers, tags and spans."""
        case = self._case
        named = {"marker": [*case.marker], "tag": [*case.angle], "span": [*case.distance]}
        return {dim: names for dim, names in named.items() if names}

    def measure(self, frame: Array | None) -> dict[str, Array]:
        """Return the variables of the schema in the problem's current state.

        Args:
            frame: its section frames, (station, 4, 4).
        """
        case, found = self._case, {}
        if self._probe is not None:
            moved = self._probe.read(self._problem.fields.displacement_field())[:, :3]
            places = self._at + moved
            if self._sections and frame is not None:
                places = places + self._turned(frame)
            found["marker_position"] = places
            if case.distance:
                found["distance"] = spans(case.distance, list(case.marker), places)
        if case.angle and self._sections and frame is not None:
            found["angle"] = turns(case.angle, frame, self._sections.rest, self._station)
        return found

    def _turned(self, frame: Array) -> Array:
        """Offsets turned with the sections, (marker, 3)."""
        assert self._sections is not None
        now, then = (
            frames_between(each, self._station, self._section)[:, :3, :3]
            for each in (frame, self._sections.rest)
        )
        return np.asarray(np.einsum("mij,mkj,mk->mi", now, then, self._offset))
