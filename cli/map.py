"""`loligo map`: from a study of 3D solutions to where a reduced model can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import AnyModel, Force

if TYPE_CHECKING:
    import xarray as xr

    from loligo.hpc.items import Place

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command(name="map")
def validity_map(
    root: Annotated[
        Path,
        typer.Argument(
            help="The folder of a study that was run, or a map (.nc) to be drawn again.",
            metavar="FOLDER|FILE",
        ),
    ],
    key: Annotated[
        str | None,
        typer.Option("--over", "-x", help="Key that the study varies; by default the first."),
    ] = None,
    model: AnyModel = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="Metric whose error is drawn; by default centreline_l2, of mantles profile_max."
        ),
    ] = None,
    accept: Annotated[
        float | None,
        typer.Option(help="Accepted error, a share; by default the case's acceptance level."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The map, .nc; by default map.nc in the folder."),
    ] = None,
    force: Force = False,
) -> None:
    """Draw the errors of a reduced model over the load and what a study varies.

    Writes the map as data (.nc) and, beside it, as a picture (.svg).

    Example: [bold]loligo map taper_items -m pcc -x body.tip_radius -o taper.nc[/]
    """
    from loligo.cases import outputs
    from loligo.cases.core import atomic as files
    from loligo.cases.dataset import io as dataset
    from loligo.validation.compare.validity_map import read_map
    from loligo.validation.plot.validity_map import map_svg, map_words

    if root.is_dir():
        file = output or root / "map.nc"
        places = _with_results(root)
        names = {place.case.stem for place in places}
        kind = outputs.validity_map(names)
        outputs.check(file, kind, [place.result for place in places], force=force)
        picture = file.with_suffix(".svg")
        outputs.check(picture, outputs.DRAWING, force=force)
        chart = _from_study(root, places, key, model, metric, accept)
        dataset.write_whole({"/": chart}, file)
    else:
        chart = read_map(root)
        file = output or root
        picture = file.with_suffix(".svg")
        outputs.check(picture, outputs.DRAWING, [root], force=force)
    files.replace(picture, map_svg(chart))
    typer.echo("\n".join(map_words(chart)))
    typer.echo(f"{file}, {picture}")


def _with_results(root: Path) -> list[Place]:
    from loligo.cases.core.record import BadInput
    from loligo.hpc.items import read_index

    places = [place for place in read_index(root) if place.result.exists()]
    if not places:
        raise BadInput(f"{root}: no item has a result yet; `loligo study status {root}` says why")
    return places


def _from_study(
    root: Path,
    places: list[Place],
    key: str | None,
    model: str | None,
    metric: str | None,
    accept: float | None,
) -> xr.Dataset:
    from rich.console import Console
    from rich.progress import track

    from loligo.cases.body import Mantle
    from loligo.cases.case_file import load
    from loligo.cases.core.record import BadInput
    from loligo.hpc.study import in_one_unit
    from loligo.validation.compare.comparison import Comparison, compare
    from loligo.validation.compare.validity_map import validity_map
    from loligo.validation.data.source import read_source

    varied = list(dict.fromkeys(name for place in places for name in place.asked.settings))
    if not varied:
        raise BadInput(f"{root}: nothing varies in this study; a map is drawn over what does")
    over = key or varied[0]
    if over not in varied:
        raise BadInput(f'"{over}" does not vary in this study; {", ".join(varied)} do')
    given = [place.asked.settings.get(over) for place in places]
    if None in given or (numbers := in_one_unit(given)) is None:
        texts = ", ".join(dict.fromkeys(map(str, given)))
        raise BadInput(f"{over}: a map needs numbers, with units of one kind; here are {texts}")
    values, unit = numbers
    columns: dict[float, Comparison] = {}
    both = list(zip(places, values, strict=True))
    for place, number in track(both, "comparing", console=Console(stderr=True), transient=True):
        source = read_source(place.result)
        if source.kind == "prediction":
            raise BadInput(
                f'{place.result}: is a prediction; a map needs 3D solutions, of run = "solve"'
            )
        if source.data.attrs["status"] != "complete":
            typer.echo(f"left out {place.folder.name}: {source.data.attrs['status']}", err=True)
            continue
        if number in columns:
            raise BadInput(f"{over} is {number:g} {unit} more than once: a map varies one thing")
        case = load(str(place.case))
        chosen = metric or ("profile_max" if isinstance(case.body, Mantle) else "centreline_l2")
        columns[number] = compare(case, source, model=model)
    if not columns:
        raise BadInput(f"{root}: no item is complete; `loligo study status {root}` says why")
    beside = [name for name in varied if name != over]
    return validity_map(columns, over, unit, metric=chosen, accepted=accept, beside=beside)
