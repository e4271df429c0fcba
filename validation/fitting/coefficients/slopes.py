"""Slopes of residuals: by differences, and from the steps of a search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loligo.validation.data.quantities import Array


class Taught:
    """Residuals with their slopes: by differences at first, then as every step has shown."""

    def __init__(self, residual: Callable[[Array], Array], high: Array) -> None:
        """Take what gives the residuals, and the upper bounds of the unknowns."""
        self._residual, self._high = residual, high
        self._known: dict[bytes, Array] = {}
        self._at: Array | None = None
        self._here: Array
        self._slopes: Array
        self.by_differences: Array
        self.first: float
        """Sum of squares where the search began."""

    def value(self, at: Array) -> Array:
        """Return the residuals, and keep them."""
        found = self._residual(at)
        self._known[at.tobytes()] = found
        return found

    def slopes(self, at: Array) -> Array:
        """Return the slopes where the residuals were asked for before."""
        here = self._known[at.tobytes()]
        if self._at is None:
            self.first = float(here @ here)
            self.by_differences = differences(self._residual, at, here, self._high)
            self._slopes = self.by_differences.copy()
        else:
            step = at - self._at
            shown = here - self._here - self._slopes @ step
            own = step / np.maximum(1.0, np.abs(at)) ** 2
            self._slopes += np.outer(shown, own) / (own @ step)
        self._at, self._here = at.copy(), here
        return self._slopes.copy()


def differences(residual: Callable[[Array], Array], at: Array, here: Array, high: Array) -> Array:
    """Slopes by differences, backwards where there is no room."""
    columns = []
    for i, reach in enumerate(1e-4 * np.maximum(1.0, np.abs(at))):
        move = np.zeros(at.size)
        move[i] = -reach if at[i] + reach > high[i] else reach
        columns.append((residual(at + move) - here) / move[i])
    return np.stack(columns, axis=-1)
