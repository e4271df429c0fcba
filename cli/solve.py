"""`loligo solve`: from a case to its 3D solution, as a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from loligo.cli.arguments import AnyCase, Force, Trust, print_notes
from loligo.fem.levels import FINEST

if TYPE_CHECKING:
    from loligo.fem.solvers.factor import Solver

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

CODES = {"complete": 0, "asked": 3, "stuck": 4}
"""How a run ends: done; told to stop, so that --restart goes on; stuck, so that it would not."""


@app.command()
def solve(
    case: AnyCase,
    level: Annotated[
        int,
        typer.Option(
            "--level", "-l", min=0, max=FINEST, help="Sizes are those of 0 over 1.4^level."
        ),
    ] = 0,
    levels: Annotated[
        str | None,
        typer.Option("--levels", help="Several, for example 0,1,2: they give error bars."),
    ] = None,
    time_levels: Annotated[
        str,
        typer.Option(
            "--time-levels",
            help="Of a motion: its steps, half as long with each level; 0,1,2 give error bars.",
        ),
    ] = "0",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The data set; by default CASE.nc.", dir_okay=False),
    ] = None,
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Go on from the last checkpoint, where there is one."),
    ] = False,
    checkpoint_every: Annotated[
        str, typer.Option(help='Between two checkpoints: states as "20", or time.')
    ] = "10 min",
    fields: Annotated[
        Path | None,
        typer.Option(
            "--fields",
            help="Folder for displacement, pressure and stretch at the reported steps, for "
            "ParaView.",
            file_okay=False,
        ),
    ] = None,
    meshes: Annotated[
        Path | None,
        typer.Option(
            "--meshes",
            help="Folder of meshes, which all ranks read at once; what it lacks is made and kept. "
            "Above 5 million unknowns CASE.meshes serves, until the run is complete.",
            file_okay=False,
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            help="direct, krylov, or auto: krylov where a factor would not fit. It does not know "
            "whether a state is stable."
        ),
    ] = "auto",
    force: Force = False,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve a case as a 3D hyperelastic solid, and write the solution as a data set.

    The file grows with every reported step and replaces an earlier solution of the same case. Two
    runs at a time on one file are refused. A run that is told to stop, by Ctrl-C, SIGTERM or
    SIGUSR1, keeps everything up to its last converged state and ends with code 3; so does one that
    cannot go on, with code 4. Under mpirun send SIGUSR1: at Ctrl-C and SIGTERM Open MPI ends all
    ranks at once. Checkpoints lie beside the file, in CASE.checkpoints, until the run is complete;
    with --restart, on any number of ranks, it goes on where it was. Files of --fields begin anew
    there. Several levels end with the table of their error bars: two give wide ones. Those of time
    are solved on the coarsest mesh, the finer meshes with the finest steps.

    Example: [bold]mpirun -n 4 loligo solve gong_bending_one --levels 0,1,2[/]
    """
    from mpi4py import MPI

    from loligo.cases.core.record import BadInput
    from loligo.cli.magnitudes import warn_implausible
    from loligo.errors import NotSolved
    from loligo.fem.io.ranks import during, on_first_rank
    from loligo.given import given
    from loligo.hpc.launcher import serial_copies
    from loligo.progress import watched
    from loligo.solving import Request, carry_out

    comm = MPI.COMM_WORLD
    if wrong := serial_copies(comm.size):
        raise BadInput(wrong)
    with during("starting"):
        wanted = _levels("--levels", levels) if levels else [level]
        times = _levels("--time-levels", time_levels)
        with during("reading the case"):
            what = on_first_rank(comm, lambda: given(case))
        study = what.case
        warnings = warn_implausible(study)
        if trust:
            with during("loading the case's own code"):
                what = what.trusted()
        if comm.rank == 0:
            print_notes(study)
        file = output or Path(f"{study.name}.nc")
        request = Request(
            what,
            wanted,
            times,
            file,
            restart,
            checkpoint_every,
            fields,
            meshes,
            cast("Solver", solver),
            force,
        )
        try:
            solution = carry_out(request, comm, _say, watched)
            ending, status = solution.ending, solution.status
        except NotSolved as error:
            ending, status = error.ending, error.status
        if comm.rank == 0 and file.exists():
            with during("reporting"):
                _print(file, as_json, warnings)
    if ending != "complete":
        typer.secho(f"{study.name}: {status}", err=True)
        raise typer.Exit(CODES[ending])


def _levels(option: str, text: str) -> list[int]:
    """Read "0,1,2"."""
    from loligo.cases.core.record import BadInput
    from loligo.fem.levels import check_levels

    try:
        return check_levels(option, [int(part) for part in text.split(",")])
    except ValueError:
        raise BadInput(
            f'{option} {text}: write levels from 0 to {FINEST}, for example "0,1,2"'
        ) from None


def _say(sentence: str) -> None:
    typer.secho(sentence, err=True, fg="yellow" if sentence.startswith("warning: ") else None)


def _print(file: Path, as_json: bool, warnings: list[str]) -> None:
    from loligo.cases.dataset.io import read
    from loligo.cases.dataset.summary import bars, summary
    from loligo.cli.summary import print_bars, print_summary
    from loligo.validation.data.source import read_levels

    data = read(file)
    steps = summary(data)
    errors = bars(data, *(list(levels.values()) for levels in read_levels(file)))
    if as_json:
        facts = {
            name: data.attrs[name]
            for name in ("status", "level", "unknowns", "ranks", "wall_seconds", "cpu_seconds")
        }
        facts |= {"notes": data.attrs.get("notes", "")}
        facts = {name: getattr(value, "item", lambda v=value: v)() for name, value in facts.items()}
        typer.echo(
            json.dumps(
                {
                    "file": str(file),
                    **facts,
                    "steps": steps,
                    "bars": errors,
                    "warnings": warnings,
                },
                indent=2,
            )
        )
    else:
        print_summary(steps)
        print_bars(errors)
        typer.echo(file)
