"""A circular arc in the x-y plane, bend_z 4/m, as CSV files of section frames."""

import sys
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.section_law import shipped as shipped_laws

sys.path.insert(0, str(Path(__file__).parent))  # for `synthetic` and `experiment`

MANIFEST = shipped_laws.read_manifest
KAPPA, X = 4.0, np.linspace(0.0, 0.3, 4)


@pytest.fixture
def write_frames():
    """Write the arc's frames to a file; `scale` spoils the rotations."""

    def write(file, scale=1.0):
        names = [f"r{i}{j}" for i in "123" for j in "123"]
        rows = [",".join(["X [cm]", *names, "x [m]", "y [m]", "z [m]"])]
        for x in X:
            c, s = np.cos(KAPPA * x), np.sin(KAPPA * x)
            point = s / KAPPA, (1 - c) / KAPPA, 0.0
            values = [100 * x, c * scale, -s, 0, s, c, 0, 0, 0, 1, *point]
            rows.append(",".join(repr(float(v)) for v in values))
        file.write_text("\n".join(rows))

    return write


@pytest.fixture(scope="module", autouse=True)
def linear_laws():
    """References here are rods of another stiffness, which a linear law has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped_laws, "read_manifest", dict)
        yield


@pytest.fixture
def with_laws(monkeypatch):
    """A test that asks for this has the section laws of the solid that loligo brings along."""
    monkeypatch.setattr(shipped_laws, "read_manifest", MANIFEST)
