"""Gmsh in one place: a session with fixed options, and .msh files to and from arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gmsh
import numpy as np

from loligo.cases.core.atomic import aside
from loligo.meshes.finding import Finding, MeshError
from loligo.meshes.mesh import ELEMENTS, Index, Mesh

# One thread and one seed, so that equal input gives equal meshes.
_OPTIONS = {
    "General.NumThreads": 1,
    "Mesh.MaxNumThreads1D": 1,
    "Mesh.MaxNumThreads2D": 1,
    "Mesh.MaxNumThreads3D": 1,
    "Mesh.RandomSeed": 1,
    "Mesh.Algorithm": 6,  # Frontal-Delaunay
    "Mesh.Algorithm3D": 1,  # Delaunay
    "Mesh.Optimize": 1,
    "Mesh.MeshSizeFromCurvature": 0,
    "Mesh.MeshSizeFromPoints": 0,
    "Mesh.MeshSizeExtendFromBoundary": 1,
    "Mesh.Binary": 1,
    "Mesh.MshFileVersion": 4.1,
    "Mesh.SaveAll": 0,
}


@contextmanager
def session(*, verbose: bool = False) -> Iterator[None]:
    """Run Gmsh with an empty model, fixed options and no configuration; silent unless asked."""
    gmsh.initialize(readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", int(verbose))
        for name, value in _OPTIONS.items():
            gmsh.option.setNumber(name, value)
        gmsh.model.add("body")
        yield
    finally:
        gmsh.finalize()


@contextmanager
def model_of(mesh: Mesh) -> Iterator[Any]:
    """Hold a mesh as Gmsh's model, with its groups as physical groups."""
    with session():
        node_tags = np.arange(1, len(mesh.points) + 1)
        first = 1
        for dim, cells, tags, names, kind in (
            (3, mesh.cells, mesh.cell_tags, mesh.cell_names, mesh.element.cell_type),
            (2, mesh.facets, mesh.facet_tags, mesh.facet_names, mesh.element.facet_type),
        ):
            for tag, name in enumerate(names, 1):
                gmsh.model.addDiscreteEntity(dim, tag)
                if dim == 3 and tag == 1:
                    gmsh.model.mesh.addNodes(dim, tag, node_tags, mesh.points.ravel())
                members = cells[tags == tag] + 1
                numbers = np.arange(first, first + len(members))
                gmsh.model.mesh.addElementsByType(tag, kind, numbers, members.ravel())
                gmsh.model.addPhysicalGroup(dim, [tag], tag, name)
                first += len(members)
        yield gmsh.model


def write_msh(mesh: Mesh, path: Path) -> None:
    """Write a mesh as Gmsh 4.1 with its groups as physical groups, aside and then renamed."""
    with aside(path) as beside:
        with model_of(mesh):
            gmsh.write(str(beside))
        # Gmsh does not say when the disk is full.
        with beside.open("rb") as written:
            written.seek(-min(beside.stat().st_size, 20), 2)
            complete = written.read().rstrip().endswith(b"$EndElements")
        if not complete:
            trouble = f"the file {path} could not be written whole: is the disk full?"
            raise MeshError(path.name, [Finding(trouble)])


def read_msh(path: Path, scale: float = 1.0) -> Mesh:
    """Return the mesh in a file, with all lengths multiplied by ``scale`` (m per file unit).

    Raises:
        MeshError: It is no Gmsh mesh. Gmsh would run any other file as a script.
    """
    with path.open("rb") as file:
        is_mesh = file.read(11) == b"$MeshFormat" and path.suffix == ".msh"
    if not is_mesh:
        raise MeshError(
            path.name, [Finding("it is not a Gmsh mesh: a .msh file begins with $MeshFormat")]
        )
    with session():
        gmsh.option.setNumber("General.Verbosity", 1)
        try:
            _open_alone(path)
            return extract(scale)
        except Exception as error:  # Gmsh raises nothing more specific
            raise MeshError(path.name, [Finding(f"Gmsh cannot read it: {error}")]) from None


def _open_alone(path: Path) -> None:
    """Open a file under a name of its own: Gmsh runs NAME.opt beside it as a script, unasked."""
    with TemporaryDirectory(prefix="loligo_") as folder:
        alone = Path(folder) / path.name
        alone.symlink_to(path.resolve())
        gmsh.open(str(alone))


def extract(scale: float = 1.0) -> Mesh:
    """Return the mesh of the current Gmsh model, whatever is wrong with it.

    The cells are of the second-order type that is most frequent; elements of other types are
    counted.
    """
    census = {
        dim: {
            int(kind): len(gmsh.model.mesh.getElementsByType(kind)[0])
            for kind in gmsh.model.mesh.getElementTypes(dim)
        }
        for dim in (2, 3)
    }
    element = max(ELEMENTS.values(), key=lambda e: census[3].get(e.cell_type, 0))
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    order = np.argsort(tags)
    number = np.zeros(int(tags.max(initial=0)) + 1, dtype=np.int64)
    number[tags[order]] = np.arange(len(tags))
    cells, cell_tags, cell_names = _groups(3, element.cell_type, number)
    facets, facet_tags, facet_names = _groups(2, element.facet_type, number)
    foreign = {
        gmsh.model.mesh.getElementProperties(kind)[0]: count
        for dim, known in ((3, element.cell_type), (2, element.facet_type))
        for kind, count in census[dim].items()
        if kind != known
    }
    points = coordinates.reshape(-1, 3)[order] * scale
    # Nodes that no element uses, such as centres of circles, would count as unknowns.
    used, cells_and_facets = np.unique(np.r_[cells.ravel(), facets.ravel()], return_inverse=True)
    cells = cells_and_facets[: cells.size].reshape(cells.shape)
    facets = cells_and_facets[cells_and_facets.size - facets.size :].reshape(facets.shape)
    return Mesh(
        element,
        points[used],
        cells,
        cell_tags,
        cell_names,
        facets,
        facet_tags,
        facet_names,
        foreign,
    )


def _groups(dim: int, kind: int, number: Index) -> tuple[Index, Index, tuple[str, ...]]:
    """Elements of one type with the number of their physical group, ungrouped ones with 0."""
    named = {
        gmsh.model.getPhysicalName(dim, tag) or f"unnamed_{tag}": tag
        for _, tag in gmsh.model.getPhysicalGroups(dim)
    }
    names = tuple(sorted(named))
    _, _, _, nodes_per_element, _, _ = gmsh.model.mesh.getElementProperties(kind)
    cells, tags = [], []
    for _, entity in gmsh.model.getEntities(dim):
        groups = [i for i, name in enumerate(names, 1) if entity in _entities(dim, named[name])]
        _, nodes = gmsh.model.mesh.getElementsByType(kind, entity)
        members = number[nodes.astype(np.int64)].reshape(-1, nodes_per_element)
        for group in groups or [0]:
            cells.append(members)
            tags.append(np.full(len(members), group))
    if not cells:
        return np.empty((0, nodes_per_element), dtype=np.int64), np.empty(0, dtype=np.int64), names
    return np.concatenate(cells), np.concatenate(tags).astype(np.int64), names


def _entities(dim: int, group: int) -> set[int]:
    return {int(tag) for tag in gmsh.model.getEntitiesForPhysicalGroup(dim, group)}
