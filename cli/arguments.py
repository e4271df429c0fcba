"""Arguments and options that several verbs share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from loligo.cases.case import Case
    from loligo.reduced.section.law_choice import Law

AnyCase = Annotated[str, typer.Argument(help="A case of the library, or a .toml file.")]
AnyModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="rod, pcc or pcc_lengths for arms, joint for a soft joint; shell or shell_eq7 for "
        "mantles.",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace an existing file of another kind or another case, too."),
]
AnyLaw = Annotated[
    str | None,
    typer.Option(
        "--law",
        help="Section law under rod and pcc: solid, slice, geometry, or a file of loligo section "
        "--law, .nc; by default the best there is.",
    ),
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the case's own Python energies; read them first.")
]


def asked_law(text: str | None) -> tuple[Law, list[Path]]:
    """Return the section law that an option asks for, and the file that it names if it does."""
    from pathlib import Path

    from loligo.reduced.section.law_choice import LAW_NAMES, asked

    return asked(text), [] if text is None or text in LAW_NAMES else [Path(text)]


def print_notes(case: Case) -> None:
    """Say on stderr what is worth a second look in a case."""
    from loligo.cases.advice.notes import notes

    for note in notes(case):
        typer.secho(f"note: {note}", err=True)
