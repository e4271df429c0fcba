"""Kills at random instants: files are whole, old or new, and a rerun gives the same numbers."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.apart import call, kill_after, start
from fuzz.found import Trial, last_line

SAME = 1e-9
LIMIT = 300.0
VERBS = {
    "reduce": (["reduce", "c.toml", "-o", "out.nc"], []),
    "calibrate": (
        [
            *("calibrate", "c.toml", "--data", "d.nc", "--no-profiles", "--starts", "1"),
            *("--fit", "bending_stiffness", "-o", "out.toml"),
        ],
        [],
    ),
    "solve": (
        ["solve", "c.toml", "-o", "out.nc", "--checkpoint-every", "1", "--force"],
        ["--restart"],
    ),
}
"""Each with what it is given to go on. A solution replaces the old prediction only if forced."""
SHARES = {"reduce": 0.4, "calibrate": 0.4, "solve": 0.2}
"""Of the kills: a solution needs a Python of its own, twice."""


def kills(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Kill the verbs so many times, and run them again."""
    inputs = folder / "inputs"
    _make(inputs)
    for verb, (arguments, again) in VERBS.items():
        whole = folder / f"whole_{verb}"
        shutil.copytree(inputs, whole)
        began = time.monotonic()
        code, err = _run(arguments, whole)
        lasts = time.monotonic() - began
        if code != 0:
            raise RuntimeError(f"{verb} ends with {code} undisturbed, so that no kill shows: {err}")
        yield Trial(f"kill: {verb}", "undisturbed", "answered")
        expected = _numbers(whole)
        for number in range(round(SHARES[verb] * count)):
            rng = random.Random(f"kill {seed} {verb} {number}")
            home = folder / f"{verb}_{number}"
            shutil.copytree(inputs, home)
            old = _numbers(home)
            begin, end = (0.0, 1.0) if rng.random() < 0.5 else (0.7, 1.0)
            _killed(arguments, home, lasts * rng.uniform(begin, end))
            named = f"seed {seed}, number {number}"
            verdict, detail = _judge(verb, home, old, expected)
            if verdict == "answered":
                code, err = _run([*arguments, *again], home)
                verdict, detail = _after(code, err, home, expected)
            yield Trial(f"kill: {verb}", named, verdict, detail)


def _make(inputs: Path) -> None:
    """Make the inputs, and an old output of each verb, of another model."""
    from short import short_case

    from loligo.cases import coefficients
    from loligo.cases.case_file import read
    from loligo.cases.dataset.io import write
    from loligo.reduced.predict.predict import predict

    inputs.mkdir(parents=True)
    (inputs / "c.toml").write_text(short_case(steps="0.2, 0.4, 0.6, 0.8, 1.0"))
    case = read(inputs / "c.toml")
    write(predict(case), inputs / "d.nc")
    write(predict(case, "pcc"), inputs / "out.nc")
    coefficients.write(coefficients.for_case(case, "old"), inputs / "out.toml")


def _apart(verb: str) -> bool:
    """Whether a verb needs a Python of its own: MPI does not outlive a fork."""
    return verb == "solve"


def _main(arguments: list[str]) -> Callable[[], None]:
    def run() -> None:
        from loligo.cli.main import main

        main(arguments)

    return run


def _command(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "loligo.cli.main", *arguments]


def _run(arguments: list[str], home: Path) -> tuple[int | None, str]:
    if not _apart(arguments[0]):
        ended = call(_main(arguments), home, LIMIT)
        return ended.code, last_line(ended.err)
    done = subprocess.run(
        _command(arguments), cwd=home, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    return done.returncode, last_line(done.stderr)


def _killed(arguments: list[str], home: Path, after: float) -> None:
    """Begin a command and kill it after so many seconds."""
    with (home / "log").open("w") as log:
        if _apart(arguments[0]):
            process = subprocess.Popen(
                _command(arguments), cwd=home, stdout=log, stderr=log, start_new_session=True
            )
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        else:
            kill_after(start(_main(arguments), home, log.fileno(), log.fileno()), after)


def _judge(verb: str, home: Path, old: Any, expected: Any) -> tuple[str, str]:
    """See that the output is the old or the new one, or of the new one a beginning."""
    try:
        found = _numbers(home)
    except Exception as error:
        return "broken file", f"{type(error).__name__}: {error}"
    if _same(found, old) or _same(found, expected):
        return "answered", ""
    if verb == "solve" and _begins(found, expected):
        return "answered", ""
    return "broken file", "the file is neither the old nor the new one"


def _after(code: int | None, err: str, home: Path, expected: Any) -> tuple[str, str]:
    """See that the second run is complete and gives the numbers of the undisturbed one."""
    if code is None:
        return "hang", err
    if code != 0:
        return ("abort" if code < 0 else "traceback"), f"the second run ends with {code}: {err}"
    if not _same(_numbers(home), expected):
        return "wrong number", "the second run differs from the undisturbed one"
    left = sorted(p.name for p in home.iterdir() if p.is_dir())
    return ("answered", "") if not left else ("broken file", f"left behind: {', '.join(left)}")


def _numbers(home: Path) -> dict[str, np.ndarray]:
    """Return all numbers of the outputs."""
    from loligo.cases.dataset import io as dataset

    data = dataset.read(home / "out.nc")
    numbers = {str(k): v.values for k, v in data.data_vars.items() if v.dtype.kind == "f"}
    fitted = tomllib.loads((home / "out.toml").read_text())
    for place in (fitted, *(t for t in fitted.values() if isinstance(t, dict))):
        numbers |= {f"c {k}": np.array(v) for k, v in place.items() if isinstance(v, float)}
    return numbers


def _same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(
        one[k].shape == other[k].shape and _close(one[k], other[k]) for k in one
    )


def _begins(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    """Whether these are the first steps of the others."""
    return all(
        v.ndim == 0 or (len(v) <= len(other[k]) and _close(v, other[k][: len(v)]))
        for k, v in one.items()
        if k in other and k.startswith(("frame", "load_"))
    )


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    size = float(np.nanmax(np.abs(other), initial=0.0))
    return bool(np.allclose(one, other, rtol=SAME, atol=SAME * size, equal_nan=True))
