"""Errors and warnings of the front door; the base of all is `loligo.LoligoError`."""

from __future__ import annotations

import os
import sys
import warnings

from loligo.cases.core.record import LoligoError


class LoligoWarning(UserWarning):
    """Something to know of numbers that were computed none the less."""


class NotSolved(LoligoError, RuntimeError):
    """A 3D solution has not reached a single state; the message says why."""

    def __init__(self, case: str, status: str, ending: str) -> None:
        """Keep how it ended: "asked" if it was told to stop, "stuck" if it cannot go on."""
        super().__init__(case, status, ending)
        self.case, self.status, self.ending = case, status, ending

    def __str__(self) -> str:
        """Say of which case, and why."""
        return f"{self.case}: {self.status}"


def warn(sentence: str) -> None:
    """Give a warning where the user called the package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe()
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(sentence.removeprefix("warning: "), LoligoWarning, stacklevel=level)
