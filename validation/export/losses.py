"""What a target cannot hold of a section law, in numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loligo.reduced.lie import Array
from loligo.validation.export.arm import ExportedArm

PLACES = 5
"""Of every soft length, in which a law is looked at."""


@dataclass(frozen=True)
class Loss:
    """One thing that a target does not have as the law has it."""

    what: str
    share: float
    """How much it is, relative; 0 for a target that has it."""
    meaning: str
    """What it is relative to, and what to do."""


def of_the_law(arm: ExportedArm) -> list[Loss]:
    """Return what is lost before any target: by a law that is linear."""
    if not arm.fits:
        return []
    softest = max(fit.softest for fit in arm.fits)
    return [
        Loss(
            "nonlinear law",
            arm.error,
            "largest error of a strain under pressures alone, over the largest such strain",
        ),
        Loss(
            "stiffness under pressure",
            softest,
            "largest change of the tangent from the exported stiffness, over its diagonal",
        ),
    ]


def samples(arm: ExportedArm) -> Array:
    """Return places along the soft lengths (m)."""
    inner = (np.arange(PLACES) + 0.5) / PLACES
    return np.concatenate([p.start + inner * p.length for p in arm.soft])


def coupling(arm: ExportedArm, pairs: Iterable[tuple[int, int]]) -> float:
    """Return the largest of some terms of the stiffness over the roots of its diagonals."""
    k = arm.law.stiffness(samples(arm))
    root = np.sqrt(np.diagonal(k, axis1=1, axis2=2))
    ratio = np.abs(k) / (root[:, :, None] * root[:, None, :])
    return max(float(ratio[:, i, j].max()) for i, j in pairs)


def between_blocks(arm: ExportedArm) -> Loss:
    """Return the loss of a target that keeps moments and forces apart."""
    pairs = [(i, j) for i in range(3) for j in range(3, 6)]
    return Loss(
        "coupling of bends and stretches",
        coupling(arm, pairs),
        "largest such term of the stiffness over the roots of its diagonals",
    )


def off_diagonal(arm: ExportedArm) -> Loss:
    """Return the loss of a target that has a diagonal alone."""
    pairs = [(i, j) for i in range(6) for j in range(i)]
    return Loss(
        "coupling of strains",
        coupling(arm, pairs),
        "largest term beside the diagonal over the roots of its diagonals",
    )


def threads(arm: ExportedArm) -> list[Loss]:
    """Return the loss of a target whose chambers are threads through a place."""
    radius = max(piece.start_radius for piece in arm.soft)
    shares = [chamber.no_thread(radius) for chamber in arm.chambers]
    if not shares:
        return []
    return [
        Loss(
            "torque and shear of chambers",
            max(shares),
            "part of a chamber's wrench that no thread through a place exerts",
        )
    ]


def damped(arm: ExportedArm) -> bool:
    """Return whether the rubber has a viscosity."""
    return bool(np.any(arm.damping(samples(arm))))


def report(arm: ExportedArm, target: str, losses: Iterable[Loss], lines: Iterable[str]) -> str:
    """Return the loss report as a page."""
    text = [
        f"# {arm.case.name} in {target}: what is lost",
        "",
        f"Law: {arm.source}.",
        "",
        "| what | relative | meaning |",
        "|---|---|---|",
    ]
    text += [
        f"| {one.what} | {one.share:.2g} | {one.meaning} |" for one in (*of_the_law(arm), *losses)
    ]
    text += ["", *(f"- {line}" for line in (*lines, *arm.notes)), ""]
    return "\n".join(text)
