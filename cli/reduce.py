"""`loligo reduce`: from a case to what a reduced model predicts, as a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from loligo.cli.arguments import AnyCase, AnyLaw, AnyModel, Force, asked_law, print_notes

_TOLD = (
    "cautions",
    "coefficients_used",
    "coefficients_ignored",
    "coefficients_beyond",
    "law",
    "law_name",
    "law_beyond",
)
"""Attributes that are in the summary, too."""

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def reduce(
    case: AnyCase,
    model: AnyModel = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The data set; by default CASE_MODEL.nc.", dir_okay=False
        ),
    ] = None,
    coefficients: Annotated[
        Path | None,
        typer.Option(
            "--coefficients",
            "-c",
            help="Coefficients from loligo section or loligo calibrate, .toml.",
            dir_okay=False,
        ),
    ] = None,
    law: AnyLaw = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Predict a case with a reduced model, and write the prediction as a data set.

    An earlier prediction of the same case is replaced. A model that finds no equilibrium at a step
    stops there, code 3; the steps before it are kept, and the last state on the way to it. The
    error in space and time is that of the shape over the length; intervals are added until it is
    below 0.005, and code 3 says that it is not.

    Rods and arcs stand on a section law, which the first line names. The best there is is taken:
    that of the solid at finite strain, which is given or comes with loligo, if it covers the
    pressures and nothing moves; the solid's at rest; the geometry's. With coefficients it says
    which it used. It warns where the prediction leaves the range of coefficients or law. What the
    model leaves out of the case is a warning here and `left_out` in the data set; what it cannot
    carry at all is refused. A case with a time is stepped, by a rod or a shell.

    Example: [bold]loligo reduce renda_mantle_ring --model shell_eq7 -o ring.nc[/]
    """
    from loligo.cases import coefficients as files
    from loligo.cases import outputs
    from loligo.cases.case_file import find, inputs, read, to_toml
    from loligo.cases.dataset import io as dataset
    from loligo.cases.dataset.summary import summary
    from loligo.cli.magnitudes import warn_implausible
    from loligo.cli.summary import print_summary
    from loligo.reduced.predict.predict import NothingPredicted, chosen_model, predict, provenance
    from loligo.reduced.predict.resolve import LIMIT

    source = find(case)
    study = read(source)
    warnings = warn_implausible(study, predicted=True)
    model = chosen_model(study, model)
    given = None if coefficients is None else files.read(coefficients)
    sections, law_files = asked_law(law)
    file = output or Path(f"{study.name}_{model}.nc")
    read_files = [*inputs(study, source), *law_files, *([coefficients] if coefficients else [])]
    outputs.check(file, outputs.prediction(to_toml(study)), read_files, force=force)
    try:
        found = predict(study, model, coefficients=given, law=sections, on_the_way=True)
    except NothingPredicted as failure:
        typer.secho(f"{failure}; nothing is written", err=True)
        raise typer.Exit(3) from None
    dataset.write(found.assign_attrs(provenance()), file)
    steps = summary(found)
    status = found.attrs["status"]
    if "law" in found.attrs:
        typer.secho(f"law: {found.attrs['law']}", err=True)
    print_notes(study)
    left_out = [what for what in found.attrs.get("left_out", "").split("; ") if what]
    for what in left_out:
        typer.secho(f"warning: {what}", err=True)
    _say(found.attrs)
    errors = {
        name: found.attrs.get(f"error_in_{name}")
        for name in (("space",) if study.time is None else ("space", "time"))
    }
    if as_json:
        facts = {"file": str(file), "model": model, "status": status, "steps": steps}
        facts |= {"reached": found.attrs["reached"]}
        facts |= {f"error_in_{name}": error for name, error in errors.items()}
        facts |= {"left_out": left_out, "notes": found.attrs.get("notes", "")}
        facts |= {name: found.attrs[name] for name in _TOLD if name in found.attrs}
        facts["warnings"] = warnings
        typer.echo(json.dumps(facts, indent=2))
    else:
        print_summary(steps)
        parts = [f"in {n} {_percent(error)}" for n, error in errors.items()]
        typer.echo(f"error {', '.join(parts)} of the length")
        typer.echo(file)
    if status != "complete":
        typer.secho(f"{study.name}: the {model} {status}", err=True)
    if status != "complete" or any(error and error > LIMIT for error in errors.values()):
        raise typer.Exit(3)


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100.0 * share:.1g} %"


def _say(attrs: dict[str, Any]) -> None:
    """Print on stderr which coefficients were used, and every caution."""
    if "coefficients" in attrs:
        typer.secho(f"coefficients used: {attrs['coefficients_used'] or 'none'}", err=True)
        if attrs["coefficients_ignored"]:
            typer.secho(f"ignored, of other models: {attrs['coefficients_ignored']}", err=True)
    for name in ("coefficients_beyond", "law_beyond", "cautions"):
        if attrs.get(name):
            typer.secho(f"warning: {attrs[name]}", err=True)
