"""`loligo calibrate CASE...`: from data of cases to coefficients of a reduced model."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loligo.cli.arguments import AnyLaw, AnyModel, Force, asked_law

if TYPE_CHECKING:
    from loligo.cases.case import Case
    from loligo.cases.coefficients import Coefficients
    from loligo.validation.data.references import Reference
    from loligo.validation.fitting.coefficients.case_data import Study
    from loligo.validation.fitting.coefficients.further import More
    from loligo.validation.fitting.coefficients.intervals import Interval
    from loligo.validation.fitting.coefficients.judge import Judged


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
    from loligo.cases.core.record import BadInput
    from loligo.reduced.predict.predict import chosen_model
    from loligo.validation.data.references import references, relatives
    from loligo.validation.fitting.coefficients.base import base_on
    from loligo.validation.fitting.coefficients.case_data import excited
    from loligo.validation.fitting.coefficients.further import further
    from loligo.validation.fitting.coefficients.judge import judge, result
    from loligo.validation.fitting.coefficients.search import Search, calibrate
    from loligo.validation.fitting.coefficients.trials import trials

    fitted, held_out = [load(name) for name in cases], [load(name) for name in hold_out or []]
    names_given = [case.name for case in (*fitted, *held_out)]
    if twice := sorted({name for name in names_given if names_given.count(name) > 1}):
        raise BadInput(f"{twice[0]}: give a case once, to fit it or with --hold-out")
    for study in (*fitted, *held_out):
        files.check_same(fitted[0], study)
    chosen = chosen_model(fitted[0], model)
    asked, law_files = asked_law(law)
    begin = None if coefficients is None else files.read(coefficients)
    if begin is not None:
        files.check_belongs(begin, fitted[0])
    base, given_law = base_on([*fitted, *held_out], chosen, asked, begin, fit or [])
    measured = _values(freeze or [], "--freeze")
    base = base.replaced(measured | _values(start or [], "--start"))
    base = _marked(base, measured)
    taken = references([*fitted, *held_out], [*cases, *(hold_out or [])], data or [])
    for line in (line for each in taken for line in each.said):
        typer.secho(f"note: {line}", err=True)
    studies = tuple(_studies(taken, held_out, steps))
    names = (
        tuple(fit) if fit else tuple(n for n in excited(chosen, studies, base) if n not in measured)
    )
    if both := sorted(set(names) & set(measured)):
        raise BadInput(f"--freeze {both[0]}: it is also to be fitted")
    file = output or Path(f"{fitted[0].name}_{chosen}_coefficients.toml")
    given = zip((*fitted, *held_out), (*cases, *(hold_out or [])), strict=True)
    read_files = [path for study, name in given for path in inputs(study, find(name))]
    read_files += [*(data or []), *law_files, *([coefficients] if coefficients else [])]
    kind = outputs.coefficients(files.fingerprint(fitted[0]))
    outputs.check(file, kind, read_files, force=force)
    with Console(stderr=True).status(f"fitting {', '.join(names)}"):
        found = calibrate(Search(chosen, base, names, studies, given_law), starts, seed)
        others = [*relatives([*fitted, *held_out]), *trials(fitted[0])]
        judged = judge(found, others, seed, profiles)
        more = None if fit else further(found, tuple(measured))
    on = ", ".join(case.name for case in fitted)
    source = f"calibrated by loligo: {chosen} on {on}, beginning from {base.source}"
    files.write(result(judged, source), file)
    if as_json:
        facts = record(judged) | {
            "data": {each.case.name: each.record() for each in taken},
            "further": None if more is None else more.record(),
        }
        typer.echo(json.dumps(facts, indent=2, allow_nan=False))
        return
    _print(judged)
    if more is not None:
        typer.echo(f"hint: {_hint(more, names)}")
    typer.echo(file)


def record(judged: Judged) -> dict[str, Any]:
    """Return every number of a calibration; what is not known is None."""
    found, known = judged.found, judged.known

    def ends(interval: Interval) -> list[float | None]:
        return [float(end) if math.isfinite(end) else None for end in interval]

    def number(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    values = found.search.values(found.unknowns)
    return {
        "schema": "loligo calibration 1",
        "model": found.search.model,
        "law": found.search.base.law,
        "coefficients": [
            {
                "name": name,
                "value": value,
                "wald": ends(judged.wald[i]),
                "profile": ends(judged.profile[i]),
                "bootstrap": ends(judged.bootstrap[i]),
            }
            for i, (name, value) in enumerate(values.items())
        ],
        "residuals": found.residual.size,
        "fisher_eigenvalues": [float(e) for e in known.eigenvalues],
        "condition": number(known.condition),
        "correlation": [[number(c) for c in row] for row in known.correlation],
        "worst_error": number(float(known.error.max())),
        "worst_error_with": {name: number(error) for name, error in judged.helps.items()},
        "starts": list(found.starts),
        "errors": [
            {
                "case": row.case,
                "fitted": row.fitted,
                "steps": list(row.steps),
                "before": number(row.before),
                "after": number(row.after),
            }
            for row in judged.rows
        ],
        "cautions": list(judged.cautions),
    }


def _values(words: list[str], option: str) -> dict[str, float]:
    from loligo.cases.coefficients import KNOWN, unit_of
    from loligo.cases.core.record import BadInput

    values = {}
    for word in words:
        name, _, number = word.partition("=")
        unit_of(name)
        try:
            values[name] = float(number)
        except ValueError:
            raise BadInput(f"{option} {word}: write it as in {name}=1.05, in SI") from None
        if not math.isfinite(values[name]) or (values[name] <= 0.0 and not KNOWN[name].signed):
            raise BadInput(f"{option} {word}: no value that {name} can have")
    return values


def _marked(base: Coefficients, measured: dict[str, float]) -> Coefficients:
    marked = tuple(
        c.model_copy(update={"measured": True}) if c.name in measured else c
        for c in base.coefficient
    )
    return base.model_copy(update={"coefficient": marked})


def _studies(found: Sequence[Reference], held_out: list[Case], steps: str | None) -> list[Study]:
    from loligo.validation.data.gaps import filled
    from loligo.validation.fitting.coefficients.case_data import Study, stable_steps

    studies = []
    for each in found:
        data = filled(each.source.data)
        usable = stable_steps(data)
        half = usable[: (len(usable) + 1) // 2]
        asked = half if steps is None else _numbers(steps, usable, data.sizes["step"])
        chosen = () if each.case in held_out else asked
        studies.append(Study(each.case, data, chosen, each.file_hash))
    return studies


def _numbers(text: str, usable: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Stable steps of those asked for; all must be there."""
    from loligo.cases.core.record import BadInput

    first, _, last = text.partition("-")
    try:
        low, high = int(first), int(last or first)
    except ValueError:
        raise BadInput(f'--steps {text}: write it as in "1-3"') from None
    if not 1 <= low <= high <= count:
        raise BadInput(f"--steps {text}: the data have the steps 1-{count}")
    chosen = tuple(step for step in usable if low <= step <= high)
    if len(chosen) <= high - low:
        unstable = [str(step) for step in range(low, high + 1) if step not in chosen]
        typer.echo(f"note: step {', '.join(unstable)} is unstable, and left out", err=True)
    if not chosen:
        raise BadInput(f"--steps {text}: none of them is stable")
    return chosen


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
