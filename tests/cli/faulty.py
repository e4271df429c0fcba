"""Run a command with a fault in it, and the table of how runs end by place and kind of fault.

    mpirun -n 3 python3 tests/cli/faulty.py PLACE KIND loligo's arguments ...
    python3 tests/cli/faulty.py > docs/faults.md

The first form raises an exception of one kind on one rank, at one place of the program, and calls
the command line. The second one runs every place with every kind and writes the table.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

RANKS = 3
LIMIT = 30.0
"""Longest time from a fault to the end of all ranks (s)."""
RAISED = "fault raised at "
"""What a rank writes before it raises, with the time (s since 1970)."""


class Place(NamedTuple):
    """Where a fault is put."""

    words: str
    target: str
    """Module, and the path of a function in it."""
    rank: int
    call: int = 1
    """The number of the call that fails."""


PLACES = {
    "start": Place("importing the command, before MPI", "loligo.cli.main:_Verbs.get_command", 1),
    "read": Place("reading the case", "loligo.cases.case_file:read", 0),
    "trust": Place("loading the case's own code", "loligo.cases.user_law:_load", 1),
    "symbols": Place(
        "the case's own energy, on symbols", "loligo.fem.materials.hyperelastic:_OwnLaw.__call__", 2
    ),
    "mesh": Place("meshing", "loligo.fem.io.mesh_file:case_mesh", 0),
    "distribute": Place("distributing the mesh", "loligo.fem.io.mesh_file:distribute", 1),
    "setup": Place("setting up", "loligo.fem.run:set_up", 1),
    "assemble": Place("assembling", "loligo.fem.problem.problem:Problem.assemble_residual", 1, 5),
    "factor": Place("solving", "loligo.fem.solvers.linear:Linear.solve", 2, 2),
    "observe": Place("observing", "loligo.fem.observe.observer:Observer.observe", 1, 2),
    "write": Place("writing the data set", "loligo.cases.dataset.io:write", 0),
    "report": Place("reporting", "loligo.cli.solve:_print", 0),
}
"""Of `solve`; those of the table."""
OTHER_PLACES = {
    "slice": Place("`section`: cutting a slice", "loligo.fem.section_slice:section_law", 1),
    "doctor": Place("`doctor`: self-test", "loligo.fem.march.static:march", 2),
}
"""Of the other verbs that use MPI."""
KINDS: dict[str, type[BaseException]] = {
    "BadInput": ValueError,  # replaced by loligo's own before it is raised
    "SystemExit": SystemExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "OSError": OSError,
    "AssertionError": AssertionError,
}
CODES = {
    "BadInput": 2,
    "SystemExit": 7,
    "KeyboardInterrupt": 130,
    "OSError": 2,
    "AssertionError": 1,
}
"""Exit codes that docs/faults.md states; SystemExit is raised with 7."""
TABLE = ("BadInput", "SystemExit", "KeyboardInterrupt")
CASE = """\
title = "A short cylinder of a rubber of its own"
source = "test"
steps = [0.5, 1.0]
mesh = { size = "12 mm" }

[body]
kind = "tapered_arm"
length = "60 mm"
base_radius = "10 mm"
tip_radius = "10 mm"
tip_disc = "2 mm"
stations = 3

[material.body]
energy = "python"
entry = "mine:energy"
mu = "30 kPa"
density = "1000 kg/m^3"

[load.push]
kind = "tip_force"
force = ["0 N", "100 mN", "0 N"]
"""
ENERGY = """\
def energy(i1, i2, math):
    return 15e3 * (i1 - 3)
"""


class Ending(NamedTuple):
    """How a run with a fault ended."""

    code: int | None
    """Of mpirun; None if the run hung."""
    seconds: float
    """From the fault to the end of all ranks."""
    messages: list[str]
    """What loligo said of it."""
    said: str
    """All that was written to standard error."""


def run(place: str, kind: str, folder: Path) -> Ending:
    """Run a command with a fault on one of three ranks.

    Args:
        place: one of `PLACES` or `OTHER_PLACES`.
        kind: one of `KINDS`.
        folder: to run in.
    """
    (folder / "own.toml").write_text(CASE)
    (folder / "mine.py").write_text(ENERGY)
    arguments = {
        "slice": ["section", "own.toml", "--trust", "--size", "5 mm"],
        "doctor": ["doctor"],
    }.get(place, ["solve", "own.toml", "--trust"])
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(RANKS)]
    process = subprocess.Popen(
        [*launcher, sys.executable, __file__, place, kind, *arguments],
        cwd=folder,
        env=os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.terminate()  # mpirun then ends its ranks
        return Ending(None, float("inf"), [], process.communicate()[1])
    raised = re.search(rf"{RAISED}([0-9.]+)", said)
    seconds = time.time() - float(raised[1]) if raised else float("inf")
    messages = re.findall(r"^\W*((?:loligo|error): .*)", said, re.MULTILINE)
    return Ending(process.returncode, seconds, messages, said)


def _fault(place: Place, kind: str) -> None:
    """Let a function raise an exception on one rank."""
    module, _, path = place.target.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    function, calls = getattr(owner, name), [0]

    @functools.wraps(function)
    def faulty(*arguments: Any, **options: Any) -> Any:
        calls[0] += 1
        if calls[0] < place.call:
            return function(*arguments, **options)
        (sys.__stderr__ or sys.stderr).write(f"{RAISED}{time.time():.3f}\n")
        if kind == "BadInput":
            from loligo.cases.core.record import BadInput

            raise BadInput("a fault on one rank")
        raise KINDS[kind](7 if kind == "SystemExit" else "a fault on one rank")

    setattr(owner, name, faulty)


def main() -> None:
    """Write the page: a line for every place, with how its runs ended."""
    print(HEAD.format(ranks=RANKS, limit=LIMIT, grace=_grace()), flush=True)
    for place, where in PLACES.items():
        cells = []
        for kind in TABLE:
            with tempfile.TemporaryDirectory() as folder:
                ending = run(place, kind, Path(folder))
            good = is_good(ending, kind)
            cells.append(f"{ending.code}, {'1 message' if good else 'WRONG'}")
            print(place, kind, ending[:3], "" if good else ending.said, file=sys.stderr)
        print(f"| {where.words} | {where.rank} | {' | '.join(cells)} |", flush=True)


def is_good(ending: Ending, kind: str) -> bool:
    """Whether a run ended in time, with its code and one message."""
    return ending.code == CODES[kind] and len(ending.messages) == 1 and ending.seconds <= LIMIT


def _grace() -> float:
    from loligo.fem.io import ranks

    return ranks._GRACE


HEAD = """\
# Faults on one rank

A run on several ranks ends as a whole: an exception on any rank, in any phase, ends all ranks with
one message and a code. The message names the reason, the rank and the phase:

```text
loligo: short.nc: No space left on device (rank 1 of 3, while setting up)
```

If all ranks find the same fault, as in a case file that cannot be used, rank 0 alone reports it and
every rank ends by itself. If a rank fails alone, the others wait for it in a collective call, where
nothing can reach them. The failed rank waits {grace:.0f} s for others with the same reason. Then
the lowest rank that failed writes the message and aborts all ranks. The files stay as they are at
that time: the data set with its reported steps, and the checkpoints. An unexpected exception comes
with its traceback.

| code | reason |
|---|---|
| 1 | an unexpected exception: a fault of loligo |
| 2 | bad input, or a file that cannot be read or written |
| 130 | interrupted |
| n | `SystemExit(n)` |

The table is made by `python3 tests/cli/faulty.py > docs/faults.md`. In every run one exception is
raised on one of {ranks} ranks; SystemExit asks for code 7. A cell has the code of `mpirun`. It says
"1 message" if exactly one message was written and all ranks ended within {limit:.0f} s.

| place | rank | BadInput | SystemExit | KeyboardInterrupt |
|---|---|---|---|---|"""


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        chosen = (PLACES | OTHER_PLACES)[sys.argv[1]]
        if int(os.environ["OMPI_COMM_WORLD_RANK"]) == chosen.rank:
            _fault(chosen, sys.argv[2])
        from loligo.cli.main import main as loligo

        loligo(sys.argv[3:])
