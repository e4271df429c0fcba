"""`loligo map`: from a study of 3D solutions to where a reduced model can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loligo.cli.arguments import AnyModel, Force

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
    from rich.console import Console
    from rich.progress import track

    from loligo import mapping
    from loligo.cases import outputs
    from loligo.cases.core import atomic as files
    from loligo.cases.dataset import io as dataset
    from loligo.validation.compare.validity_map import read_map
    from loligo.validation.plot.validity_map import map_svg, map_words

    if root.is_dir():
        file = output or root / "map.nc"
        places = mapping.with_results(root)
        names = {place.case.stem for place in places}
        kind = outputs.validity_map(names)
        outputs.check(file, kind, [place.result for place in places], force=force)
        picture = file.with_suffix(".svg")
        outputs.check(picture, outputs.DRAWING, force=force)
        chart = mapping.validity_map(
            root,
            key,
            model=model,
            metric=metric,
            accept=accept,
            say=lambda line: typer.echo(line, err=True),
            track=lambda items: track(
                items, "comparing", console=Console(stderr=True), transient=True
            ),
        )
        dataset.write_whole({"/": chart}, file)
    else:
        chart = read_map(root)
        file = output or root
        picture = file.with_suffix(".svg")
        outputs.check(picture, outputs.DRAWING, [root], force=force)
    files.replace(picture, map_svg(chart))
    typer.echo("\n".join(map_words(chart)))
    typer.echo(f"{file}, {picture}")
