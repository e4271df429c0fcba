"""A held tip: blocked forces, prescribed frames, reactions, and the stability that is left."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

from loligo.reduced.lie import adjoint, exp_se3, hat_se3, inverse
from loligo.reduced.rod.loads import LineLoad, PointLoad, RodTendon, chamber_pressure
from loligo.reduced.rod.loadset import load_set
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.statics import residual, solve
from loligo.reduced.rod.tip import bordered, tip_jacobian

SECTION = np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0])
AT_REST = exp_se3(np.array([0, 0, 0, 1.0, 0, 0]))
SOMEWHERE = exp_se3(np.array([0.5, 0.3, 1.0, 0.9, 0.4, -0.1]))
LOADS = [
    LineLoad((1, 2, 3)),
    LineLoad((0.3, -1, 2), axes="body"),
    RodTendon(2.0, (0.1, 0.05)),
    chamber_pressure(5.0, 0.3, 0.2, 0.1),
    PointLoad((1, -1, 2), axes="body", at=0.5),
]


def rod_of(degrees=3, **options):
    return Rod(1.0, SECTION, degrees=degrees, segments=2, **options)


def test_blocked_force_of_an_eccentric_chamber():
    """Held straight the solid carries nothing: the support returns p A and p A (z, -y), exactly."""
    p, area, y, z = 5.0, 0.3, 0.2, 0.1
    state = solve(rod_of(), [chamber_pressure(p, area, y, z)], tip=AT_REST)
    expected = [0, -p * area * z, p * area * y, -p * area, 0, 0]
    np.testing.assert_allclose(state.tip_reaction, expected, atol=1e-12)
    np.testing.assert_allclose(state.wrench([0, 0.3, 1]), 0, atol=1e-12)
    np.testing.assert_allclose(state.strain([0.3]), [[0, 0, 0, 1, 0, 0]], atol=1e-12)


def test_blocked_plates_pass_the_reaction_on():
    breaks, plates = [0, 0.2, 0.8, 1], [(0, 0.2), (0.8, 1)]
    rod = Rod(1.0, SECTION, degrees=2, segments=breaks, rigid=plates)
    state = solve(rod, [chamber_pressure(5.0, 0.3, 0.2, 0, span=(0.2, 0.8))], tip=AT_REST)
    through = [0, 0, 0.3, -1.5, 0, 0]
    np.testing.assert_allclose(state.tip_reaction, through, atol=1e-12)
    np.testing.assert_allclose(state.wrench([0.1, 0.5, 0.9])[[0, 2]], [through] * 2, atol=1e-12)


def test_a_tip_held_on_an_arc_takes_a_pure_moment():
    """Strain (0, 0, kappa, 1, 0, 0) is in equilibrium with EI kappa alone, whatever the turn."""
    strain = np.array([0, 0, 2.5, 1, 0, 0])
    state = solve(rod_of(0), [], tip=expm(hat_se3(strain)))
    np.testing.assert_allclose(state.tip_reaction, [0, 0, 1.3 * 2.5, 0, 0, 0], atol=1e-11)
    np.testing.assert_allclose(state.strain([0.2, 0.9]), [strain] * 2, atol=1e-11)


def test_a_tip_held_where_a_load_took_it_pushes_back_with_that_load():
    wrench = np.array([0.3, -0.4, 0.8, 0.5, 1.0, -0.7])
    tip_load = PointLoad(wrench[3:], wrench[:3], axes="body")
    free = solve(rod_of(), [*LOADS, tip_load])
    held = solve(rod_of(), LOADS, tip=free.tip)
    np.testing.assert_allclose(held.tip_reaction, wrench, atol=1e-9)
    np.testing.assert_allclose(held.q, free.q, atol=1e-9)
    assert free.tip_reaction is None


def test_the_tip_is_where_it_is_held_and_everything_balances():
    state = solve(rod_of(5), LOADS, tip=SOMEWHERE)
    np.testing.assert_allclose(state.tip, SOMEWHERE, atol=1e-12)
    X = np.array([0.2, 0.5, 0.7, 1.0])
    excess = state.strain(X) - [0, 0, 0, 1, 0, 0]
    np.testing.assert_allclose(state.wrench(X), excess @ SECTION, atol=2e-3 * 7)
    np.testing.assert_allclose(  # at the tip only the reaction and the actuation are left
        state.wrench([1.0])[0] + actuation_at_tip(state), state.tip_reaction, atol=1e-12
    )


def actuation_at_tip(state):
    """p A and T at the tip by hand: the chamber's wrench and the tendon's, t = u/|u|."""
    chamber = -1.5 * np.array([0, 0.1, -0.2, 1, 0, 0])
    w, v = np.split(state.strain([1.0])[0], 2)
    d = np.array([0, 0.1, 0.05])
    t = v + np.cross(w, d)
    t *= 2.0 / np.linalg.norm(t)
    return chamber + np.append(np.cross(d, t), t)


def test_a_rigid_motion_of_base_and_tip_leaves_the_reaction():
    turn = exp_se3(np.array([0.7, -1.1, 2.0, 0.3, 0.2, -0.5]))
    followers = LOADS[1:]
    here = solve(rod_of(), followers, tip=SOMEWHERE)
    there = solve(rod_of(base=turn), followers, tip=turn @ SOMEWHERE)
    np.testing.assert_allclose(there.tip_reaction, here.tip_reaction, atol=1e-10)
    np.testing.assert_allclose(there.frames([0.6]), turn @ here.frames([0.6]), atol=1e-11)


def test_action_and_reaction_at_both_ends():
    """Seen from the tip the same rod is held at its base: the wrenches balance about any point."""
    dead = [LineLoad((1, 2, 3))]
    state = solve(rod_of(6), dead, tip=SOMEWHERE)
    base = -state.wrench([0.0])[0]
    tip = adjoint(inverse(state.tip)).T @ state.tip_reaction
    X, w = np.polynomial.legendre.leggauss(40)
    centre = np.einsum("i,ij->j", 0.5 * w, state.frames(0.5 * (1 + X))[:, :3, 3])
    line = np.append(np.cross(centre, (1, 2, 3)), (1, 2, 3))
    np.testing.assert_allclose(base + tip + line, 0, atol=1e-7)  # the weak form's own centre


def test_newton_converges_quadratically_with_a_held_tip():
    (sizes,) = solve(rod_of(), LOADS, tip=SOMEWHERE).corrections
    assert len(sizes) <= 8
    for before, after in pairwise(sizes[2:]):
        assert after < 3.0 * before**2 + 1e-12


def test_bordered_system_is_the_derivative_of_its_right_side():
    """Taylor remainders of slope two in coordinates and reaction, about a tip that is in place."""
    rod = rod_of()
    rng = np.random.default_rng(2)
    q, dq = 0.3 * rng.normal(size=(2, rod.grid.unknowns))
    reaction, d_reaction = rng.normal(size=(2, 6))
    held = tip_jacobian(rod, q)[0]
    loads = load_set(rod, LOADS)

    def system(h):
        acting = loads.with_tip_wrench(reaction + h * d_reaction)
        values, tangent = residual(rod, acting, q + h * dq)
        matrix, right, _ = bordered(rod, q + h * dq, held, values, tangent)
        return matrix, -right

    matrix, value = system(0.0)
    change = matrix @ np.append(dq, d_reaction)
    steps = 0.05 / 4.0 ** np.arange(5)
    for rows in (slice(None, -6), slice(-6, None)):
        remainders = [np.linalg.norm((system(h)[1] - value - h * change)[rows]) for h in steps]
        slopes = np.diff(np.log(remainders)) / np.diff(np.log(steps))
        np.testing.assert_allclose(slopes, 2.0, atol=0.15)


def column(pressure, tip):
    """A clamped column, EI = 1 and L = 1, with a central chamber of unit area."""
    section = np.diag([1, 1, 1, 1e4, 1e7, 1e7])
    rod = Rod(1.0, section, degrees=4, segments=4)
    return solve(rod, [chamber_pressure(pressure, 1.0, 0.0, 0.0)], tip=tip)


def test_a_pressurised_column_buckles_only_between_two_clamps():
    """Held, the fluid pushes like a dead force: Euler's 4 pi^2 EI/L^2. Free, it never buckles.

    The shear of 1e7 lowers it by 4e-6 of itself.
    """
    critical = 4 * np.pi**2
    assert column(0.995 * critical, AT_REST).stable
    assert not column(1.005 * critical, AT_REST).stable
    assert column(1.005 * critical, None).stable


def test_a_held_tip_is_moved_on_and_let_go():
    rod = rod_of()
    loads = [LineLoad((1, 2, 3)), chamber_pressure(5.0, 0.3, 0.2, 0.1)]
    first = solve(rod, loads, tip=SOMEWHERE)
    further = SOMEWHERE @ exp_se3(np.array([0.3, 0.5, -1.0, 0.05, 0.1, 0.0]))
    moved = solve(rod, loads, start=first, tip=further)
    direct = solve(rod, loads, tip=further)
    np.testing.assert_allclose(moved.tip_reaction, direct.tip_reaction, atol=1e-9)
    again = solve(rod, loads, start=first, tip=SOMEWHERE)
    assert len(again.corrections[0]) == 1
    free = solve(rod, loads, start=moved)
    np.testing.assert_allclose(free.tip, solve(rod, loads).tip, atol=1e-9)
    assert free.tip_reaction is None


def test_a_long_way_of_the_tip_is_cut_into_steps():
    """Bent once round, as far as the logarithm goes: half a turn, then half a turn more."""
    rod = Rod(1.0, SECTION, degrees=2, segments=4)
    half = solve(rod, [], tip=expm(hat_se3(np.array([0, 0, 0.9 * np.pi, 1, 0, 0]))))
    whole = solve(rod, [], start=half, tip=expm(hat_se3(np.array([0, 0, 1.8 * np.pi, 1, 0, 0]))))
    assert whole.strain([0.5])[0, 2] == pytest.approx(1.8 * np.pi, rel=1e-9)
    np.testing.assert_allclose(whole.tip_reaction, [0, 0, 1.3 * 1.8 * np.pi, 0, 0, 0], atol=1e-8)


def test_letting_go_of_a_strongly_bent_rod_lets_the_reaction_fade():
    """A whole turn is more than one Newton correction may undo: it takes steps, each balanced."""
    rod = Rod(1.0, SECTION, degrees=0, segments=2)
    bent = solve(rod, [PointLoad(moment=(0, 0, 1.3 * 2 * np.pi))])
    held = solve(rod, [], start=bent, tip=bent.tip)
    assert held.tip_reaction[2] == pytest.approx(1.3 * 2 * np.pi, rel=1e-9)
    free = solve(rod, [], start=held)
    assert free.cutbacks > 0
    np.testing.assert_allclose(free.q, 0, atol=1e-9)


def test_refusals_name_what_is_wrong():
    with pytest.raises(ValueError, match="tip must be a 4x4 frame"):
        solve(rod_of(), [], tip=np.eye(3))
    straight = rod_of({"torsion": 2, "bend_y": 2, "bend_z": 2})
    with pytest.raises(ValueError, match="the free strains move it in only 5 of 6 directions"):
        solve(straight, [], tip=AT_REST)
