"""Arms in hexahedra give what they give in tetrahedra, and keep the symmetry of their loads."""

from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.dataset import io as dataset
from loligo.fem.run import Run

RUBBER = {"body": {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}}
CYLINDER = {
    "body": {
        "kind": "tapered_arm",
        "length": 0.12,
        "base_radius": 0.01,
        "tip_radius": 0.008,
        "tip_disc": 0.002,
        "stations": 4,
    },
    "load": {"push": {"kind": "tip_force", "force": (0.0, 0.02, 0.01)}},
}
JOINT = {
    "body": {
        "kind": "chambered_arm",
        "radius": 0.02,
        "plates": (0.005, 0.005),
        "stations": 3,
        "segments": [
            {
                "length": 0.06,
                "chamber_radius": 0.003,
                "chamber_offset": 0.01,
                "sleeve": {"inner_radius": 0.005, "outer_radius": 0.006},
            }
        ],
    },
    "winding": {"stiffness": 1e4},
    "load": {"supply": {"kind": "pressure", "cavities": ["s1c1"], "pressure": 2e4}},
}


def solved(given: dict[str, Any], **mesh: Any) -> xr.Dataset:
    text = {"name": "arm", "title": "t", "source": "s", "material": RUBBER, "steps": [1.0]}
    run = Run(Case.model_validate({**text, **given, "mesh": mesh}), MPI.COMM_WORLD)
    for _ in run.march():
        pass
    data = run.dataset()
    assert MPI.COMM_WORLD.rank or not [f for f in dataset.check(data) if f.verdict == "bad"]
    return data


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("given", "sizes", "close"),
    [
        pytest.param(CYLINDER, (5e-3, 5e-3), 2e-2, id="tapered arm"),
        pytest.param(JOINT, (12e-3, 8e-3), 4e-2, id="joint with sleeves"),
    ],
)
def test_both_elements_agree(given: dict[str, Any], sizes: tuple[float, float], close: float):
    hexahedra = solved(given, element="hexahedron", size=sizes[0])
    tetrahedra = solved(given, size=sizes[1])
    if MPI.COMM_WORLD.rank:
        return
    for name in ("frame", "strain", "wrench", "external_work", "stored_energy"):
        one, other = (data[name].isel(step=-1).values for data in (hexahedra, tetrahedra))
        assert np.abs(one - other).max() < close * np.abs(other).max(), name


@pytest.mark.mpi
def test_one_chamber_bends_hexahedra_in_its_plane():
    data = solved(JOINT, element="hexahedron", size=15e-3)
    if MPI.COMM_WORLD.rank == 0:
        _, sideways, down = data["frame"].isel(step=-1, station=-1).values[:3, 3]
        assert down < -1e-3
        assert abs(sideways) < 1e-9 * abs(down)
