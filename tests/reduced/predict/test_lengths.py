"""Arcs through the lengths of chambers, against the printed equations of Gong and Liu."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import CavityPressure
from loligo.reduced.arcs.length_law import stretch
from loligo.reduced.predict.predict import predict

SEGMENT, ARM = load("liu_segment"), load("liu_arm")
LIU = {"length_gain": 0.8, "length_growth": 0.3}


def under(case, values, **pressures):
    loads = {
        name: CavityPressure(cavities=(name,), pressure=pressure)
        for name, pressure in pressures.items()
    }
    pressed = case.model_copy(update={"load": loads, "steps": (1.0,)})
    found = files.for_case(case, "made").replaced(values)
    return predict(pressed, "pcc_lengths", coefficients=found)


def printed_lengths(found):
    """Liu Eq 1f of the arc that ends at the tip, d = 24 mm; his z is our x, his x our y."""
    plate = SEGMENT.body.plates[0]
    x, y, z = found["frame"].values[0, -1, :3, 3] - [plate, 0.0, 0.0]
    phi, theta = np.arctan2(z, y), 2.0 * np.arctan2(np.hypot(y, z), x)
    r, d = (x**2 + y**2 + z**2) / (2.0 * np.hypot(y, z)), 24e-3
    return theta * np.array(
        [
            r - d * np.sin(phi),
            r + d * np.cos(phi - np.pi / 6),
            r - d * np.cos(phi + np.pi / 6),
        ]
    )


@pytest.mark.parametrize("coupling", [0.0, 0.2])
def test_the_arc_has_the_lengths_that_the_pressures_tell(coupling):
    pressure = {"s1c1": 30e3, "s1c2": 10e3, "s1c3": 4e3}
    hung = {"length_coupling": coupling, "length_at_rest": 1.02}
    found = under(SEGMENT, LIU | hung, **pressure)
    own = stretch(np.array(list(pressure.values())) / 52.4e3, 0.8, 0.3) - 1.0
    lengths = 91e-3 * (1.02 + own + coupling * (own[[1, 2, 0]] + own[[2, 0, 1]]))
    np.testing.assert_allclose(printed_lengths(found), lengths, rtol=1e-12)
    surface = found["chamber_length"].sel(line="surface").values[0]
    np.testing.assert_allclose(surface, lengths, rtol=1e-12)
    assert found["max_stretch"].item() >= lengths.max() / 91e-3


def test_pressures_alike_stretch_it_straight():
    found = under(SEGMENT, LIU, s1c1=40e3, s1c2=40e3, s1c3=40e3)
    frame = found["frame"].values[0]
    upright = np.tile(np.eye(3), (len(frame), 1, 1))
    np.testing.assert_allclose(frame[:, :3, :3], upright, atol=1e-14)
    length = 91e-3 * stretch(40e3 / 52.4e3, 0.8, 0.3)
    assert frame[-1, 0, 3] == pytest.approx(SEGMENT.body.plates[0] + length, rel=1e-14)


@pytest.mark.parametrize("chamber", [1, 2])
def test_with_the_printed_offset_the_tip_is_upright_and_without_it_is_not(chamber):
    """Eq 1g, a = 1.02 and b = -0.89 kPa: segments 1 and 2 bend alike, against each other."""
    offset = {"offset_slope": 1.02, "offset_pressure": -890.0}
    second = 20e3
    pair = {f"s1c{chamber}": 1.02 * second - 890.0, f"s2c{chamber}": second}
    found = under(ARM, LIU | offset, **pair)
    tip = found["frame"].values[0, -1]
    np.testing.assert_allclose(tip[:3, :3], np.eye(3), atol=1e-14)
    assert np.hypot(*tip[1:3, 3]) > 0.01
    plain = under(ARM, LIU, **pair)["frame"].values[0, -1, :3, :3]
    assert np.degrees(Rotation.from_matrix(plain).magnitude()) > 0.1


def test_without_coefficients_the_hoop_says_how_far():
    """A_h/A_r of thread at 23 mm around three bores of 7.5 mm in 48 mm."""
    found = predict(SEGMENT, "pcc_lengths")
    gain = 23.0**2 / (24.0**2 - 3 * 7.5**2)
    length = found["chamber_length"].sel(line="bore").values[-1]
    np.testing.assert_allclose(length, 91e-3 * stretch(60e3 / 52.4e3, gain), rtol=1e-12)


def test_what_no_length_moves_is_refused():
    with pytest.raises(BadInput, match="lengths follow pressures, and none acts"):
        predict(load("zhang_joint_tip_moment"), "pcc_lengths")
    with pytest.raises(BadInput, match="cannot hold a blocked tip"):
        predict(load("zhang_joint_blocked"), "pcc_lengths")
    with pytest.raises(BadInput, match='no model "pcc_lengths" of a tapered_arm'):
        predict(load("cylinder"), "pcc_lengths")
    one = SEGMENT.body.segments[0].model_copy(update={"chambers": 1})
    aside = SEGMENT.body.model_copy(update={"segments": (one,)})
    pressed = {"supply": CavityPressure(cavities=("s1c1",), pressure=1e3)}
    with pytest.raises(BadInput, match="chamber on the axis"):
        predict(SEGMENT.model_copy(update={"body": aside, "load": pressed}), "pcc_lengths")
