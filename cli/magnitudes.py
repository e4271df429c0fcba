"""What looks wrong with a case's numbers, on the screen and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from loligo.cases.case import Case


def warn_implausible(case: Case, *, predicted: bool = False) -> list[str]:
    """Say on stderr which numbers of a case no soft robot has, and return the sentences.

    Args:
        case: the case.
        predicted: whether a prediction follows, whose cautions name pressures below vacuum, too.
    """
    from loligo.cases.advice.magnitudes import implausible
    from loligo.cases.advice.plausible import vacuums

    sentences = [*implausible(case), *([] if predicted else vacuums(case))]
    for sentence in sentences:
        typer.secho(f"warning: {case.name}: {sentence}", err=True)
    return sentences
