"""`loligo view`: the body of a data set, deformed and cut open."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from loligo.cli.arguments import Force

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def view(
    file: Annotated[Path, typer.Argument(help="A data set with a group surface, .nc.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Draw into this .png instead of opening a window.",
            dir_okay=False,
        ),
    ] = None,
    state: Annotated[
        int,
        typer.Option("--state", help="Which of the kept states to draw, from 1; 0 is the last."),
    ] = 0,
    force: Force = False,
) -> None:
    """Show the body of a data set where its loads have moved it, coloured by stretch.

    A hollow one is cut open. The arrows are the section frames: the normal in red, y in green, z in
    blue. Grey lines are the body at rest. With `-o` no screen is needed.

    Example: [bold]loligo view my_solution.nc -o body.png[/]
    """
    from loligo.cases import outputs
    from loligo.cases.core.drawing import draw_apart
    from loligo.cases.core.record import BadInput
    from loligo.validation.plot.body import read_surface, show

    _, surface = read_surface(file)
    kept = surface.sizes["shown"]
    if not 0 <= state <= kept:
        raise BadInput(f"{file}: there is no state {state}; it has {kept}, from 1")
    if output is None:
        if not _has_screen():
            raise BadInput(
                "there is no screen here, neither DISPLAY nor WAYLAND_DISPLAY is set: draw into a "
                f"file with `loligo view {file} -o body.png`"
            )
        show(file, state - 1)
        return
    outputs.check(output, outputs.PICTURE, [file], force=force)
    output.parent.mkdir(parents=True, exist_ok=True)
    trouble = draw_apart("loligo.validation.plot.body", file, output, str(state - 1))
    if trouble:
        typer.secho(f"error: {output}: not drawn: {trouble}", err=True)
        raise typer.Exit(1)
    typer.echo(output)


def _has_screen() -> bool:
    """Whether a window can be opened; elsewhere than under X or Wayland there is one."""
    named = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return not sys.platform.startswith("linux") or bool(named)
