"""What every test of the finite elements shares."""

import gc
from collections.abc import Iterator

from mpi4py import MPI

import pytest

from loligo.cases.elastomer import Elastomer, Gent, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh

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
