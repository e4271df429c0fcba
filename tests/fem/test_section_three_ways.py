"""Section stiffness three ways: from geometry, from a slice, by regression on a 3D solution."""

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case, MeshChoice
from loligo.cases.dataset.gci import two_levels
from loligo.fem.run import Run
from loligo.fem.section_slice import section_law
from loligo.meshes.build import REFINEMENT, default_size
from loligo.reduced.section.stiffness import section_stiffness
from loligo.validation.data.regress import regress

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

CHAMBERS = {"length": 0.15, "chambers": 3, "chamber_radius": 0.005, "chamber_offset": 0.010}
GONG = {"kind": "chambered_arm", "radius": 0.017, "plates": [0.005, 0.005], "stations": 11}


def _case(body: dict[str, object], load: dict[str, object], **more: object) -> Case:
    given = {"name": "arm", "title": "t", "source": "s", "steps": (0.5, 1.0), "body": body, **more}
    rubber = {"energy": "neo_hooke", "mu": MU, "density": 1080.0}
    return Case.model_validate({**given, "material": {"body": rubber}, "load": {"tip": load}})


def _solved(case: Case, level: int = 0) -> xr.Dataset:
    run = Run(case, MPI.COMM_WORLD, level=level)
    list(run.march())
    assert not run.stopped
    return run.dataset()


def _coarser(case: Case) -> Case:
    size = default_size(case.body)
    return case.model_copy(update={"mesh": MeshChoice(size=REFINEMENT * size)})


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
    fine, coarse = (
        {
            name: regress(case, [_solved(how(case))], (name,))
            for name, case in zip(("kz", "tx", "ex"), cases, strict=True)
        }
        for how in (lambda case: case, _coarser)
    )
    radius = np.interp(away, [0.0, arm.length], [arm.base_radius, arm.tip_radius])
    area, second = np.pi * radius**2, np.pi * radius**4 / 4
    theory = {"kz": 3 * MU * second, "tx": 2 * MU * second, "ex": 3 * MU * area}
    law = section_law(arm, cases[0].material, None, away)
    geometry = section_stiffness(arm, cases[0].material, np.array([away]))[0]
    for name, entry in (("kz", 2), ("tx", 0), ("ex", 3)):
        value, fit = (of[0, 0] for of in fine[name].stiffness(cases[0], away))
        levels = np.array([value, coarse[name].stiffness(cases[0], away)[0][0, 0]])
        bar = fit + float(two_levels(levels, [1.0, REFINEMENT], 3.0).half_width)
        # The coarse mesh has three cells across; what two finer ones say, the shipped data tell.
        assert bar < 2e-2 * theory[name]
        assert value == pytest.approx(theory[name], rel=1e-2)
        # Neo-Hooke's nominal stress is 3 mu (e - e^2 ...): the law softens by the strain itself.
        softer = force if name == "ex" else 0.0
        assert value == pytest.approx(theory[name], abs=bar + softer), name
        assert law.stiffness[entry, entry] == pytest.approx(theory[name], rel=1e-3)
        assert geometry[entry, entry] == pytest.approx(theory[name], rel=1e-9)


@pytest.mark.parametrize("wound", [False, True], ids=["plain", "wound"])
def test_a_chambered_section_agrees_three_ways(wound: bool) -> None:
    """Bending, stretch and what one chamber drives; small loads on Gong's section, longer."""
    loads = [
        {"kind": "tip_moment", "moment": [0.0, 2e-4, 0.0]},
        {"kind": "tip_force", "force": [0.02, 0.0, 0.0]},
        {"kind": "pressure", "cavities": ["s1c1"], "pressure": 50.0},
    ]
    segment = {**CHAMBERS, "winding_radius": 0.016} if wound else CHAMBERS
    thread = {"winding": {"stiffness": 1e6}} if wound else {}
    cases = [_case({**GONG, "segments": [segment]}, load, steps=(1.0,), **thread) for load in loads]
    case, place = cases[0], 0.08
    compared = [1, 3]  # the other strains are free: what remains of a coupled section

    slices, sizes = [], [1.0e-3, 1.5e-3]
    for size in sizes:
        law = section_law(case.body, case.material, case.winding, place, size)
        stiffness = np.linalg.inv(np.linalg.inv(law.stiffness)[np.ix_(compared, compared)])
        slices.append((stiffness.diagonal(), stiffness @ law.free_strain[compared, 0]))
    solids, unknowns = [], []
    for level in (1, 0):
        data = [_solved(one, level) for one in cases]
        fit = regress(case, data, ("ky", "ex"), ["s1c1"])
        solids.append((fit.stiffness(case, place)[0].diagonal(), fit.arms(case, place)[:, 0]))
        unknowns.append(float(data[0].attrs["unknowns"]))
    finer = [1.0, (unknowns[0] / unknowns[1]) ** (1 / 3)]

    # What a chamber drives if all of its area pushes. Rubber that keeps its volume takes all of
    # that back; thread gives what the rubber within passes on.
    whole = np.pi * 0.005**2 * np.array([0.010, 1.0])
    for of, unit, widest in ((0, slices[0][0], 0.03), (1, whole, 0.15)):
        # Order 2: thread that cannot stretch leaves quadratic elements no more than that.
        bars = [
            two_levels(np.array([one[of] for one in meshes]), h, 2.0).half_width
            for meshes, h in ((slices, sizes), (solids, finer))
        ]
        assert np.all(sum(bars) < widest * unit)
        # The loads are small, not nothing: strains of 1e-3.
        assert np.all(np.abs(slices[0][of] - solids[0][of]) < sum(bars) + 3e-3 * unit)
    assert np.all(np.abs(slices[0][1]) < 3e-3 * whole) != wound
    if not wound:
        geometry = section_stiffness(case.body, case.material, np.array([place]))[0].diagonal()
        assert geometry[compared] == pytest.approx(slices[0][0], rel=1e-3)
