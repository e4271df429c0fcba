"""A user's own energy: loaded only when trusted, checked against its record, then scanned."""

import numpy as np
import pytest

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit
from loligo.cases.rubber.elastomer import UserLaw, Yeoh
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.cases.rubber.stability import principal_stress, stable_range
from loligo.cases.user_law import trusted

MY_YEOH = """
def energy(i1, i2, math, *, c10, c20, c30):
    x = i1 - 3
    return c10 * x + c20 * x**2 + c30 * x**3
"""
FUNG = """
def energy(i1, i2, math, *, a, b):
    return a / (2 * b) * (math.exp(b * (i1 - 3)) - 1)
"""
YEOH = Yeoh(c10=1e4, c20=-1500.0, c30=40.0, density=1000.0)
TWIN = {"c10": 1e4, "c20": -1500.0, "c30": 40.0}


def _case(**law: object) -> Case:
    body = {"kind": "tapered_arm", "length": 0.1, "base_radius": 0.01, "tip_radius": 0.01}
    rubber = {"energy": "python", "density": 1000.0, "mu": 2e4, **law}
    load = {"w": {"kind": "weight"}}
    given = {"name": "own", "title": "t", "source": "s", "body": body, "load": load}
    return Case.model_validate({**given, "material": {"body": rubber}})


@pytest.fixture
def twin(tmp_path) -> UserLaw:
    """Yeoh's law, written by a user."""
    (tmp_path / "mine.py").write_text(MY_YEOH)
    case = trusted(_case(entry="mine:energy", parameters=TWIN), tmp_path)
    law = case.material["body"]
    assert isinstance(law, UserLaw)
    return law


def test_code_does_not_run_unless_it_is_trusted(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')")
    law = _case(entry="mine:energy").material["body"]
    assert law.young_modulus == 6e4  # what the record says needs no code
    with pytest.raises(BadInput, match="--trust"):
        stable_range(law, "uniaxial")


@pytest.mark.parametrize("mode", ["uniaxial", "biaxial", "planar"])
def test_its_stability_is_scanned_like_that_of_its_twin(twin, mode):
    own, known = stable_range(twin, mode), stable_range(YEOH, mode)
    assert (own.below, own.above) == (known.below, known.above)
    # Steps of 0.1 %, and a tangent right to about 1e-6.
    assert [own.smallest, own.largest] == pytest.approx([known.smallest, known.largest], rel=3e-3)


def test_stress_and_tangent_by_differences(twin):
    stretch = np.array([[1.5, 0.8, 1 / 1.2], [1.0, 1.0, 1.0], [2.0, 2.0, 0.25]])
    tau, tangent = principal_stress(twin, stretch)
    exact, slope = principal_stress(YEOH, stretch)
    spread = np.eye(3) - 1 / 3  # up to a pressure; the user's law ignores volume
    assert tau @ spread == pytest.approx(exact @ spread, rel=1e-5, abs=0.1)
    basis = np.array([[1, -1, 0], [1, 1, -2]]).T / np.sqrt([2.0, 6.0])
    assert basis.T @ tangent @ basis == pytest.approx(basis.T @ slope @ basis, rel=1e-4, abs=1.0)


def test_units_and_numbers_as_parameters(tmp_path):
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "skin.py").write_text(FUNG)
    parameters = {"a": 2e4, "b": 0.5}
    case = trusted(_case(entry="laws.skin:energy", parameters=parameters), tmp_path)
    assert case.material["body"].parameters == parameters
    assert Unit("Pa", "pressure", "1 Pa").parse("20 kPa") == 2e4


@pytest.mark.parametrize(
    ("code", "law", "words"),
    [
        (None, {"entry": "mine:energy"}, "there is no file"),
        ("x = 1", {"entry": "mine:energy"}, "cannot be loaded: AttributeError"),
        ("1 / 0", {"entry": "mine:energy"}, "cannot be loaded: ZeroDivisionError"),
        ("import sys; sys.exit()", {"entry": "mine:energy"}, "cannot be loaded: SystemExit"),
        (MY_YEOH, {"entry": "mine:energy"}, "fails: TypeError"),
        (MY_YEOH, {"entry": "mine:energy", "parameters": TWIN, "mu": 3e4}, "but mu says 30000"),
        (
            "def energy(i1, i2, math):\n    return 1e4 * (i1 - 2)",
            {"entry": "mine:energy"},
            "must be zero at rest",
        ),
    ],
)
def test_what_is_wrong_with_it_is_said(tmp_path, code, law, words):
    if code is not None:
        (tmp_path / "mine.py").write_text(code)
    with pytest.raises(BadInput, match=words):
        trusted(_case(**law), tmp_path)


def test_it_stays_in_the_folder_of_the_case(tmp_path):
    inside = tmp_path / "case"
    inside.mkdir()
    (tmp_path / "mine.py").write_text(MY_YEOH)
    (inside / "mine.py").symlink_to(tmp_path / "mine.py")
    with pytest.raises(BadInput, match="leaves the folder"):
        trusted(_case(entry="mine:energy", parameters=TWIN), inside)
    with pytest.raises(ValueError, match="pattern"):
        _case(entry="../mine:energy")


def test_reduced_models_refuse_it(twin):
    with pytest.raises(BadInput, match="for the 3D solution"):
        plane_stress(twin, np.array(1.1), np.array(1.0))
