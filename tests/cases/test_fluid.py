"""Forces of the water against numbers worked by hand, their slopes and their symmetries."""

import numpy as np
import pytest

from loligo.cases.fluid import Jet, added_mass, net_weight, quadratic_drag, section_drag


def test_drag_by_hand():
    force, _ = quadratic_drag(2.0, np.array([3.0, 0.0, -4.0]))
    np.testing.assert_allclose(force, [-30.0, 0.0, 40.0])  # |v| = 5
    # Eq 11 across an arm of radius 10 mm at 0.1 m/s: rho_w C h v^2 = 1000 * 2.5 * 0.01 * 0.01
    c = 1000.0 * 0.01 * np.array([np.pi * 0.01 / 2, 2.5, 2.5])
    force, _ = quadratic_drag(c, np.array([0.0, 0.1, 0.0]))
    np.testing.assert_allclose(force, [0.0, -0.25, 0.0])


def test_drag_of_a_section_across_it_is_that_of_its_diameter():
    # Morison's rho C_d D v^2/2 = 500 * 1.1 * 0.034 * 0.36 a length; along, pi/2 C_x h
    c = section_drag(1000.0, np.array([0.017]), (0.02, 1.1, 1.1))
    np.testing.assert_allclose(c[0, 1:] * 0.6**2, [6.732, 6.732])
    np.testing.assert_allclose(c[0, 0], 0.534070751)


def test_drag_of_a_sphere_turns_with_the_velocity():
    turn, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))
    v = np.array([0.3, -0.2, 0.1])
    np.testing.assert_allclose(
        quadratic_drag(1.7, turn @ v)[0], turn @ quadratic_drag(1.7, v)[0], rtol=1e-14
    )


def test_drag_has_its_slope_and_none_at_rest():
    c, v = np.array([0.1, 2.0, 3.0]), np.array([[0.3, -0.2, 0.1], [0.0, 0.0, 0.0]])
    force, slope = quadratic_drag(c, v)
    h = 1e-6
    columns = [
        (quadratic_drag(c, v + h * e)[0] - quadratic_drag(c, v - h * e)[0]) / (2 * h)
        for e in np.eye(3)
    ]
    # Central differences of a smooth function: h^2; at rest |v| v has the slope h itself.
    np.testing.assert_allclose(slope, np.stack(columns, axis=-1), atol=2 * c.max() * h)
    assert not force[1].any() and not slope[1].any()


def test_jet_pushes_when_it_leaves_and_holds_back_when_it_enters():
    jet = Jet(density=1000.0, outflow=5e-4, inflow=1.5e-3, loss=0.8)
    out, in_ = jet.thrust(-2e-4), jet.thrust(2e-4)
    assert out[0] == pytest.approx(1000.0 * 0.8 * 4e-8 / 5e-4)  # 0.064 N
    assert in_[0] == pytest.approx(-1000.0 * 0.8 * 4e-8 / 1.5e-3)
    for rate in (-2e-4, 2e-4):
        ahead, behind = jet.thrust(rate + 1e-8)[0], jet.thrust(rate - 1e-8)[0]
        assert jet.thrust(rate)[1] == pytest.approx((ahead - behind) / 2e-8)  # exact: quadratic
    assert jet.thrust(0.0) == (0.0, 0.0)


def test_added_mass_and_weight():
    np.testing.assert_allclose(
        added_mass(1000.0, np.array([1e-4, 2e-4]), np.array([0.0, 1.5, 1.5])),
        [[0.0, 0.15, 0.15], [0.0, 0.3, 0.3]],
    )
    gravity = np.array([9.81, 0.0, 0.0])
    np.testing.assert_allclose(net_weight(1080.0, 1000.0, 1e-3, gravity), [0.7848, 0.0, 0.0])
    assert not net_weight(1000.0, 1000.0, np.ones(4), gravity).any()


@pytest.mark.parametrize("name", ["density", "outflow", "inflow", "loss"])
def test_no_jet(name):
    values = dict(density=1e3, outflow=1e-4, inflow=1e-4, loss=1.0)
    with pytest.raises(ValueError, match=f"{name} of the jet is 0.0"):
        Jet(**{**values, name: 0.0})
