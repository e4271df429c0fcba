"""`loligo reduce`: from a case to what a reduced model predicts, as a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def reduce(
    case: Annotated[str, typer.Argument(help="A case of the library, or a .toml file.")],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="rod for arms; shell or shell_eq7 for mantles."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The data set; by default CASE_MODEL.nc.", dir_okay=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Predict a case with a reduced model, and write the prediction as a data set.

    An earlier file of the same name is replaced. A model that finds no equilibrium at a step stops
    there, code 3, with the steps before it kept.

    Example: [bold]loligo reduce renda_mantle_ring --model shell_eq7 -o ring.nc[/]
    """
    from loligo.cases import dataset
    from loligo.cases.read import load
    from loligo.reduced.predict import NothingPredicted, chosen_model, predict

    study = load(case)
    model = chosen_model(study, model)
    try:
        found = predict(study, model)
    except NothingPredicted as failure:
        typer.secho(f"{failure}; nothing is written", err=True)
        raise typer.Exit(3) from None
    file = output or Path(f"{study.name}_{model}.nc")
    file.parent.mkdir(parents=True, exist_ok=True)
    dataset.write(found, file)
    steps = _summary(found)
    status = found.attrs["status"]
    if as_json:
        summary = {"file": str(file), "model": model, "status": status, "steps": steps}
        typer.echo(json.dumps(summary, indent=2))
    else:
        _print(steps)
        typer.echo(file)
    if status != "complete":
        typer.secho(f"{study.name}: the {model} {status}", err=True)
        raise typer.Exit(3)


def _summary(found: xr.Dataset) -> list[dict[str, Any]]:
    """Where the tip of an arm or the rim of a mantle is at every step, in SI."""
    steps = []
    for i in range(found.sizes["step"]):
        at = found.isel(step=i)
        row: dict[str, Any] = {"step": i + 1}
        for name in found.data_vars:
            if str(name).startswith("load_"):
                row[f"{name} [{found[name].attrs['units']}]"] = float(at[name])
        if "frame" in found:
            row |= {f"tip_{axis} [m]": float(at["frame"][-1, k, 3]) for k, axis in enumerate("xyz")}
        else:
            row["rim_radius [m]"] = float(at["profile_radius"][-1])
            row["volume [m^3]"] = float(at["volume"][0])
        row["stable"] = int(at["stable"])
        steps.append(row)
    return steps


def _print(steps: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in steps[0]:
        text = heading.removeprefix("load_").replace(" [m]", " [mm]").replace(" [", "\n\\[")
        table.add_column(text, justify="right", no_wrap=True)
    for row in steps:
        table.add_row(
            *(f"{1e3 * x:.3f}" if key.endswith(" [m]") else f"{x:.5g}" for key, x in row.items())
        )
    Console().print(table)
