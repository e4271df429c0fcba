"""Newton with load steps, volume and displacement control, arc length, stability, failures."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from loligo.cases.rubber.elastomer import Gent, NeoHooke, Ogden, OgdenTerm
from loligo.reduced.shell import statics as shell_statics
from loligo.reduced.shell.assembly import Inadmissible, linearise
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell.loads import (
    edge_load,
    hoop_tension_load,
    pressure_load,
    surface_load,
)
from loligo.reduced.shell.model import Span, make_shell
from loligo.reduced.shell.statics import (
    NoEquilibrium,
    arc_length,
    displacement_control,
    follow,
    solve,
    volume_control,
)

NEO_HOOKE = NeoHooke(mu=1.0, density=1e3)
GENT = Gent(mu=1.0, limit=30.0, density=1e3)
OGDEN = Ogden(  # the published fit of Treloar's rubber, MPa, scaled to mu = 1 in the test
    terms=(
        OgdenTerm(mu=0.63, alpha=1.3),
        OgdenTerm(mu=0.0012, alpha=5.0),
        OgdenTerm(mu=-0.01, alpha=-2.0),
    ),
    density=1e3,
)


def balloon(elastomer, thickness=1e-3):
    """Half a sphere of radius 1, mirrored at its equator."""
    return make_shell(
        [Span(np.pi / 2, 12, -1.0)],
        RubberLaw(elastomer),
        thickness=thickness,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="symmetry",
    )


def cap(parameter=5.0, h=1e-3):
    """A clamped shallow cap of radius 1, parameter^4 = 12 (1 - nu^2) a^4/(R h)^2."""
    rise = parameter * np.sqrt(h) / (12 * 0.91) ** 0.25
    return make_shell(
        [Span(np.arcsin(rise), 16, -1.0)],
        LinearLaw(1.0, 0.3),
        thickness=h,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="clamped",
    )


def tube(law=None):
    return make_shell(
        [Span(0.05, 10)],
        law or GreenLaw(40e3),
        thickness=2e-3,
        radius=31e-3,
        angle=0.0,
        start="clamped",
        end="free",
        lids=False,
    )


def total_residual(shell, state):
    """Forces that are not in balance over the largest force on a free node."""
    now = linearise(shell, state.displacement, state.loads.pressure)
    load = state.loads.dead + state.loads.pressure * now.wall
    gap = np.where(shell.fixed, 0.0, now.internal - load)
    return np.abs(gap).max() / np.abs(np.where(shell.fixed, 0.0, load)).max()


# --- F10: balloons through their limit points, volume held ---------------------------------------


def membrane_pressure(elastomer, stretch):
    """p R/h of a thin sphere: the derivative of psi(l, l, l^-2) over l^2, by complex step."""
    at = stretch + 1e-30j
    i1 = 2 * at**2 + at**-4
    match elastomer.energy:
        case "neo_hooke":
            psi = elastomer.mu / 2 * (i1 - 3)
        case "gent":
            psi = -elastomer.mu * elastomer.limit / 2 * np.log(1 - (i1 - 3) / elastomer.limit)
        case "ogden":
            psi = sum(
                t.mu / t.alpha * (2 * at**t.alpha + at ** (-2 * t.alpha)) for t in elastomer.terms
            )
    return psi.imag / 1e-30 / stretch**2


@pytest.mark.parametrize(
    ("elastomer", "limits"),
    [(NEO_HOOKE, (7 ** (1 / 6),)), (GENT, (1.445, 2.318)), (OGDEN, (1.3736, 4.320))],
    ids=["neo_hooke", "gent", "ogden"],
)
def test_f10_limit_points_of_balloons(elastomer, limits):
    h = 1e-3
    shell = balloon(elastomer, h)
    around = np.ravel([[0.97 * s, s, 1.03 * s] for s in limits])
    stretches = np.r_[1.1, 1.2, around]
    full = 2 / 3 * np.pi
    states = follow(shell, pressure_load(shell, 1.0), volume_control(), full * stretches**3)
    pressures = np.array([state.factor for state in states])
    # Exact in the limit of thin walls; bending and mesh are of the order of (h/R)^2 and 1e-6.
    exact = [h * membrane_pressure(elastomer, s) for s in stretches]
    np.testing.assert_allclose(pressures, exact, rtol=1e-5)
    np.testing.assert_allclose([s.volume for s in states], full * stretches**3, rtol=1e-12)
    for k, (sign, stretch) in enumerate(zip((1, -1), limits, strict=False)):
        below, at, above = sign * pressures[2 + 3 * k : 5 + 3 * k]
        assert at > below and at > above
        best = minimize_scalar(
            lambda s, sign=sign: -sign * membrane_pressure(elastomer, s),
            bounds=(0.95 * stretch, 1.05 * stretch),
            method="bounded",
        ).x
        assert best == pytest.approx(stretch, rel=4e-4)  # the table's four digits
    # A held pressure is unstable between the limit points only.
    first = len(limits) > 1
    held = [s.unstable_at_load > 0 for s in states]
    assert held[:3] == [False] * 3 and held[4]
    assert not first or (held[5] and not held[7])


def test_f10_neo_hookean_limit_pressure():
    h, mu = 1e-3, 1.0
    shell = balloon(NEO_HOOKE, h)
    (state,) = follow(
        shell,
        pressure_load(shell, 1.0),
        volume_control(),
        [2 / 3 * np.pi * np.sqrt(7.0)],  # (7^(1/6))^3
    )
    assert state.factor / (mu * h) == pytest.approx(1.239463, rel=1e-5)
    with pytest.raises(NoEquilibrium, match="limit point"):
        solve(shell, pressure_load(shell, 1.2396 * mu * h))


# --- arc length ----------------------------------------------------------------------------------


def test_arc_length_goes_through_both_limit_points_of_a_cap():
    shell = cap()
    load = pressure_load(shell, -1.0)
    path = list(islice(arc_length(shell, load, step=2.5e-5), 160))
    factors = np.array([state.factor for state in path])
    turns = np.flatnonzero(np.diff(np.sign(np.diff(factors))))
    assert len(turns) == 2, factors
    classical = 2 * (1e-3) ** 2 / np.sqrt(3 * 0.91)
    assert factors[turns[0] + 1] / classical == pytest.approx(0.6175, rel=1e-2)
    unstable = np.array([state.unstable_at_load for state in path])
    assert (unstable[: turns[0]] == 0).all() and (unstable[turns[1] + 2 :] == 0).all()
    assert (unstable[turns[0] + 2 : turns[1]] == 1).all()
    # Every point is an equilibrium, and the one that displacement control finds there.
    apex = displacement_control(shell, 0.0, "axial")
    for state in path[::32]:
        assert total_residual(shell, state) < 1e-7
        (other,) = follow(shell, load, apex, [state.displacement[0, 0]], path[max(turns)])
        total = path[max(turns)].factor + other.factor
        assert total == pytest.approx(state.factor, rel=1e-6, abs=1e-6 * classical)


def test_arc_length_steps_have_the_asked_length():
    shell = cap()
    states = list(islice(arc_length(shell, pressure_load(shell, -1.0), step=2e-5), 6))
    share = shell.rest[:, 1] * np.gradient(shell.arc)
    moves = np.diff([s.displacement[:, :2] for s in states], axis=0)
    size = np.sqrt((moves**2).sum(-1) @ share / share.sum())
    # The plane across the tangent is 2e-5 away; the path bends by a few per cent of it.
    np.testing.assert_allclose(size, 2e-5, rtol=2e-3)


def test_arc_length_from_a_loaded_state_keeps_its_load():
    shell = tube()
    start = solve(shell, hoop_tension_load(shell, 5.0))
    state = next(arc_length(shell, pressure_load(shell, 1.0), 1e-4, start))
    np.testing.assert_array_equal(state.loads.dead, start.loads.dead)
    assert state.loads.pressure == state.factor > 0.0
    assert state.volume > start.volume


def test_a_load_that_moves_nothing_has_no_path():
    shell = tube()
    with pytest.raises(ValueError, match="the loads do not move the shell"):
        next(arc_length(shell, 0.0 * pressure_load(shell, 1.0), 1e-4))


# --- load steps ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "law", [GreenLaw(40e3), LinearLaw(40e3, 0.3), RubberLaw(NeoHooke(mu=13e3, density=1e3))]
)
def test_equilibrium_does_not_depend_on_the_way_there(law):
    shell = tube(law)
    first = edge_load(shell, "end", axial=3.0, radial=-1.0, moment=1e-3)
    second = hoop_tension_load(shell, 8.0) + pressure_load(shell, 30.0)
    both = first + second + surface_load(shell, axial=20.0)
    direct = solve(shell, both)
    detour = solve(shell, both, start=solve(shell, second, start=solve(shell, first)))
    np.testing.assert_allclose(
        detour.displacement, direct.displacement, atol=1e-9 * np.abs(direct.displacement).max()
    )
    assert total_residual(shell, direct) < 1e-9
    # The clamp balances what acts along the axis: edge, surface, and the open tube's wall (none,
    # but for the rim that is wider or narrower than the clamped end).
    area = 2 * np.pi * 31e-3 * 0.05
    rim = 31e-3 + direct.displacement[-1, 1]
    wall = 30.0 * np.pi * (31e-3**2 - rim**2)
    outer = 2 * np.pi * 31e-3 * 3.0 + 20.0 * area + wall
    assert direct.reaction[0, 0] == pytest.approx(-outer, rel=1e-9)


def test_a_failed_step_is_halved_and_changes_nothing(monkeypatch):
    shell = tube()
    load = hoop_tension_load(shell, 12.0)
    smooth = solve(shell, load)
    calls = {"count": 0, "failed": 0}

    def fragile(shell, displacement, pressure):
        calls["count"] += 1
        if calls["count"] in (3, 4, 11):
            calls["failed"] += 1
            raise Inadmissible("injected")
        return linearise(shell, displacement, pressure)

    monkeypatch.setattr(shell_statics, "linearise", fragile)
    stepped = solve(shell, load)
    assert calls["failed"] == 3
    np.testing.assert_allclose(
        stepped.displacement, smooth.displacement, atol=1e-9 * np.abs(smooth.displacement).max()
    )
    np.testing.assert_array_equal(stepped.loads.dead, load.dead)


def test_newton_converges_in_few_iterations():
    # An exact tangent: from rest to 8 N/m, more than half of the limit load, without load steps.
    shell = tube()
    assert solve(shell, hoop_tension_load(shell, 8.0)).iterations <= 6


def test_volume_is_held_under_other_loads():
    shell = make_shell(
        [Span(0.05, 10)],
        GreenLaw(40e3),
        thickness=2e-3,
        radius=31e-3,
        angle=0.0,
        start="clamped",
        end="guided",
    )
    squeezed = solve(shell, hoop_tension_load(shell, 8.0))
    rest = np.pi * 31e-3**2 * 0.05
    (state,) = follow(shell, pressure_load(shell, 1.0), volume_control(), [rest], squeezed)
    assert squeezed.volume < rest
    assert state.volume == pytest.approx(rest, rel=1e-12)
    np.testing.assert_array_equal(state.loads.dead, squeezed.loads.dead)
    assert state.loads.pressure == state.factor > 0.0
    assert total_residual(shell, state) < 1e-9


def test_following_keeps_what_was_reached():
    shell = cap()
    apex = displacement_control(shell, 0.0, "axial")
    values = [1e-4, 5e-4, 3.0]  # the last is fifty times the cap's radius of its edge
    with pytest.raises(NoEquilibrium, match="of the controlled value, on the way to 3") as failure:
        follow(shell, pressure_load(shell, -1.0), apex, values)
    reached = failure.value.reached
    assert [r.displacement[0, 0] for r in reached[:2]] == pytest.approx(values[:2], rel=1e-12)
    assert len(reached) == 3 and np.isfinite(reached[2].displacement).all()


def test_a_load_that_cannot_change_what_is_prescribed():
    # Without Poisson's ratio a ring of tension moves nothing of a straight tube along the axis.
    shell = make_shell(
        [Span(0.05, 4)],
        LinearLaw(40e3, 0.0),
        thickness=2e-3,
        radius=31e-3,
        angle=0.0,
        start="symmetry",
        end="free",
    )
    axial = displacement_control(shell, 0.05, "axial")
    with pytest.raises(NoEquilibrium, match="the load does not change what is prescribed"):
        follow(shell, hoop_tension_load(shell, 1.0), axial, [1e-3])


def test_held_displacements_cannot_be_prescribed():
    with pytest.raises(ValueError, match="the radial displacement at X = 0 m is held by a support"):
        displacement_control(cap(), 0.0, "radial")
