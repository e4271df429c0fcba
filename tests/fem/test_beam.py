"""The beam of Dubied et al.: one modulus from its own weight, the hanging masses held out."""

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case_file import load
from loligo.fem.core.domain import distribute
from loligo.fem.from_case import set_up
from loligo.fem.march.static import march
from loligo.fem.observe.observer import Observer
from loligo.meshes.build import build_mesh
from loligo.validation.compare.bars import stated_bar
from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.data.quantities import mean_way
from loligo.validation.data.shipped import measured
from loligo.validation.fitting.coefficients.held_out import softened


def ways(factor: float, steps: int, data: xr.Dataset) -> np.ndarray:
    """Mean ways (m) of the markers at the first steps, with the modulus times a factor."""
    case = softened(load("eth_beam"), factor)
    mesh = build_mesh(case.body, 0, element="hexahedron", size=0.0075)
    setup = set_up(case, distribute(mesh, MPI.COMM_SELF))
    observer = Observer(setup.problem, case)
    states = march(setup.problem, setup.targets[:steps])
    places = [observer.observe(r)["marker_position"] for r in states if r.target is not None]
    rest = ("marker", "axis"), observer.at_rest()["marker_rest"]
    found = xr.Dataset({"marker_position": (("step", "marker", "axis"), places)})
    return mean_way(found.assign(marker_rest=rest), data.isel(step=slice(steps)))


@pytest.mark.slow
def test_a_modulus_from_the_own_weight_tells_the_loads_that_were_held_out() -> None:
    data = xr.open_dataset(measured()["eth_beam"])
    wanted = mean_way(data, data)
    first = ways(1.0, 1, data)[0]
    factor = first / wanted[0]  # the way is nearly as one over the modulus
    found = ways(factor, 3, data)
    assert found[0] == pytest.approx(wanted[0], rel=5e-3)
    assert 0.98 < factor < 283.0 / 263.8 + 0.02  # what the authors have, and no more
    half = stated_bar(BY_NAME["marker_way"], data).half_width
    assert np.all(np.abs(found - wanted) < half)
    assert np.all(half < 0.15 * wanted)
