"""`loligo report`: how far each reduced model can be trusted, in one page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from loligo.cli.arguments import Force

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def report(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Data sets (.nc), folders of them or of a study, cases, records of loligo robot "
            "vary (.json); by default all that loligo brings along.",
            metavar="[FILE|FOLDER|CASE]...",
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write to.", file_okay=False)
    ] = Path("report"),
    force: Force = False,
) -> None:
    """Write one page that says how far each reduced model can be trusted, and JSON beside it.

    Example: [bold]loligo report my_solutions -o report[/]
    """
    from rich.console import Console

    from loligo.reporting import write

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    with Console(stderr=True).status("comparing data sets"):
        page, spoiled = write(what or [], folder, force=force, workers=cores)
    for line in spoiled:
        typer.secho(f"not used: {line}", err=True)
    typer.echo(page)
    typer.echo(page.with_suffix(".json"))
