"""Writes the recipes for Apptainer and conda from the package list, so that there is one list.

Neither recipe has been run by the project's own tests: those run in the tree that `build` makes.
"""

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
NOTE = """\
# Written by `make recipes` from packages.txt: change that file, not this one.
# This recipe is offered untested; the project's tests run in the Debian tree that `make env` makes.
"""


class Row(NamedTuple):
    """A line of the package list; "-" where a column has nothing."""

    module: str
    debian: str
    pypi: str
    conda: str


def rows() -> list[Row]:
    """Read the package list."""
    lines = (HERE / "packages.txt").read_text().splitlines()
    return [Row(*line.split()) for line in lines if line and not line.startswith("#")]


def apptainer() -> str:
    """Return the Apptainer definition: Debian 13 with the same packages, without loligo itself."""
    debian = " \\\n        ".join(row.debian for row in rows() if row.debian != "-")
    pypi = " ".join(f"'{row.pypi}'" for row in rows() if row.pypi != "-")
    return f"""\
{NOTE}# From the clone:  apptainer build loligo.sif hpc/env/loligo.def
#                  apptainer exec loligo.sif ./loligo --help
Bootstrap: docker
From: debian:trixie

%files
    hpc/env/dpkg.conf /etc/dpkg/dpkg.cfg.d/loligo

%post
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \\
        {debian}
    python3 -m pip install --no-cache-dir --break-system-packages --no-deps {pypi}
    rm -rf /var/lib/apt/lists/*

%environment
    export OMP_NUM_THREADS=1
    export VTK_DEFAULT_OPENGL_WINDOW=vtkEGLRenderWindow
"""


def conda() -> str:
    """Return the conda environment with the same packages, without loligo itself."""
    packages = "\n".join(f'  - "{row.conda}"' for row in rows() if row.conda != "-")
    return f"""\
{NOTE}# From the clone:  conda env create --file hpc/env/environment.yml
#                  conda activate loligo
#                  ./loligo --help
name: loligo
channels:
  - conda-forge
dependencies:
  - "python>=3.11"
{packages}
"""


RECIPES = {"loligo.def": apptainer, "environment.yml": conda}

if __name__ == "__main__":
    for name, recipe in RECIPES.items():
        (HERE / name).write_text(recipe(), encoding="utf-8")
