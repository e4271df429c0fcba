"""A cache of compiled forms that was killed, purged, damaged, or cannot be written."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loligo.fem.core import jit

# A form that nobody else compiles.
SCRIPT = """
import dolfinx, numpy, ufl
from mpi4py import MPI
from dolfinx.mesh import create_unit_interval
from loligo.fem.core import compat
mesh = create_unit_interval(MPI.COMM_SELF, 3)
one = dolfinx.fem.Constant(mesh, 1.0)
volume = dolfinx.fem.assemble_scalar(dolfinx.fem.form(one * ufl.dx(domain=mesh)))
print(volume, flush=True)
"""


def begin(cache: Path, **more: str) -> subprocess.Popen[str]:
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), **more}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True, env=env
    )


@pytest.fixture
def slow_compiler(tmp_path: Path) -> str:
    """A C compiler that says it was called, and takes half a minute."""
    script = tmp_path / "slow-cc"
    script.write_text(f'#!/bin/bash\ntouch {tmp_path}/called\nsleep 30\nexec cc "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.slow
def test_a_form_whose_compiler_was_killed_is_compiled_again(
    tmp_path: Path, slow_compiler: str
) -> None:
    cache = tmp_path / "cache"
    first = begin(cache, CC=slow_compiler)
    end = time.monotonic() + 120
    while not (tmp_path / "called").exists() and time.monotonic() < end:
        time.sleep(0.05)
    waits = begin(cache)
    with pytest.raises(subprocess.TimeoutExpired):  # its author lives: it is not taken for dead
        waits.wait(timeout=6)
    (source,) = (cache / "fenics").glob("*.c")
    first.send_signal(signal.SIGKILL)
    first.wait()
    out, _ = waits.communicate(timeout=60)
    assert float(out) == pytest.approx(1.0)
    assert source.with_suffix(".c.cached").exists()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds one form."""
    cache = tmp_path_factory.mktemp("compiled")
    out, _ = begin(cache).communicate(timeout=300)
    assert float(out) == pytest.approx(1.0)
    return cache


def part(cache: Path, suffix: str) -> Path:
    (found,) = (cache / "fenics").glob(f"lib*{suffix}")
    return found


def purge(cache: Path) -> None:
    """The library is gone, as on a scratch disk that is purged."""
    part(cache, ".so").unlink()


def flip(cache: Path) -> None:
    """One bit of the library has changed: it would still be loaded."""
    file = part(cache, ".so")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def cut(cache: Path) -> None:
    """The end of the library is missing: to load it would end the process."""
    file = part(cache, ".so")
    file.write_bytes(file.read_bytes()[:6000])


def lose_source(cache: Path) -> None:
    part(cache, ".c").unlink()


def scribble(cache: Path) -> None:
    """A library of an earlier version, without a check sum, is none."""
    part(cache, ".sha256").unlink()
    part(cache, ".so").write_bytes(b"none")


@pytest.mark.parametrize("damage", [purge, flip, cut, lose_source, scribble])
def test_a_form_that_is_not_whole_is_compiled_again(
    compiled: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(compiled, cache)
    damage(cache)
    process = begin(cache)
    out, _ = process.communicate(timeout=300)
    assert (process.returncode, float(out)) == (0, pytest.approx(1.0))
    assert part(cache, ".so").stat().st_size == part(compiled, ".so").stat().st_size
    assert part(cache, ".sha256").read_text() == jit._digest(part(cache, ".so"))


def test_a_cache_that_cannot_be_written_costs_one_sentence(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**os.environ, "XDG_CACHE_HOME": "/proc/loligo", "TMPDIR": str(temporary)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=env, check=False
        )
        for _ in range(2)
    ]
    for run in runs:
        assert (run.returncode, float(run.stdout)) == (0, pytest.approx(1.0)), run.stderr
        assert run.stderr.count("\n") == 1
        assert run.stderr.startswith(
            "warning: compiled forms cannot be kept in /proc/loligo/fenics"
        )
        assert "set XDG_CACHE_HOME" in run.stderr
    (folder,) = temporary.glob("loligo-*")
    assert folder.stat().st_mode & 0o077 == 0
    assert len(list(folder.glob("lib*.so"))) == 1  # the second run finds that of the first


def test_a_disk_that_is_full_sends_forms_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full, other = tmp_path / "full", tmp_path / "other"
    folders = []

    def make(cache_dir: Path) -> tuple[object, object, tuple[None, None]]:
        folders.append(cache_dir)
        if cache_dir == full:
            raise RuntimeError("the compiler failed")
        return None, None, (None, None)

    def no_room(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(other))
    other.mkdir()
    compile_ = jit._compiling(make)
    with pytest.raises(RuntimeError, match="the compiler failed"):  # there is room: its own fault
        compile_(cache_dir=full)
    monkeypatch.setattr("os.posix_fallocate", no_room)
    for _ in range(2):
        compile_(cache_dir=full)
    assert folders == [full, *2 * (full, other / f"loligo-{os.getuid()}")]
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_a_folder_of_somebody_else_is_not_taken_for_compiled_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name = tmp_path / f"loligo-{os.getuid()}"
    name.mkdir()
    name.chmod(0o777)
    assert jit._temporary_cache() != name
    name.rmdir()
    name.symlink_to(tmp_path)
    assert jit._temporary_cache() != name


def fake(cache: Path, name: str, days: float, size: int = 1000) -> None:
    for suffix in (".c", ".c.cached", ".o", ".sha256", jit.EXTENSION_SUFFIXES[0]):
        file = cache / f"{name}{suffix}"
        file.write_bytes(bytes(size if suffix.endswith(".so") else 0))
        os.utime(file, (time.time() - 86_400 * days,) * 2)


def test_what_was_not_used_for_long_leaves_the_cache(tmp_path: Path) -> None:
    for name, days in (("new", 1), ("older", 50), ("oldest", 80), ("unused", 100), ("held", 100)):
        fake(tmp_path, name, days)
    (tmp_path / "foreign.c").write_text("of another program")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
    try:
        jit.prune(tmp_path, most_bytes=2500)
    finally:
        holder.kill()
        holder.communicate()
    left = {file.name.partition(".")[0] for file in tmp_path.iterdir()} - {""}
    assert left == {"new", "older", "held", "foreign"}
    fake(tmp_path, "unused", 100)
    jit.prune(tmp_path)  # once a day
    assert (tmp_path / "unused.c").exists()


HOLD = """
import sys, time
from pathlib import Path
from loligo.fem.core import jit
assert jit._lock(Path(sys.argv[1]), "held")
print("locked", flush=True)
time.sleep(100)
"""
