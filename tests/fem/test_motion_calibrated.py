"""A rod that learns from how a solid decays in water, and is judged on how the solid strokes."""

from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr
from slender import slender_arm

from loligo.cases import coefficients as files
from loligo.cases.case import Case
from loligo.fem.run import Run
from loligo.validation.fitting.coefficients.case_data import CaseData, stable_steps
from loligo.validation.fitting.coefficients.errors import before_and_after
from loligo.validation.fitting.coefficients.search import Search, calibrate

WATER = {
    "density": 1000.0,
    "base_depth": 0.3,
    "strip": {"drag": [0.0, 1.1, 1.1], "added": [0.0, 1.0, 1.0]},
}


def arm(duration: float, **acts: Any) -> Case:
    """An arm of 200 mm on coarse cells."""
    return slender_arm(
        0.2,
        0.01,
        {"mu": 3e4, "density": 1080.0, "viscosity": 500.0},
        stations=6,
        water=WATER,
        mesh={"size": 0.012},
        time={"duration": duration, "every": 0.05, "tolerance": 1e-3},
        **acts,
    )


def solved(case: Case) -> xr.Dataset:
    run = Run(case, MPI.COMM_SELF)
    for _ in run.march():
        pass
    return run.dataset()


@pytest.mark.slow
def test_a_solids_decay_predicts_its_stroke() -> None:
    """Solid and rod have one rubber and one law of water, so that factors of 1 are the truth.

    But for bending: clamp and coarse cells make the solid as much stiffer as its frequency says,
    3 % in air (test_motion_rod.py), and what the rod lacks goes into all four.
    """
    history: dict[str, Any] = {"kind": "step", "before": 1.0, "after": 0.0}
    weight = {"kind": "weight", "history": history}
    decay = arm(1.5, gravity=(0.0, -1.0, 0.0), load={"weight": weight})
    history = {"kind": "sine", "frequency": 1.0, "phase": np.pi / 2.0}
    carried = {"kind": "base_motion", "displacement": [0.0, 0.02, 0.0], "history": history}
    stroke = arm(2.0, load={"stroke": carried})
    seen = solved(decay)
    studies = CaseData(decay, seen, stable_steps(seen)), CaseData(stroke, solved(stroke), ())
    names = ("bending_stiffness", "viscosity", "drag", "added_mass")
    found = calibrate(Search("rod", files.for_case(decay, "made"), names, studies))
    values = found.search.values(found.unknowns)
    assert values == pytest.approx(dict.fromkeys(names, 1.0), abs=0.1)
    assert 1.02 < values["bending_stiffness"] < 1.08
    own, other = before_and_after(found)
    assert own.after < 0.4 * own.before < 0.03
    assert other.after < 0.75 * other.before < 0.04
