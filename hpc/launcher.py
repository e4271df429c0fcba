"""What a launcher of parallel processes (mpirun, mpiexec, srun) says of its ranks."""

from __future__ import annotations

import os
from typing import NamedTuple

_VARIABLES = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
)
"""Size and rank, of Open MPI, of Hydra and its kin, and of Slurm. The first pair that is there
counts: under Slurm mpirun starts its own helper on every node as a Slurm task."""


class Launched(NamedTuple):
    """One process of those that were started together."""

    size: int = 1
    rank: int = 0
    variable: str = ""
    """The one that has the size; empty without a launcher."""

    @property
    def by_mpi(self) -> bool:
        """Whether they are ranks of one run; tasks of Slurm may be runs of their own."""
        return self.variable != _VARIABLES[-1][0]


def launched_ranks() -> Launched:
    """Return what the environment says; one rank without a launcher."""
    for size, rank in _VARIABLES:
        if {size, rank} & set(os.environ):
            return Launched(_number(size, 1), _number(rank, 0), size)
    return Launched()


def serial_copies(size: int) -> str:
    """Say what is wrong if a launcher started serial copies of one run; empty if it did not.

    Args:
        size: of MPI's world, as this process sees it.
    """
    launched = launched_ranks()
    if size > 1 or launched.size <= 1:
        return ""
    return (
        f"{launched.variable} is {launched.size}, but this process sees 1 rank: the launcher runs "
        f"{launched.size} serial copies, since its MPI is not the one that dolfinx was built with "
        "(use the mpirun beside this Python; with Slurm try srun --mpi=pmix)"
    )


def _number(variable: str, otherwise: int) -> int:
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() else otherwise
