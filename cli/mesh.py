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

    from loligo.cases import outputs
    from loligo.cases.case_file import find, inputs, read
    from loligo.cases.core.record import BadInput
    from loligo.meshes.build import make_mesh, mesh_files
    from loligo.meshes.export import FORMATS, export_mesh

    wanted = export or []
    if unknown := [name for name in wanted if name not in FORMATS]:
        raise BadInput(f"--export {unknown[0]}: known are {', '.join(FORMATS)}")
    file = find(case)
    study = read(file)
    outputs.check_folder(folder)
    files = mesh_files(folder, study.name, level)
    report_kind = outputs.record("a mesh's report", ("unknowns", "hash"), case=study.name)
    kinds = {
        files.mesh: outputs.MESH,
        files.report: report_kind,
        files.page: outputs.PAGE,
        files.picture: outputs.PICTURE,
        **{files.mesh.with_suffix(f".{name}"): outputs.exported(name) for name in wanted},
    }
    for one, kind in kinds.items():
        outputs.check(one, kind, inputs(study, file), force=force)
    console = Console(stderr=True)
    with console.status(f"meshing {study.name}, level {level}"):
        report = make_mesh(
            study.name,
            study.body,
            level,
            folder,
            element=study.mesh.element,
            size=study.mesh.size,
            case_folder=file.parent,
            picture=picture,
        )
        exported = [export_mesh(files.mesh, name) for name in wanted]
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
