"""Section stiffness three ways: from geometry, from a slice, by regression on a 3D solution."""

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case
from loligo.fem.run import Run
from loligo.fem.slice import section_law
from loligo.reduced.sections import section_stiffness
from loligo.validation.regress import regress

pytestmark = pytest.mark.slow

MU = 36.7e3
CYLINDER = {
    "kind": "tapered_arm",
    "length": 0.15,
    "base_radius": 0.01,
    "tip_radius": 0.01,
    "tip_disc": 0.004,
    "stations": 11,
}
RENDA = {
    "kind": "tapered_arm",
    "length": 0.245,
    "base_radius": 0.01,
    "tip_radius": 0.002,
    "tip_disc": 0.002,
    "stations": 21,
}


def _case(body: dict[str, object], load: dict[str, object]) -> Case:
    given = {"name": "arm", "title": "t", "source": "s", "steps": (0.5, 1.0), "body": body}
    rubber = {"energy": "neo_hooke", "mu": MU, "density": 1080.0}
    return Case.model_validate({**given, "material": {"body": rubber}, "load": {"tip": load}})


def _solved(case: Case) -> xr.Dataset:
    run = Run(case, MPI.COMM_WORLD, level=0)
    list(run.march())
    assert not run.stopped
    return run.dataset()


@pytest.mark.parametrize(
    ("body", "moment", "force", "away"),
    [(CYLINDER, 4e-4, 0.05, 0.075), (RENDA, 2e-6, 2e-3, 0.10)],
    ids=["cylinder", "renda"],
)
def test_theory_slice_and_regression_agree(
    body: dict[str, object], moment: float, force: float, away: float
) -> None:
    loads = [
        {"kind": "tip_moment", "moment": [0.0, 0.0, moment]},
        {"kind": "tip_moment", "moment": [moment, 0.0, 0.0]},
        {"kind": "tip_force", "force": [force, 0.0, 0.0]},
    ]
    cases = [_case(body, load) for load in loads]
    arm = cases[0].body
    samples = [_solved(case) for case in cases]
    found = {
        name: regress(case, [sample], (name,))
        for name, case, sample in zip(("kz", "tx", "ex"), cases, samples, strict=True)
    }
    radius = np.interp(away, [0.0, arm.length], [arm.base_radius, arm.tip_radius])
    area, second = np.pi * radius**2, np.pi * radius**4 / 4
    theory = {"kz": 3 * MU * second, "tx": 2 * MU * second, "ex": 3 * MU * area}
    law = section_law(arm, cases[0].material, None, away)
    geometry = section_stiffness(arm, cases[0].material, np.array([away]))[0]
    for name, entry in (("kz", 2), ("tx", 0), ("ex", 3)):
        value, bar = found[name].stiffness(cases[0], away)
        assert value[0, 0] == pytest.approx(theory[name], rel=1e-2)
        assert bar[0, 0] < 1e-2 * theory[name]
        assert law.stiffness[entry, entry] == pytest.approx(theory[name], rel=1e-3)
        assert geometry[entry, entry] == pytest.approx(theory[name], rel=1e-9)
