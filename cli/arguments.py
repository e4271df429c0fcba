"""Arguments and options that several verbs share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from loligo.cases.case import Case

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
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the case's own Python energies; read them first.")
]


def print_notes(case: Case) -> None:
    """Say on stderr what is worth a second look in a case."""
    from loligo.cases.advice.notes import notes

    for note in notes(case):
        typer.secho(f"note: {note}", err=True)
