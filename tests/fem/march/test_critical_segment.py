"""A soft segment without thread whose wall bulges: pressure, supply and arc length see one limit.

The bulge moves towards one end, a bifurcation that clamped and free plates make imperfect. The
symmetric states go on beyond a gap, up to another limit point at a pressure 3 per cent higher.
"""

from collections.abc import Sequence
from typing import Any

from mpi4py import MPI

import pytest

from loligo.cases.case import Case
from loligo.fem.core.domain import distribute
from loligo.fem.from_case import Setup, set_up
from loligo.fem.march.arclength import follow
from loligo.fem.march.standing import MarchStopped
from loligo.fem.march.static import march
from loligo.meshes.build import build_mesh

ALIKE = 1e-4
SEGMENT: dict[str, Any] = {
    "name": "segment",
    "title": "t",
    "source": "s",
    "body": {
        "kind": "chambered_arm",
        "radius": 0.017,
        "plates": [0.005, 0.005],
        "segments": [
            {"length": 0.1, "chambers": 3, "chamber_radius": 0.005, "chamber_offset": 0.0095}
        ],
    },
    "material": {"body": {"energy": "neo_hooke", "mu": 25e3, "density": 1070.0}},
    "mesh": {"element": "hexahedron"},
    "steps": (1.0,),
}


def _segment(load: dict[str, Any]) -> Setup:
    case = Case.model_validate({**SEGMENT, "load": {"supply": {"cavities": ["s1c1"], **load}}})
    mesh = build_mesh(case.body, 0, element="hexahedron") if MPI.COMM_WORLD.rank == 0 else None
    return set_up(case, distribute(mesh, MPI.COMM_WORLD))


def _by_march(steps: Sequence[float]) -> float:
    setup = _segment({"kind": "pressure", "pressure": 20e3})
    with pytest.raises(MarchStopped, match="limit point lies near s1c1 = ") as stop:
        for state in march(setup.problem, [{"s1c1": 20e3 * share} for share in steps]):
            assert state.stable
    assert stop.value.limit is not None
    return stop.value.limit["s1c1"]


def _by_arc_length(steps: Sequence[float]) -> float:
    setup = _segment({"kind": "pressure", "pressure": 20e3})
    for state in follow(setup.problem, [{"s1c1": 20e3 * share} for share in steps]):
        if state.limit:
            return state.limit["s1c1"]
        assert state.stable
        assert not state.bifurcation
    raise AssertionError("there is no limit point")


@pytest.mark.slow
def test_pressure_and_arc_length_find_the_same_limit_pressure() -> None:
    found = [
        *(_by_march(steps) for steps in ([0.25, 0.5, 0.75, 1.0], [1.0])),
        *(_by_arc_length(steps) for steps in ([0.5, 0.54, 0.56, 0.575, 0.58], [1.0])),
    ]
    assert max(found) / min(found) - 1 < ALIKE


@pytest.mark.slow
def test_a_supply_passes_the_limit_pressure_and_ends_where_the_volume_turns() -> None:
    setup = _segment({"kind": "supply", "volume": 20e-6})
    rest, pressures = setup.problem.cavity_volume("s1c1"), []
    targets = [{"s1c1": rest + share * 1e-6} for share in (10.0, 16.0, 16.9, 20.0)]
    with pytest.raises(MarchStopped, match="limit point lies near s1c1 = ") as stop:
        for state in march(setup.problem, targets, volume_controlled=("s1c1",)):
            assert state.stable
            pressures.append(state.pressures["s1c1"])
    assert stop.value.limit is not None
    top = _by_arc_length([0.5, 0.58])
    assert max(pressures) < top * (1 + ALIKE)
    assert max(pressures) == pytest.approx(top, rel=1e-2)
    assert rest + 16.9e-6 < stop.value.limit["s1c1"] < rest + 17.1e-6
