"""`loligo check`: is this data set what it should be, and what would its gaps cost?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A data set, .nc.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Check a data set against the schema; says what is wrong or missing, and why it matters.

    Ends with code 2 if the data set cannot be used.

    Example: [bold]loligo check my_prediction.nc[/]
    """
    from loligo import result

    findings = result.check(file)
    bad = any(finding.verdict == "bad" for finding in findings)
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            typer.echo(f"{finding}")
        typer.echo(f"{file}: {'cannot be used' if bad else 'a valid data set'}")
    if bad:
        raise typer.Exit(2)
