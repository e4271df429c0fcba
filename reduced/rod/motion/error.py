"""The numerical error of a rod, by a second one that is finer.

A rod with polynomials of one degree more is so much better that the distance between the two is
the error of the first; a motion with a sixteenth of the tolerance takes steps half as long. The
tolerance itself bounds the error of one step, not that of a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.rod.model import STRAINS, Rod
from loligo.reduced.rod.motion.equations import RodMotion

_PLACES = 21  # along the rod, at which two of them are compared
_TIGHTER = 16.0  # the tolerance of steps half as long, with an error of fourth order


@dataclass(frozen=True)
class MotionError:
    """Largest distance from an exact solution, of any section at any output, over the length.

    Attributes:
        space: what the polynomials leave.
        time: what the steps leave.
    """

    space: float
    time: float


def motion_error(
    motion: RodMotion, tolerance: float, move: Callable[[Rod, float], RodMotion]
) -> MotionError:
    """Return the error of a motion, by two more of them.

    Args:
        motion: the motion.
        tolerance: of its steps.
        move: gives the motion of a rod for a tolerance, all else the same.
    """
    finer = move(one_degree_more(motion.rod), tolerance)
    return MotionError(
        space=distance(motion, finer),
        time=distance(motion, move(motion.rod, tolerance / _TIGHTER)),
    )


def one_degree_more(rod: Rod) -> Rod:
    """Return the rod with a degree more of every strain that is free."""
    degrees = rod.degrees
    named = degrees if isinstance(degrees, Mapping) else dict.fromkeys(STRAINS, degrees)
    return replace(rod, degrees={name: degree + 1 for name, degree in named.items()})


def distance(one: RodMotion, other: RodMotion) -> float:
    """Return the largest distance between two motions, over the length."""
    X: Array = np.linspace(0.0, one.rod.length, _PLACES)
    apart = one.frames(X)[..., :3, 3] - other.frames(X)[..., :3, 3]
    return float(np.linalg.norm(apart, axis=-1).max() / one.rod.length)
