"""One trial of the fuzzer and how it ended."""

from __future__ import annotations

from typing import NamedTuple

GOOD = ("answered", "refused", "stopped")
BAD = ("traceback", "hang", "abort", "wrong number", "no sentence", "input changed", "broken file")


class Trial(NamedTuple):
    """What was tried, and how it ended."""

    kind: str
    """The row of the table."""
    name: str
    """What to do to see it again."""
    verdict: str
    detail: str = ""

    @property
    def bad(self) -> bool:
        """Whether it is a defect."""
        return self.verdict not in GOOD


def last_line(text: str) -> str:
    """Return the last line that says something: of a traceback the exception."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
