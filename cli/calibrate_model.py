"""`loligo calibrate CASE...`: from data of cases to coefficients of a reduced model."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import AnyLaw, AnyModel, Force, asked_law

if TYPE_CHECKING:
    from loligo.validation.fitting.coefficients.further import More
    from loligo.validation.fitting.coefficients.judge import Judged
    from loligo.validation.fitting.statistics import Interval


def model(
    cases: Annotated[list[str], typer.Argument(help="Cases of one body: library or .toml files.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            help="A data set of one of the cases, .nc; by default CASE.nc here, else the one that "
            "loligo brings along; may be repeated.",
        ),
    ] = None,
    model: AnyModel = None,
    fit: Annotated[
        list[str] | None,
        typer.Option(help="A coefficient to seek; by default those that the loads excite."),
    ] = None,
    freeze: Annotated[
        list[str] | None,
        typer.Option(help="A coefficient that was measured, as in density=1.02; it stays."),
    ] = None,
    start: Annotated[
        list[str] | None, typer.Option(help="Where to begin, as in actuator_area=6e-4.")
    ] = None,
    coefficients: Annotated[
        Path | None,
        typer.Option(
            "--coefficients", "-c", help="What to begin from, .toml: sections of loligo section."
        ),
    ] = None,
    law: AnyLaw = None,
    hold_out: Annotated[
        list[str] | None, typer.Option(help="A case to predict, not to fit; may be repeated.")
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(help='Steps to fit, "1-3"; by default the first half, the rest is held out.'),
    ] = None,
    starts: Annotated[int, typer.Option(min=1, help="Places where the search begins.")] = 3,
    profiles: Annotated[
        bool, typer.Option("--profiles/--no-profiles", help="Profile intervals: most of the time.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Of further starts and the bootstrap.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The coefficients; by default CASE_MODEL_coefficients.toml.",
            dir_okay=False,
        ),
    ] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Fit coefficients of a reduced model to data of a body under one or several loads.

    Says what the data can tell and which load case would help, and how far the model is from the
    held-out loads before and after. The file is for `loligo reduce --coefficients`. The word model
    may be left out.

    Example: [bold]loligo calibrate gong_bending_one --data mine.nc -c sections.toml[/]
    """
    from rich.console import Console

    from loligo.cases import coefficients as files
    from loligo.cases import outputs
    from loligo.cases.case_file import find, inputs, load
    from loligo.validation.data.references import references
    from loligo.validation.fitting.coefficients import calibration

    words, held_out = [*cases, *(hold_out or [])], [load(name) for name in hold_out or []]
    studies = [*(load(name) for name in cases), *held_out]
    calibration.check_cases(studies)
    base = None if coefficients is None else files.read(coefficients)
    asked, law_files = asked_law(law)
    measured, begins = _values(freeze or [], "--freeze"), _values(start or [], "--start")
    taken = references(studies, words, data or [])
    plan = calibration.plan(
        taken,
        {case.name for case in held_out},
        model=model,
        fit=fit or (),
        freeze=measured,
        start=begins,
        base=base,
        law=asked,
        steps=None if steps is None else _range(steps),
    )
    for line in plan.said:
        typer.secho(f"note: {line}", err=True)
    search, first = plan.search, studies[0]
    file = output or Path(f"{first.name}_{search.model}_coefficients.toml")
    pairs = zip(studies, words, strict=True)
    read_files = [path for study, name in pairs for path in inputs(study, find(name))]
    read_files += [*(data or []), *law_files, *([coefficients] if coefficients else [])]
    kind = outputs.coefficients(files.fingerprint(first))
    outputs.check(file, kind, read_files, force=force)
    with Console(stderr=True).status(f"fitting {', '.join(search.names)}"):
        found = calibration.calibrated(plan, starts=starts, profiles=profiles, seed=seed)
    files.write(found.coefficients, file)
    if as_json:
        facts = calibration.record(found.judged) | {
            "data": {each.case.name: each.record() for each in taken},
            "further": None if found.more is None else found.more.record(),
        }
        typer.echo(json.dumps(facts, indent=2, allow_nan=False))
        return
    _print(found.judged)
    if found.more is not None:
        typer.echo(f"hint: {_hint(found.more, search.names)}")
    typer.echo(file)


def _values(words: list[str], option: str) -> dict[str, float]:
    from loligo.cases.coefficients import unit_of
    from loligo.cases.core.record import BadInput
    from loligo.validation.fitting.coefficients.calibration import check_value

    values = {}
    for word in words:
        name, _, number = word.partition("=")
        unit_of(name)
        try:
            values[name] = float(number)
        except ValueError:
            raise BadInput(f"{option} {word}: write it as in {name}=1.05, in SI") from None
        try:
            check_value(name, values[name])
        except BadInput as error:
            raise BadInput(f"{option} {error}") from None
    return values


def _range(text: str) -> tuple[int, int]:
    from loligo.cases.core.record import BadInput

    first, _, last = text.partition("-")
    try:
        return int(first), int(last or first)
    except ValueError:
        raise BadInput(f'--steps {text}: write it as in "1-3"') from None


def _print(judged: Judged) -> None:
    from loligo.cli.tables import of_numbers, show

    found = judged.found
    law = found.search.base.law
    if law is not None:
        typer.echo(f"law: {law}")
    typer.echo(
        f"{found.search.model}, {found.residual.size} residuals; the intervals are 95 %; condition "
        f"number {judged.known.condition:.3g}\n"
    )
    values = of_numbers("coefficient", "value", "tangent", "profile", "bootstrap")
    for i, (name, value) in enumerate(found.search.values(found.unknowns).items()):
        ways = (judged.wald[i], judged.profile[i], judged.bootstrap[i])
        values.add_row(name, f"{value:.4g}", *map(_words, ways))
    show(values)
    typer.echo()
    errors = of_numbers("case", "steps", "", "before", "after")
    for row in judged.rows:
        steps = f"{row.steps[0]}-{row.steps[-1]}" if len(row.steps) > 1 else str(row.steps[0])
        kind = "fitted" if row.fitted else "held out"
        errors.add_row(row.case, steps, kind, *(_share(e) for e in (row.before, row.after)))
    show(errors)
    typer.echo("errors are shares of the displacement\n")
    for caution in judged.cautions:
        typer.echo(f"caution: {caution}")


def _hint(more: More, names: Sequence[str]) -> str:
    """Say what the fitted loads determine besides, and what held-out loads make of it."""
    determined = " and ".join(more.names)
    off = f"{_share(more.after)} of the displacement off, not {_share(more.before)}"
    if math.isnan(more.before):
        words = "; no load is held out to judge them by"
    elif more.helps:
        words = f": with them held-out loads are {off}"
    else:
        words = f", but do not need it: with them held-out loads are {off}"
        return f"the fitted loads determine {determined}, too{words}"
    options = " ".join(f"--fit {name}" for name in (*names, *more.names))
    return f"the fitted loads determine {determined}, too{words}; add {options}"


def _share(error: float) -> str:
    return f"{error:.1%}" if math.isfinite(error) else "no answer"


def _words(interval: Interval) -> str:
    if all(math.isnan(end) for end in interval):
        return "-"
    low, high = ("open" if not math.isfinite(end) else f"{end:.4g}" for end in interval)
    return f"{low} to {high}"
