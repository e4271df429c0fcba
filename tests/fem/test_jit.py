"""A compiler that is killed, or waited for."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A form that nobody else compiles.
SCRIPT = """
import dolfinx, numpy, ufl
from mpi4py import MPI
from dolfinx.mesh import create_unit_interval
from loligo.fem import compat
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
