"""From recordings to a data set: holds, registration, means of repeats, and their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.markers import Distance, Marker
from loligo.meshes.bodies import length
from loligo.validation.measured.channels import Array, Recording
from loligo.validation.measured.doubts import check_rest, check_still, check_ways
from loligo.validation.measured.holds import find_holds, mean_over
from loligo.validation.measured.loads import loads_of
from loligo.validation.measured.reading import read_recording
from loligo.validation.measured.registration import Registration, by_axes, register
from loligo.validation.measured.setup import Setup, Span, Take


@dataclass(frozen=True, eq=False)
class Watched:
    """A recording with when the body rested and stood still in it, registered to the body."""

    recorded: Recording
    rest: Span
    holds: tuple[Span, ...]
    registration: Registration
    rest_places: Mapping[str, Array]
    """Of the markers in the laboratory (m)."""
    loads: tuple[dict[str, tuple[float, str]], ...]
    """At each hold: value and SI unit by name."""


def watch(files: Sequence[Path], setup: Setup, case: Case | None) -> list[Watched]:
    """Read all recordings, find what they leave open, and register them.

    Args:
        files: recordings, used where the setup names none.
        setup: what the files do not say.
        case: of which the markers' places are taken.

    Raises:
        BadInput: naming file and likely mistake, if one cannot be used.
    """
    takes = setup.take or tuple(Take(file=str(file)) for file in files)
    known = places_of(setup, case)
    return [_watch(Path(take.file), take, setup, known) for take in takes]


def places_of(setup: Setup, case: Case | None) -> dict[str, Marker]:
    """Return the markers whose places on the body are known."""
    return {**({} if case is None else case.marker), **setup.marker}


def distances_of(setup: Setup, case: Case | None) -> dict[str, Distance]:
    """Return the distances that are taken between markers."""
    return {**({} if case is None else case.distance), **setup.distance}


def _watch(file: Path, take: Take, setup: Setup, known: Mapping[str, Marker]) -> Watched:
    recorded = read_recording(file, setup)
    found = (
        ()
        if take.holds or setup.motion
        else find_holds(recorded, setup.shortest_hold, setup.steadiness)
    )
    rest = take.rest or setup.rest or (found[0] if found else None)
    if rest is None:
        raise BadInput(
            f"{file}: nothing says when the body was at rest, from which its ways count: give "
            "--rest FROM:TO"
        )
    holds = take.holds or found
    if not take.holds and not (take.rest or setup.rest) and len(holds) > 1:
        holds = holds[1:]
    for span, what in ((rest, "at rest"), *((hold, "in a hold") for hold in holds)):
        check_still(recorded, span, what, setup.steadiness)
    recorded = recorded.tared(setup.tare, rest)
    check_rest(recorded, rest)
    places = {name: mean_over(v, recorded.time, rest).value for name, v in recorded.markers.items()}
    for name, place in places.items():
        if not np.isfinite(place).all():
            raise BadInput(
                f"{file}: marker {name} was not seen at rest, {rest[0]:g} s to {rest[1]:g} s: "
                "choose another time, or leave it out"
            )
    registration = _registration(file, setup, known, places)
    loads = tuple(loads_of(recorded, take, holds, i) for i in range(len(holds)))
    return Watched(recorded, rest, tuple(holds), registration, places, loads)


def _registration(
    file: Path, setup: Setup, known: Mapping[str, Marker], places: Mapping[str, Array]
) -> Registration:
    """Return the way from the laboratory to the body; of no markers the identity."""
    if not places:
        return Registration(np.eye(3), np.zeros(3), 0.0, np.zeros((3, 3)))
    if strange := [name for name in setup.marker if name not in places]:
        raise BadInput(
            f"{file}: the setup has a marker {strange[0]} and the file none; it has "
            f"{', '.join(places)}: rename one of them"
        )
    names = [name for name in places if name in known]
    lab = np.array([places[name] for name in names]).reshape(-1, 3)
    body = np.array([known[name].rest for name in names]).reshape(-1, 3)
    if setup.axes is None:
        return register(names, lab, body, str(file), setup.largest_residual)
    if not names:
        raise BadInput(
            f"{file}: the place of no marker on the body is known: give that of one of "
            f"{', '.join(places)}, in the case or in the setup"
        )
    rotation = by_axes(setup.axes)
    off = body - lab @ rotation.T
    variance = (setup.uncertainty.alignment / 1.96) ** 2
    shift = off.mean(axis=0)
    residual = float(np.sqrt(np.mean(np.sum((off - shift) ** 2, axis=1))))
    return Registration(rotation, shift, residual, variance * np.eye(3))


def rest_on_body(watched: Sequence[Watched], known: Mapping[str, Marker]) -> dict[str, Array]:
    """Return where the markers rest on the body (m): as is known, else by registration."""
    names = dict.fromkeys(name for each in watched for name in each.rest_places)
    return {
        name: np.array(known[name].rest)
        if name in known
        else np.mean(
            [
                each.registration.apply(each.rest_places[name])
                for each in watched
                if name in each.rest_places
            ],
            axis=0,
        )
        for name in names
    }


def way_of(each: Watched, name: str) -> Array:
    """Return how far a marker went since rest, in the body's axes, (samples, 3) (m)."""
    if name not in each.recorded.markers:
        return np.full((each.recorded.time.size, 3), np.nan)
    moved = each.recorded.markers[name] - each.rest_places[name]
    return np.asarray(moved @ each.registration.rotation.T)


def check_lengths(watched: Sequence[Watched], case: Case | None) -> None:
    """Refuse ways that are longer than the body."""
    for each in watched if case is not None else ():
        assert case is not None
        ways = {name: way_of(each, name) for name in each.recorded.markers}
        check_ways(str(each.recorded.file), ways, length(case.body))


def described(data: xr.Dataset, watched: Sequence[Watched]) -> list[str]:
    """Return in sentences what was found in the files, for who has to confirm it."""
    lines = []
    for each in watched:
        name = each.recorded.file.name
        holds = ", ".join(f"{a:.3g} to {b:.3g} s" for a, b in each.holds)
        lines.append(f"{name}: at rest {each.rest[0]:.3g} to {each.rest[1]:.3g} s; holds {holds}")
        if each.rest_places:
            lines.append(f"{name}: registration leaves {1e3 * each.registration.residual:.3g} mm")
        if each.recorded.ignored:
            lines.append(f"{name}: not used: {', '.join(each.recorded.ignored)}")
    if unknown := str(data.attrs.get("uncertainty_not_known", "")):
        lines.append(f"not known: {unknown}")
    return lines
