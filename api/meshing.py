"""Meshes: of a case, checked and written; of a study; and what a solution on one will take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loligo.cases import outputs
from loligo.cases.case_file import read
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import load_variables
from loligo.given import AnyCase, given
from loligo.hpc.cost import cost, sensible_ranks
from loligo.hpc.items import ItemFolder, meshes_of, state
from loligo.meshes.build import MOST, REFINEMENT, case_mesh, make_mesh, mesh_files
from loligo.meshes.export import FORMATS, export_mesh
from loligo.meshes.report import MeshReport
from loligo.meshes.xdmf import mesh_file, write_xdmf

COUNTED = 6e5
"""Unknowns of meshes that are made to be counted: that takes seconds."""


@dataclass(frozen=True)
class Plan:
    """Memory and time of a 3D solution, by a model that was fitted to measurements."""

    unknowns: int
    counted_level: int
    """The finest level that was meshed; above it the unknowns are those times 1.4^3 a level."""
    solver: str
    ranks: int
    gigabytes: float
    """Memory on all ranks."""
    seconds_a_state: float
    states: int
    """Reported ones; a motion or a step that is cut takes more."""
    spread: float
    """Bodies that were measured took up to so many times as long, or were as much faster."""
    measured: bool
    """Whether so many unknowns and ranks were measured; else it is an estimate."""

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


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


def plan(case: AnyCase, *, level: int = 0, ranks: int | None = None) -> Plan:
    """Return how many unknowns a case has at a level, and what memory and time they take.

    Meshes of up to about 600 000 unknowns are made to be counted.

    Args:
        case: a case, its name or its file.
        level: of the mesh.
        ranks: of MPI; by default a sensible number.

    Raises:
        BadInput: if the mesh would be too large to be made.
    """
    what = given(case)
    study, growth = what.case, REFINEMENT**3
    unknowns = case_mesh(study, 0, what.folder)[1].unknowns
    counted = min(level, max(0, math.floor(math.log(COUNTED / unknowns, growth))))
    if counted:
        unknowns = case_mesh(study, counted, what.folder)[1].unknowns
    unknowns = round(unknowns * growth ** (level - counted))
    if unknowns > MOST:
        raise BadInput(
            f"{study.name}, level {level}: about {unknowns:.1e} unknowns; meshes of more than "
            f"{MOST:.0e} are refused, take a lower level"
        )
    found = cost(unknowns, ranks or sensible_ranks(unknowns), study.mesh.element)
    return Plan(
        unknowns=unknowns,
        counted_level=counted,
        solver=found.solver,
        ranks=found.ranks,
        gigabytes=found.gigabytes,
        seconds_a_state=found.seconds,
        states=max((len(values) for _, values, _ in load_variables(study).values()), default=1),
        spread=found.spread,
        measured=found.measured,
    )


def make_meshes(root: Path, places: list[ItemFolder]) -> Iterator[tuple[Path, str]]:
    """Make the meshes of the items that wait; yield each file, and why there is none if so.

    What cannot be meshed is left to its items, which fail with the same words.
    """
    tried: set[Path] = set()
    for place in places:
        verb, *options = place.asked.command
        if verb != "solve" or state(place) not in ("waiting", "lost"):
            continue
        case = read(place.case)
        for level in map(int, options[1].split(",")):  # of --level or --levels
            file = mesh_file(meshes_of(root), case, level, place.folder)
            if file in tried or file.exists():
                continue
            tried.add(file)
            try:
                write_xdmf(*case_mesh(case, level, place.folder), file)
                yield file, ""
            except BadInput as error:
                yield file, str(error)
