"""What a rod and a shell say of markers, against closed forms."""

import numpy as np
import pytest

from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.frames import exp_se3, frames_between, log_se3
from loligo.cases.load.kinds import CavityPressure, TipMoment
from loligo.cases.markers import Distance, Marker, Turn
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict.predict import predict
from loligo.validation.data.matching import match

R, L, MU = 0.01, 0.2, 50e3
ARM = TaperedArm(length=L, base_radius=R, tip_radius=R, tip_disc=0.004, stations=9)
MOMENT = 0.6 * 3.0 * MU * np.pi * R**4 / 4.0 / L
"""Turns the tip by 0.6 rad about z: EI/L, E = 3 mu."""
LOOKS = {
    "marker": {
        "mid": Marker(at=(0.11, 0.0, R)),
        "off": Marker(at=(0.17, R, 0.0), offset=(0.0, 0.006, 0.0)),
        "plate": Marker(at=(L + 0.003, 0.0, 0.0)),
    },
    "angle": {"half": Turn(at=0.15, over=0.05), "tip": Turn(at=L)},
    "distance": {"span": Distance(between=("mid", "off"))},
}


def case(body, load, **more):
    rubber = {"body": NeoHooke(mu=MU, density=1000.0)}
    return Case(
        name="t", title="t", source="t", body=body, material=rubber, load=load, steps=(1.0,), **more
    )


def arc(x, y=0.0, z=0.0, rigid=0.0):
    """Where a place is on the arc that bends towards +y."""
    angle = 0.6 * x / L
    radius = L / 0.6
    s, c = np.sin(angle), np.cos(angle)
    return np.array([(radius - y) * s + rigid * c, radius - (radius - y) * c + rigid * s, z])


@pytest.mark.parametrize("model", ["rod", "pcc"])
def test_an_arm_in_pure_bending(model):
    bent = case(ARM, {"m": TipMoment(moment=(0.0, 0.0, MOMENT))}, **LOOKS)
    found = predict(bent, model)
    place = found["marker_position"][0]
    np.testing.assert_allclose(place.sel(marker="mid"), arc(0.11, z=R), atol=1e-9)
    np.testing.assert_allclose(place.sel(marker="off"), arc(0.17, y=R + 0.006), atol=1e-9)
    np.testing.assert_allclose(place.sel(marker="plate"), arc(L, rigid=0.003), atol=1e-9)
    np.testing.assert_allclose(found["angle"][0], [0.3, 0.6], rtol=1e-8)
    apart = np.linalg.norm(arc(0.11, z=R) - arc(0.17, y=R + 0.006))
    np.testing.assert_allclose(found["distance"][0], [apart], rtol=1e-8)
    assert match(found, found).prediction.sizes["marker"] == 3


def test_a_wall_that_is_pressed_out():
    body = Mantle(radius=0.03, thickness=0.002, truncation=0.8, cylinder_length=0.04)
    looks = {
        "marker": {"skin": Marker(at=(0.05, 0.0, 0.031)), "dome": Marker(at=(0.01, 0.0267, 0))}
    }
    hardly, well = (
        predict(case(body, {"p": CavityPressure(cavities=("mantle",), pressure=p)}, **looks))
        for p in (1e-3, 500.0)
    )
    rest = [one.at for one in case(body, {}, **looks).marker.values()]
    np.testing.assert_allclose(hardly["marker_position"][0], rest, atol=1e-8)
    at = int(np.searchsorted(hardly["profile_axial"][0].values, 0.05))
    grown = float(well["profile_radius"][0, at]) - 0.03
    place = well["marker_position"][0].sel(marker="skin").values
    np.testing.assert_allclose(place[2] - 0.031, grown, rtol=0.02)
    assert place[1] == 0.0 and grown > 1e-4


def test_frames_between_stations_and_beyond():
    twist = np.array([[0.3, -0.2, 0.5, 1.0, 0.1, -0.1], [1e-9, 0.0, 0.0, 1.0, 0.0, 0.0]])
    np.testing.assert_allclose(log_se3(exp_se3(twist)), twist, rtol=1e-13, atol=1e-15)
    g = np.stack([np.eye(4), exp_se3(0.2 * twist[0])])
    found = frames_between(g, np.array([0.0, 0.2]), np.array([0.05, 0.2, 0.21, -0.01]))
    np.testing.assert_allclose(found[0], exp_se3(0.05 * twist[0]), atol=1e-14)
    np.testing.assert_allclose(found[1], g[1], atol=1e-14)
    np.testing.assert_allclose(
        found[2], g[1] @ exp_se3(np.array([0, 0, 0, 0.01, 0, 0])), atol=1e-14
    )
    np.testing.assert_allclose(found[3][:3, 3], [-0.01, 0.0, 0.0], atol=1e-14)
