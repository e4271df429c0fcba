"""Meshes for other programs."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np

FORMATS = ("vtu", "xdmf")
_CELLS = ("tetra10", "hexahedron27")


def export_mesh(mesh: Path, form: str) -> Path:
    """Write the .msh of :func:`~loligo.meshes.build.make_mesh` in another format beside it.

    Elements carry their physical tag as ``group``; the report beside the mesh has the names. A
    .vtu has cells and facets; an .xdmf has cells alone, since few readers know mixed second-order
    grids. Returns the new file.
    """
    if form not in FORMATS:
        raise ValueError(f'format "{form}" is not known; there are {", ".join(FORMATS)}')
    known = meshio.read(mesh)
    tags = known.cell_data_dict["gmsh:physical"]
    kinds = [kind for kind in known.cells_dict if form == "vtu" or kind in _CELLS]
    target = mesh.with_suffix(f".{form}")
    meshio.Mesh(
        known.points,
        [(kind, known.cells_dict[kind]) for kind in kinds],
        cell_data={"group": [np.asarray(tags[kind], dtype=np.int64) for kind in kinds]},
    ).write(target)
    return target
