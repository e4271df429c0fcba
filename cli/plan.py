"""`loligo plan`: what a 3D solution will take, before it is begun."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from loligo.cli.arguments import AnyCase
from loligo.fem.levels import FINEST

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def plan(
    case: AnyCase,
    level: Annotated[int, typer.Option("--level", "-l", min=0, max=FINEST, help="Mesh level.")] = 0,
    ranks: Annotated[
        int | None, typer.Option(min=1, help="MPI ranks; by default a sensible number.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many unknowns a case has at a level, and what memory and time they take.

    Meshes of up to about 600 000 unknowns are made to be counted; above, the unknowns are those of
    the finest of these, times 1.4^3 a level. Time and memory follow from a model that was fitted to
    measurements; beyond them the answer is called an estimate. Steps that are cut are left out: up
    to four times the time was seen.

    Example: [bold]loligo plan gong_bending_one --level 3[/]
    """
    from loligo import meshing
    from loligo.given import given

    study = given(case).case
    found = meshing.plan(case, level=level, ranks=ranks)
    if as_json:
        typer.echo(json.dumps(found.record(), indent=2))
        return
    many = f"{found.ranks} rank{'s' if found.ranks > 1 else ''}"
    told = f"{found.unknowns} unknowns"
    if found.counted_level < level:
        about = float(f"{found.unknowns:.2g}")
        told = f"about {about:.0f} unknowns, from those of level {found.counted_level}"
    typer.echo(f"{study.name}, level {level}: {told}, solver {found.solver}, {many}")
    typer.echo(f"memory: about {found.gigabytes:.1f} GB on all ranks")
    time, all_steps = found.seconds_a_state, found.states * found.seconds_a_state
    typer.echo(
        f"time: about {_words(time)} a state and {_words(all_steps)} for {found.states} reported "
        f"steps; bodies that were measured took up to {found.spread:.1f} times as long, or were "
        "as much faster"
    )
    typer.echo("steps that are cut cost more, as on fine meshes: up to four times was seen")
    if study.time is not None:
        typer.echo(
            "a motion takes as many states between two reported ones as its tolerance asks for"
        )
    if not found.measured:
        typer.echo("this is an estimate: so many unknowns or ranks were not measured")


def _words(seconds: float) -> str:
    if seconds < 9.5:
        return f"{seconds:.1g} s"
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
