"""Compiled forms that a killed process cannot spoil for those after it.

FFCx marks a form that is being compiled by the file `<form>.c`, one that is done by
`<form>.c.cached` beside it. Who dies in between leaves the first without the second, and everybody
who needs that form from then on waits for its author and fails. Here whoever compiles a form holds
a lock for it, which ends with the process: who gets the lock and finds a form begun, but not done,
begins anew.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ffcx.codegeneration.jit as ffcx_jit  # type: ignore[import-untyped]

_FILE = ".loligo.locks"
"""In the cache; a byte of it stands for a form."""
_locks: dict[Path, int] = {}
"""Open file of every cache; the system gives up its locks when the process ends."""


def guard() -> None:
    """Make FFCx compile under locks; again has no effect."""
    if hasattr(ffcx_jit.get_cached_module, "__wrapped__"):
        return
    ffcx_jit.get_cached_module = _locked(ffcx_jit.get_cached_module)
    for name in ("compile_forms", "compile_expressions"):
        setattr(ffcx_jit, name, _unlocking(getattr(ffcx_jit, name)))


def _locked(look: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(look)
    def get_cached_module(name: str, objects: list[str], cache: Path, timeout: int) -> Any:
        source = Path(cache) / f"{name}.c"
        if not source.with_suffix(".c.cached").exists() and _lock(Path(cache), name):
            if not source.with_suffix(".c.cached").exists():
                source.unlink(missing_ok=True)
        return look(name, objects, cache, timeout)

    return get_cached_module


def _unlocking(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def compile_(*arguments: Any, **options: Any) -> Any:
        try:
            return make(*arguments, **options)
        finally:
            for file in _locks.values():
                fcntl.lockf(file, fcntl.LOCK_UN)

    return compile_


def _lock(cache: Path, name: str) -> bool:
    """Wait for whoever compiles a form, and lock it; False where the file system has no locks."""
    cache.mkdir(parents=True, exist_ok=True)
    try:
        if cache not in _locks:
            _locks[cache] = os.open(cache / _FILE, os.O_RDWR | os.O_CREAT, 0o666)
        place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:5])
        fcntl.lockf(_locks[cache], fcntl.LOCK_EX, 1, place)
    except OSError:
        return False
    return True
