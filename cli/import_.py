"""`loligo import`: from the files of an experiment to a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loligo.cli.arguments import Force

if TYPE_CHECKING:
    import xarray as xr

    from loligo.cases.case import Case
    from loligo.validation.measured.setup import Setup

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command("import")
def import_(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The data set, .nc.", dir_okay=False)
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings: .csv, .c3d or .mat; the setup may name them instead."),
    ] = None,
    setup: Annotated[
        Path | None,
        typer.Option("--setup", "-s", help="What the files do not say, .toml; options go before."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", help="The case that was measured, with its markers.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source", help="Who measured it.")] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Unit of columns that state none: length=mm, pressure=bar."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help='Headings of a MATLAB matrix: "time [s], p_x [mm], -".'),
    ] = None,
    axes: Annotated[
        str | None,
        typer.Option("--axes", help='The body\'s x, y, z as axes of the laboratory: "z y -x".'),
    ] = None,
    rest: Annotated[str | None, typer.Option("--rest", help="At rest, FROM:TO in s.")] = None,
    hold: Annotated[
        list[str] | None, typer.Option("--hold", help="Held still, FROM:TO in s; again for more.")
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option("--load", help='Of the holds: "tip=0 N,0.51 N", one value each or one.'),
    ] = None,
    tare: Annotated[
        list[str] | None, typer.Option("--tare", help="Column whose value at rest is taken off.")
    ] = None,
    motion: Annotated[
        bool, typer.Option("--motion", help="Keep every sample as a motion, find no holds.")
    ] = False,
    force: Force = False,
) -> None:
    """Make a data set of what was measured: markers, angles, pressures, forces, with uncertainty.

    The holds that were found are drawn beside the data set, in an .svg to be looked at. A table of
    centreline points (columns step, X, x, y, z) and a folder of section frames are read, too.

    Example: [bold]loligo import run.csv --case gong_bending_one --rest 0:1 -o run.nc[/]
    """
    from loligo.cases import outputs
    from loligo.cases.case_file import inputs
    from loligo.cases.core import atomic
    from loligo.cases.core.record import BadInput
    from loligo.cases.dataset import io as dataset
    from loligo.validation.measured.dataset import measured
    from loligo.validation.measured.gather import described, watch
    from loligo.validation.measured.picture import holds_svg

    options = {
        "source": source,
        "units": _pairs("--unit", unit),
        "columns": None if columns is None else [c.strip() for c in columns.split(",")],
        "axes": None if axes is None else axes.split(),
        "rest": None if rest is None else _span("--rest", rest),
        "tare": tare,
        "motion": motion or None,
    }
    chosen = _setup(setup, {k: v for k, v in options.items() if v}, files or [], hold, load)
    study, where = _case(case)
    given = [Path(take.file) for take in chosen.take] or list(files or [])
    if not given:
        raise BadInput("name the recordings, or give a --setup that does")
    read = [*given, *([setup] if setup else []), *(inputs(study, where) if study and where else ())]
    kind = outputs.data_set("a measurement", ("measurement",))
    outputs.check(output, kind, read, force=force)
    if (shape := _shape(given, chosen.source)) is not None:
        dataset.write(shape, output)
        typer.echo(f"{output}: {shape.sizes['step']} steps, {shape.sizes['station']} stations")
        return
    watched = watch(given, chosen, study)
    data = measured(watched, chosen, study)
    dataset.write(data, output)
    picture = output.with_suffix(".svg")
    atomic.replace(picture, holds_svg(watched))
    for line in described(data, watched):
        typer.echo(line)
    _print(data)
    typer.echo(f"{output} written; look at {picture} whether these are the holds")


def _setup(
    file: Path | None,
    options: dict[str, Any],
    files: list[Path],
    holds: list[str] | None,
    loads: list[str] | None,
) -> Setup:
    """Return the setup of a file with what the options say in place of it."""
    from loligo.cases.case_file import tables, validated
    from loligo.cases.core.record import BadInput
    from loligo.validation.measured.setup import Setup

    content: dict[str, Any] = {} if file is None else tables(file)
    content = {**content, **options}
    if file is not None and "take" in content and not files:
        for take in content["take"]:
            if isinstance(take, dict) and isinstance(take.get("file"), str):
                take["file"] = str(file.parent / take["file"])
    elif files:
        said = {"holds": [_span("--hold", text) for text in holds or []]}
        load: dict[str, Any] = {}
        for name, text in _pairs("--load", loads).items():
            values = [value.strip() for value in text.split(",")]
            load[name] = values if len(values) > 1 else values[0]
        content["take"] = [{"file": str(one), **said, "load": load} for one in files]
    if not content.get("source"):
        raise BadInput('say who measured it: --source "...", or source in the setup')
    return validated(Setup, content, file or Path("setup"))


def _case(word: str | None) -> tuple[Case | None, Path | None]:
    from loligo.cases.case_file import find, read

    if word is None:
        return None, None
    file = find(word)
    return read(file), file


def _shape(files: list[Path], source: str) -> xr.Dataset | None:
    """Return the data set of a file of centreline points or a folder of frames; else None."""
    from loligo.validation.data.columns import read_table
    from loligo.validation.data.importers import centreline_from_csv, frames_from_folder

    if len(files) != 1:
        return None
    if files[0].is_dir():
        return frames_from_folder(files[0], source=source)
    if files[0].suffix.lower() != ".csv":
        return None
    names = {cell.partition("[")[0].strip() for cell in read_table(files[0])[0]}
    if {"step", "X", "x", "y", "z"} <= names:
        return centreline_from_csv(files[0], source=source)
    return None


def _pairs(option: str, texts: list[str] | None) -> dict[str, str]:
    from loligo.cases.core.record import BadInput

    for text in texts or []:
        if "=" not in text:
            raise BadInput(f'{option}: "{text}" is not NAME=VALUE')
    return {k.strip(): v.strip() for k, _, v in (text.partition("=") for text in texts or [])}


def _span(option: str, text: str) -> list[str]:
    from loligo.cases.core.record import BadInput

    first, _, last = text.partition(":")
    try:
        return [f"{float(first)!r} s", f"{float(last)!r} s"]
    except ValueError:
        raise BadInput(f'{option}: "{text}" is not FROM:TO in seconds, as in 0:1.5') from None


def _print(data: xr.Dataset) -> None:
    import numpy as np

    from loligo.validation.words import value_words

    if "marker_position" not in data or np.isfinite(data["time"]).all():
        typer.echo(f"{data.sizes['step']} steps of {', '.join(map(str, data.data_vars))}")
        return
    way = np.linalg.norm(data["marker_position"].values - data["marker_rest"].values, axis=-1)
    for step, row in enumerate(way, 1):
        words = ", ".join(
            f"{name} {value_words(float(v), 'm')}"
            for name, v in zip(data["marker"].values, row, strict=True)
        )
        if step > 20:
            typer.echo("...")
            return
        typer.echo(f"step {step}: ways {words}")
