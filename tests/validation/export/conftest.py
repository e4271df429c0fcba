"""The codes that laws are exported to, from PyPI, in an environment of their own."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def targets():
    """Return the Python of an environment with the target codes; tests/bench/peers makes it."""
    folder = ROOT / "build" / "peers" / "targets"
    python = folder / "bin" / "python3"
    if not (folder / "complete").exists():
        subprocess.run([str(ROOT / "tests" / "bench" / "peers")], check=False)
    if not (folder / "complete").exists():
        pytest.skip("the target codes could not be had from PyPI")
    return python


@pytest.fixture
def run_there(targets):
    """Run a script with the target codes; return what it printed."""

    def run(folder, *arguments):
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        command = [str(targets), *arguments]
        return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)

    return run
