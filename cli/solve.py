"""`loligo solve`: from a case to its 3D solution, as a data set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from loligo.cli.arguments import AnyCase, Force, Trust, print_notes
from loligo.cli.rungs import FINEST

if TYPE_CHECKING:
    from mpi4py import MPI

    import xarray as xr

    from loligo.cases.case import Case
    from loligo.cli.checkpoints import Keeper
    from loligo.cli.rungs import Rung
    from loligo.fem.io.checkpoint import Checkpoint
    from loligo.fem.io.mesh_file import MeshFolder
    from loligo.fem.io.vtx import FieldFiles
    from loligo.fem.run import Run
    from loligo.fem.solvers.factor import Solver

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

COMPLETE, TOLD, STUCK = 0, 3, 4
"""Codes of a run: done; told to stop, so that --restart goes on; stuck, so that it would not."""


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

    from loligo.cases.case_file import find, read
    from loligo.cases.core.record import BadInput
    from loligo.cases.user_law import trusted
    from loligo.cli import rungs
    from loligo.cli.checkpoints import Keeper, complete_rungs, interval
    from loligo.cli.launcher import serial_copies
    from loligo.cli.magnitudes import warn_implausible
    from loligo.fem.io.mesh_file import MeshFolder, hash_now
    from loligo.fem.io.ranks import during, on_first_rank, stop_signals
    from loligo.fem.solvers.factor import Solver
    from loligo.meshes.xdmf import remove_meshes

    comm = MPI.COMM_WORLD
    if wrong := serial_copies(comm.size):
        raise BadInput(wrong)
    with during("starting"):
        times = rungs.levels("--time-levels", time_levels)
        wanted = rungs.rungs(rungs.levels("--levels", levels) if levels else [level], times)
        if solver not in get_args(Solver):
            raise BadInput(f"--solver {solver}: choose from {', '.join(get_args(Solver))}")
        with during("reading the case"):
            study, folder = on_first_rank(comm, lambda: (read(find(case)), find(case).parent))
        if study.time is None and times != [0]:
            raise BadInput(f"--time-levels {time_levels}: {study.name} is no motion")
        warnings = warn_implausible(study)
        if trust:
            with during("loading the case's own code"):
                study = trusted(study, folder)
        if comm.rank == 0:
            print_notes(study)
        file = output or Path(f"{study.name}.nc")
        on_first_rank(comm, lambda: _check_outputs(study, folder, file, fields, force))
        own = file.with_suffix(".meshes")
        through = MeshFolder(own) if meshes is None else MeshFolder(meshes, least=0)
        keeper = Keeper(comm, file, interval(checkpoint_every))
        found, done = None, {}
        with stop_signals(comm) as asked, _sole_writer(comm, file):
            if restart:  # which meshes, to compare: that may take minutes
                mesh_of = cache(lambda level: hash_now(study, level, folder, through))
                done = on_first_rank(comm, lambda: complete_rungs(file, study, wanted, mesh_of))
                left = [one for one in wanted if one not in done]
                # The newest may be of a level that is complete: then the next one begins at rest.
                found = keeper.newest(study, wanted, mesh_of) if left else None
            status, code = _solve_rungs(
                study,
                folder,
                wanted,
                keeper,
                asked,
                found,
                done,
                fields,
                through,
                cast(Solver, solver),
            )
            if code == COMPLETE and meshes is None:  # the folder of --meshes is to be kept
                on_first_rank(comm, lambda: remove_meshes(own))
        if comm.rank == 0 and file.exists():
            with during("reporting"):
                _print(file, as_json, warnings)
    if code != COMPLETE:
        typer.secho(f"{study.name}: {status}", err=True)
        raise typer.Exit(code)


def _check_outputs(case: Case, folder: Path, file: Path, fields: Path | None, force: bool) -> None:
    """Refuse what cannot or must not be written, and make the folders; rank 0 alone."""
    from loligo.cases import outputs
    from loligo.cases.case_file import inputs, to_toml

    read_files = inputs(case, folder / f"{case.name}.toml")
    outputs.check(file, outputs.solution(to_toml(case)), read_files, force=force)
    for beside in (file.with_suffix(".checkpoints"), file.with_suffix(".meshes"), fields):
        if beside is not None and (beside == fields or beside.exists()):
            outputs.check_folder(beside)
    file.parent.mkdir(parents=True, exist_ok=True)
    if fields is not None:
        fields.mkdir(parents=True, exist_ok=True)


@contextmanager
def _sole_writer(comm: MPI.Comm, file: Path) -> Iterator[None]:
    """Hold the claim on a file by rank 0; a BadInput on all ranks if another run writes it."""
    from loligo.fem.io.ranks import on_first_rank
    from loligo.hpc.claim import sole_writer

    def say(sentence: str) -> None:
        typer.secho(f"warning: {sentence}", err=True, fg="yellow")

    with ExitStack() as held:
        on_first_rank(comm, lambda: held.enter_context(sole_writer(file, say)))
        yield


def _solve_rungs(
    case: Case,
    folder: Path,
    wanted: list[Rung],
    keeper: Keeper,
    asked: Callable[[], str],
    found: Checkpoint | None,
    done: dict[Rung, xr.Dataset],
    fields: Path | None,
    meshes: MeshFolder,
    solver: Solver,
) -> tuple[str, int]:
    """Solve one after the other and write all that there is; return how the last one ended.

    In words, and as the code of the command.

    Args:
        case: the case.
        folder: where a solid's file lies.
        wanted: the coarsest first.
        keeper: of checkpoints, beside the data set.
        asked: says which signal came.
        found: the checkpoint to go on from.
        done: what is complete already.
        fields: folder for ParaView's files, if they are wanted.
        meshes: where large ones go through.
        solver: of linear systems.
    """
    from loligo.cases.dataset.io import write
    from loligo.cases.dataset.levels import with_bars
    from loligo.cli.checkpoints import rung_of
    from loligo.cli.rungs import Rung, on_meshes, with_steps
    from loligo.fem.io.ranks import during, on_first_rank
    from loligo.fem.io.vtx import FieldFiles
    from loligo.fem.run import Run

    comm, solved = keeper.comm, dict(done)

    @during("writing the data set")
    def save(run: Run) -> None:
        here = {**solved, Rung(run.level, run.time_level): run.dataset()}
        # A level that stopped early is no better than a coarser one that did not.
        best = max(here, key=lambda rung: (here[rung].sizes["step"], rung))
        on, by = on_meshes(here, wanted), with_steps(here, wanted)
        groups = run.groups()
        groups |= {f"levels/{level}": data for level, data in on.items()}
        groups |= {f"time_levels/{level}": data for level, data in by.items()}
        write(with_bars(here[best], list(on.values()), list(by.values())), keeper.file, groups)

    for rung in (one for one in wanted if one not in done):
        run = Run(
            case,
            comm,
            level=rung.level,
            time_level=rung.time_level,
            case_folder=folder,
            meshes=meshes,
            solver=solver,
        )
        if found is not None and rung_of(found) == rung:
            run.resume(found)
            found.arrays.clear()  # every rank has its part
        steps = f"_time{rung.time_level}" if rung.time_level else ""
        stem = f"{case.name}_level{rung.level}{steps}"
        files = FieldFiles(run.setup.problem, fields, stem) if fields else None
        code = TOLD if _march(run, asked, save, keeper, files) else STUCK
        if not run.states:
            why = f"level {rung.level} stopped before its first converged state: {run.stopped}"
            return f"{why}; nothing of it is written", code
        on_first_rank(comm, partial(save, run))
        solved[rung] = run.dataset()
        if run.stopped:
            return f"{_words(rung)}: {run.status}", code
    keeper.remove()
    return "complete", COMPLETE


def _words(rung: Rung) -> str:
    """Name a level."""
    return f"level {rung.level}" + (f", time level {rung.time_level}" if rung.time_level else "")


class _Asked(Exception):
    """A signal asked the run to stop."""


def _march(
    run: Run,
    asked: Callable[[], str],
    save: Callable[[Run], None],
    keeper: Keeper,
    files: FieldFiles | None,
) -> bool:
    """Solve one level, show how it goes, and save every reported step; whether it was told to stop.

    A signal that comes after a step that cannot be made did not stop it.
    """
    from loligo.cli.progress import Progress
    from loligo.fem.io.ranks import BadInputOnAll, during, on_first_rank

    def watch() -> None:
        if signal := asked():
            raise _Asked(f"{signal} asked it to")

    progress, told = Progress(run), False
    try:
        with progress.shown(), during("solving"):
            for result in run.march(watch):
                progress.show(result)
                if result.target is not None:
                    on_first_rank(run.comm, partial(save, run))
                    if files:
                        files.write(result.target + 1.0 if result.time is None else result.time)
                if run.stopped:
                    keeper.take_when_due(run)
    except _Asked as signal:
        run.stopped, told = str(signal), True
        if run.states:
            keeper.take(run)
    except BadInputOnAll:  # the file cannot be written; what it had so far stays
        if files:
            files.close()
        raise
    except Exception as error:
        if run.comm.rank == 0 and run.states:  # the others may not have failed, or elsewhere
            run.stopped = f"{type(error).__name__}: {error}"
            save(run)
        raise
    if files:
        files.close()
    if not told:  # a run that was told to stop may be in the midst of Newton's method
        progress.warn()
    return told


def _print(file: Path, as_json: bool, warnings: list[str]) -> None:
    from loligo.cases.dataset.io import read
    from loligo.cli.summary import bars, print_bars, print_summary, summary
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
