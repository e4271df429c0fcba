"""Compiled forms that neither a killed process nor a purged, damaged or full cache can spoil.

FFCx marks a form that is being compiled by the file `<form>.c`, and one that is complete by
`<form>.c.cached` next to it. If a process dies in between, everybody who needs the form from then
on waits for it and fails; they fail, too, if the compiled library is gone. Here whoever compiles a
form holds a lock for it, which ends with the process. Next to every library lies its check sum,
`<form>.sha256`: a form that is not complete, or not what was compiled, is compiled again. If the
cache cannot be written, forms are compiled into a folder for temporary files. What was not used for
long leaves the cache.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import ffcx.codegeneration.jit as ffcx_jit  # type: ignore[import-untyped]

from loligo.cases.core import atomic as files

MOST_BYTES, MOST_DAYS = 2 * 2**30, 90.0
"""Size of the forms that stay in a cache, and time without use after which one leaves it."""

_DAY = 86_400.0
_PROBE = 4 * 2**20
"""Room that a form may take (bytes)."""
_FILE = ".loligo.locks"
"""In the cache; a byte of it stands for a form."""
_STAMP = ".loligo.pruned"
"""In the cache; its time is that of the last pruning."""
_SUM = ".sha256"
_locks: dict[Path, int] = {}
"""Open file of every cache; the system gives up its locks when the process ends."""
_refused: set[Path] = set()
"""Caches that could not be written, of which the user knows."""


def guard() -> None:
    """Make FFCx compile under locks and repair its cache; again has no effect."""
    if hasattr(ffcx_jit.get_cached_module, "__wrapped__"):
        return
    ffcx_jit.get_cached_module = _repairing(ffcx_jit.get_cached_module)
    for name in ("compile_forms", "compile_expressions"):
        setattr(ffcx_jit, name, _compiling(getattr(ffcx_jit, name)))


def _repairing(look: Callable[..., Any]) -> Callable[..., Any]:
    """Discard a form that is not complete or not what was compiled, before it is looked for."""

    @functools.wraps(look)
    def get_cached_module(name: str, objects: list[str], cache: Path, timeout: int) -> Any:
        folder = Path(cache)
        if not _is_whole(folder, name) and _lock(folder, name) and not _is_whole(folder, name):
            _discard(folder, name)
        try:
            found = look(name, objects, cache, timeout)
        except ImportError:  # damaged before it had a check sum, or discarded just now
            if not _lock(folder, name):
                raise
            _discard(folder, name)
            found = look(name, objects, cache, timeout)
        if found[1] is not None:
            _note_use(folder, name)
        return found

    return get_cached_module


def _compiling(make: Callable[..., Any]) -> Callable[..., Any]:
    """Compile where files can be written, give up the locks, and record the check sum."""

    @functools.wraps(make)
    def compile_(*arguments: Any, cache_dir: Path | None = None, **options: Any) -> Any:
        try:
            made = make(*arguments, cache_dir=cache_dir, **options)
        except Exception:
            instead = None if cache_dir is None else _instead_of(Path(cache_dir))
            if instead is None:
                raise
            made = make(*arguments, cache_dir=instead, **options)
        finally:
            _unlock()
        if cache_dir is not None and made[2][1] is not None:  # not found, thus compiled now
            library = Path(made[1].__file__)
            with suppress(OSError):
                _record(library)
                prune(library.parent)
        return made

    return compile_


def _lock(cache: Path, name: str, *, wait: bool = True) -> bool:
    """Wait for whoever compiles a form, and lock it; False where there can be no lock.

    That is so where the file system has none, or cannot be written, or, without waiting, where
    another process holds it.
    """
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if cache not in _locks:
            _locks[cache] = os.open(cache / _FILE, os.O_RDWR | os.O_CREAT, 0o666)
        place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:5])
        how = fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)
        fcntl.lockf(_locks[cache], how, 1, place)
    except OSError:
        return False
    return True


def _unlock() -> None:
    for file in _locks.values():
        fcntl.lockf(file, fcntl.LOCK_UN)


def _library(cache: Path, name: str) -> Path | None:
    """Return the compiled library of a form, if there is one."""
    files = (cache / f"{name}{suffix}" for suffix in EXTENSION_SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def _is_whole(cache: Path, name: str) -> bool:
    """Whether a form is complete and its library is what was compiled."""
    library = _library(cache, name)
    if library is None or not all((cache / f"{name}{end}").exists() for end in (".c", ".c.cached")):
        return False
    try:
        stated = (cache / f"{name}{_SUM}").read_text()
    except OSError:  # compiled by another program, or by an earlier version
        with suppress(OSError):
            _record(library)
        return True
    return stated == _digest(library)


def _record(library: Path) -> None:
    name = library.name.partition(".")[0]
    files.replace(library.with_name(f"{name}{_SUM}"), _digest(library))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _note_use(cache: Path, name: str) -> None:
    """Let the library's time be that of its last use, to a day."""
    library = _library(cache, name)
    with suppress(OSError):
        if library is not None and library.stat().st_mtime < time.time() - _DAY:
            os.utime(library)


def _discard(cache: Path, name: str) -> None:
    """Remove a form, which must be locked; its source last, which marks it as begun."""
    suffixes = (".c.cached", _SUM, *EXTENSION_SUFFIXES, ".o", ".c")
    for suffix in suffixes:
        (cache / f"{name}{suffix}").unlink(missing_ok=True)


def _instead_of(cache: Path) -> Path | None:
    """Return a folder for the forms that a cache cannot take; None if it can be written."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache) as probe:
            os.posix_fallocate(probe.fileno(), 0, _PROBE)
    except OSError as error:
        folder = _temporary_cache()
        if cache not in _refused:
            _refused.add(cache)
            sys.stderr.write(
                f"warning: compiled forms cannot be kept in {cache} ({error.strerror}); they go to "
                f"{folder}: make room, or set XDG_CACHE_HOME to a folder that can be written\n"
            )
        return folder
    return None


def _temporary_cache() -> Path:
    """Return this user's own folder among the temporary files, which all ranks of a node share."""
    folder = Path(tempfile.gettempdir()) / f"loligo-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    own = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()
    if own and not facts.st_mode & 0o077:  # nobody else can lay libraries there
        return folder
    return Path(tempfile.mkdtemp(prefix="loligo-"))


def prune(cache: Path, most_bytes: float = MOST_BYTES, most_days: float = MOST_DAYS) -> None:
    """Remove what was not used for long, and beyond a size what was not used for longest.

    At most once a day. Forms of other programs, which have no check sum, and forms that somebody is
    compiling stay.

    Args:
        cache: the folder.
        most_bytes: size of the forms that stay.
        most_days: time without use after which a form does not stay.
    """
    stamp, now = cache / _STAMP, time.time()
    if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
        return
    stamp.touch()
    uses: list[tuple[float, int, str]] = []
    for mark in cache.glob(f"*{_SUM}"):
        name = mark.name.removesuffix(_SUM)
        with suppress(OSError):  # another process prunes, too
            library = _library(cache, name)
            used = library.stat().st_mtime if library else 0.0
            parts = [library, *(cache / f"{name}{suffix}" for suffix in (".c", ".o"))]
            uses.append((used, sum(p.stat().st_size for p in parts if p and p.exists()), name))
    size = 0
    for used, bytes_, name in sorted(uses, reverse=True):
        size += bytes_
        if (size > most_bytes or now - used > most_days * _DAY) and _lock(cache, name, wait=False):
            _discard(cache, name)
    _unlock()
