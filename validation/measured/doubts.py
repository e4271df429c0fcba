"""Values that no experiment gives, with the mistake that they give away."""

from __future__ import annotations

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.cases.dataset.schema import LONGEST
from loligo.validation.measured.channels import Array, Recording, mean_known

ATMOSPHERE = 101325.0
"""Standard pressure of the air (Pa)."""
_NEAR = 0.1
"""Share by which a pressure at rest may differ from that of the air and be taken for it."""
_HIGHEST = 2e7
"""Pa; no soft body stands more."""
_FULL_TURNS = 4.0 * np.pi
_JUMP = 0.5
"""Of a marker's range: no body goes so far from one sample to the next and stays there."""


def check_values(recorded: Recording) -> None:
    """Refuse values in the wrong unit, and markers that swap their names."""
    for name, places in recorded.markers.items():
        largest = float(np.nanmax(np.abs(places)))
        if largest > LONGEST:
            raise BadInput(
                f"{recorded.file}: marker {name} is {largest:.4g} m from the origin: are its "
                "columns in millimetres?"
            )
        _check_jumps(recorded, name, places)
    for name, values in recorded.signals.items():
        most, least = float(np.nanmax(values)), float(np.nanmin(values))
        kind = name.partition("_")[0]
        if kind == "angle" and max(most, -least) > _FULL_TURNS:
            raise BadInput(
                f"{recorded.file}: {name} reaches {most:.4g} rad, {most / (2 * np.pi):.3g} turns: "
                "are they degrees?"
            )
        if kind == "pressure" and most > _HIGHEST:
            raise BadInput(
                f"{recorded.file}: {name} reaches {most / 1e6:.4g} MPa, which no soft body stands: "
                "is its unit right?"
            )
        if kind == "pressure" and least < -ATMOSPHERE:
            raise BadInput(
                f"{recorded.file}: {name} goes down to {least / 1e3:.4g} kPa, below absolute "
                "vacuum: is its sign, or its unit, right?"
            )
        if kind in ("volume", "distance") and least <= 0.0:
            raise BadInput(f"{recorded.file}: {name} is {least:.4g}, it must be positive")
        if kind == "distance" and most > LONGEST:
            raise BadInput(
                f"{recorded.file}: {name} reaches {most:.4g} m: is the column in millimetres?"
            )
        if kind == "tension" and least < 0.0 and -least > 0.05 * max(most, 0.0):
            raise BadInput(
                f"{recorded.file}: {name} is {least:.4g} N, and a tendon cannot push: has the cell "
                "another sign, or is it to be tared?"
            )


def check_rest(recorded: Recording, span: tuple[float, float]) -> None:
    """Refuse a rest in which pressures are those of the air, absolute ones."""
    inside = recorded.within(span)
    for name, values in recorded.signals.items():
        at_rest = float(np.nanmean(values[inside])) if name.startswith("pressure_") else 0.0
        if abs(at_rest / ATMOSPHERE - 1.0) < _NEAR:
            raise BadInput(
                f"{recorded.file}: {name} is {at_rest / 1e3:.4g} kPa at rest, that of the air: it "
                f"is absolute, and a data set has gauge pressures: tare it ({name})"
            )


def check_still(
    recorded: Recording, span: tuple[float, float], what: str, steadiness: float
) -> None:
    """Refuse a span in which a marker moves a good part of all its way."""
    inside = recorded.within(span)
    for name, places in recorded.markers.items():
        way = np.nanmax(places, axis=0) - np.nanmin(places, axis=0)
        here = places[inside]
        if inside.sum() < 4 or not np.isfinite(here).any():
            continue
        half = len(here) // 2
        drift = np.nan_to_num(np.abs(mean_known(here[half:]) - mean_known(here[:half])))
        if drift.max() > 20.0 * steadiness * float(np.max(way)):
            raise BadInput(
                f"{recorded.file}: {what}, {span[0]:g} s to {span[1]:g} s, marker {name} moves by "
                f"{1e3 * float(drift.max()):.3g} mm: choose a time at which it stands still"
            )


def check_ways(where: str, ways: dict[str, Array], length: float) -> None:
    """Refuse markers that go farther than a body of a length (m) can carry them."""
    for name, way in ways.items():
        farthest = float(np.nanmax(np.linalg.norm(np.atleast_2d(way), axis=-1), initial=0.0))
        if farthest > 3.0 * length:
            raise BadInput(
                f"{where}: marker {name} goes {farthest:.4g} m, and the body is {length:.4g} m "
                "long: are the lengths in millimetres?"
            )


def _check_jumps(recorded: Recording, name: str, places: Array) -> None:
    """A marker that jumps to where another one was has swapped its name with it."""
    others = {other: p for other, p in recorded.markers.items() if other != name}
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    for i in np.flatnonzero(steps > 0.0):
        for other, theirs in others.items():
            apart = float(np.linalg.norm(places[i] - theirs[i]))
            if not steps[i] > _JUMP * apart:
                continue
            swapped = np.linalg.norm(places[i + 1] - theirs[i]) + np.linalg.norm(
                theirs[i + 1] - places[i]
            )
            if swapped < 0.2 * apart:
                raise BadInput(
                    f"{recorded.file}: at {recorded.time[i + 1]:.4g} s the markers {name} and "
                    f"{other} swap their places: their names were swapped in tracking"
                )
