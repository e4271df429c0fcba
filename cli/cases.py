"""`loligo cases`: the library, a resolved case, a check of a case file, the schema for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from loligo.cases.advice.notes import notes
from loligo.cases.case_file import library_names, load, read, to_toml
from loligo.cli.arguments import AnyCase, print_notes
from loligo.cli.magnitudes import warn_implausible

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.callback(invoke_without_command=True)
def cases(ctx: typer.Context, as_json: Json = False) -> None:
    """List the cases of the library, show one, or check a file.

    Example: [bold]loligo cases show renda_arm_tip_force[/]
    """
    if ctx.invoked_subcommand is not None:
        return
    library = [load(name) for name in library_names()]
    if as_json:
        typer.echo(
            json.dumps(
                [
                    {
                        "name": case.name,
                        "title": case.title,
                        "body": case.body.kind,
                        "loads": sorted({item.kind for item in case.load.values()}),
                    }
                    for case in library
                ]
            )
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("case", "what it is", "body"):
        table.add_column(heading, no_wrap=heading == "case")
    for case in library:
        table.add_row(case.name, case.title, case.body.kind)
    Console().print(table)


@app.command()
def show(
    name: AnyCase,
    as_json: Json = False,
) -> None:
    """Print a case as it is understood: every default filled in, every number in SI.

    Example: [bold]loligo cases show gong_arm[/]
    """
    case = load(name)
    typer.echo(case.model_dump_json(indent=2) if as_json else to_toml(case), nl=as_json)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The .toml file to check.")],
    as_json: Json = False,
) -> None:
    """Check a case file; says everything that is wrong with it and ends with code 2.

    A valid case may have notes: whether gravity is meant to be ramped with the actuation.
    Numbers that no soft robot has, a length of 245 m for instance, are warnings.

    Example: [bold]loligo cases check my_arm.toml[/]
    """
    case = read(file)
    if not as_json:
        typer.echo(f"{file}: a valid case, {case.title!r}")
    warnings = warn_implausible(case)
    print_notes(case)
    if as_json:
        facts = {"file": str(file), "title": case.title, "warnings": warnings}
        typer.echo(json.dumps({**facts, "notes": list(notes(case))}))


@app.command()
def schema() -> None:
    """Print the JSON schema of case files, for editors that complete and check TOML.

    Example: [bold]loligo cases schema > case.schema.json[/]
    """
    from loligo.cases.case import Case

    description = Case.model_json_schema()
    del description["properties"]["name"]
    description["required"].remove("name")
    typer.echo(json.dumps(description, indent=2))
