"""`loligo compare`: how wrong is a reduced model, beyond what the reference leaves open?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import AnyCase, AnyModel, Force

if TYPE_CHECKING:
    from loligo.validation.compare import Comparison, Row
    from loligo.validation.source import Source

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def compare(
    case: AnyCase,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="The reference data set, .nc; by default CASE.nc here, else the one that loligo "
            "brings along."
        ),
    ] = None,
    model: AnyModel = None,
    prediction: Annotated[
        Path | None,
        typer.Option("--prediction", "-p", help="Your own model's data set, in place of ours."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write every number as JSON.", dir_okay=False),
    ] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Compare a reduced model with a reference: errors, their bars, where they come from.

    Ends with code 4 if the case has acceptance levels and they are not met.

    Example: [bold]loligo compare renda_arm_tip_force my_solution.nc[/]
    """
    from loligo.cases import files, outputs
    from loligo.cases.read import find, inputs, read
    from loligo.cases.record import BadInput
    from loligo.reduced.predict import NothingPredicted
    from loligo.validation.compare import compare as compared
    from loligo.validation.compare_record import record
    from loligo.validation.source import read_source

    if model is not None and prediction is not None:
        raise BadInput("--model names our model, --prediction brings yours: give one of them")
    source = find(case)
    study = read(source)
    theirs = None if prediction is None else read_source(prediction)
    reference = reference_of(study.name, file)
    if output is not None:
        data = [given for given in (reference.file, prediction) if given is not None]
        kind = outputs.record("a comparison", ("metrics", "prediction"), case=study.name)
        outputs.check(output, kind, [*inputs(study, source), *data], force=force)
    try:
        found = compared(study, reference, theirs, model)
    except NothingPredicted as failure:
        typer.secho(f"{failure}; nothing can be compared", err=True)
        raise typer.Exit(3) from None
    text = json.dumps(record(found), indent=2, allow_nan=False)
    if output is not None:
        files.replace(output, text + "\n")
    if as_json:
        typer.echo(text)
    else:
        _print(found)
    if found.accepted in ("not met", "not shown"):
        raise typer.Exit(4)


def reference_of(name: str, file: Path | None) -> Source:
    """Find the reference data set of a case."""
    from loligo.cases.record import BadInput
    from loligo.validation.shipped import shipped
    from loligo.validation.source import read_source

    here = Path(f"{name}.nc")
    if file is None and here.is_file():
        file = here
    if file is None:
        file = shipped().get(name)
    if file is None:
        raise BadInput(
            f"{name}: loligo brings no reference data of this case along: make them with "
            f"`loligo solve {name}` (needs dolfinx), or give a data set of yours"
        )
    return read_source(file)


def _print(found: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    from loligo.validation.words import range_words, share_words, value_words

    console = Console()
    reference = found.reference.data.attrs
    console.print(f"{found.case.title}: {found.model} against {reference['source']}", markup=False)
    steps = ", ".join(map(str, found.pair.steps))
    console.print(f"steps {steps}; in the table the last one\n", markup=False)
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    for heading in ("what", "error", "of scale", "bar", "best arc", "held out", ""):
        words = heading in ("what", "")  # they wrap on a narrow terminal, numbers never
        table.add_column(
            heading,
            justify="left" if words else "right",
            no_wrap=not words,
            min_width=12 if heading == "what" else None,
        )
    for row in found.rows:
        unit = row.metric.unit
        table.add_row(
            row.metric.title,
            value_words(row.error[-1], unit),
            share_words(None if row.relative is None else row.relative[-1]),
            value_words(row.bar[-1], unit) if row.bars_known else "none",
            value_words(row.kinematic["arc"][-1], unit) if "arc" in row.kinematic else "",
            _held_out(row),
            _verdict(row),
        )
    console.print(table)
    for claim in found.claims:
        console.print(
            f"\n{claim.title}: reference {value_words(claim.reference[-1], claim.unit)}, "
            f"{found.model} {value_words(claim.prediction[-1], claim.unit)}"
            + (
                ""
                if claim.range is None
                else ", "
                + range_words(claim.range[0][-1], claim.range[1][-1], claim.unit)
                + " over the published moduli of this rubber"
            ),
            end="",
            markup=False,
        )
    console.print()
    for note in found.notes:
        console.print(f"note: {note}", markup=False)
    if found.accepted is not None:
        console.print(f"acceptance: {found.accepted}", markup=False)


def _held_out(row: Row) -> str:
    """Error of the calibrated model at the largest load it has not seen."""
    from loligo.validation.words import value_words

    if row.calibrated is None or math.isnan(row.calibrated[-1]):
        return ""
    return value_words(row.calibrated[-1], row.metric.unit)


def _verdict(row: Row) -> str:
    if row.verdict is not None:
        return f"level {row.verdict}"
    if not row.bars_known:
        return ""
    return "resolved" if row.resolved[-1] else "within the bar"
