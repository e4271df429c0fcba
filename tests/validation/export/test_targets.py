"""Exports as files: numbers in their targets' order and places, read back or run in the target."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import read
from loligo.meshes.bodies import volumes
from loligo.reduced.predict.arm_loads import arm_rod
from loligo.reduced.rod.loads import PointLoad
from loligo.reduced.rod.statics import solve
from loligo.validation.data.shipped import folder
from loligo.validation.export.targets import TARGETS, export

SLICE = Path(__file__).parent / "gong_slice.toml"
FITTED = folder() / "robots" / "gong_arm.toml"


@cache
def exported(target, name, coefficients=None):
    given = None if coefficients is None else read(coefficients)
    return export(load(name), target, given).files


def write(files, to):
    for name, text in files.items():
        (to / name).write_text(text)


def law(target, name, coefficients=None):
    return json.loads(exported(target, name, coefficients)["law.json"])


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_says_what_it_loses(target):
    files = exported(target, "gong_bending_one", SLICE)
    assert "what is lost" in files["LOSSES.md"] and "held out" in files["LOSSES.md"]


def test_tables_have_the_numbers_of_the_law():
    files = exported("csv", "gong_bending_one", SLICE)
    rows = [line.split(",") for line in files["chambers.csv"].splitlines()]
    first = dict(zip(rows[0], rows[1], strict=True))
    assert float(first["area"]) == pytest.approx(2.574e-4, rel=1e-3)
    assert float(first["z"]) == pytest.approx(2.64e-3, rel=1e-3)
    lines = [line.split(",") for line in files["sections.csv"].splitlines()]
    section = dict(zip(lines[0], map(float, lines[1]), strict=True))
    assert section["EI_y"] == section["K22"] == pytest.approx(8.862e-3, rel=1e-3)
    assert section["GJ"] == pytest.approx(3.593e-3, rel=1e-3)
    assert section["EA"] == pytest.approx(174.7, rel=1e-3)
    for line in lines[1:]:  # mass per length is that of the soft section at its very ends, too
        row = dict(zip(lines[0], map(float, line), strict=True))
        assert row["M44"] == pytest.approx(1070.0 * np.pi * (0.017**2 - 3 * 0.005**2), rel=1e-9)


def test_a_taper_is_tabled_finely_and_its_error_said():
    record = law("json", "renda_arm_tip_force")
    X, bend = np.array(record["x"]), np.array(record["stiffness"])[:, 1, 1]
    radius = 0.010 - 0.008 * X / 0.245
    np.testing.assert_allclose(
        bend, 110e3 * np.pi * radius**4 / 4.0, rtol=1e-7
    )  # ends lie 1e-9 inside
    report = exported("json", "renda_arm_tip_force")["LOSSES.md"]
    assert "| stiffness between places | 0.00" in report


@pytest.mark.skipif(not shutil.which("octave-cli"), reason="Octave is not installed")
def test_octave_reads_the_matlab_file(tmp_path):
    write(exported("matlab", "gong_bending_one", SLICE), tmp_path)
    script = (
        "law = loligo_law(); printf('%.12g ', law.K(2, 2, 1), law.K(4, 4, 2), law.area(1), "
        "law.place(2, 1), law.wrench(4, 1)); "
        "try, law.check_range(2.0, [0 0 0]); catch, printf('refused'); end"
    )
    done = subprocess.run(
        ["octave-cli", "--eval", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    *numbers, refused = done.stdout.split()
    expected = [8.862167587820484e-3, 174.6898272682138, 2.574e-4, 2.641e-3, 2.574e-4]
    np.testing.assert_allclose([float(x) for x in numbers], expected, rtol=1e-3)
    assert refused == "refused"


LINKAGE = """
S.N = 1; S.LinkIndex = 1; S.ndof = 6;
S.VLinks.npie = 2; S.VLinks.ld = {0.1};
Xs = [0; 0.5 - sqrt(0.15); 0.5; 0.5 + sqrt(0.15); 1]; Ws = 0.1*[0; 5; 8; 5; 0]/18;
joint = struct('Xs', [], 'Ws', [], 'nip', 0, 'Phi', [], 'Es', [], 'Gs', [], 'Ms', []);
rod = struct('Xs', Xs, 'Ws', Ws, 'nip', 5, 'Phi', repmat(eye(6), 5, 1), 'Es', zeros(30, 6), ...
  'Gs', zeros(30, 6), 'Ms', zeros(30, 6));
S.CVRods = {[joint, rod]};
S = loligo_sorosim(S);
F = loligo_actuation(S, [18e3 0 0]);
R = S.CVRods{1}(2); tau = zeros(6, 1); K = zeros(6);
for i = 1:5, rows = 6*i - 5:6*i; K = K + Ws(i)*R.Es(rows, :); tau = tau + Ws(i)*F(rows); end
printf('%.12g ', K \\ tau, R.Ms(4, 4));
try, loligo_actuation(S, [40e3 0 0]); catch, printf('refused '); end
S.VLinks.ld = {0.2}; try, loligo_sorosim(S); catch, printf('refused'); end
"""


@pytest.mark.skipif(not shutil.which("octave-cli"), reason="Octave is not installed")
def test_octave_fills_a_linkage_of_sorosim(tmp_path):
    """A linkage as SoRoSim has it, of one division with constant strains."""
    write(exported("sorosim", "gong_bending_one", SLICE), tmp_path)
    for name in ("findK", "findD"):
        (tmp_path / f"{name}.m").write_text(f"function K = {name}(S)\nK = 1;\nend\n")
    (tmp_path / "linkage.m").write_text(LINKAGE)
    done = subprocess.run(
        ["octave-cli", "linkage.m"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    *numbers, first, second = done.stdout.split()
    section = read(SLICE).section[0]
    free = np.linalg.solve(section.stiffness, 18e3 * np.array(section.arms["s1c1"]))
    mass = 1070.0 * np.pi * (0.017**2 - 3 * 0.005**2)
    np.testing.assert_allclose([float(x) for x in numbers], [*free, mass], rtol=1e-6, atol=1e-9)
    assert (first, second) == ("refused", "refused")


def test_elements_of_pyelastica_yield_and_weigh_as_the_arm():
    case = load("renda_arm_tip_force")
    mesh = law("pyelastica", "renda_arm_tip_force")["pyelastica"]
    ends, soft = np.array(mesh["ends"]), np.array(mesh["soft"])
    h = np.diff(ends)
    # Integrals of 1/EI and 1/EA over the taper in closed form, r linear
    E, slope, r = 110e3, 0.008 / 0.245, (0.002, 0.010)
    exact = 4.0 / (np.pi * E) * (r[0] ** -3 - r[1] ** -3) / (3.0 * slope)
    spans = 0.5 * (h[1:] + h[:-1])
    found = np.sum(spans / np.array(mesh["joint_stiffness"])[:, 1, 1])
    assert found == pytest.approx(exact, rel=1e-4)
    stretch = np.sum(h[soft] / np.array(mesh["stiffness"])[soft, 3, 3])
    assert stretch == pytest.approx((1 / r[0] - 1 / r[1]) / slope / (np.pi * E), rel=1e-6)
    mass = np.sum((h * np.array(mesh["inertia"])[:, 3, 3])[1:])
    assert mass == pytest.approx(1080.0 * sum(volumes(case.body).values()), rel=1e-6)


def test_joints_of_mujoco_yield_and_weigh_as_the_arm():
    case = load("gong_bending_one")
    xml = ET.fromstring(exported("mujoco", "gong_bending_one", SLICE)["arm.xml"])
    joints = [(j.get("name")[-1], float(j.get("stiffness"))) for j in xml.iter("joint")]
    k = np.array(read(SLICE).section[0].stiffness)
    for axis, strain in (("x", 0), ("y", 1), ("z", 2), ("s", 3)):
        yields = sum(1.0 / stiffness for name, stiffness in joints if name == axis)
        assert yields == pytest.approx(0.1 / k[strain, strain], rel=1e-9)
    mass = sum(float(one.get("mass")) for one in xml.iter("inertial"))
    assert mass == pytest.approx(1070.0 * sum(volumes(case.body).values()), rel=1e-6)
    pushed = np.array(law("mujoco", "gong_bending_one", SLICE)["mujoco"]["push"])[0, 5]
    np.testing.assert_allclose(pushed, [2.574e-4, 0.0, 6.797e-7, 0.0], rtol=1e-3, atol=1e-10)


def test_the_softening_of_coefficients_reaches_codes_that_take_functions():
    assert law("pyelastica", "gong_arm", FITTED)["softening"] == pytest.approx(0.948, abs=1e-3)
    assert law("soromox", "gong_arm", FITTED)["growth"] > 0.0
    assert law("json", "gong_arm", FITTED)["softening"] == 0.0
    assert "| nonlinear law | 0.0" in exported("json", "gong_arm", FITTED)["LOSSES.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "name", "coefficients"),
    [
        ("pyelastica", "gong_bending_one", SLICE),
        ("pyelastica", "gong_arm", FITTED),
        ("pyelastica", "renda_arm_tip_force", None),
        ("pyelastica", "emet_limb_weight", None),
        ("mujoco", "gong_bending_one", SLICE),
        ("mujoco", "gong_arm", FITTED),
        ("mujoco", "renda_arm_tip_force", None),
        ("mujoco", "emet_limb_weight", None),
        ("mujoco", "cylinder", None),
        ("soromox", "gong_bending_one", SLICE),
        ("soromox", "gong_arm", FITTED),
        ("soromox", "renda_arm_tip_force", None),
        ("soromox", "emet_limb_weight", None),
    ],
)
def test_the_target_repeats_the_step(target, name, coefficients, tmp_path, run_there):
    """With the real package: as far from the 3D solution as loligo's rod is."""
    write(exported(target, name, coefficients), tmp_path)
    done = run_there(tmp_path, "check.py", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    # MuJoCo's chain has no shear: 1.7 % of what the cylinder's tip moves under a force across it
    far = {"soromox": 0.002, "pyelastica": 0.005, "mujoco": 0.017 if name == "cylinder" else 0.005}
    assert found["error_to_loligo"] < far[target]
    assert found["error_to_3d"] == pytest.approx(found["error_of_loligo"], abs=far[target])


@pytest.mark.slow
@pytest.mark.parametrize("target", ["pyelastica", "soromox"])
def test_the_target_has_the_law_of_the_solid_itself(target, tmp_path, run_there, bent_law):
    """Pressures in two chambers and a force at the tip, where third and fourth order count."""
    case = load("gong_bending_one")
    laws = bent_law([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]], cubic=0.02, quartic=1e-3)
    made = export(case, target, laws=laws)
    write(made.files, tmp_path)
    pressure, force = {"s1c1": 16e3, "s1c2": 4e3, "s1c3": 0.0}, np.array([0.0, 0.3, 0.1])
    sections = made.arm.solid.at(pressure).section_law()
    load_at_tip = PointLoad(force=force, at=made.arm.soft[-1].end)
    state = solve(arm_rod(made.arm.body, sections), [load_at_tip])
    tip = state.frames([made.arm.soft[-1].end])[0, :3, 3]
    linear = solve(arm_rod(made.arm.body, made.arm.law), [load_at_tip])
    assert np.linalg.norm(linear.frames([0.105])[0, :3, 3] - tip) > 1e-3
    record = json.loads((tmp_path / "law.json").read_text())
    record["held_out"] |= {
        "pressure": pressure,
        "tip_force": force.tolist(),
        "tip_loligo": tip.tolist(),
        "moved": float(np.linalg.norm(tip - [0.105, 0.0, 0.0])),
    }
    (tmp_path / "law.json").write_text(json.dumps(record))
    done = run_there(tmp_path, "check.py", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["error_to_loligo"] < {"soromox": 0.002, "pyelastica": 0.005}[target]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["pyelastica", "soromox", "mujoco"])
def test_the_target_refuses_a_state_outside_the_range(target, tmp_path, run_there):
    write(exported(target, "gong_bending_one", SLICE), tmp_path)
    record = json.loads((tmp_path / "law.json").read_text())
    record["held_out"]["pressure"]["s1c1"] *= 10.0
    (tmp_path / "law.json").write_text(json.dumps(record))
    done = run_there(tmp_path, "check.py")
    assert done.returncode == 1 and "the law holds" in done.stderr
