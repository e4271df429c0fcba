"""Looks for tracebacks, hangs, aborts and wrong numbers; writes docs/fuzz.md.

`make fuzz` runs it, `make fuzz SECONDS=3600` with new seeds until the time is over. The same seed
tries the same things. What is found is printed with its seed and number, and kept in build/fuzz.
"""

from __future__ import annotations

import argparse
import datetime as dt
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from fuzz.apart import warm_up  # noqa: E402
from fuzz.commands import commands  # noqa: E402
from fuzz.data_sets import data_sets  # noqa: E402
from fuzz.found import BAD, Trial  # noqa: E402
from fuzz.hostile import cases, solids  # noqa: E402
from fuzz.kills import kills  # noqa: E402
from fuzz.relations import relations  # noqa: E402

KINDS: dict[str, tuple[Callable[[int, int, Path], Iterator[Trial]], int]] = {
    "data_sets": (data_sets, 240),
    "cases": (cases, 300),
    "commands": (commands, 216),
    "kills": (kills, 30),
    "relations": (relations, 168),
    "solids": (solids, 10),
}
"""Each with the number that is tried. What takes longest is first: two cores end together."""
HEAD = """# Fuzzing

Written by `make fuzz`. A generator makes hostile cases, pairs of cases whose predictions must
agree, damaged data sets, hostile command lines, and kills at random instants. The same seed makes
the same ones. The tool looks for tracebacks, hangs, aborts, numbers that are not those of the
resolved input, errors without a sentence, inputs that change, and files that are broken. The tests
of the solver under MPI inject faults on single ranks.

"""


def tried(kind: str, seed: int, folder: Path, share: float = 1.0) -> list[Trial]:
    """Run one kind; print and return what was tried."""
    function, count = KINDS[kind]
    trials = []
    for trial in function(seed, max(1, round(share * count)), folder / f"{kind}_{seed}"):
        trials.append(trial)
        if trial.bad:
            print(f"{trial.kind} | {trial.verdict} | {trial.name} | {trial.detail}", flush=True)
    return trials


def all_tried(kinds: Iterable[str], seed: int, folder: Path, share: float = 1.0) -> list[Trial]:
    """Run several kinds side by side, one on each core."""
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as workers:
        begun = [workers.submit(tried, kind, seed, folder, share) for kind in kinds]
        return [trial for one in begun for trial in one.result()]


def processor_seconds() -> float:
    """Return the seconds of processors that this process and its children have taken."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def table(trials: list[Trial], seeds: int, seconds: float) -> str:
    """Return the page."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    heads = ["kind", "tried", "refused", "answered", "stopped", *(f"{b}s" for b in BAD)]
    heads = [h.replace("no sentences", "no sentence").replace("changeds", "changed") for h in heads]
    counts: dict[str, Counter[str]] = {}
    for trial in trials:
        counts.setdefault(trial.kind, Counter())[trial.verdict] += 1
    rows = [("all", sum(counts.values(), Counter())), *counts.items()]
    columns = ("refused", "answered", "stopped", *BAD)
    lines = [
        f"- Date: {dt.datetime.now(dt.UTC).date()}",
        f"- Commit: {commit}",
        f"- Seeds: {seeds}",
        f"- Seconds: {seconds:.0f}, of processors {processor_seconds():.0f}",
        "",
        f"| {' | '.join(heads)} |",
        f"|---|{'---|' * (len(heads) - 1)}",
        *(
            f"| {kind} | {c.total()} | {' | '.join(str(c[name]) for name in columns)} |"
            for kind, c in rows
        ),
    ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Run all kinds, or those that are named; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS], default=None)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number")
    given = parser.parse_args()
    warm_up()
    began, seed = time.monotonic(), given.seed
    trials: list[Trial] = []
    with tempfile.TemporaryDirectory(prefix="loligo-fuzz-") as folder:
        while seed == given.seed or time.monotonic() - began < given.seconds:
            trials += all_tried(given.kinds or KINDS, seed, Path(folder), given.share)
            seed += 1
    page = table(trials, seed - given.seed, time.monotonic() - began)
    if not given.kinds:
        (ROOT / "docs" / "fuzz.md").write_text(page, encoding="utf-8")
    print(page)
    return int(any(trial.bad for trial in trials))


if __name__ == "__main__":
    sys.exit(main())
