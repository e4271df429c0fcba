"""A bar's section stiffness, and what a rod of it does, against books."""

import numpy as np
import pytest

from loligo.cases.body import Bar
from loligo.cases.case import Case
from loligo.cases.load.kinds import TipForce
from loligo.cases.markers import Marker
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict.predict import predict
from loligo.reduced.section.stiffness import section_stiffness

MU = 80e3
RUBBER = {"body": NeoHooke(mu=MU, density=1000.0)}


@pytest.mark.parametrize(
    ("width", "height", "factor"), [(0.02, 0.02, 0.1406), (0.04, 0.02, 0.229), (0.02, 0.2, 0.312)]
)
def test_torsion_is_that_of_the_table(width, height, factor):
    """J = k a b^3, Timoshenko and Goodier, Theory of Elasticity, article 109, a/b = 1, 2, 10."""
    body = Bar(length=0.1, width=width, height=height)
    k = section_stiffness(body, RUBBER, np.array([0.05]))[0]
    a, b = max(width, height), min(width, height)
    assert k[0, 0] == pytest.approx(MU * factor * a * b**3, rel=2e-3)
    assert k[1, 1] == pytest.approx(3.0 * MU * width * height**3 / 12.0, rel=1e-12)
    assert k[2, 2] == pytest.approx(3.0 * MU * height * width**3 / 12.0, rel=1e-12)
    assert k[3, 3] == pytest.approx(3.0 * MU * width * height, rel=1e-12)
    assert k[4, 4] == pytest.approx(MU * width * height * 15.0 / 17.5, rel=1e-12)


def bent(force, offset=(0.0, 0.0, 0.0)):
    body = Bar(length=0.2, width=0.02, height=0.01, tip_disc=0.004)
    load = {"f": TipForce(force=(0.0, 0.0, -force), offset=offset)}
    at = (0.2 + offset[0], offset[1], offset[2])
    case = Case(
        name="t", title="t", source="t", body=body, material=RUBBER, load=load, steps=(1.0,),
        marker={"hook": Marker(at=at)},
    )  # fmt: skip
    return predict(case)


def test_a_small_force_bends_it_as_a_cantilever():
    force = 1e-6
    found = bent(force)
    stiffness = 3.0 * MU * 0.02 * 0.01**3 / 12.0
    shear = MU * 15.0 / 17.5 * 0.02 * 0.01
    wanted = -force * (0.2**3 / (3.0 * stiffness) + 0.2 / shear)
    assert found["marker_position"].values[0, 0, 2] == pytest.approx(wanted, rel=1e-6)


def test_a_force_at_a_point_turns_about_where_that_point_went():
    """The base bears the moment of the force about the origin, at the point in the bent state."""
    force, offset = 0.02, (0.003, 0.008, 0.004)
    found = bent(force, offset)
    point = found["marker_position"].values[0, 0]
    moment = np.cross(point, [0.0, 0.0, -force])
    np.testing.assert_allclose(found["reaction"].values[0, :3], -moment, rtol=1e-7, atol=1e-12)
    assert abs(point[2]) > 0.01
