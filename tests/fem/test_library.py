"""Every case of the library at level 0, on 1 and 2 ranks, static ones on 3: the same numbers.

A case takes up to minutes. What was solved is kept in build/library, by everything that a solution
depends on, so that an interrupted test goes on where it stopped.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case_file import find, library_names, read
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.io import QUANTITIES

ROOT = Path(__file__).parents[2]
FOLDERS = ("cases", "meshes", "fem")
STUCK = 4
"""What a run that could not go on returns; what it has reached is kept with the reason."""
SAME = 1e-6
"""Largest difference between numbers of ranks, of the largest magnitude of a quantity in a case."""
NOISE = {"lobes": 1e-6, "section_residual": 1e-6}
"""Magnitude (m; 1) below which a quantity is that of a round wall or a plane section: rounding."""
WRENCHES = ("wrench", "wrench_fluid", "reaction", "reaction_tip")
"""Where they balance to nothing, rounding is measured by the stored energy over the length (N)."""


def kept() -> Path:
    """Folder of the solutions of this state of the code."""
    digest = hashlib.sha256()
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".py", ".toml"):
                digest.update(file.read_bytes())
    folder = ROOT / "build" / "library" / digest.hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def solved(case: str, ranks: int) -> xr.Dataset:
    """The solution of a case, or how far it goes, if a run of it has ended by itself."""
    file = kept() / f"{case}_{ranks}.nc"
    ended = file.with_suffix(".ended")
    if not ended.exists():
        launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
        command = [*launcher, sys.executable, "-m", "loligo.cli.main", "solve", case, "-o", file]
        env = {
            **os.environ,
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "PRTE_MCA_hwloc_default_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert done.returncode in (0, STUCK), done.stderr
        ended.touch()
    return dataset.read(file)


def least(data: xr.Dataset, name: str) -> float:
    """Magnitude that stands for a quantity that is zero but for rounding."""
    if name in WRENCHES:
        along = data["meridian" if "meridian" in data.coords else "station"]
        return float(data["stored_energy"].max() / along.max())
    return NOISE.get(name, 0.0)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("case", library_names())
def test_a_case_gives_the_same_numbers_on_any_number_of_ranks(case: str) -> None:
    alone = solved(case, 1)
    assert [finding for finding in dataset.check(alone) if finding.verdict == "bad"] == []
    static = read(find(case)).time is None
    for ranks in (2, 3) if static else (2,):
        together = solved(case, ranks)
        assert together.attrs["ranks"] == ranks
        assert together.attrs["status"] == alone.attrs["status"]
        assert together.sizes == alone.sizes
        for name in QUANTITIES:
            if name in alone and name != "time":
                scale = max(float(np.abs(alone[name]).max()), least(alone, name))
                difference = float(np.abs(together[name] - alone[name]).max())
                assert difference <= SAME * scale, f"{name} on {ranks} ranks"
