"""A run by arc length: a balloon that is inflated past its limit pressure, as a data set."""

from pathlib import Path
from typing import Any

from mpi4py import MPI

import gmsh
import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.dataset.io import check
from loligo.fem.march.standing import StepControl
from loligo.fem.run import Run
from loligo.meshes.session import session

FULL = 1.9e4
"""Pressure of the coarse balloon, 2 per cent below its limit (Pa)."""
BESIDE = 1e-6
"""Of both solutions: what Newton's tolerances leave."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a cylinder around a spherical cavity, in millimetres."""
    path = tmp_path_factory.mktemp("case")
    with session():
        occ = gmsh.model.occ
        cylinder, ball = occ.addCylinder(0, 0, 0, 34, 0, 0, 14), occ.addSphere(17, 0, 0, 9)
        occ.cut([(3, cylinder)], [(3, ball)])
        occ.synchronize()
        gmsh.write(str(path / "balloon.step"))
    return path


def balloon(steps: tuple[float, ...], **more: Any) -> Case:
    inflate = {"kind": "pressure", "cavities": ["inside"], "pressure": FULL}
    return Case.model_validate(
        {
            "name": "balloon",
            "title": "t",
            "source": "s",
            "body": {
                "kind": "solid",
                "step": "balloon.step",
                "size": 0.02,
                "surfaces": {
                    "base": [(0.0, 0.0, 0.0)],
                    "tip": [(0.034, 0.0, 0.0)],
                    "cavity_inside": [(0.008, 0.0, 0.0)],
                },
                "centreline": [(0.0, 0.0, 0.0), (0.034, 0.0, 0.0)],
                "stations": (0.0, 0.034),
                "cavities": ["inside"],
            },
            "material": {"body": {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}},
            "load": {"inflate": inflate},
            "steps": steps,
            **more,
        }
    )


def solved(
    case: Case,
    folder: Path,
    resume: Run | None = None,
    until: int | None = None,
    comm: MPI.Comm = MPI.COMM_SELF,
) -> Run:
    """Solve a case, or go on where another run stands, up to a number of states."""
    run = Run(case, comm, case_folder=folder, control=StepControl(first=0.5))
    if resume is not None:
        run.resume(resume.checkpoint())
    for _ in run.march():
        if len(run.states) == until:
            break
    return run


def differences(a: xr.Dataset, b: xr.Dataset) -> dict[str, float]:
    """Largest difference of what measures the state, over its magnitude."""
    names = ("frame", "pressure", "volume", "stored_energy", "max_stretch", "max_stretch_position")
    return {name: float(np.abs(a[name] - b[name]).max() / np.abs(a[name]).max()) for name in names}


def test_behind_the_limit_the_data_set_has_the_loads_that_are_there(folder: Path) -> None:
    case = balloon((0.5, 1.0, 1.0, 0.95), control="arc_length")
    run = solved(case, folder)
    data = run.dataset()
    assert data.attrs["status"] == "complete"
    assert [finding for finding in check(data) if finding.verdict == "bad"] == []
    wanted = FULL * np.array(case.steps)
    np.testing.assert_array_equal(data["pressure"].values[:, 0], wanted)
    np.testing.assert_allclose(data["load_inflate"].values, wanted, rtol=1e-14)
    assert data["load_inflate"].attrs["units"] == "Pa"
    assert data["stable"].values.tolist() == [1, 1, 0, 0]
    limits = run.groups()["solver"]["limit"].sel(driven="inside").values
    (limit,) = limits[~np.isnan(limits)]

    # Where the pressure falls it works on; the trapezoidal rule over ten states leaves this much.
    work, stored = (data[name].values[-1] for name in ("external_work", "stored_energy"))
    assert work == pytest.approx(stored, rel=0.01)

    # The same states by their volumes, which grow all the way.
    grown = data["volume"].values[:, 0] - data["volume_rest"].values[0]
    assert np.all(np.diff(grown) > 0.0)
    supply = {"kind": "supply", "cavities": ["inside"], "volume": grown[-1]}
    between = np.linspace(grown[1], grown[2], 5)[1:-1]
    volumes = np.array([*grown[:2], *between, *grown[2:]])
    steps = tuple(map(float, volumes / grown[-1]))
    again = solved(balloon(steps, load={"inflate": supply}), folder).dataset()
    worst = differences(data, again.isel(step=[0, 1, 5, 6]))
    assert max(worst.values()) < BESIDE, worst
    curve = np.polynomial.Polynomial.fit(volumes[1:6], again["pressure"].values[1:6, 0], 4)
    top = max(curve(v) for v in np.linspace(grown[1], grown[2], 1001))
    assert limit == pytest.approx(top, rel=1e-3)

    # A run that ends on the way says what acts where it ended, and goes on from there.
    behind = next(i for i, one in enumerate(run.states, 1) if one.limit)
    part = solved(case, folder, until=behind)
    assert part.stopped and part.states[-1].target is None
    end = part.dataset()
    assert end.sizes["step"] == 3
    assert end["load_inflate"].values[-1] == pytest.approx(end["pressure"].values[-1, 0], rel=1e-14)
    assert FULL < end["load_inflate"].values[-1] <= limit
    rest = solved(case, folder, resume=part)
    assert rest.status == "complete" and len(rest.states) == len(run.states)
    worst = differences(data, rest.dataset())
    assert max(worst.values()) < BESIDE, worst


@pytest.mark.mpi
def test_a_path_goes_on_behind_its_limit_on_other_ranks(folder: Path) -> None:
    """Begun by every rank for itself, taken up by all together from where rank 0 stands."""
    case = balloon((1.0, 1.0), control="arc_length")
    whole = solved(case, folder)
    behind = next(i for i, one in enumerate(whole.states, 1) if one.limit)
    part = solved(case, folder, until=behind)
    rest = solved(case, folder, resume=part, comm=MPI.COMM_WORLD)
    data = rest.dataset()
    assert data.attrs["ranks"] == MPI.COMM_WORLD.size
    assert rest.status == "complete" and len(rest.states) == len(whole.states)
    assert data["stable"].values.tolist() == [1, 0]
    worst = differences(whole.dataset(), data)
    assert max(worst.values()) < BESIDE, worst


def test_where_a_path_came_from_is_what_leads_it_on(folder: Path) -> None:
    """A checkpoint without the state before has no direction: the path turns back at once."""
    case = balloon((1.0, 1.0), control="arc_length")
    part = Run(case, MPI.COMM_SELF, case_folder=folder, control=StepControl(first=0.5))
    for state in part.march():
        if state.limit:
            break
    taken = part.checkpoint()
    taken.facts["standing"]["before"] = None
    lost = Run(case, MPI.COMM_SELF, case_folder=folder)
    lost.resume(taken)
    for _ in lost.march():
        pass
    assert lost.dataset()["stable"].values.tolist() == [1, 1]  # it should be [1, 0]


def test_without_a_limit_the_path_is_that_of_the_loads(folder: Path) -> None:
    steps = (0.3, 0.6)
    marched, followed = (
        solved(balloon(steps, **more), folder) for more in ({}, {"control": "arc_length"})
    )
    worst = differences(marched.dataset(), followed.dataset())
    assert max(worst.values()) < BESIDE, worst
    loads = [one.dataset()["load_inflate"].values for one in (marched, followed)]
    np.testing.assert_allclose(*loads, rtol=1e-14)
    assert "limit" not in followed.groups()["solver"]
    assert followed.states[-1].solver["control"] == "arc length"
