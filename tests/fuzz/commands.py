"""Hostile command lines in a folder of inputs, none of which may change."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from fuzz.apart import command
from fuzz.found import Trial, last_line

LIMIT = 90.0
INPUTS = ("c.toml", "d.nc", "k.toml", "pulls.csv", "precious.txt", "study.toml", "locked/kept.nc")
"""Files that no command may change. Each may be named as its output."""

VERBS: dict[str, list[str]] = {
    "cases": ["cases", "check", "c.toml"],
    "cases show": ["cases", "show", "c.toml"],
    "check": ["check", "d.nc"],
    "show": ["show", "d.nc"],
    "reduce": ["reduce", "c.toml", "-o", "out.nc"],
    "reduce with": ["reduce", "c.toml", "-c", "k.toml", "-o", "out.nc"],
    "compare": ["compare", "c.toml", "d.nc", "-o", "out.json"],
    "report": ["report", "d.nc", "-o", "page"],
    "calibrate": [
        *("calibrate", "c.toml", "--data", "d.nc", "--no-profiles", "--starts", "1"),
        *("--fit", "bending_stiffness", "-o", "out.toml"),
    ],
    "material": ["calibrate", "material", "pulls.csv", "--replicates", "2", "-o", "out"],
    "view": ["view", "d.nc", "-o", "body.png"],
    "plan": ["plan", "c.toml"],
    "mesh": ["mesh", "c.toml", "-o", "out"],
    "map": ["map", "study", "-m", "rod", "-o", "map.nc"],
    "robot": ["robot", "show", "monopus"],
    "section": ["section", "gong_bending_one", "-o", "out.toml"],
    "study": ["study", "status", "study"],
    "solve": ["solve", "c.toml", "-o", "out.nc"],
}
PATHS = (
    *INPUTS,
    "missing.toml",
    "missing.nc",
    "folder",
    "locked/new.nc",
    "locked/kept.nc",
    "/dev/null",
)
PATHS += (
    "/dev/full",
    "/dev/zero",
    "pipe",
    "",
    ".",
    "..",
    "-",
    "no/such/folder/x.nc",
    "x" * 300,
    "é\n.nc",
)
PATHS += ("out.txt", "out", "/proc/self/mem", "link.nc", "../outside.nc")
OPTIONS: tuple[list[str], ...] = (
    *(["-l", "-1"], ["-l", "99"], ["--levels", "0,,1"], ["--levels", "2-0"], ["--steps", "5-1"]),
    *(
        ["--steps", "0"],
        ["--steps", "nan"],
        ["-m", "rodd"],
        ["-m", ""],
        ["--seed", "-1"],
        ["--json"],
    ),
    *(["--starts", "0"], ["--fit", "nothing"], ["--freeze", "density=nan"], ["--law", "é"]),
    *(["--start", "density=-1"], ["--hold-out", "c.toml"], ["--terms", "-3"], ["--state", "99"]),
    *(["--weight", "uniaxial=inf"], ["--up-to", "nan"], ["--solver", "magic"], ["--restart"]),
    *(["--checkpoint-every", "-5 s"], ["--time-levels", "x"], ["--replicates", "1"], ["--nope"]),
    *(["-o"], ["--help"], ["--version"], ["--"], ["extra"], ["-c", "d.nc"], ["--data", "c.toml"]),
)


def commands(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Run so many hostile command lines."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = folder / "inputs"
    _make(inputs)
    names = sorted(VERBS)
    for number in range(count):
        rng = random.Random(f"command {seed} {number}")
        home = folder / f"command_{number}" / "here"
        shutil.copytree(inputs, home, symlinks=True)
        os.mkfifo(home / "pipe")
        before = _state(home)
        verb = names[number % len(names)]
        arguments = hostile(VERBS[verb], rng)
        ended = command(arguments, home, LIMIT)
        named = f"loligo {' '.join(map(repr, arguments))}, seed {seed}, number {number}"
        changed = [name for name, digest in _state(home).items() if digest != before[name]]
        changed = [name for name in changed if not _replaceable(name, arguments)]
        verdict = f"input changed: {', '.join(changed)}" if changed else ended.verdict
        detail = last_line(ended.err)
        yield Trial(
            f"command: {verb.split()[0]}", named, verdict.split(":")[0], f"{verdict}: {detail}"
        )
        shutil.rmtree(home.parent)


def hostile(good: list[str], rng: random.Random) -> list[str]:
    """Return a command line with one or two things wrong with it."""
    arguments = list(good)
    for _ in range(rng.choice((1, 1, 2))):
        change = rng.randrange(6)
        paths = [i for i, a in enumerate(arguments) if i and ("." in a or arguments[i - 1] == "-o")]
        if change <= 1 and paths:
            arguments[rng.choice(paths)] = rng.choice(PATHS)
        elif change == 2:
            arguments += rng.choice(OPTIONS)
        elif change == 3:
            arguments += ["-o", rng.choice(PATHS)]
        elif change == 4 and len(arguments) > 1:
            del arguments[rng.randrange(1, len(arguments))]
        else:
            arguments.insert(rng.randrange(1, len(arguments) + 1), rng.choice(PATHS))
    if arguments[0] == "report" and not any(a.endswith(".nc") for a in arguments):
        arguments.append("d.nc")  # all that loligo brings along would take minutes
    return arguments


def _replaceable(name: str, arguments: list[str]) -> bool:
    """Whether a command may replace a file: an earlier output of its own kind, and no input."""
    kind = {"reduce": ".nc", "solve": ".nc", "calibrate": ".toml", "section": ".toml"}
    own = name.endswith(kind.get(arguments[0], "none")) and name not in ("c.toml", "study.toml")
    return own and arguments.count(name) == 1


def _make(inputs: Path) -> None:
    """Make the folder of good inputs."""
    from short import short_case

    from loligo.cases import coefficients
    from loligo.cases.case_file import read
    from loligo.cases.dataset.io import write
    from loligo.reduced.predict.predict import predict

    (inputs / "folder").mkdir(parents=True)
    (inputs / "locked").mkdir()
    (inputs / "c.toml").write_text(short_case())
    case = read(inputs / "c.toml")
    write(predict(case), inputs / "d.nc")
    write(predict(case), inputs / "locked" / "kept.nc")
    coefficients.write(coefficients.for_case(case, "geometry and rubber"), inputs / "k.toml")
    rows = [f"{x},{3e4 * (x - x**-2):.6g},uniaxial" for x in (1.1, 1.2, 1.4, 1.6, 1.8, 2.0)]
    (inputs / "pulls.csv").write_text("\n".join(["stretch,stress [Pa],mode", *rows]))
    (inputs / "precious.txt").write_text("my only copy")
    (inputs / "study.toml").write_text('title = "no study"\n')
    (inputs / "link.nc").symlink_to("d.nc")


def _state(home: Path) -> dict[str, str]:
    """Return a digest of every input."""
    digests = {}
    for name in INPUTS:
        file = home / name
        content = file.read_bytes() if file.is_file() and not file.is_symlink() else b"gone"
        digests[name] = hashlib.sha256(content).hexdigest()
    return digests
