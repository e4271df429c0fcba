"""`loligo solve`: from a case to its 3D solution, as a data set."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mpi4py import MPI

    import xarray as xr

    from loligo.cases.case import Case
    from loligo.fem.run import Run

FINEST = 6

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def solve(
    case: Annotated[str, typer.Argument(help="A case of the library, or a .toml file.")],
    level: Annotated[
        int,
        typer.Option(
            "--level", "-l", min=0, max=FINEST, help="Sizes are those of 0 over 1.4^level."
        ),
    ] = 0,
    levels: Annotated[
        str | None,
        typer.Option("--levels", help="Several, for example 0,1,2: three or more give error bars."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The data set; by default CASE.nc.", dir_okay=False),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the case's own Python energies; read them first.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve a case as a 3D hyperelastic solid, and write the solution as a data set.

    The file grows with every reported step and replaces an earlier one of its name. A run that
    cannot go on, or is told to stop by Ctrl-C, SIGTERM or SIGUSR1, keeps everything up to its last
    converged state and ends with code 3.

    Example: [bold]mpirun -n 4 loligo solve gong_bending_one --levels 0,1,2[/]
    """
    from mpi4py import MPI

    from loligo.cases.entry import trusted
    from loligo.cases.read import find, read
    from loligo.fem.ranks import end_together, on_first_rank, stop_signals

    comm = MPI.COMM_WORLD
    with end_together(comm):
        wanted = _levels(levels, level)
        study, folder = on_first_rank(comm, lambda: (read(find(case)), find(case).parent))
        if trust:
            study = trusted(study, folder)
        file = output or Path(f"{study.name}.nc")
        on_first_rank(comm, lambda: file.parent.mkdir(parents=True, exist_ok=True))
        with stop_signals(comm) as asked:
            status = _solve_levels(study, folder, wanted, file, comm, asked)
        if comm.rank == 0 and file.exists():
            _print(file, as_json)
    if status != "complete":
        typer.secho(f"{study.name}: {status}", err=True)
        raise typer.Exit(3)


def _levels(text: str | None, level: int) -> list[int]:
    """Return the levels to solve, the coarsest first."""
    from loligo.cases.record import BadInput

    if text is None:
        return [level]
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) <= FINEST for part in parts):
        raise BadInput(f'--levels {text}: write levels from 0 to {FINEST}, for example "0,1,2"')
    return sorted({int(part) for part in parts})


def _solve_levels(
    case: Case,
    folder: Path,
    levels: list[int],
    file: Path,
    comm: MPI.Comm,
    asked: Callable[[], str],
) -> str:
    """Solve level after level and write all that there is; return how the last one ended."""
    from loligo.cases.dataset import write
    from loligo.fem.ranks import on_first_rank
    from loligo.validation.levels import with_bars

    done: dict[int, xr.Dataset] = {}

    def save(run: Run) -> None:
        found = {**done, run.level: run.dataset()}
        # A level that stopped early is no better than a coarser one that did not.
        best = max(found, key=lambda level: (found[level].sizes["step"], level))
        groups = run.groups()
        if len(levels) > 1:
            groups |= {f"levels/{level}": data for level, data in found.items()}
        write(with_bars(found[best], list(found.values())), file, groups)

    for level in levels:
        run = _march(case, folder, level, comm, asked, save)
        if not run.states:
            return f"stopped before the first converged state: {run.stopped}; nothing is written"
        on_first_rank(comm, partial(save, run))
        done[level] = run.dataset()
        if run.stopped:
            break
    return run.status


def _march(
    case: Case,
    folder: Path,
    level: int,
    comm: MPI.Comm,
    asked: Callable[[], str],
    save: Callable[[Run], None],
) -> Run:
    """Solve one level, show how it goes, and save every reported step of it."""
    from loligo.cases.record import BadInput
    from loligo.cli.progress import Progress
    from loligo.fem.ranks import on_first_rank
    from loligo.fem.run import Run

    run = Run(case, comm, level=level, case_folder=folder)
    progress = Progress(run)
    try:
        with progress.shown():
            for result in run.march():
                progress.show(result)
                if result.target is not None:
                    on_first_rank(comm, partial(save, run))
                if signal := asked():
                    run.stopped = run.stopped and f"{signal} asked it to"
                    break
    except BadInput:  # the file cannot be written; what it had so far stays
        raise
    except Exception as error:
        if comm.rank == 0 and run.states:  # the others may not have failed, or elsewhere
            run.stopped = f"{type(error).__name__}: {error}"
            save(run)
        raise
    progress.warn()
    return run


def _print(file: Path, as_json: bool) -> None:
    from loligo.cases.dataset import read
    from loligo.cli.summary import print_summary, summary

    data = read(file)
    steps = summary(data)
    if as_json:
        facts = {
            name: data.attrs[name]
            for name in ("status", "level", "unknowns", "ranks", "wall_seconds", "cpu_seconds")
        }
        facts = {name: getattr(value, "item", lambda v=value: v)() for name, value in facts.items()}
        typer.echo(json.dumps({"file": str(file), **facts, "steps": steps}, indent=2))
    else:
        print_summary(steps)
        typer.echo(file)
