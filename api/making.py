"""A case meshed: the mesh checked, and written with its report, a page and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loligo.cases import outputs
from loligo.cases.core.record import BadInput
from loligo.given import AnyCase, given
from loligo.meshes.build import make_mesh, mesh_files
from loligo.meshes.export import FORMATS, export_mesh
from loligo.meshes.report import MeshReport


def mesh(
    case: AnyCase,
    folder: str | Path = ".",
    *,
    level: int = 0,
    export: Sequence[str] = (),
    picture: bool = True,
    force: bool = False,
) -> MeshReport:
    """Mesh a case, check the mesh, and write it as CASE_levelN.msh with a report beside it.

    Args:
        case: a case, its name or its file.
        folder: to write to.
        level: sizes are those of 0 over 1.4^level.
        export: also as "xdmf" or "vtu".
        picture: whether to draw it.
        force: replace files of another kind or another case, too.

    Raises:
        BadInput: with everything that is wrong with a mesh that does not pass.
    """
    what, place = given(case), outputs.check_folder(Path(folder))
    if unknown := [name for name in export if name not in FORMATS]:
        raise BadInput(f"--export {unknown[0]}: known are {', '.join(FORMATS)}")
    study = what.case
    files = mesh_files(place, study.name, level)
    report_kind = outputs.record("a mesh's report", ("unknowns", "hash"), case=study.name)
    kinds = {
        files.mesh: outputs.MESH,
        files.report: report_kind,
        files.page: outputs.PAGE,
        files.picture: outputs.PICTURE,
        **{files.mesh.with_suffix(f".{name}"): outputs.exported(name) for name in export},
    }
    for one, kind in kinds.items():
        outputs.check(one, kind, what.inputs, force=force)
    report = make_mesh(
        study.name,
        study.body,
        level,
        place,
        element=study.mesh.element,
        size=study.mesh.size,
        case_folder=what.folder,
        picture=picture,
    )
    for name in export:
        export_mesh(files.mesh, name)
    return report
