"""Mean forces of a step: they do the work of energy and volume, their tangent by differences."""

import numpy as np
import pytest
from scipy.sparse import dia_array

from loligo.cases.rubber.elastomer import Gent, NeoHooke
from loligo.reduced.shell.assembly import Inadmissible, linearise
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell.model import BAND, Span, make_shell
from loligo.reduced.shell.wall_step import begin, tangent, wall_step

R, ETA, DT = 0.03, 100.0, 0.3
LAWS = {
    "green": GreenLaw(40e3, 0.3, 1.0, ETA),
    "linear": LinearLaw(40e3, 0.3, 0.8, ETA),
    "rubber": RubberLaw(NeoHooke(mu=40e3 / 3, density=1e3, viscosity=ETA)),
    "gent": RubberLaw(Gent(mu=40e3 / 3, limit=4.0, density=1e3, viscosity=ETA)),
}
POT = (  # a spherical cap, a cone with a kink on both sides, a cylinder
    Span(0.04, 4, curvature=-1 / R),
    Span(0.02, 3, turn=0.5),
    Span(0.03, 3, turn=-0.7),
)


def pot(law, lids=True):
    options = dict(thickness=2e-3, radius=0.0, angle=np.pi / 2, start="clamped", end="free")
    return make_shell(POT, LAWS[law], lids=lids, **options)


def ends(shell, size=1.0):
    """Two states, both strained by some 10 % and turned by up to 0.3 rad, `size` apart."""
    s = shell.arc / shell.arc[-1]
    old = np.stack([4e-3 * s * np.sin(3 * s), 3e-3 * s**2 * np.cos(2 * s), 0.3 * s**2], axis=-1)
    way = [3e-3 * s**2 * np.sin(5 * s), 3e-3 * s**2 * np.cos(2 * s), 0.2 * s**2 * np.sin(3 * s)]
    return old, old + size * np.stack(way, axis=-1)


def energy_gap(law, size):
    shell = pot(law)
    old, new = ends(shell, size)
    step = wall_step(shell, begin(shell, old), new, DT, 0.0)
    stored = [linearise(shell, q, 0.0).energy for q in (old, new)]
    work = (step.force * (new - old)).sum()
    return abs(work - step.dissipated - stored[1] + stored[0]) / max(stored), step


@pytest.mark.parametrize("law", ["green", "linear"])
def test_forces_do_the_work_of_the_energy(law):
    gap, step = energy_gap(law, 1.0)
    assert gap < 1e-14
    assert step.dissipated > 0.0


def test_rubber_misses_the_energy_by_the_fifth_power():
    gaps = [energy_gap("rubber", size)[0] for size in (0.25, 0.125)]
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(5.0, abs=0.2)


@pytest.mark.parametrize("law", LAWS)
def test_a_shift_along_the_axis_needs_no_force(law):
    shell = pot(law, lids=False)
    old, new = ends(shell)
    step = wall_step(shell, begin(shell, old), new, DT, 0.0)
    assert abs(step.force[:, 0].sum()) < 1e-13 * np.abs(step.force[:, 0]).sum()
    shifted = wall_step(shell, begin(shell, old), new + np.array([0.2, 0.0, 0.0]), DT, 0.0)
    np.testing.assert_allclose(
        shifted.force, step.force, atol=1e-12 * np.abs(step.force).max()
    )  # 0.2 m over elements of 7 mm: digits lost


def test_pressure_does_the_work_of_the_volume():
    shell, p = pot("green"), 200.0
    old, new = ends(shell)
    step = wall_step(shell, begin(shell, old), new, DT, p)
    volumes = [linearise(shell, q, 0.0).volume for q in (old, new)]
    work = (step.push * (new - old)).sum()
    assert work == pytest.approx(p * (volumes[1] - volumes[0]), rel=1e-12)
    # Without lids the discs of the rims are missing: p pi r^2 du, by Simpson along the step.
    open_pot = pot("green", lids=False)
    bare = wall_step(open_pot, begin(open_pot, old), new, DT, p)
    r = open_pot.rest[-1, 1] + np.array([old[-1, 1], (old + new)[-1, 1] / 2, new[-1, 1]])
    disc = np.pi * r**2 @ [1, 4, 1] / 6
    assert step.push[-1, 0] - bare.push[-1, 0] == pytest.approx(p * disc, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("lids", [True, False])
def test_tangent_by_differences(law, lids):
    shell, p = pot(law, lids), 300.0
    old, new = ends(shell)
    start = begin(shell, old)
    size = old.size
    matrix = tangent(shell, wall_step(shell, start, new, DT, p))
    matrix = dia_array((matrix, np.arange(BAND, -BAND - 1, -1)), shape=(size, size))
    way = np.random.default_rng(0).standard_normal(old.shape) * [R, R, 1.0] * 1e-6
    sides = [wall_step(shell, start, new + sign * way, DT, p) for sign in (1, -1)]
    difference = (sides[0].force - sides[0].push - sides[1].force + sides[1].push) / 2
    product = (matrix @ way.ravel()).reshape(old.shape)
    # Rounding of the difference, and a slope of sinc that is cut off at turn^4/1344.
    scale = np.abs(product).max(0)  # forces and moments
    np.testing.assert_allclose(product / scale, difference / scale, atol=1e-7)


@pytest.mark.parametrize("law", LAWS)
def test_short_steps_have_the_forces_of_statics(law):
    shell, p = pot(law, lids=False), 200.0
    old, new = ends(shell, 0.02)
    step = wall_step(shell, begin(shell, old), new, 1e9, p)
    exact = linearise(shell, (old + new) / 2, p)
    np.testing.assert_allclose(
        step.force - step.push,
        exact.internal - p * exact.wall,
        atol=2e-4 * np.abs(exact.internal).max(),  # the square of 1 % of the strain and turn
    )


def test_wall_inside_out_is_no_step():
    shell = pot("green")
    still = np.zeros(shell.fixed.shape)
    with pytest.raises(Inadmissible, match="inside out"):
        wall_step(shell, begin(shell, still), still - [0.0, 0.05, 0.0], DT, 0.0)
    # Gent's limit is at I1 - 3 = 4; a biaxial stretch of 3 is far beyond.
    stretched = np.stack([0.0 * shell.arc, 2.0 * shell.rest[:, 1], 0.0 * shell.arc], axis=-1)
    with pytest.raises(Inadmissible, match="law"):
        wall_step(pot("gent"), begin(shell, still), stretched, DT, 0.0)
