"""What a 3D solution took: a row of loligo.hpc.measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Element = Literal["tetrahedron", "hexahedron"]


@dataclass(frozen=True)
class Measured:
    """A march from the last load, or from rest, to a load."""

    body: str
    element: Element
    level: float
    solver: Literal["direct", "krylov"]
    ranks: int
    load: float
    """Share of the case's largest load."""
    unknowns: int
    states: int
    systems: int
    """Linear systems of the attempts that led to a state; 1 a state for the direct solver."""
    iterations: int
    """Of the Krylov solver in all of them; those with an old factor for the direct one."""
    most: int
    """In one of them."""
    refused: tuple[int, int]
    """Systems, and iterations, of attempts that were refused."""
    seconds: float
    """CPU time of the slowest rank."""
    gigabytes: float
    """Memory of the largest rank."""
    quiet: bool
    """Whether the machine did nothing else."""
    made: str
    """Day, and commit of loligo: the one that brought the row where it is before 6f3080a."""

    @property
    def subject(self) -> str:
        """The body, and what it is meshed with."""
        return f"{self.body}, {'tetrahedra' if self.element == 'tetrahedron' else 'hexahedra'}"
