"""`loligo mesh`: from a case to a checked mesh with a report, a page and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loligo.cli.arguments import AnyCase, Force

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def mesh(
    case: AnyCase,
    level: Annotated[
        int,
        typer.Option("--level", "-l", min=0, max=6, help="Sizes are those of 0 over 1.4^level."),
    ] = 0,
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write to.", file_okay=False)
    ] = Path(),
    export: Annotated[
        list[str] | None,
        typer.Option("--export", help="Also write the mesh as xdmf or vtu; may be repeated."),
    ] = None,
    picture: Annotated[bool, typer.Option(help="Draw the mesh.")] = True,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Mesh a case, check the mesh, and write it with its report, a page and a picture.

    A mesh that does not pass is refused with everything that is wrong with it, code 2.

    Example: [bold]loligo mesh gong_bending_one --level 1 -o out[/]
    """
    from rich.console import Console

    from loligo import meshing
    from loligo.meshes.build import mesh_files

    with Console(stderr=True).status(f"meshing {case}, level {level}"):
        report = meshing.mesh(
            case, folder, level=level, export=export or [], picture=picture, force=force
        )
    files = mesh_files(folder, report.case, level)
    exported = [files.mesh.with_suffix(f".{name}") for name in export or []]
    if as_json:
        typer.echo(report.to_json(), nl=False)
        return
    worst = max((abs(m.error) for m in report.volumes if m.error is not None), default=None)
    typer.echo(
        f"{report.cells} {report.element} cells, {report.unknowns} unknowns, "
        f"smallest scaled Jacobian {report.quality.least:.3f} (0.001 is needed)"
        + ("" if worst is None else f", volumes exact to {worst:.1e}")
    )
    for finding in report.findings:
        typer.echo(f"{finding.severity}: {finding.text}")
    for path in (files.mesh, files.report, files.page, files.picture, *exported):
        if path.exists():
            typer.echo(path)
