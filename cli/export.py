"""`loligo export`: an arm's section law as files of another code, with what is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import Force

if TYPE_CHECKING:
    from loligo.cases.case import Case
    from loligo.cases.coefficients import Coefficients

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def export(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE|COEFFICIENTS",
            help="A case of the library, or a .toml file: a case, or coefficients of one of the "
            "library.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="c or numpy, a controller's model; csv, json or matlab; soromox, sorosim, "
            "pyelastica or mujoco.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of the files.", file_okay=False)
    ],
    coefficients: Annotated[
        Path | None,
        typer.Option(
            "--coefficients",
            "-c",
            help="Coefficients from loligo section or loligo calibrate, .toml.",
            dir_okay=False,
        ),
    ] = None,
    law: Annotated[
        Path | None,
        typer.Option(
            help="Section law of the solid from loligo section --law, .nc.", dir_okay=False
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="3D data of the case for the check; by default those that loligo brings along.",
            dir_okay=False,
        ),
    ] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Write the section law of an arm for another code, and what that code cannot hold of it.

    The law is that of the geometry and the rubber, of coefficients, or of the solid. The folder
    gets the law in the order, the units and the places of the target, LOSSES.md with every loss in
    numbers, and check.py, which repeats one step of the 3D data in the target. That step was not
    fitted, where there is such a one in the law's range. States outside the range are refused as
    the target runs.

    Example: [bold]loligo export gong_arm --to pyelastica -o gong[/]
    """
    from loligo.cases import outputs
    from loligo.cases.coefficients import read as read_coefficients
    from loligo.cases.core import atomic as files
    from loligo.cases.core.record import BadInput
    from loligo.cases.section_law.law import read_law
    from loligo.validation.export.targets import TARGETS
    from loligo.validation.export.targets import export as exported

    if to not in TARGETS:
        raise BadInput(f"--to {to}: is no target; known are {', '.join(TARGETS)}")
    study, of_argument, read_files = _read(case)
    if of_argument is not None and coefficients is not None:
        raise BadInput("give coefficients once: as the argument, or with --coefficients")
    given = of_argument if coefficients is None else read_coefficients(coefficients)
    laws = None if law is None else read_law(law)
    made = exported(study, to, given, laws, data)
    found, step = made.files, made.step
    read_files += [file for file in (coefficients, law, data) if file is not None]
    outputs.check_export(output, found, read_files, force=force)
    output.mkdir(parents=True, exist_ok=True)
    for name, text in found.items():
        files.replace(output / name, text)
    if as_json:
        facts = {"folder": str(output), "files": sorted(found), "linear_error": made.arm.error}
        facts["check"] = None if step is None else {"step": step.step, "error": step.error}
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(found[outputs.EXPORT_REPORT])
    typer.echo(output)


def _read(word: str) -> tuple[Case, Coefficients | None, list[Path]]:
    """Return a case, or coefficients with the case of the library that they belong to."""
    from loligo.cases.case_file import find, inputs, library_names, load, read, tables
    from loligo.cases.coefficients import others
    from loligo.cases.coefficients import read as read_coefficients
    from loligo.cases.core.record import BadInput

    file = find(word)
    if not str(tables(file).get("format", "")).startswith("loligo coefficients"):
        study = read(file)
        return study, None, list(inputs(study, file))
    coefficients = read_coefficients(file)
    fitted = [data.case for data in coefficients.data]
    for name in sorted(library_names(), key=lambda name: name not in fitted):
        if not others(coefficients.belongs_to, study := load(name)):
            return study, coefficients, [file]
    raise BadInput(
        f"{file}: no case of the library has the body of these coefficients: give yours, loligo "
        "export CASE --coefficients"
    )
