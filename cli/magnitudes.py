"""What looks wrong with a case's numbers, on the screen and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from loligo.cases.case import Case


def warn_implausible(case: Case) -> list[str]:
    """Say on stderr which numbers of a case no soft robot has, and return the sentences."""
    from loligo.cases.advice.magnitudes import implausible

    sentences = list(implausible(case))
    for sentence in sentences:
        typer.secho(f"warning: {case.name}: {sentence}", err=True)
    return sentences
