"""Sections of rubber fibres against closed forms and adaptive quadrature."""

import numpy as np
import pytest
from scipy.integrate import dblquad

from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.reduced.rod.fibres import fibre_law, round_fibres
from loligo.reduced.rod.loads import PointLoad
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import MovingRod, circular_inertia
from loligo.reduced.rod.statics import solve

YEOH = Yeoh(c10=0.11e6, c20=0.02e6, density=1130.0)
R = 0.01
REST = circular_stiffness(R, 0.66e6, 0.22e6)
LAW = fibre_law(YEOH, round_fibres(R), REST)


def stress(stretch):
    """Nominal, 2 (s - s^-2) (c10 + 2 c20 (I1 - 3)), I1 = s^2 + 2/s."""
    first = stretch**2 + 2 / stretch - 3
    return 2 * (stretch - stretch**-2) * (0.11e6 + 2 * 0.02e6 * first)


@pytest.mark.parametrize("stretch", [0.7, 1.3, 2.0])
def test_pulled_bar(stretch):
    excess = np.zeros((1, 6))
    excess[0, 3] = stretch - 1
    wrench, _ = LAW(excess, np.zeros(1))
    np.testing.assert_allclose(wrench[0, 3], np.pi * R**2 * stress(stretch), rtol=1e-12)
    np.testing.assert_allclose(np.delete(wrench[0], 3), 0, atol=1e-12)


def test_bent_and_stretched_section():
    """Gauss points are exact to degree 6 of the stress in the strain, which is 0.25 here."""
    excess = np.array([[2.0, 15.0, -20.0, 0.2, 0.1, -0.05]])
    wrench, _ = LAW(excess, np.zeros(1))

    def moment(weight):
        def density(y, z):
            return weight(y, z) * stress(1.2 + 15 * z + 20 * y)

        edge = (lambda z: -np.sqrt(R**2 - z**2), lambda z: np.sqrt(R**2 - z**2))
        return dblquad(density, -R, R, *edge, epsabs=1e-11, epsrel=1e-9)[0]

    expected = [moment(lambda y, z: z), moment(lambda y, z: -y), moment(lambda y, z: 1.0)]
    np.testing.assert_allclose(wrench[0, 1:4], expected, rtol=1e-5)
    linear = REST[[0, 4, 5], [0, 4, 5]] * [2.0, 0.1, -0.05]
    np.testing.assert_allclose(wrench[0, [0, 4, 5]], linear, rtol=1e-12)


def test_at_rest_it_is_the_linear_section():
    _, tangent = LAW(np.zeros((2, 6)), np.zeros(2))
    np.testing.assert_allclose(tangent[1], REST, rtol=1e-12, atol=1e-12)


def test_tangent_is_the_derivative():
    excess = np.array([[2.0, 15.0, -20.0, 0.2, 0.1, -0.05]])
    _, tangent = LAW(excess, np.zeros(1))
    h = 1e-5 * np.array([1, 1, 1, 0.01, 0.01, 0.01])
    slopes = [
        (LAW(excess + d, np.zeros(1))[0] - LAW(excess - d, np.zeros(1))[0])[0] / (2 * d.sum())
        for d in np.diag(h)
    ]
    np.testing.assert_allclose(tangent[0], np.transpose(slopes), rtol=1e-5, atol=1e-6)


def test_hanging_rod_stretches_as_its_rubber():
    rod = Rod(0.2, law=LAW, degrees=1)
    force = np.pi * R**2 * stress(1.8)
    state = solve(rod, [PointLoad((force, 0, 0))])
    assert state.tip_position[0] == pytest.approx(0.36, rel=1e-9)


def test_a_crushed_fibre_is_refused_and_the_solver_steps_back():
    """Rubber resists being crushed without limit: the moment is met, but not in one step."""
    assert np.isnan(LAW(np.array([[0.0, 0, 150, 0, 0, 0]]), np.zeros(1))[0]).all()
    state = solve(Rod(0.2, law=LAW, degrees=1), [PointLoad(moment=(0, 0, 3.0))])
    assert state.cutbacks > 0
    strain = state.strain([0.1])[0]
    assert strain[3] - R * strain[2] > 0


def test_motion_keeps_account_of_the_energy_of_fibres():
    """Mean forces by two Gauss points: the account is off by the fifth power of a step's strain."""
    soft = NeoHooke(mu=30e3, density=1000.0)
    rest = circular_stiffness(R, 90e3, 30e3)
    rod = Rod(0.2, law=fibre_law(soft, round_fibres(R), rest), degrees=2)
    bent = solve(rod, [PointLoad((0.5, 0.2, 0.1))])
    start = MovingRod(bent.q, 0 * bent.q, np.eye(4), np.zeros(6))
    off = []
    for count in (40, 80):
        motion = simulate(
            rod,
            circular_inertia(R, 1000.0),
            [0.0, 0.2],
            start=start,
            step=0.2 / count,
            tolerance=None,
        )
        total = motion.kinetic + motion.stored + motion.lost
        off.append(abs(total[1] / total[0] - 1))
    assert off[0] < 1e-5
    assert off[1] < off[0] / 6
