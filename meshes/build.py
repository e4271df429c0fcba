"""From a body to a checked mesh with its report, page and picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core import atomic as files
from loligo.meshes import arms, bar, mantle
from loligo.meshes.bodies import AnyBody
from loligo.meshes.check import check
from loligo.meshes.finding import Finding, MeshError
from loligo.meshes.mesh import ELEMENTS, TETRAHEDRON, Element, Mesh, unknowns
from loligo.meshes.page import draw, write_page
from loligo.meshes.report import MeshReport, describe
from loligo.meshes.session import write_msh
from loligo.meshes.solid import build_solid, read_solid

REFINEMENT = 1.4
"""Ratio of element sizes between a level and the next."""
BUDGET, ARM_BUDGET = 25_000, 65_000
"""Unknowns that level 0 should have for a soft length or a mantle, and for a whole arm at most."""

TRIALS = 5
"""Trial meshes to meet the budget to 10 %."""


MOST = 5e7
"""Unknowns beyond which a mesh is not even tried."""


@dataclass(frozen=True)
class MeshFiles:
    """Where a mesh and what belongs to it lies; ``picture`` may not exist."""

    mesh: Path
    report: Path
    page: Path
    picture: Path


def mesh_files(folder: Path, case_name: str, level: int) -> MeshFiles:
    """Return the paths of the mesh of a case at a level, whether they exist or not."""
    stem = f"{case_name}_level{level}"
    return MeshFiles(*(folder / f"{stem}{end}" for end in (".msh", ".json", ".html", ".png")))


def make_mesh(
    case_name: str,
    body: AnyBody,
    level: int,
    folder: Path,
    *,
    element: str = "tetrahedron",
    size: float | None = None,
    case_folder: Path | None = None,
    picture: bool = True,
) -> MeshReport:
    """Mesh a body, check the mesh, and write it to the folder with report, page and picture.

    Sizes at level n are those of level 0 divided by 1.4^n.

    Args:
        case_name: Name of the case, from which the files' names are made.
        body: The body.
        level: Mesh level, 0 or more; a mesh from a file has level 0 alone.
        folder: Where to write; see :func:`mesh_files`.
        element: "tetrahedron" or "hexahedron".
        size: Element size at level 0 (m): of an arm on its outer surface at the base, of a mantle
            around it. By default the one that spends the budget of level 0.
        case_folder: Where a solid's file lies.
        picture: Whether to draw the mesh, which takes a few seconds.

    Raises:
        MeshError: The body cannot be meshed as asked, or the mesh is refused; with all findings.
    """
    mesh, report = checked_mesh(
        case_name, body, level, element=element, size=size, case_folder=case_folder
    )
    folder.mkdir(parents=True, exist_ok=True)
    made = mesh_files(folder, case_name, level)
    write_msh(mesh, made.mesh)
    files.replace(made.report, report.to_json())
    trouble = draw(made.mesh, made.picture) if picture else "no picture was asked for"
    write_page(report, made.page, made.picture, trouble)
    return report


def checked_mesh(
    case_name: str,
    body: AnyBody,
    level: int,
    *,
    element: str = "tetrahedron",
    size: float | None = None,
    case_folder: Path | None = None,
) -> tuple[Mesh, MeshReport]:
    """Return a mesh that has passed the gate, and what is to be known about it.

    Raises as :func:`make_mesh`, whose arguments these are.
    """
    own = default_size(body, element)
    if size is None:
        size = own
    elif own is not None and not isinstance(body, Solid):
        _affordable(case_name, size, own, level)
    mesh = build_mesh(body, level, element=element, size=size, case_folder=case_folder)
    findings = check(mesh, body)
    if any(finding.severity == "error" for finding in findings):
        raise MeshError(case_name, [f for f in findings if f.severity == "error"])
    return mesh, describe(mesh, body, findings, case=case_name, level=level, size=size)


def case_mesh(case: Case, level: int, case_folder: Path | None) -> tuple[Mesh, MeshReport]:
    """Return the checked mesh of a case as it chooses its elements, as :func:`checked_mesh`."""
    return checked_mesh(
        case.name,
        case.body,
        level,
        element=case.mesh.element,
        size=case.mesh.size,
        case_folder=case_folder,
    )


def build_mesh(
    body: AnyBody,
    level: int,
    *,
    element: str = "tetrahedron",
    size: float | None = None,
    case_folder: Path | None = None,
) -> Mesh:
    """Return the mesh of a body at a level, unchecked; see :func:`make_mesh`."""
    if level < 0:
        raise MeshError(body.kind, [Finding(f"level {level} is below 0, the coarsest")])
    if size is None:
        size = default_size(body, element)
    refinement = REFINEMENT**level
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            assert size is not None
            if isinstance(body, Bar):
                return bar.build_bar(body, _element(body, element), size, refinement)
            return arms.build_arm(body, _element(body, element), size, refinement)
        case Mantle():
            assert size is not None
            return mantle.build_mantle(body, _element(body, element), size, refinement)
        case Solid(mesh=None):
            _element(body, element)
            assert size is not None
            return build_solid(body, case_folder or Path(), size, refinement)
        case Solid():
            if level > 0:
                raise MeshError(
                    body.kind,
                    [Finding("a mesh from a file has level 0 alone; a STEP file can be refined")],
                )
            return read_solid(body, case_folder or Path())
        case unknown:
            assert_never(unknown)


def _affordable(case_name: str, size: float, own: float, level: int) -> None:
    """Refuse a size that would keep the machine busy for hours, or until it has no memory left."""
    number = ARM_BUDGET * (own * REFINEMENT**level / size) ** 3
    if number > MOST:
        raise MeshError(
            case_name,
            [
                Finding(
                    f"elements of {1e3 * size:.4g} mm at level {level} would make about "
                    f"{number:.0e} unknowns, more than {MOST:.0e}: take larger ones (by itself "
                    f"this body takes {1e3 * own:.4g} mm) or a lower level"
                )
            ],
        )


def default_size(body: AnyBody, element: str = "tetrahedron") -> float | None:
    """Return the element size (m) with which level 0 spends its budget of unknowns.

    Trial meshes are counted and scaled. A STEP file states its size, a mesh from a file has none.
    """
    match body:
        case Solid():
            return body.size
        case Mantle():
            size, budget = mantle.nominal_size(body), BUDGET
        case Bar():
            size, budget = bar.nominal_size(body), BUDGET
        case TaperedArm():
            size, budget = arms.nominal_size(body), min(BUDGET, ARM_BUDGET)
        case ChamberedArm():
            size = arms.nominal_size(body)
            budget = min(len(body.segments) * BUDGET, ARM_BUDGET)
        case unknown:
            assert_never(unknown)
    excess = {}
    for _ in range(TRIALS):
        trial = build_mesh(body, 0, element=element, size=size)
        if len(trial.cells) == 0:
            raise MeshError(body.kind, [Finding("the body is too thin somewhere to be meshed")])
        excess[size] = abs(math.log(unknowns(trial) / budget))
        if excess[size] < 0.1:
            break
        size *= math.cbrt(unknowns(trial) / budget)
    return min(excess, key=lambda size: excess[size])


def _element(body: AnyBody, name: str) -> Element:
    if name not in ELEMENTS:
        raise MeshError(
            body.kind, [Finding(f'element "{name}" is not known; there are {", ".join(ELEMENTS)}')]
        )
    if ELEMENTS[name] is not TETRAHEDRON and isinstance(body, Solid):
        raise MeshError(body.kind, [Finding("a STEP file can be meshed with tetrahedra alone")])
    return ELEMENTS[name]
