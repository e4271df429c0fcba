"""`loligo compare`: how wrong is a reduced model, beyond what the reference leaves open?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import AnyCase, AnyLaw, AnyModel, Force, asked_law

if TYPE_CHECKING:
    from loligo.validation.compare.comparison import Comparison
    from loligo.validation.compare.row import MetricRow

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
    law: AnyLaw = None,
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

    Reference and prediction must be of this case by content, whatever their names. If the case has
    acceptance levels the command ends with code 0 if they are met, 4 if not, and 5 if these data
    cannot show it: no error bar, an incomplete reference, data that fail their check, a prediction
    that is the reference.

    Example: [bold]loligo compare renda_arm_tip_force my_solution.nc[/]
    """
    from loligo.cases import outputs
    from loligo.cases.case_file import find, inputs, read
    from loligo.cases.core import atomic as files
    from loligo.cases.core.record import BadInput
    from loligo.reduced.predict.predict import NothingPredicted
    from loligo.validation.compare.comparison import compare as compared
    from loligo.validation.compare.record import record
    from loligo.validation.compare.verdict import CODES
    from loligo.validation.data.references import reference_of
    from loligo.validation.data.source import read_source

    if model is not None and prediction is not None:
        raise BadInput("--model names our model, --prediction brings yours: give one of them")
    asked, law_files = asked_law(law)
    if law is not None and prediction is not None:
        raise BadInput("--law is that of our model, --prediction brings yours: give one of them")
    source = find(case)
    study = read(source)
    theirs = None if prediction is None else read_source(prediction)
    reference = reference_of(study, case, file)
    for line in reference.passed:
        typer.secho(f"note: {line}", err=True)
    if output is not None:
        data = [given for given in (reference.source.file, prediction) if given is not None]
        kind = outputs.record("a comparison", ("metrics", "prediction"), case=study.name)
        outputs.check(output, kind, [*inputs(study, source), *law_files, *data], force=force)
    try:
        found = compared(study, reference.source, theirs, model, law=asked)
    except NothingPredicted as failure:
        typer.secho(f"{failure}; nothing can be compared", err=True)
        raise typer.Exit(3) from None
    found = replace(found, notes=(*reference.passed, *found.notes))
    text = json.dumps(record(found), indent=2, allow_nan=False)
    if output is not None:
        files.replace(output, text + "\n")
    if as_json:
        typer.echo(text)
    else:
        _print(found)
    if code := CODES[found.accepted]:
        raise typer.Exit(code)


def _print(found: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    from loligo.validation.words import range_words, share_words, value_words

    console = Console()
    reference = found.reference.data.attrs
    for line in found.said:
        console.print(line, markup=False)
    console.print(f"{found.case.title}: {found.model} against {reference['source']}", markup=False)
    steps = ", ".join(map(str, found.pair.steps))
    console.print(f"steps {steps}; in the table the last one\n", markup=False)
    if law := found.pair.prediction.attrs.get("law"):
        console.print(f"law: {law}", markup=False)
    if len(found.laws) > 1 and (row := found.headline) is not None:
        errors = ", ".join(
            f"{one.law} "
            + (
                value_words(one.error[row.last], row.metric.unit)
                if one.relative is None
                else share_words(one.relative[row.last])
            )
            for one in found.laws
        )
        console.print(f"{row.metric.title.lower()} on each law: {errors}\n", markup=False)
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
            value_words(row.error[row.last], unit),
            share_words(None if row.relative is None else row.relative[row.last]),
            value_words(row.bar[row.last], unit) if row.bars_known else "none",
            value_words(row.kinematic["arc"][row.last], unit) if "arc" in row.kinematic else "",
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
    if found.answer is not None:
        reasons = "; ".join(found.answer.reasons)
        colon = ": " if reasons else ""
        console.print(f"acceptance: {found.answer.verdict}{colon}{reasons}", markup=False)


def _held_out(row: MetricRow) -> str:
    """Error of the calibrated model at the largest load it has not seen."""
    from loligo.validation.words import value_words

    if row.calibrated is None or math.isnan(row.calibrated[-1]):
        return ""
    return value_words(row.calibrated[-1], row.metric.unit)


def _verdict(row: MetricRow) -> str:
    if row.verdict is not None:
        return f"level {row.verdict}"
    if not row.bars_known:
        return ""
    return "resolved" if row.resolved[row.last] else "within the bar"
