"""A controller's model against loligo's arcs, in NumPy and in C."""

import importlib.util
import itertools
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import read
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import CavityPressure, TipForce
from loligo.reduced.predict.predict import predict
from loligo.validation.data.shipped import folder
from loligo.validation.export.targets import export

FITTED = read(folder() / "robots" / "gong_arm.toml")
SLICE = read(Path(__file__).parent / "gong_slice.toml")
PRESSURES = np.random.default_rng(3).uniform(0.0, 20e3, 9)
GONG = PRESSURES[:7]
FORCE = np.array([0.3, -0.2, 0.1])


def pulled(case, pressures, force):
    """The case under pressures and a force at the tip, in one step."""
    loads = {
        f"p{i}": CavityPressure(cavities=(name,), pressure=p)
        for i, (name, p) in enumerate(zip(case.body.cavities, pressures, strict=True))
    }
    if np.any(force):
        loads["pull"] = TipForce(force=tuple(force))
    return case.model_copy(update={"load": loads, "steps": (1.0,)})


def module(name, coefficients, to):
    """The model of NumPy, written and imported."""
    for file, text in export(load(name), "numpy", coefficients).files.items():
        (to / file).write_text(text)
    spec = importlib.util.spec_from_file_location("controller_of_test", to / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize("force", [np.zeros(3), FORCE], ids=["free", "pulled"])
@pytest.mark.parametrize(
    ("name", "coefficients"),
    [("gong_arm", FITTED), ("gong_arm", None), ("gong_bending_one", SLICE), ("liu_arm", None)],
)
def test_the_model_is_loligo_s(name, coefficients, force, tmp_path):
    case = load(name)
    pressure = PRESSURES[: len(case.body.cavities)]
    state = module(name, coefficients, tmp_path).solve(pressure, force)
    found = predict(pulled(case, pressure, force), "pcc", coefficients=coefficients)
    np.testing.assert_allclose(state.frames[-1], found["frame"].values[0, -1], rtol=0, atol=1e-9)
    assert state.stretch == pytest.approx(float(found["max_stretch"][0]), rel=1e-9)


@pytest.mark.parametrize("force", [np.zeros(3), FORCE], ids=["free", "pulled"])
def test_the_jacobian_is_the_derivative(force, tmp_path):
    model = module("gong_arm", FITTED, tmp_path)
    state, step = model.solve(GONG, force), 20.0
    for c, unit in enumerate(np.eye(7)):
        there, back = (model.solve(GONG + h * unit, force) for h in (step, -step))
        way = (there.frames[-1, :3, 3] - back.frames[-1, :3, 3]) / (2 * step)
        spin = there.frames[-1, :3, :3] @ back.frames[-1, :3, :3].T / (2 * step)
        turn = 0.5 * np.array(
            [spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]
        )
        size = np.abs(state.jacobian).max(axis=1).reshape(2, 3).max(axis=1)
        np.testing.assert_allclose(state.jacobian[3:, c], way, rtol=0, atol=1e-6 * size[1])
        np.testing.assert_allclose(state.jacobian[:3, c], turn, rtol=0, atol=1e-6 * size[0])


def test_the_range_is_watched(tmp_path):
    model = module("gong_arm", FITTED, tmp_path)
    assert model.solve(0.1 * GONG).beyond == 0
    one = np.zeros(7)
    one[0] = 21.5e3  # the data have seen 20 kPa, and a twentieth more is allowed
    assert model.solve(one).beyond & model.PRESSURE
    assert model.solve(-0.1 * one).beyond & model.PRESSURE  # nor any vacuum
    assert model.solve(np.full(7, 19e3), (5.0, 0.0, 0.0)).beyond & model.STRETCH


def test_an_arm_without_chambers_has_no_such_model():
    with pytest.raises(BadInput, match="has none"):
        export(load("renda_arm_tip_force"), "numpy")


PROGRAM = """
#include "gong_arm.h"
#include <stdio.h>

int main(void)
{
    double pressure[7], force[3];
    gong_arm_state s;
    for (int i = 0; i < 7; i++) if (scanf("%lf", pressure + i) != 1) return 1;
    for (int i = 0; i < 3; i++) if (scanf("%lf", force + i) != 1) return 1;
    printf("%d ", gong_arm_solve(pressure, force, &s));
    for (int i = 0; i < 3; i++) printf("%.17g ", s.position[2][i]);
    for (int i = 0; i < 9; i++) printf("%.17g ", s.rotation[2][i / 3][i % 3]);
    for (int i = 0; i < 42; i++) printf("%.17g ", s.jacobian[i / 7][i % 7]);
    return 0;
}
"""
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def test_c_is_numpy_is_the_3d_step_s(tmp_path):
    files = export(load("gong_arm"), "c", FITTED).files
    for file, text in {**files, "main.c": PROGRAM}.items():
        (tmp_path / file).write_text(text)
    for main in ("main", "check"):
        made = ["gcc", *STRICT, "-o", main, f"{main}.c", "gong_arm.c", "-lm"]
        subprocess.run(made, cwd=tmp_path, check=True)
    model = module("gong_arm", FITTED, tmp_path)
    for force, share in itertools.product((np.zeros(3), FORCE), (0.0, 0.5, 1.0)):
        given = " ".join(repr(float(x)) for x in (*(share * GONG), *force))
        done = subprocess.run(
            ["./main"], cwd=tmp_path, input=given, capture_output=True, text=True, check=True
        )
        answer, *values = map(float, done.stdout.split())
        state = model.solve(share * GONG, force)
        assert answer == state.beyond
        expected = [*state.frames[-1, :3, 3], *state.frames[-1, :3, :3].ravel()]
        np.testing.assert_allclose(values[:12], expected, rtol=0, atol=1e-12)
        size = np.abs(state.jacobian).max()
        np.testing.assert_allclose(
            values[12:], state.jacobian.ravel(), rtol=1e-9, atol=1e-11 * size
        )
    checked = subprocess.run(["./check"], cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    # Three arcs in a few microseconds; ten times as much on a busy machine is still no surprise
    assert float(re.search(r"([\d.]+) us a call", checked.stdout)[1]) < 50.0
