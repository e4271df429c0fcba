"""Read data sets of any origin: a damaged file is a sentence, whatever HDF5 does with it.

Damage can make HDF5 end the process, or read for ever. A child process therefore visits all that is
in a file first, within limits of time and memory. The child is a fork, which takes some
milliseconds; where MPI runs, whose memory may not be forked, it is another Python. A file needs no
child if this process has written it, or knows its check sum, or has had it visited before.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import h5py  # type: ignore[import-untyped]
import xarray as xr

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput

_SECONDS, _RATE = 60, 10e6
"""Time that a child may take, and bytes a second that it reads on the slowest of disks."""
_LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCAL", "SLURM_")
_Identity = tuple[str, int, int, int]
_answers: dict[_Identity, str] = {}
"""Complaint about a file that a child has visited; empty for a file that is known to be whole."""


def read(file: Path, group: str | None = None) -> xr.Dataset:
    """Read a data set, or a group of it, into memory; raises BadInput if it is not netCDF."""
    with _reading(file), xr.open_dataset(file, engine="h5netcdf", group=group) as dataset:
        return _readable(dataset.load())


def read_groups(file: Path) -> dict[str, xr.Dataset]:
    """Read a data set and the groups below it into memory, by their paths; its own is empty."""
    with _reading(file):
        opened = xr.open_groups(file, engine="h5netcdf")
        groups = {path.strip("/"): _readable(group.load()) for path, group in opened.items()}
        for group in opened.values():
            group.close()
    return groups


def _readable(dataset: xr.Dataset) -> xr.Dataset:
    r"""Return a data set whose texts can be written: bytes of no character stand as \xb6."""
    items: list[xr.Dataset | xr.Variable] = [dataset, *dataset.variables.values()]
    for item in items:
        item.attrs = {_text(name): _text(value) for name, value in item.attrs.items()}
    return dataset


def _text(value: Any) -> Any:
    """Return a text without the surrogates that h5py puts for such bytes, or what is no text."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode(errors="surrogateescape").decode(errors="backslashreplace")


def know(file: Path) -> None:
    """Take a file as it is now for whole: this process has written it, or knows its check sum."""
    _answers[_identity(file)] = ""


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Say what is wrong with a file that cannot be read."""
    if file.is_dir():
        raise BadInput(f"{file}: is a folder; give a data set in it, a .nc file")
    try:
        files.check_regular(file)  # from a named pipe nothing may ever come
    except FileNotFoundError:
        raise BadInput(f"{file}: there is no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from None
    try:
        if wrong := _complaint(file):
            raise ValueError(wrong)
        yield
    except Exception as error:  # damage makes HDF5's readers stumble in any way
        raise BadInput(f"{file}: cannot be read as netCDF-4, or is damaged: {error}") from None


def _identity(file: Path) -> _Identity:
    facts = file.stat()
    return str(file.resolve()), facts.st_ino, facts.st_size, facts.st_mtime_ns


def _complaint(file: Path) -> str:
    """Return what a child says of a file; empty if it can be read."""
    identity = _identity(file)
    if identity not in _answers:
        forked = sys.platform == "linux" and "mpi4py.MPI" not in sys.modules
        _answers[identity] = _ask_fork(file) if forked else _ask_python(file)
    return _answers[identity]


def _ask_fork(file: Path) -> str:
    listen, speak = os.pipe()
    with warnings.catch_warnings():
        # Other threads, of BLAS, hold no lock that the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(listen)
        with suppress(BaseException), open(speak, "wb") as answers:
            gc.disable()  # nothing of the parent is ended here
            _answer(file, answers)
        os._exit(0)  # in any case: this is not the parent
    os.close(speak)
    try:
        with open(listen, "rb") as answers:
            said = answers.read().decode(errors="replace")
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return _judged(code, said)


def _ask_python(file: Path) -> str:
    program = (
        "import sys; from pathlib import Path; from loligo.cases.dataset import reading as reader; "
        "reader._answer(Path(sys.argv[1]), sys.stdout.buffer)"
    )
    # As a process of its own, not as one of the launcher's ranks, among which h5py would start MPI.
    alone = {key: value for key, value in os.environ.items() if not key.startswith(_LAUNCHERS)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)],
        env=alone,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return _judged(done.returncode, done.stdout.decode(errors="replace"))


def _answer(file: Path, answers: IO[bytes]) -> None:
    """Visit a file within limits, and write "good" or a complaint; in a child."""
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # HDF5 and the C library may have last words
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.alarm(_SECONDS + int(file.stat().st_size / _RATE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        page = os.sysconf("SC_PAGE_SIZE")
        held = int(Path("/proc/self/statm").read_text().split()[0]) * page
        room = held + os.sysconf("SC_PHYS_PAGES") * page
        resource.setrlimit(resource.RLIMIT_AS, (room, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        _visit(file)
        said = "good"
    except BaseException as error:
        said = f"{error}" or type(error).__name__
    answers.write(said.encode(errors="replace"))
    answers.flush()


def _visit(file: Path) -> None:
    """Read everything in a file, as its readers do."""

    def see(path: str, item: h5py.Group | h5py.Dataset) -> None:
        list(item.attrs.values())
        if isinstance(item, h5py.Dataset):
            _ = item[()], item.dtype, item.chunks, item.fillvalue, item.maxshape
            h5py.h5ds.is_scale(item.id)
            for dim in item.dims:
                _ = dim.label, [scale.name for scale in dim.values()]

    with h5py.File(file, "r") as opened:
        see("", opened)
        opened.visititems(see)


def _judged(code: int, said: str) -> str:
    if code == -signal.SIGALRM:
        return "reading it does not end"
    if code != 0 or not said:
        return "HDF5 fails on it"
    return "" if said == "good" else said
