"""The codes that laws are exported to, from PyPI, in an environment of their own."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.section_law.law import ArmLaws, SolidLaw
from loligo.cases.section_law.parts import Polynomial
from loligo.cases.section_law.shipped import identity

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


def _bent_law(bends, cubic=0.0, quartic=0.0):
    stiffness = np.diag([3.6e-3, 8.9e-3, 8.9e-3, 175.0, 19.0, 19.0])
    flat = np.zeros((1, 3), dtype=np.int64)
    third, fourth = np.zeros((6, 6, 6)), np.zeros((6, 6, 6, 6))
    for i in (1, 2):
        third[3, i, i] = third[i, 3, i] = third[i, i, 3] = cubic
        fourth[i, i, i, i] = quartic
    free = np.zeros((3, 6))
    free[:, 1:3] = bends

    def constant(values):
        return Polynomial(flat, np.array(values, float)[None])

    law = SolidLaw(
        cavities=("s1c1", "s1c2", "s1c3"),
        directions=2e4 * np.eye(3),
        radius=0.016,
        reach=0.2,
        reach_error=0.02,
        error=0.0,
        free=Polynomial(np.eye(3, dtype=np.int64), free),
        potential=constant(0.0),
        stiffness=constant(stiffness),
        cubic=constant(third),
        quartic=constant(fourth),
        volume=constant(np.zeros(3)),
        volume_slope=constant(np.zeros((3, 6))),
        fluid=constant(np.zeros(6)),
        fluid_slope=constant(np.zeros((6, 6))),
    )
    return ArmLaws(((0.055, law),), identity(load("gong_bending_one")))


@pytest.fixture
def bent_law():
    """Return what makes a law of the solid of Gong's segment, free bends (1/m) at 20 kPa."""
    return _bent_law
