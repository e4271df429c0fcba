"""Hostile cases: library cases with one to three mutations, of their tables or of their text."""

from __future__ import annotations

import json
import math
import random
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli_w
from fuzz.apart import Wrong, call, command
from fuzz.found import Trial, last_line

NUMBERS = (0, -1, 1, 7, 1e-300, 1e300, -1e9, 2**63, 0.1, math.nan, math.inf, -math.inf, True)
UNITS = ("m", "mm", "Mm", "in", "Pa", "kPa", "mPa", "N", "mN", "kg/m^3", "g/cm^3", "deg", "s", "K")
TEXTS = (
    "",
    " ",
    "nan mm",
    "inf Pa",
    "1e400 mm",
    "-5 mm",
    "5",
    "mm",
    "1 2 mm",
    "５ mm",
    "µ",
    "\0",
    "😀",
)
TEXTS += (
    "../../etc/passwd",
    "x" * 10_000,
    "1 mm^9999999",
    "[bold]red[/]",
    "{reason}",
    "%s%n",
    "None",
)
KINDS = ("tip_force", "pressure", "tendon", "weight", "supply", "shortening", "water", "current")
KINDS += (
    "outer_pressure",
    "hoop_tension",
    "recruited_torque",
    "tip_moment",
    "magnet",
    "base_motion",
)
FILE_NAMES = ("case", "a-b", "Ä_case", "with space", "1", "dot.dot", "x" * 100)
LIMIT = 60.0


def cases(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Check so many hostile cases, and reduce those that are accepted with every model."""
    from loligo.cases.case_file import find, library_names

    sources = {name: find(name).read_text() for name in library_names()}
    for number in range(count):
        rng = random.Random(f"case {seed} {number}")
        home = folder / f"case_{number}"
        home.mkdir(parents=True)
        source = rng.choice(sorted(sources))
        file = home / f"{rng.choice(FILE_NAMES) if rng.random() < 0.1 else 'case'}.toml"
        file.write_bytes(mutated(sources[source], rng))
        named = f"{source}, seed {seed}, number {number}"
        ended = command(["cases", "check", file.name], home, LIMIT)
        yield Trial("cases check", named, ended.verdict, last_line(ended.err))
        if ended.code == 0:
            yield from _reduced(file, named)


def solids(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Mesh and solve so many tiny cases with odd loads and rubbers; those are refused or stop."""
    from short import short_case

    for number in range(count):
        rng = random.Random(f"solid {seed} {number}")
        home = folder / f"solid_{number}"
        home.mkdir(parents=True)
        data = tomllib.loads(short_case())
        odd = {key: data.pop(key) for key in ("load", "material")}
        for _ in range(rng.choice((1, 2))):
            _mutate(odd, rng)
        odd.pop("steps", None)  # as many as there are
        (home / "case.toml").write_text(tomli_w.dumps({**data, **odd}))
        for verb in (["mesh"], ["solve"]):
            out = ["-o", "out" if verb == ["mesh"] else "out.nc"]
            ended = command([*verb, "case.toml", *out], home, 2.0 * LIMIT)
            named = f"seed {seed}, number {number}"
            yield Trial(f"odd solid: {verb[0]}", named, ended.verdict, last_line(ended.err))


def _reduced(file: Path, named: str) -> Iterator[Trial]:
    """Reduce an accepted case; a motion is left out, since it may take as long as it says."""
    from loligo.cases.case_file import read
    from loligo.reduced.predict.scope import models_of

    case = read(file)
    if case.time is not None:
        return
    for model in models_of(case.body):
        made = file.with_suffix(f".{model}.nc")

        def run(model: str = model, made: Path = made) -> None:
            from loligo.cli.main import main

            code = 0
            try:
                main(["reduce", file.name, "-m", model, "-o", made.name])
            except SystemExit as end:
                code = int(end.code or 0)
            if made.exists():
                check_record(file, made)
            sys.exit(code)

        ended = call(run, file.parent, LIMIT)
        yield Trial("reduce", f"{named}, {model}", ended.verdict, last_line(ended.err))


def mutated(text: str, rng: random.Random) -> bytes:
    """Return the text of a case with one to three things wrong, or odd."""
    if rng.random() < 0.25:
        return _text_mutated(text, rng)
    data = tomllib.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _mutate(data, rng)
    try:
        return tomli_w.dumps(data).encode(errors="surrogatepass")
    except (TypeError, ValueError):
        return text.encode()


def _mutate(data: dict[str, Any], rng: random.Random) -> None:
    places = list(_places(data))
    holder, key = rng.choice(places)
    value = holder[key]
    change = rng.randrange(9)
    if change == 0:
        del holder[key]
    elif change == 1 and isinstance(holder, dict):
        holder[rng.choice(("kindd", "Name", "", "é", key.upper(), key + "s", "name"))] = value
    elif change == 2:
        holder[key] = rng.choice(NUMBERS)
    elif change == 3:
        holder[key] = rng.choice(TEXTS)
    elif change == 4 and isinstance(value, str):
        holder[key] = f"{rng.choice((0, 1, -3, 1e-9, 1e9, 0.5))} {rng.choice(UNITS)}"
    elif change == 5 and isinstance(value, list):
        holder[key] = rng.choice(([], value[::-1], value * 2, value[:1], [*value, 1e9], [value]))
    elif change == 6 and "load" in data and isinstance(data["load"], dict) and data["load"]:
        name = rng.choice(sorted(data["load"]))
        if isinstance(data["load"][name], dict):
            copy = rng.choice(("again", "weight", "ü", "a.b", "x" * 300, name.upper()))
            data["load"][copy] = json.loads(json.dumps(data["load"][name], default=str))
            if rng.random() < 0.5:
                data["load"][copy]["kind"] = rng.choice(KINDS)
    elif change == 7:
        data["steps"] = rng.choice(
            ([1.0, 0.5], [0.5, 0.5], [-1.0, 1.0], [0.0], [1e9], [1e-12, 1.0], [0.0, 0.0], [2, 1])
        )
    else:
        holder[key] = _scaled(value, rng)


def _scaled(value: Any, rng: random.Random) -> Any:
    factor = rng.choice((-1.0, 0.0, 0.5, 2.0, 1e-6, 1e-3, 1e3, 1e6))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * factor
    number, _, unit = str(value).partition(" ")
    try:
        return f"{float(number) * factor!r} {unit}"
    except ValueError:
        return value


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every table or list with every key or index in it."""
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    for key in keys:
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _text_mutated(text: str, rng: random.Random) -> bytes:
    lines, place = text.splitlines(), rng.randrange(len(text))
    match rng.randrange(9):
        case 0:
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            return "\n".join(lines).encode()
        case 1:
            return text[:place].encode()
        case 2:
            return (text[:place] + rng.choice(TEXTS) + text[place:]).encode()
        case 3:
            raw = bytearray(text.encode())
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            return bytes(raw)
        case 4:
            return text.encode("utf-16")
        case 5:
            return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        case 6:
            return (f"steps = {'[' * 5000}{']' * 5000}\n" + text).encode()
        case 7:
            return rng.randbytes(200)
        case _:
            return text.replace("mm", rng.choice(("cm", "m", "in", "kPa", "")), 3).encode()


def check_record(file: Path, made: Path) -> None:
    """See that a prediction records the case that was read, and its loads at each step."""
    import numpy as np

    from loligo.cases.case import Case
    from loligo.cases.case_file import read, validated
    from loligo.cases.dataset import io as dataset

    case, data = read(file), dataset.read(made)
    written = {"name": data.attrs["case_name"], **tomllib.loads(data.attrs["case"])}
    if validated(Case, written, made) != case:
        raise Wrong("the case in the data set reads back as another one")
    for name, load in case.model_dump()["load"].items():
        factors = load["path"] or case.steps
        expected = size_of(load, case) * np.array(factors)
        found = data[f"load_{name}"].values
        whole = int(data.attrs["reached"]) if data.attrs["status"] != "complete" else found.size
        right = np.allclose(found[:whole], expected[:whole], rtol=1e-12, atol=0.0)
        if found.size > whole:  # the last state lies on the way to a step that is not reached
            before = expected[whole - 1] if whole else 0.0
            right &= bool((found[whole] - before) * (found[whole] - expected[whole]) <= 0.0)
        if not right or found.size > min(whole + 1, expected.size):
            raise Wrong(f"load_{name} is {found}, size times steps is {expected}")


def size_of(load: dict[str, Any], case: Any) -> float:
    """Return the size of a static load, from its plain numbers."""
    kind = load["kind"]
    if kind == "weight":
        return 9.81
    if kind == "water":
        return 9.81 * float(case.water.density)
    for key in ("force", "moment"):
        if key in load:
            return math.sqrt(math.fsum(c * c for c in load[key]))
    keys = {"supply": "volume", "shortening": "shortening", "pressure": "pressure"}
    keys |= {"outer_pressure": "pressure", "tendon": "tension", "hoop_tension": "tension"}
    return float(load[keys[kind]])
