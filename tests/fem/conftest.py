"""What every test of the finite elements shares."""

import gc
from collections.abc import Callable, Iterator

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.mesh import CellType, create_box

from loligo.cases.elastomer import Elastomer, Gent, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh
from loligo.fem.domain import Domain, from_mesh

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


def make_box(
    cells: tuple[int, int, int] = (2, 2, 2),
    size: tuple[float, float, float] = (1.0, 1.0, 1.0),
    *,
    cell: CellType = CellType.tetrahedron,
    distort: float = 0.0,
) -> Domain:
    """A box [0, size] on all ranks, faces x0, x1, y0 ...; distort moves the inner vertices."""
    mesh = create_box(MPI.COMM_WORLD, [np.zeros(3), np.array(size)], list(cells), cell)
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


@pytest.fixture
def box() -> Box:
    """The function that makes a box."""
    return make_box


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
