"""`loligo plan`: what a 3D solution will take, before it is begun."""

from __future__ import annotations

import json
import math
from typing import Annotated

import typer

from loligo.cli.arguments import AnyCase
from loligo.cli.rungs import FINEST

COUNTED = 6e5
"""Unknowns of meshes that are made to be counted: that takes seconds."""

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
    from loligo.cases.case_file import find, read
    from loligo.cases.core.record import BadInput
    from loligo.cases.dataset.io import load_variables
    from loligo.hpc.cost import cost, sensible_ranks
    from loligo.meshes.build import MOST, REFINEMENT, case_mesh

    file = find(case)
    study = read(file)
    growth = REFINEMENT**3
    unknowns = case_mesh(study, 0, file.parent)[1].unknowns
    counted = min(level, max(0, math.floor(math.log(COUNTED / unknowns, growth))))
    if counted:
        unknowns = case_mesh(study, counted, file.parent)[1].unknowns
    unknowns = round(unknowns * growth ** (level - counted))
    if unknowns > MOST:
        raise BadInput(
            f"{study.name}, level {level}: about {unknowns:.1e} unknowns; meshes of more than "
            f"{MOST:.0e} are refused, take a lower level"
        )
    found = cost(unknowns, ranks or sensible_ranks(unknowns), study.mesh.element)
    states = max((len(values) for _, values, _ in load_variables(study).values()), default=1)
    if as_json:
        facts = {
            "unknowns": unknowns,
            "counted_level": counted,
            "solver": found.solver,
            "ranks": found.ranks,
            "gigabytes": found.gigabytes,
            "seconds_a_state": found.seconds,
            "states": states,
            "spread": found.spread,
            "measured": found.measured,
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    many = f"{found.ranks} rank{'s' if found.ranks > 1 else ''}"
    told = f"{unknowns} unknowns"
    if counted < level:
        told = f"about {float(f'{unknowns:.2g}'):.0f} unknowns, from those of level {counted}"
    typer.echo(f"{study.name}, level {level}: {told}, solver {found.solver}, {many}")
    typer.echo(f"memory: about {found.gigabytes:.1f} GB on all ranks")
    typer.echo(
        f"time: about {_words(found.seconds)} a state and {_words(states * found.seconds)} for "
        f"{states} reported steps; bodies that were measured took up to {found.spread:.1f} times "
        "as long, or were as much faster"
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
