"""Checks of arguments: what a physical number must be, said with its name and its value.

Records check themselves as they are made, public functions at their entry. What a solver evaluates
thousands of times is not checked again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from loligo.cases.core.record import BadInput

Array = npt.NDArray[np.float64]
_Test = Callable[[Any], Any]


def positive(name: str, value: Any) -> Array:
    """Return a number or an array as an array; BadInput unless all are finite and above 0."""
    return _checked(name, value, lambda a: (a > 0.0) & (a < math.inf), "positive and finite")


def non_negative(name: str, value: Any) -> Array:
    """Return a number or an array as an array; BadInput unless all are finite and at least 0."""
    return _checked(name, value, lambda a: (a >= 0.0) & (a < math.inf), "finite and not negative")


def finite(name: str, value: Any, last: tuple[int, ...] = ()) -> Array:
    """Return an array; BadInput unless all are finite and its last axes have these sizes."""
    return sized(name, _checked(name, value, np.isfinite, "finite"), last)


def vector(name: str, value: Any, size: int) -> Array:
    """Return (size,) finite numbers; BadInput for anything else."""
    found = finite(name, value)
    if found.shape != (size,):
        raise BadInput(f"{name} must be {size} numbers, but has shape {found.shape}")
    return found


def sized(name: str, value: Array, last: tuple[int, ...]) -> Array:
    """Return an array; BadInput unless its last axes have these sizes."""
    if last and value.shape[-len(last) :] != last:
        ends = ", ".join(map(str, last))
        raise BadInput(f"{name} must have the last axes ({ends}), but has shape {value.shape}")
    return value


def between(name: str, value: Any, low: float, high: float) -> Array:
    """Return a number or an array; BadInput unless all lie between low and high, with these."""
    words = f"between {low:.6g} and {high:.6g}"
    return _checked(name, value, lambda a: (a >= low) & (a <= high), words)


def whole(name: str, value: Any, least: int) -> int:
    """Return a whole number; BadInput for any other, and below the least."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadInput(f"{name} must be a whole number of at least {least}, but is {value!r}")
    return int(value)


def one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a word that is none of those known."""
    if value not in known:
        raise BadInput(f"{name} must be one of {', '.join(known)}, but is {value!r}")


def _checked(name: str, value: Any, test: _Test, words: str) -> Array:
    if type(value) is float and test(value):  # most arguments; loads are made at every step
        return np.asarray(value)
    try:
        found: Array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be {words}, but is {value!r}: no numbers") from None
    good = test(found)
    if not good.all():
        worst = found[~good].min()  # NaN, if there is one
        where = f" in one of {found.size} places" if found.ndim else ""
        raise BadInput(f"{name} must be {words}, but is {worst:.6g}{where}")
    return found
