"""A case solved as a 3D hyperelastic solid: levels, error bars, checkpoints, and going on.

`loligo solve` calls the same function as a script does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mpi4py import MPI

from loligo.cases import outputs
from loligo.cases.advice.magnitudes import implausible
from loligo.cases.advice.plausible import vacuums
from loligo.cases.case_file import to_toml
from loligo.cases.core.record import BadInput
from loligo.errors import NotSolved, warn
from loligo.fem.io.keeper import Keeper, interval
from loligo.fem.io.mesh_file import MeshFolder
from loligo.fem.io.ranks import on_first_rank, stop_signals
from loligo.fem.levels import check_levels, resolutions
from loligo.fem.march.step import StepResult
from loligo.fem.run import Run
from loligo.fem.solve import Refinement, Solved, Watch
from loligo.fem.solvers.factor import Solver
from loligo.given import AnyCase, Given, given
from loligo.hpc.claim import sole_writer
from loligo.hpc.launcher import serial_copies
from loligo.meshes.xdmf import remove_meshes
from loligo.progress import watched
from loligo.result import Solution, with_content

Say = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is to be solved, and where it goes."""

    given: Given
    levels: Sequence[int] = (0,)
    time_levels: Sequence[int] = (0,)
    file: Path | None = None
    """Of the data set, beside which checkpoints lie; without it nothing is written."""
    restart: bool = False
    checkpoint_every: str = "10 min"
    fields: Path | None = None
    meshes: Path | None = None
    solver: Solver = "auto"
    force: bool = False


def solve(
    case: AnyCase,
    *,
    levels: Sequence[int] = (0,),
    time_levels: Sequence[int] = (0,),
    file: str | Path | None = None,
    restart: bool = False,
    checkpoint_every: str = "10 min",
    fields: str | Path | None = None,
    meshes: str | Path | None = None,
    solver: Solver = "auto",
    folder: str | Path | None = None,
    trust: bool = False,
    force: bool = False,
    progress: bool = False,
    comm: MPI.Comm = MPI.COMM_WORLD,
) -> Solution:
    """Solve a case as a 3D hyperelastic solid; collective.

    Args:
        case: a case, its name or its file.
        levels: of the mesh; sizes are those of 0 over 1.4^level. Two or more give error bars.
        time_levels: of a motion: its steps, half as long with each level; several give error bars.
        file: where the data set goes, with every reported step; without it nothing is written.
        restart: go on from the file and from the checkpoints beside it.
        checkpoint_every: states as "20", or a time as "10 min".
        fields: folder for displacement, pressure and stretch, for ParaView.
        meshes: folder of meshes, which all ranks read at once; what it lacks is made and kept.
        solver: "direct", "krylov", or "auto" for krylov where a factor would not fit.
        folder: where files lie that the case names; by default beside its file.
        trust: run the case's own Python energies; read them first.
        force: replace a file of another kind or another case, too.
        progress: show on standard error how it goes.
        comm: the ranks.

    A signal (Ctrl-C, SIGTERM, SIGUSR1) or a step that cannot be made ends the solution, with a
    warning: `.status` says why, and what was reached is kept. With a file, `restart` goes on.

    Raises:
        BadInput: if the case cannot be solved, or the file must be kept.
        NotSolved: if not a single state was reached.
    """
    what = on_first_rank(comm, lambda: given(case, _path(folder)))
    if trust:
        what = what.trusted()  # every rank by itself: functions cannot be sent
    request = Request(
        what,
        levels,
        time_levels,
        _path(file),
        restart,
        checkpoint_every,
        _path(fields),
        _path(meshes),
        solver,
        force,
    )

    def say(sentence: str) -> None:
        if comm.rank == 0:
            warn(sentence)

    for sentence in (*implausible(what.case), *vacuums(what.case)):
        say(f"{what.case.name}: {sentence}")
    solution = carry_out(request, comm, say, watched if progress else _unwatched)
    if not solution.complete:
        say(f"{what.case.name}: {solution.status}")
    return solution


def carry_out(request: Request, comm: MPI.Comm, say: Say, watch: Watch) -> Solution:
    """Solve what is requested; collective, and every rank returns the solution.

    Args:
        request: what, and where to.
        comm: the ranks.
        say: is given sentences on all ranks.
        watch: sees every level.
    """
    case, file = request.given.case, request.file
    if wrong := serial_copies(comm.size):
        raise BadInput(wrong)
    times = check_levels("time levels", request.time_levels)
    wanted = resolutions(check_levels("levels", request.levels), times)
    if request.solver not in get_args(Solver):
        raise BadInput(f"--solver {request.solver}: choose from {', '.join(get_args(Solver))}")
    if case.time is None and times != [0]:
        listed = ",".join(map(str, times))
        raise BadInput(f"--time-levels {listed}: {case.name} is no motion")
    every = interval(request.checkpoint_every)
    on_first_rank(comm, lambda: _check_outputs(request))
    with _signals(comm) as asked, _claimed(comm, file, say):
        solved = Refinement(
            case,
            comm,
            wanted,
            asked,
            watch,
            folder=request.given.folder,
            keeper=None if file is None else Keeper(comm, file, every, say),
            fields=request.fields,
            meshes=_mesh_folder(request),
            solver=request.solver,
        ).solve(restart=request.restart)
        if solved.ending == "complete" and file is not None and request.meshes is None:
            on_first_rank(comm, lambda: remove_meshes(file.with_suffix(".meshes")))
    return _solution(solved, file, case.name, comm)


def _solution(solved: Solved, file: Path | None, name: str, comm: MPI.Comm) -> Solution:
    groups = with_content(comm.bcast(solved.groups))
    if not groups:
        raise NotSolved(name, solved.status, solved.ending)
    return Solution(groups, file, ended=solved.status, ending=solved.ending)


def _mesh_folder(request: Request) -> MeshFolder | None:
    """Return where meshes go through: the user's folder, or one beside the file for large ones."""
    if request.meshes is not None:
        return MeshFolder(request.meshes, least=0)
    return None if request.file is None else MeshFolder(request.file.with_suffix(".meshes"))


def _check_outputs(request: Request) -> None:
    """Refuse what cannot or must not be written, and make the folders; rank 0 alone."""
    file, fields = request.file, request.fields
    beside = [] if file is None else [file.with_suffix(s) for s in (".checkpoints", ".meshes")]
    if file is not None:
        kind = outputs.solution(to_toml(request.given.case))
        outputs.check(file, kind, request.given.inputs, force=request.force)
    for folder in (*beside, fields):
        if folder is not None and (folder == fields or folder.exists()):
            outputs.check_folder(folder)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    if fields is not None:
        fields.mkdir(parents=True, exist_ok=True)


@contextmanager
def _claimed(comm: MPI.Comm, file: Path | None, say: Say) -> Iterator[None]:
    """Hold the claim on a file by rank 0; a BadInput on all ranks if another run writes it."""
    with ExitStack() as held:
        if file is not None:
            on_first_rank(
                comm, lambda: held.enter_context(sole_writer(file, lambda s: say(f"warning: {s}")))
            )
        yield


def _signals(comm: MPI.Comm) -> AbstractContextManager[Callable[[], str]]:
    """Catch signals that ask to stop; only a main thread can."""
    if threading.current_thread() is threading.main_thread():
        return stop_signals(comm)
    return nullcontext(lambda: "")


@contextmanager
def _unwatched(_: Run) -> Iterator[Callable[[StepResult], None]]:
    """See nothing."""
    yield lambda _: None


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
