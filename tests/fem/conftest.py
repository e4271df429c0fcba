"""What every test of the finite elements shares."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

from mpi4py import MPI

import gmsh
import numpy as np
import numpy.typing as npt
import pytest
from dolfinx.mesh import CellType, create_box

from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    OgdenTerm,
    Yeoh,
)
from loligo.fem.core.domain import Domain, from_gmsh, from_mesh
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

# The elastomers of the benchmarks F5 to F9 (Pa), incompressible unless a test says otherwise.
LAWS: dict[str, Elastomer] = {
    "neo_hooke": NeoHooke(mu=1e5, density=1000),
    "mooney_rivlin": MooneyRivlin(c10=4e4, c01=1e4, density=1000),
    "yeoh": Yeoh(c10=0.11e6, c20=0.02e6, density=1000),
    "gent": Gent(mu=1e5, limit=30.0, density=1000),
    "ogden": Ogden(
        terms=(
            OgdenTerm(mu=0.63e6, alpha=1.3),
            OgdenTerm(mu=0.0012e6, alpha=5.0),
            OgdenTerm(mu=-0.01e6, alpha=-2.0),
        ),
        density=1000,
    ),
}

Box = Callable[..., Domain]
Array = npt.NDArray[np.float64]


def make_box(
    cells: tuple[int, int, int] = (2, 2, 2),
    size: tuple[float, float, float] = (1.0, 1.0, 1.0),
    *,
    cell: CellType = CellType.tetrahedron,
    distort: float = 0.0,
    comm: MPI.Comm = MPI.COMM_WORLD,
) -> Domain:
    """A box [0, size] over the ranks, faces x0, x1, y0 ...; distort moves the inner vertices."""
    mesh = create_box(comm, [np.zeros(3), np.array(size)], list(cells), cell)
    domain = from_mesh(
        mesh,
        {
            f"{axis}{end}": lambda x, i=i, end=end: np.isclose(x[i], end * size[i])
            for i, axis in enumerate("xyz")
            for end in (0, 1)
        },
    )
    x = mesh.geometry.x
    inside = np.prod(np.sin(np.pi * x / size), axis=1)  # a smooth map keeps curved cells valid
    waves = np.stack([np.sin(5 * x @ k) for k in ((1, 2, 3), (3, -1, 2), (-2, 3, 1))], axis=1)
    x += distort * np.array(size) / cells * inside[:, None] * waves
    return domain


def _draw(paint: Callable[[Any], dict[str, list[int]]]) -> Domain:
    """Second-order mesh, over the ranks, of what is painted into gmsh's model on rank 0.

    Args:
        paint: draws into the model it is given and returns the faces by group name; all volumes
            are ``body``.
    """
    model = gmsh.model
    if MPI.COMM_WORLD.rank == 0:
        gmsh.initialize()
        gmsh.option.setNumber("General.Terminal", 0)
        groups = paint(model)
        model.addPhysicalGroup(3, [tag for _, tag in model.getEntities(3)], name="body")
        for name, faces in groups.items():
            model.addPhysicalGroup(2, faces, name=name)
        model.mesh.generate(3)
        model.mesh.setOrder(2)
    domain = from_gmsh(model, MPI.COMM_WORLD)
    if MPI.COMM_WORLD.rank == 0:
        gmsh.finalize()
    return domain


def make_octant(inner: float, outer: float, size: float) -> Domain:
    """An octant of a hollow sphere, second-order cells; faces x0, y0, z0, inner, outer."""

    def paint(model: Any) -> dict[str, list[int]]:
        ball, hole = (
            (3, model.occ.addSphere(0, 0, 0, r, angle1=0, angle3=np.pi / 2)) for r in (outer, inner)
        )
        model.occ.cut([ball], [hole])
        model.occ.synchronize()
        gmsh.option.setNumber("Mesh.MeshSizeMax", size)
        return _faces_by_position(model, inner, outer)

    return _draw(paint)


def _faces_by_position(model: Any, inner: float, outer: float) -> dict[str, list[int]]:
    """Tell the five faces of the octant apart by a point in their middle."""
    names = {}
    for dim, tag in model.getEntities(2):
        low, high = model.getParametrizationBounds(dim, tag)
        point = np.array(model.getValue(dim, tag, (np.array(low) + high) / 2))
        radius = np.linalg.norm(point)
        flat = [axis for axis, value in zip("xyz", point, strict=True) if abs(value) < 1e-9 * outer]
        if flat:
            names[f"{flat[0]}0"] = [tag]
        else:
            names["inner" if radius < (inner + outer) / 2 else "outer"] = [tag]
    return names


def make_tube(
    inner: float,
    outer: float,
    length: float,
    cells: tuple[int, int, int],
    *,
    hexahedra: bool = False,
    half: bool = False,
) -> Domain:
    """A quarter of a tube along x, second-order cells; faces x0, x1, inner, outer, y0 and z0.

    Args:
        inner: inner radius.
        outer: outer radius.
        length: from x = 0 to x = length.
        cells: divisions along the radius, around a quarter, and along x.
        hexahedra: instead of tetrahedra.
        half: two quarters, cut by the plane z0 alone.
    """

    def paint(model: Any) -> dict[str, list[int]]:
        geo = model.geo
        centre = geo.addPoint(0, 0, 0)
        rays = ((1, 0), (0, 1), (-1, 0))[: 3 if half else 2]
        low, high = ([geo.addPoint(0, r * y, r * z) for y, z in rays] for r in (inner, outer))
        cuts = [geo.addLine(*ends) for ends in zip(low, high, strict=True)]
        faces: dict[str, list[int]] = {}
        for i, (first, second) in enumerate([("z0", ""), ("", "z0")] if half else [("z0", "y0")]):
            curves = [
                cuts[i],
                geo.addCircleArc(high[i], centre, high[i + 1]),
                -cuts[i + 1],
                geo.addCircleArc(low[i + 1], centre, low[i]),
            ]
            section = geo.addPlaneSurface([geo.addCurveLoop(curves)])
            for curve, n in zip(curves, (cells[0], cells[1]) * 2, strict=True):
                geo.mesh.setTransfiniteCurve(abs(curve), n + 1)
            geo.mesh.setTransfiniteSurface(section)
            if hexahedra:
                geo.mesh.setRecombine(2, section)
            (_, end), _, *sides = geo.extrude(
                [(2, section)], length, 0, 0, [cells[2]], recombine=hexahedra
            )
            names = ("x0", "x1", first, "outer", second, "inner")
            for name, face in zip(names, (section, end, *(tag for _, tag in sides)), strict=True):
                faces.setdefault(name, []).append(face)
        geo.synchronize()
        return {name: tags for name, tags in faces.items() if name}

    return _draw(paint)


def make_cone(base: float, tip: float, length: float, size: float) -> Domain:
    """A solid cone along x from radius base to tip, second-order cells; faces x0, x1, outer."""

    def paint(model: Any) -> dict[str, list[int]]:
        if base == tip:
            model.occ.addCylinder(0, 0, 0, length, 0, 0, base)
        else:
            model.occ.addCone(0, 0, 0, length, 0, 0, base, tip)
        model.occ.synchronize()
        gmsh.option.setNumber("Mesh.MeshSizeMax", size)
        middles = {f: model.occ.getCenterOfMass(2, f)[0] / length for _, f in model.getEntities(2)}
        return {
            "x0": [face for face, x in middles.items() if x < 0.1],
            "x1": [face for face, x in middles.items() if x > 0.9],
            "outer": [face for face, x in middles.items() if 0.1 <= x <= 0.9],
        }

    return _draw(paint)


@pytest.fixture(scope="module")
def cone() -> Callable[..., Domain]:
    """The function that makes a solid cone."""
    return make_cone


@pytest.fixture
def tube() -> Callable[..., Domain]:
    """The function that makes a quarter of a tube."""
    return make_tube


@pytest.fixture
def draw() -> Callable[..., Domain]:
    """The function that meshes what a test paints into gmsh's model."""
    return _draw


@pytest.fixture
def octant() -> Callable[..., Domain]:
    """The function that makes an octant of a hollow sphere."""
    return make_octant


@pytest.fixture
def box() -> Box:
    """The function that makes a box."""
    return make_box


def closed_form_stress(elastomer: Elastomer, b: Array) -> Array:
    """Cauchy stress of an incompressible law up to a pressure, at b = F F^T: 2 W1 b - 2 W2 / b."""
    x = np.trace(b) - 3
    match elastomer:
        case NeoHooke():
            return elastomer.mu * b
        case MooneyRivlin():
            return 2 * elastomer.c10 * b - 2 * elastomer.c01 * np.linalg.inv(b)
        case Yeoh():
            c1, c2, c3 = elastomer.c10, elastomer.c20, elastomer.c30
            return 2 * (c1 + 2 * c2 * x + 3 * c3 * x**2) * b
        case Gent():
            return elastomer.mu / (1 - x / elastomer.limit) * b
        case Ogden():
            square, axes = np.linalg.eigh(b)
            principal = sum(t.mu * square ** (t.alpha / 2) for t in elastomer.terms)
            return axes @ np.diag(principal) @ axes.T


@pytest.fixture
def extra_stress() -> Callable[[Elastomer, Array], Array]:
    """The function that gives the Cauchy stress of a law up to a pressure."""
    return closed_form_stress


def set_displacement(problem: Problem, displacement: Callable[[Array], Array]) -> None:
    """Set nodal displacements as a function of reference positions (nodes, 3)."""
    fields = problem.fields
    fields.function.x.array[fields.node_unknowns] = displacement(fields.node_positions)
    fields.function.x.scatter_forward()


def external_forces(problem: Problem) -> tuple[Array, float]:
    """Wrench (moment; force) of all loads about the origin, and the sum of |nodal force|."""
    fields = problem.fields
    internal, residual = problem.assemble_residual()
    force = (internal.array_r - residual.array_r)[fields.node_unknowns]
    position = fields.node_positions + fields.function.x.array[fields.node_unknowns]
    wrench = np.concatenate([np.cross(position, force).sum(0), force.sum(0)])
    return problem.comm.allreduce(wrench), problem.comm.allreduce(np.abs(force).sum())


def measure_tangent_error(problem: Problem) -> float:
    """|K v - central difference of the residual along v| / |K v| at a mildly deformed state.

    The worse of two products: that of the matrix, and that without it.
    """
    matrix = Newton(problem).linear.matrix
    fields, h = problem.fields, 1e-6
    waves = np.array([(1, 2, 1), (2, -1, 1), (-1, 1, 2)])
    set_displacement(problem, lambda x: 0.03 * np.sin(3 * x @ waves + 1))
    problem.assemble_tangent(matrix)
    direction = matrix.createVecRight()
    direction.array_w[:] = fields.wave(problem.length, 0.3)
    products = [direction.duplicate(), direction.duplicate()]
    matrix.mult(direction, products[0])
    problem.multiply(direction, products[1])
    state = fields.function.x.array.copy()
    sides = []
    for sign in (1.0, -1.0):
        fields.function.x.array[: fields.owned] = (
            state[: fields.owned] + sign * h * direction.array_r
        )
        fields.function.x.scatter_forward()
        sides.append(problem.assemble_residual()[1].array_r.copy())
    numerical = (sides[0] - sides[1]) / (2 * h)
    errors = [np.sum((product.array_r - numerical) ** 2) for product in products]
    *errors, size = problem.comm.allreduce(np.array([*errors, np.sum(numerical**2)]))
    return float(np.sqrt(max(errors) / size))


@pytest.fixture
def tangent_error() -> Callable[[Problem], float]:
    """The function that compares the tangent with finite differences."""
    return measure_tangent_error


@pytest.fixture
def deform() -> Callable[..., None]:
    """The function that sets nodal displacements."""
    return set_displacement


@pytest.fixture
def external() -> Callable[[Problem], tuple[Array, float]]:
    """The function that gives the wrench of all loads."""
    return external_forces


@pytest.fixture(params=list(LAWS))
def elastomer(request: pytest.FixtureRequest) -> Elastomer:
    """Each law in turn."""
    return LAWS[request.param]


@pytest.fixture
def laws() -> dict[str, Elastomer]:
    """All laws by name."""
    return LAWS


@pytest.fixture(autouse=True)
def _collect_on_all_ranks() -> Iterator[None]:
    """Destructors of PETSc objects are collective: run them on all ranks at the same time."""
    yield
    gc.collect()
    MPI.COMM_WORLD.barrier()
