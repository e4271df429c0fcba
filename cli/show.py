"""`loligo show`: what is in a data set, in one screen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def show(file: Annotated[Path, typer.Argument(help="A data set, .nc.")]) -> None:
    """Print a summary of a data set: where it comes from, what it holds, in which range.

    Example: [bold]loligo show my_prediction.nc[/]
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from loligo.cases.dataset import io as dataset
    from loligo.cases.dataset.summary import bars
    from loligo.cli.summary import print_bars
    from loligo.validation.data.source import read_levels

    data = dataset.read(file)
    console = Console()
    for name in ("kind", "source", "model", "case_name", "status", "missing"):
        if text := str(data.attrs.get(name, "")):
            console.print(f"[bold]{name:10}[/] ", end="")
            console.print(text, markup=False, highlight=False)
    sizes = ", ".join(f"{size} {dim}" for dim, size in data.sizes.items())
    console.print(f"[bold]{'size':10}[/] {sizes}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("variable", "what", "unit", "smallest", "largest", "bar"):
        number = heading in ("smallest", "largest", "bar")
        table.add_column(
            heading, justify="right" if number else "left", no_wrap=number, overflow="fold"
        )
    for name, variable in data.data_vars.items():
        if str(name).endswith(("_uncertainty", "_uncertainty_flag")):
            continue  # the widest of a variable's bars stands beside it
        if variable.dtype.kind in "fiu" and variable.count() > 0:
            low, high = f"{float(variable.min()):.4g}", f"{float(variable.max()):.4g}"
        else:
            low = high = ""
        widths = data.get(f"{name}_uncertainty")
        bar = "" if widths is None or widths.count() == 0 else f"{float(widths.max()):.2g}"
        cells = (name, variable.attrs.get("long_name", ""), variable.attrs.get("units", ""))
        table.add_row(*(Text(str(cell)) for cell in cells), low, high, bar)
    console.print(table)
    meshes, times = read_levels(file)
    print_bars(bars(data, list(meshes.values()), list(times.values())))
