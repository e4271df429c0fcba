"""Meshes as XDMF over HDF5, which the ranks of a large run read in parallel.

``<stem>.h5`` has the arrays and, as attributes, the names of the groups and the mesh's report;
``<stem>.xdmf`` says what they are, in three grids of which the first is the mesh. It is written
last: where it is, the mesh is whole; it has the check sum of the arrays. Nodes keep their numbers.
ParaView reads the files, too.
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import gmsh
import h5py  # type: ignore[import-untyped]
import numpy as np

from loligo.cases.case import Case
from loligo.cases.core.atomic import leftovers, replace
from loligo.cases.core.record import BadInput
from loligo.meshes.mesh import Mesh
from loligo.meshes.report import MeshReport

# VTK's order of nodes by that of Gmsh.
# fmt: off
_VTK_ORDER = {
    "tetrahedron": (*range(8), 9, 8),
    "hexahedron": (
        *range(9), 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26,
    ),
}
# fmt: on
_TOPOLOGIES = {
    "tetrahedron": ("Tetrahedron_10", "Triangle_6"),
    "hexahedron": ("Hexahedron_27", "Quadrilateral_9"),
}
MESH, CELLS, FACETS = "mesh", "cell_groups", "facet_groups"
"""Names of the three grids."""
_GRID = """\
    <Grid Name="{name}" GridType="Uniform">
      <Topology TopologyType="{kind}" NumberOfElements="{count}" NodesPerElement="{nodes}">
        <DataItem Dimensions="{count} {nodes}" NumberType="Int" Precision="8" Format="HDF">\
{file}:/{of}</DataItem>
      </Topology>
{geometry}{groups}    </Grid>
"""
_GEOMETRY = """\
      <Geometry GeometryType="XYZ">
        <DataItem Dimensions="{count} 3" NumberType="Float" Precision="8" Format="HDF">\
{file}:/points</DataItem>
      </Geometry>
"""
_SAME_GEOMETRY = """\
      <xi:include xpointer="xpointer(/Xdmf/Domain/Grid/Geometry)"/>
"""
_GROUPS = """\
      <Attribute Name="{name}" AttributeType="Scalar" Center="Cell">
        <DataItem Dimensions="{count} 1" NumberType="Int" Precision="4" Format="HDF">\
{file}:/{name}</DataItem>
      </Attribute>
"""
_DOCUMENT = """\
<?xml version="1.0"?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<!-- {check} -->
<Xdmf Version="3.0" xmlns:xi="https://www.w3.org/2001/XInclude">
  <Domain>
{grids}  </Domain>
</Xdmf>
"""


@dataclass(frozen=True)
class About:
    """What the arrays do not say: the numbers of the groups by name, and the report as JSON."""

    cell_groups: Mapping[str, int]
    facet_groups: Mapping[str, int]
    report: str


def mesh_file(folder: Path, case: Case, level: int, case_folder: Path | None) -> Path:
    """Return where the mesh of a case lies: its name tells everything that the mesh depends on.

    That is the body, with the files that it names, sizes and level, and the code that meshes.
    """
    body = case.body.model_dump(mode="json")
    digest = hashlib.sha256(json.dumps([body, case.mesh.model_dump(mode="json"), level]).encode())
    for name in ("mesh", "step"):
        if named := body.get(name):
            digest.update(((case_folder or Path()) / named).read_bytes())
    digest.update(gmsh.__version__.encode())
    for source in sorted(resources.files("loligo.meshes").iterdir(), key=lambda file: file.name):
        if source.name.endswith(".py"):
            digest.update(source.read_bytes())
    return folder / f"{digest.hexdigest()[:16]}.xdmf"


def write_xdmf(mesh: Mesh, report: MeshReport, file: Path) -> None:
    """Write a mesh with its groups, aside and then renamed; what is in no group is left out.

    The file is made in memory first, as data sets are: HDF5 crashes where it cannot write.
    """
    order = np.array(_VTK_ORDER[mesh.element.name])
    grouped = mesh.cell_tags > 0, mesh.facet_tags > 0
    cells, facets = mesh.cells[grouped[0]][:, order], mesh.facets[grouped[1]]
    memory = io.BytesIO()
    with h5py.File(memory, "w") as made:
        made["points"], made["cells"], made["facets"] = mesh.points, cells, facets
        made[CELLS] = mesh.cell_tags[grouped[0]].astype(np.int32)[:, None]
        made[FACETS] = mesh.facet_tags[grouped[1]].astype(np.int32)[:, None]
        made.attrs[CELLS], made.attrs[FACETS] = (
            json.dumps({name: tag for tag, name in enumerate(names, 1)})
            for names in (mesh.cell_names, mesh.facet_names)
        )
        made.attrs["report"] = report.to_json()
    file.parent.mkdir(parents=True, exist_ok=True)
    arrays = file.with_suffix(".h5")
    replace(arrays, memory.getvalue())
    kinds = _TOPOLOGIES[mesh.element.name]
    geometry = _GEOMETRY.format(count=len(mesh.points), file=arrays.name)

    def grid(name: str, kind: str, of: str, shape: tuple[int, ...], geometry: str) -> str:
        facts = {"name": name, "count": shape[0], "file": arrays.name}
        groups = "" if name == MESH else _GROUPS.format(**facts)
        return _GRID.format(
            **facts, kind=kind, nodes=shape[1], of=of, geometry=geometry, groups=groups
        )

    grids = [
        grid(MESH, kinds[0], "cells", cells.shape, geometry),
        grid(CELLS, kinds[0], "cells", cells.shape, _SAME_GEOMETRY),
        grid(FACETS, kinds[1], "facets", facets.shape, _SAME_GEOMETRY),
    ]
    replace(file, _DOCUMENT.format(grids="".join(grids), check=_check(memory.getbuffer())))


def _check(content: memoryview | mmap.mmap) -> str:
    return f"SHA-256 of the arrays: {hashlib.sha256(content).hexdigest()}"


def remove_meshes(folder: Path) -> None:
    """Remove the meshes of a folder by the names that :func:`mesh_file` gives, and it if empty.

    What somebody else laid there stays, and the folder with it.
    """
    name = 16 * "[0-9a-f]"
    files = [
        *folder.glob(f"{name}.xdmf"),
        *folder.glob(f"{name}.h5"),
        *leftovers(folder, f"{name}.*"),
    ]
    for file in files:
        file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def read_about(file: Path) -> About:
    """Return what is beside the arrays of a mesh; BadInput if they cannot be read."""
    arrays = file.with_suffix(".h5")
    try:
        with arrays.open("rb") as stream:  # before HDF5, which damage can make end the process
            if (
                _check(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
                not in file.read_text()
            ):
                raise ValueError("its check sum is another")
        with h5py.File(arrays, "r") as found:
            cells, facets = (json.loads(str(found.attrs[name])) for name in (CELLS, FACETS))
            return About(cells, facets, str(found.attrs["report"]))
    except (OSError, KeyError, ValueError) as error:
        raise BadInput(f"{arrays}: is damaged ({error}); delete it and {file.name}") from None
