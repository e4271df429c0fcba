"""Robot files: the library reads, frames are what they say, complaints name the key."""

import re
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case_file import CaseError
from loligo.cases.core.record import BadInput
from loligo.cases.robot.place import Pose
from loligo.cases.robot.swimmer import Robot, load_any, load_robot, robot_names


@pytest.mark.parametrize("name", robot_names())
def test_a_robot_reads_back_as_it_was_written(name, tmp_path):
    import tomli_w

    robot = load_any(name)
    file = tmp_path / f"{name}.toml"
    file.write_text(
        tomli_w.dumps(robot.model_dump(mode="json", exclude={"name"}, exclude_none=True))
    )
    assert load_any(str(file)) == robot
    assert robot.assumptions


def test_the_robot_of_the_page_is_one(tmp_path):
    page = Path(__file__).parents[3] / "docs" / "robots.md"
    file = tmp_path / "tripus.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)[1])
    robot = load_robot(str(file))
    assert robot.limb["arm"].copies == 3
    assert robot.lasting(2.0, None).course.end == 2.0
    assert robot.lasting(None, None) == robot
    with pytest.raises(CaseError, match="whole number"):
        robot.lasting(0.55, None)


def test_a_place_is_a_frame_although_papers_round():
    frame = Pose(along=(0.06, 0.06, -0.99), second=(-0.70, -0.70, -0.09), origin=(1, 2, 3)).frame
    assert frame[:3, :3].T @ frame[:3, :3] == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert frame[:3, 0] == pytest.approx(np.array([0.06, 0.06, -0.99]) / np.sqrt(0.9873))
    assert frame[:3, 3].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="right angle"):
        Pose(along=(1, 0, 0), second=(1, 1, 0))


def test_the_quadropus_has_the_papers_transforms():
    """Renda 2018: the arm's t runs along -E3b and its n along -E1b of g_rb1 (mm)."""
    g = np.array([[0, 0, 1, -112], [0, 1, 0, 0], [-1, 0, 0, -10], [0, 0, 0, 1]], float)
    frame = load_robot("quadropus").limb["arm"].place.frame
    assert frame[:3, 0] == pytest.approx(-g[:3, 2])
    assert frame[:3, 1] == pytest.approx(-g[:3, 0])
    assert frame[:3, 2] == pytest.approx(g[:3, 1])
    assert frame[:3, 3] == pytest.approx(1e-3 * g[:3, 3])


def test_complaints_name_the_key(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "t"\nsource = "s"\nlength = "1 m"\nwater = "1000 kg/m^3"\n'
        '[course]\nend = "1 s"\nevery = "0.1"\nstep = "5 ms"\n'
        '[part.hull]\nkind = "cone"\nmass = "1 kg"\nlength = "1 m"\nradius = "1 cm"\nspin = 3\n'
    )
    with pytest.raises(CaseError) as caught:
        load_robot(str(file))
    found = dict(caught.value.problems)
    assert "no unit" in found["course.every"]
    assert "unknown key" in found["part.hull.spin"]
    with pytest.raises(CaseError, match="neither"):
        load_robot("octopus")


def test_a_robot_needs_a_mass():
    course = {"end": 1.0, "every": 0.1, "step": 0.01}
    with pytest.raises(ValueError, match="mass"):
        Robot(name="a", title="t", source="s", length=1.0, water=1000.0, course=course)


@pytest.mark.parametrize(
    ("part", "change", "complaint"),
    [
        ("course", {"step": 1e-9}, "lengthen the step"),
        ("element", {"element": 1e-9}, "mantle.element is too short"),
    ],
)
def test_what_would_never_end_is_refused(part, change, complaint):
    found = load_robot("monopus").model_dump(mode="json")
    unit = {key: f"{value:.3e} {'s' if part == 'course' else 'm'}" for key, value in change.items()}
    (found["course"] if part == "course" else found["bell"]["mantle"]).update(unit)
    with pytest.raises(ValueError, match=complaint):
        Robot.model_validate(found)


def test_outputs_that_do_not_reach_the_end_are_refused():
    found = load_robot("monopus").model_dump()
    found["course"] |= {"end": 1.0, "every": 0.3}
    with pytest.raises(ValueError, match="whole number of times"):
        Robot.model_validate(found)
    found["course"]["every"] = 1.0 / 3.0
    assert Robot.model_validate(found).course.every == 1.0 / 3.0


def test_a_robot_is_told_one_of_its_motions():
    snake = load_robot("snake")
    assert list(snake.told("yaw").motion) == ["yaw"]
    assert list(snake.told(None).motion) == ["straight"]
    assert load_robot("monopus").told(None).motion == {}
    with pytest.raises(BadInput, match='no motion "wave"; it has straight, back'):
        snake.told("wave")
    with pytest.raises(BadInput, match="it has none"):
        load_robot("monopus").told("yaw")


@pytest.mark.parametrize(
    ("pulse", "complaint"),
    [
        ({"tension": None}, "either tension or cable"),
        ({"cable": 8.0}, "either tension or cable"),
        ({"frequency": None}, "either frequency or history"),
    ],
)
def test_a_pulse_is_told_once(pulse, complaint):
    found = load_robot("poseidrone").model_dump()
    found["bell"]["mantle"]["pulse"] |= pulse
    with pytest.raises(ValueError, match=complaint):
        Robot.model_validate(found)


def test_down_is_a_direction():
    with pytest.raises(ValueError, match="must be a direction"):
        Robot.model_validate(load_robot("snake").model_dump() | {"down": (0, 0, 0)})
