"""Predictions that must agree: scaled, mirrored, renamed, split cases, and other units.

Two predictions are made of each pair, and no number of the library is needed to judge them.
"""

from __future__ import annotations

import copy
import math
import random
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.apart import Wrong, call
from fuzz.found import Trial, last_line

SAME = 1e-9
"""Relative difference of predictions whose arithmetic is the same but for rounding."""
SOLVED = 1e-6
"""The same where iterations take other ways to one equilibrium, each within its tolerance."""
LIMIT = 120.0
MAY_BE_REFUSED = ("a load of zero more", "a load in two halves", "named twice")
"""A model may know one kind of load alone."""
Tables = dict[str, Any]


def relations(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Try so many pairs of a case, a model and a relation."""
    from loligo.cases.case_file import library_names, load
    from loligo.reduced.predict.scope import models_of

    static = [load(name) for name in library_names()]
    static = [case for case in static if case.time is None and case.name != "gong_arm"]
    pairs = [(case.name, model) for case in static for model in models_of(case.body)]
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(RELATIONS)
    for number in range(count):
        rng = random.Random(f"relation {seed} {number}")
        relation = names[number % len(names)]
        name, model = rng.choice(pairs)
        ended = call(lambda r=relation, n=name, m=model, g=rng: judge(r, n, m, g), folder, LIMIT)
        named = f"{relation}: {name}, {model}, seed {seed}, number {number}"
        yield Trial(f"relation: {relation}", named, ended.verdict, last_line(ended.err))


def judge(relation: str, name: str, model: str, rng: random.Random) -> None:
    """Predict both cases of a pair; raise Wrong where they differ, BadInput is an answer, too."""
    from loligo.cases.case_file import load, to_toml
    from loligo.cases.core.record import BadInput

    before = tomllib.loads(to_toml(load(name)))
    changed = RELATIONS[relation](copy.deepcopy(before), rng)
    if changed is None:  # the relation says nothing of this case
        return
    after, expect, tolerance = changed
    found = [_predicted(tables, model) for tables in (before, after)]
    refused = [isinstance(f, BadInput) for f in found]
    if refused[1] and relation in MAY_BE_REFUSED:
        return
    if refused[0] != refused[1]:
        raise Wrong(f"{found[refused.index(True)]}, but the other case of the pair is predicted")
    if not any(refused):
        _compare(*found, expect, tolerance, _force(name))


def _predicted(tables: Tables, model: str) -> Any:
    from loligo.cases.case import Case
    from loligo.cases.case_file import validated
    from loligo.cases.core.record import BadInput
    from loligo.reduced.predict.predict import predict
    from loligo.reduced.section.law_choice import ON_SECTIONS

    name = tables.get("name", "case")
    try:
        case = validated(Case, {"name": name, **tables}, Path("case.toml"))
        # The laws that loligo brings along are of the library's sections, not of the other's.
        return predict(case, model, law="geometry" if model in ON_SECTIONS else None)
    except BadInput as error:
        return error


Expect = Callable[[str, np.ndarray, str], np.ndarray | None]
Changed = tuple[Tables, Expect, float] | None


def _same(name: str, value: np.ndarray, unit: str) -> np.ndarray | None:
    return None if name.startswith("load_") else value


def _compare(before: Any, after: Any, expect: Expect, tolerance: float, force: float) -> None:
    if before.attrs["status"] != after.attrs["status"]:
        raise Wrong(f"one {before.attrs['status']}, the other {after.attrs['status']}")
    station = before["station" if "station" in before else "meridian"].values
    length = float(station[-1] - station[0])
    for name, variable in before.data_vars.items():
        if variable.dtype.kind != "f" or str(name).endswith("_uncertainty") or name == "time":
            continue
        expected = expect(str(name), variable.values, variable.attrs.get("units", ""))
        if expected is None:
            continue
        found = after[name].values
        size = _size(str(name), expected, length, force)
        error = float(np.nanmax(np.abs(found - expected) / size, initial=0.0))
        if not error <= tolerance or np.isnan(found).sum() != np.isnan(expected).sum():
            raise Wrong(f"{name} is {error:.2e} off, {tolerance:g} is allowed")


def _force(name: str) -> float:
    """Return a force below which that of a mantle is zero: its own loads may balance (N)."""
    from loligo.cases.case_file import load

    case = load(name)
    if case.body.kind != "mantle":
        return 0.0
    return case.material["body"].shear_modulus * case.body.radius * case.body.thickness


def _size(name: str, value: np.ndarray, length: float, force: float) -> Any:
    """Return the size to judge differences by.

    Of a frame that of its rotation, or the length. Bending is judged by one turn in the length, and
    a moment by the forces at that arm: a number that is zero but for rounding has no size itself.
    """
    if name == "frame":
        size = np.ones((4, 4))
        size[:3, 3] = np.abs(value[..., :3, 3]).max()
        return size
    if value.shape[-1:] == (6,):
        parts = np.abs(value).reshape(-1, 6).max(axis=0)
        angular, linear = float(parts[:3].max()), max(float(parts[3:].max()), force)
        if name == "strain":
            return np.repeat([max(angular, 1.0 / length), 1.0], 3)
        sizes = [max(angular, length * linear), max(linear, angular / length)]
        return np.repeat(sizes, 3) + 1e-300
    return float(np.nanmax(np.abs(value), initial=0.0)) or 1e-300


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


def _quantities(tables: Any, change: Callable[[float, str], str]) -> Any:
    """Return the tables with each text that is a number with a unit changed."""
    if isinstance(tables, dict):
        kept = ("title", "source", "assumptions")
        return {k: v if k in kept else _quantities(v, change) for k, v in tables.items()}
    if isinstance(tables, list):
        return [_quantities(v, change) for v in tables]
    if isinstance(tables, str) and " " in tables:
        number, _, unit = tables.partition(" ")
        try:
            return change(float(number), unit)
        except ValueError:
            return tables
    return tables


def _factor(unit: str, length: float, stress: float) -> float:
    """Return the factor on a unit that leaves gravity as it is."""
    scales = {"[length]": length, "[time]": length**0.5, "[mass]": length**2 * stress}
    dimensions = _registry().get_dimensionality(_registry().parse_units(unit))
    return math.prod(scales[name] ** power for name, power in dimensions.items())


def similar(tables: Tables, rng: random.Random) -> Changed:
    """Lengths times s and moduli times m, under gravity: strains and angles stay."""
    length, stress = math.exp(rng.uniform(-1.5, 1.5)), math.exp(rng.uniform(-2, 2))
    after = _quantities(tables, lambda v, unit: f"{v * _factor(unit, length, stress)!r} {unit}")

    def expect(name: str, value: np.ndarray, unit: str) -> np.ndarray | None:
        if name == "frame":
            value = value.copy()
            value[..., :3, 3] *= length
            return value
        if name in ("strain", "wrench", "wrench_fluid", "wrench_tendon", "reaction"):
            powers = (-1, 0) if name == "strain" else (3, 2)
            scale = [length**p * (1.0 if name == "strain" else stress) for p in powers]
            return value * np.repeat(scale, 3)
        if name.startswith("load_") or "(" in unit:
            return None
        return value * _factor(unit or "1", length, stress)

    return after, expect, SOLVED


def stiffer(tables: Tables, rng: random.Random) -> Changed:
    """Twice the modulus with twice the loads and densities: the shape stays."""

    def change(value: float, unit: str) -> str:
        return f"{value * _factor(unit, 1.0, 2.0)!r} {unit}"

    def expect(name: str, value: np.ndarray, unit: str) -> np.ndarray | None:
        return value if unit in ("m", "1", "rad", "m^3") or name in ("frame", "strain") else None

    return _quantities(tables, change), expect, SOLVED


OTHER_UNITS = {
    "m": ("mm", "in", "cm", "um"),
    "Pa": ("kPa", "MPa", "psi", "bar"),
    "N": ("mN", "lbf", "kN"),
    "kg/m^3": ("g/cm^3", "g/mL"),
    "m^3": ("mL", "uL"),
    "N m": ("mN m", "N mm"),
    "N/m": ("mN/mm", "kN/m"),
    "rad": ("deg",),
}


def units(tables: Tables, rng: random.Random) -> Changed:
    """The same quantities in other units."""

    def change(value: float, unit: str) -> str:
        other = rng.choice(OTHER_UNITS.get(unit, (unit,)))
        return f"{_registry().Quantity(value, unit).to(other).magnitude!r} {other}"

    return _quantities(tables, change), _same, SAME


def renamed(tables: Tables, rng: random.Random) -> Changed:
    """Another name of the case and its loads, another order of all keys."""

    def shuffled(data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        keys = list(data)
        rng.shuffle(keys)
        return {key: shuffled(data[key]) for key in keys}

    after = shuffled(tables)
    after["load"] = {f"other_{i}": load for i, load in enumerate(after["load"].values())}
    return {**after, "name": "another"}, _same, SAME


def no_load(tables: Tables, rng: random.Random) -> Changed:
    """One more load, of zero."""
    arm = tables["body"]["kind"] != "mantle"
    loads = {
        "tip_force": {"force": ["0 N"] * 3},
        "tip_moment": {"moment": ["0 N m"] * 3},
        "outer_pressure": {"pressure": "0 Pa"},
    }
    kind = rng.choice(sorted(loads))
    tip = tables["body"].get("tip_disc", "1 mm").startswith("0")
    blocked = tables.get("support", {}).get("tip") == "blocked"
    water = any(load["kind"] == "water" for load in tables["load"].values())
    if (kind.startswith("tip") and (not arm or tip or blocked)) or (kind[0] == "o" and water):
        return None
    tables["load"]["none"] = {"kind": kind, **loads[kind]}
    return tables, _same, SAME


def halves(tables: Tables, rng: random.Random) -> Changed:
    """A load in two halves, where a case may have two of its kind."""
    keys = {"tip_force": "force", "tip_moment": "moment", "tendon": "tension"}
    keys |= {"hoop_tension": "tension", "recruited_torque": "moment", "outer_pressure": "pressure"}
    names = [name for name, load in tables["load"].items() if load["kind"] in keys]
    if not names:
        return None
    name = rng.choice(names)
    load = tables["load"][name]
    key = keys[load["kind"]]
    load[key] = _quantities({key: load[key]}, lambda v, unit: f"{v / 2!r} {unit}")[key]
    tables["load"]["second"] = copy.deepcopy(load)
    return tables, _same, SOLVED


def twice(tables: Tables, rng: random.Random) -> Changed:
    """A cavity, a tendon or the weight named twice: the same, or refused."""
    changes: list[Callable[[], object]] = []
    for load in tables["load"].values():
        for key in ("cavities", "tendons"):
            if key in load:
                changes.append(lambda named=load[key]: named.append(named[0]))
        if load["kind"] in ("weight", "water"):
            changes.append(lambda load=load: tables["load"].update(again=copy.deepcopy(load)))
    if not changes:
        return None
    rng.choice(changes)()
    return tables, _same, SOLVED


MIRROR = np.array([1.0, -1.0, 1.0])
"""y to -y; of a moment or another axial vector the other two components turn."""


def mirrored(tables: Tables, rng: random.Random) -> Changed:
    """The mirror image, y to -y."""
    body = tables["body"]

    def turn(values: list[Any], signs: list[float]) -> list[Any]:
        if isinstance(values[0], str):
            flipped = zip(values, signs, strict=True)
            return [
                f"{sign * float(v.partition(' ')[0])!r} {v.partition(' ')[2]}"
                for v, sign in flipped
            ]
        return [sign * v for v, sign in zip(values, signs, strict=True)]

    tables["gravity"] = turn(list(tables.get("gravity", [1.0, 0.0, 0.0])), [1, -1, 1])
    for segment in body.get("segments", []):
        segment["turn"] = turn([segment.get("turn", "0.0 rad")], [-1])[0]
    swaps = {}
    for i, segment in enumerate(body.get("segments", []), 1):
        count = segment.get("chambers", 3)
        swaps |= {f"s{i}c{j}": f"s{i}c{(1 - j) % count + 1}" for j in range(1, count + 1)}
    tendons = (body.get("tendons") or {}).get("count", 1)
    for load in tables["load"].values():
        if "force" in load:
            load["force"] = turn(load["force"], [1, -1, 1])
        if "moment" in load:
            load["moment"] = turn(load["moment"], [-1, 1, -1][-len(load["moment"]) :])
        if "tendons" in load:
            load["tendons"] = [(1 - t) % tendons + 1 for t in load["tendons"]]
        if "cavities" in load and swaps:
            load["cavities"] = [swaps[c] for c in load["cavities"]]

    def expect(name: str, value: np.ndarray, unit: str) -> np.ndarray | None:
        if name == "frame":
            signs = np.append(MIRROR, 1.0)
            return value * signs[:, None] * signs
        if name == "strain" or name.startswith("wrench") or name.startswith("reaction"):
            return value * np.concatenate([-MIRROR, MIRROR])
        return value if name in ("centreline_length", "stretch", "max_stretch") else None

    return tables, expect, SOLVED


RELATIONS: dict[str, Callable[[Tables, random.Random], Changed]] = {
    "scaled by dimensional analysis": similar,
    "twice as stiff, twice the loads": stiffer,
    "written in other units": units,
    "renamed and reordered": renamed,
    "a load of zero more": no_load,
    "a load in two halves": halves,
    "mirrored": mirrored,
    "named twice": twice,
}
