"""What a 3D solution will take, before it is begun."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import load_variables
from loligo.given import AnyCase, given
from loligo.hpc.cost import cost, sensible_ranks
from loligo.meshes.build import MOST, REFINEMENT, case_mesh

COUNTED = 6e5
"""Unknowns of meshes that are made to be counted: that takes seconds."""


@dataclass(frozen=True)
class Plan:
    """Memory and time of a 3D solution, by a model that was fitted to measurements."""

    unknowns: int
    counted_level: int
    """The finest level that was meshed; above it the unknowns are those times 1.4^3 a level."""
    solver: str
    ranks: int
    gigabytes: float
    """Memory on all ranks."""
    seconds_a_state: float
    states: int
    """Reported ones; a motion or a step that is cut takes more."""
    spread: float
    """Bodies that were measured took up to so many times as long, or were as much faster."""
    measured: bool
    """Whether so many unknowns and ranks were measured; else it is an estimate."""

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def plan(case: AnyCase, *, level: int = 0, ranks: int | None = None) -> Plan:
    """Return how many unknowns a case has at a level, and what memory and time they take.

    Meshes of up to about 600 000 unknowns are made to be counted.

    Args:
        case: a case, its name or its file.
        level: of the mesh.
        ranks: of MPI; by default a sensible number.

    Raises:
        BadInput: if the mesh would be too large to be made.
    """
    what = given(case)
    study, growth = what.case, REFINEMENT**3
    unknowns = case_mesh(study, 0, what.folder)[1].unknowns
    counted = min(level, max(0, math.floor(math.log(COUNTED / unknowns, growth))))
    if counted:
        unknowns = case_mesh(study, counted, what.folder)[1].unknowns
    unknowns = round(unknowns * growth ** (level - counted))
    if unknowns > MOST:
        raise BadInput(
            f"{study.name}, level {level}: about {unknowns:.1e} unknowns; meshes of more than "
            f"{MOST:.0e} are refused, take a lower level"
        )
    found = cost(unknowns, ranks or sensible_ranks(unknowns), study.mesh.element)
    return Plan(
        unknowns=unknowns,
        counted_level=counted,
        solver=found.solver,
        ranks=found.ranks,
        gigabytes=found.gigabytes,
        seconds_a_state=found.seconds,
        states=max((len(values) for _, values, _ in load_variables(study).values()), default=1),
        spread=found.spread,
        measured=found.measured,
    )
