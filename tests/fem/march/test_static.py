"""Newton's rate, cutbacks, exact return to requested values, stability, and honest ends."""

import json
from collections.abc import Callable, Mapping

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.io.checkpoint import made, plain
from loligo.fem.loads.base import Traction
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.standing import MarchStopped, Standing, StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton, Slope, Tolerances

Box = Callable[..., Domain]
MU = 1e5


@pytest.fixture
def bar(box: Box, laws: dict[str, Elastomer]) -> Problem:
    """A unit cube in uniaxial tension or compression by v = stretch - 1."""

    def pull(x: np.ndarray, value: float) -> np.ndarray:
        return np.stack([value * x[0], 0 * x[0], 0 * x[0]])

    supports = [
        Fixed("x0", (0,)),
        Fixed("y0", (1,)),
        Fixed("z0", (2,)),
        Moved("v", "x1", pull, (0,)),
    ]
    return Problem(box(distort=0.3), laws["neo_hooke"], supports=supports)


def _force(value: float) -> float:
    return MU * (1 + value - (1 + value) ** -2)


def test_newton_converges_quadratically(bar: Problem) -> None:
    (result,) = march(bar, [{"v": 0.5}])
    residuals = np.array([h["displacement"] for h in result.history])
    steps = np.log(residuals[-4:-1])  # the last correction is no more exact than was asked for
    assert (steps[2] - steps[1]) / (steps[1] - steps[0]) > 1.9


@pytest.mark.mpi
def test_slopes_feel_what_moving_supports_do_to_volumes_and_tendons(
    tube: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    """A tube of given volume with a tendon in its wall is pulled: its solutions on both sides."""

    def pull(x: np.ndarray, value: float) -> np.ndarray:
        return np.stack([value * x[0], 0 * x[0], 0 * x[0]])

    problem = Problem(
        tube(1.0, 2.0, 1.0, (1, 2, 1)),
        laws["neo_hooke"],
        supports=[
            *(Fixed(face, (i,)) for i, face in enumerate(("x0", "y0", "z0"))),
            Moved("pull", "x1", pull, (0,)),
        ],
        cavities=[Cavity("inside", "inner", open_along_x=True)],
        tendons=[Tendon("cord", ((0.0, 1.0, 1.0), (1.0, 1.0, 1.0)))],
    )
    volume = 1.3 * problem.cavity_volume("inside")
    step, sides = 1e-3, []
    newton = Newton(problem, ("inside",), Tolerances(displacement=1e-11, pressure=1e-11))
    for stretch in (1.1 - step, 1.1 + step, 1.1):
        newton.apply({"pull": stretch - 1.0, "inside": volume, "cord": 0.3 * MU})
        assert newton.solve().failure is None
        owned = problem.save().unknowns[: problem.fields.owned]
        sides.append((owned, problem.values["inside"]))
    slope, twice = (newton.slope({"pull": way}) for way in (step, 2.0 * step))
    newton.destroy()
    (before, low), (after, high), _ = sides
    assert slope.pressures["inside"] == pytest.approx((high - low) / 2, rel=1e-4)
    moves = problem.fields.by_name["displacement"]
    error = (slope.unknowns - (after - before) / 2)[moves]
    largest = problem.comm.allreduce(float(abs(slope.unknowns[moves]).max()), MPI.MAX)
    assert abs(error).max() < 1e-4 * largest
    scaled = slope.times(2.0)
    assert scaled.pressures["inside"] == pytest.approx(twice.pressures["inside"], rel=1e-5)
    assert abs(scaled.unknowns - twice.unknowns)[moves].max() < 1e-5 * largest


@pytest.mark.mpi
@pytest.mark.mpi3
def test_all_ranks_see_the_same_residuals(bar: Problem) -> None:
    """Or they would not agree when to stop; the cube's parts are not alike."""
    bar.set_value("v", 0.5)
    newton = Newton(bar, tolerances=Tolerances(iterations=0))  # a look, whatever the ranks see
    here = newton.solve().history
    newton.destroy()
    assert here[0]["support"] > 0.1
    assert here == bar.comm.bcast(here)
    bar.set_value("v", 0.0)
    (result,) = march(bar, [{"v": 0.5}])
    assert result.history == bar.comm.bcast(result.history)


def test_requested_values_are_met_exactly_and_in_order(bar: Problem) -> None:
    wanted = [0.3, 1.0, -0.1]
    results = list(march(bar, [{"v": v} for v in wanted], control=StepControl(first=0.3)))
    met = [r for r in results if r.target is not None]
    assert [r.target for r in met] == [0, 1, 2]
    assert [r.values["v"] for r in met] == wanted
    assert len(results) > len(met)
    assert [r.number for r in results] == list(range(1, len(results) + 1))
    assert bar.reaction("x1")[3] == pytest.approx(_force(-0.1), rel=1e-8)


@pytest.mark.mpi
def test_a_step_too_far_is_cut_back_and_still_arrives(bar: Problem) -> None:
    results = list(march(bar, [{"v": -0.53}], tolerances=Tolerances(iterations=3)))
    assert results[-1].values["v"] == -0.53
    assert "no convergence" in results[0].cutbacks[0]
    assert max(r.iterations for r in results) <= 3
    assert results[-1].stable  # the free sides would crease at a stretch of 0.444 (Biot)
    assert bar.reaction("x1")[3] == pytest.approx(_force(-0.53), rel=1e-8)


@pytest.mark.mpi
def test_a_march_that_is_taken_up_again_goes_the_same_way(bar: Problem) -> None:
    """Between two requested states and at one; the steps are those of the march in one go."""
    kept: list[Standing] = []
    targets, control = [{"v": 0.3}, {"v": 1.0}, {"v": -0.1}], StepControl(first=0.2)
    rest = bar.save()
    whole = list(march(bar, targets, control=control, keep=kept.append))
    last = bar.save().unknowns
    reached = next(i for i, one in enumerate(whole) if one.target == 0)
    assert 0 < reached < len(whole) - 1
    for i in (0, reached):
        bar.restore(rest)
        again = list(march(bar, targets, control=control, resume=kept[i]))
        assert [one.number for one in again] == [one.number for one in whole[i + 1 :]]
        assert [one.values for one in again] == [one.values for one in whole[i + 1 :]]
        assert [one.iterations for one in again] == [one.iterations for one in whole[i + 1 :]]
        np.testing.assert_allclose(bar.save().unknowns, last, rtol=0.0, atol=1e-7 * abs(last).max())


def through_a_file(standing: Standing) -> Standing:
    """Return what a checkpoint gives back."""
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> str:
        arrays[str(len(arrays))] = array
        return str(len(arrays) - 1)

    return made(Standing, json.loads(json.dumps(plain(standing, put))), arrays.__getitem__)


@pytest.mark.mpi
def test_a_march_that_is_taken_up_again_ends_for_the_same_reason(
    octant: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    """A balloon under pressure, from the last state before it gives way."""
    ball = Problem(
        octant(1.0, 1.5, 0.5),
        laws["neo_hooke"],
        supports=[Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,))],
        cavities=[Cavity("inside", "inner")],
    )
    rest, kept, told = ball.save(), list[Standing](), []
    control = StepControl(first=0.5, smallest=2.0**-7)
    for resume in (False, True):
        ball.restore(rest)
        standing = through_a_file(kept[-1]) if resume else None
        with pytest.raises(MarchStopped, match=r"limit point lies near inside = (\d+)") as stop:
            list(
                march(ball, [{"inside": 0.6e5}], control=control, resume=standing, keep=kept.append)
            )
        told.append(float(str(stop.value).split("near inside = ")[1].split(",")[0]))
    assert told[1] == pytest.approx(told[0], rel=1e-3)


@pytest.mark.mpi
def test_what_watches_a_march_can_end_it(bar: Problem) -> None:
    class Enough(Exception):
        pass

    calls = 0

    def watch() -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise Enough

    with pytest.raises(Enough):
        list(march(bar, [{"v": 0.5}], watch=watch))


@pytest.mark.mpi
def test_the_impossible_stops_with_a_reason_in_the_last_good_state(bar: Problem) -> None:
    results = []
    with pytest.raises(
        MarchStopped, match=r"beyond v = .* on the way to -1\.2; .* attempts failed"
    ) as stop:
        for result in march(bar, [{"v": -0.3}, {"v": -1.2}]):
            results.append(result)
    reached = results[-1].values["v"]
    assert results[0].values["v"] == -0.3
    assert -1.0 < reached < -0.3
    assert stop.value.reached["v"] == bar.values["v"] == reached
    newton = Newton(bar, tolerances=Tolerances(iterations=0))  # no iteration is needed
    assert newton.solve().failure is None
    newton.destroy()


def test_folding_is_a_failed_solve_and_not_a_number(bar: Problem) -> None:
    newton = Newton(bar)
    bar.set_value("v", -1.5)
    solve = newton.solve()
    newton.destroy()
    assert solve.failure is not None
    assert "det F" in solve.failure


def test_a_clipped_step_does_not_shorten_the_next_one(bar: Problem) -> None:
    control = StepControl(first=0.8, growth=1.0)
    results = list(march(bar, [{"v": 0.1}, {"v": 0.2}], control=control))
    assert [r.values["v"] for r in results] == pytest.approx([0.08, 0.1, 0.18, 0.2])


def test_the_first_guess_follows_slope_and_curvature(bar: Problem) -> None:
    # Supports move linearly in v: the slope brings them where they belong. The rest is quadratic
    # in the step at first, cubic when the state before is known, at most an eighth of it here.
    first, second = march(bar, [{"v": 0.05}, {"v": 0.1}])
    assert first.history[0]["support"] < 1e-12
    assert second.history[0]["pressure"] < first.history[0]["pressure"] / 4
    assert second.iterations <= first.iterations


def test_the_slope_at_a_requested_state_serves_on_along_the_same_line(
    bar: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    slope = Newton.slope

    def watched(newton: Newton, way: Mapping[str, float]) -> Slope:
        asked.append(way["v"])
        return slope(newton, way)

    monkeypatch.setattr(Newton, "slope", watched)
    _, second, _ = march(bar, [{"v": 0.05}, {"v": 0.15}, {"v": 0.1}])
    # Each where a line begins and where a step ends; not before the step to 0.15.
    assert asked == pytest.approx([0.05, 0.05, 0.1, -0.05, -0.05])
    assert second.history[0]["support"] < 1e-12


def test_a_step_back_to_rest_is_free_of_stress(bar: Problem) -> None:
    *_, last = march(bar, [{"v": 0.4}, {"v": 0.0}])
    assert last.values["v"] == 0.0
    assert abs(bar.reaction("x1")[3]) < 1e-9 * MU


def test_a_march_may_not_give_up_before_it_has_located_a_change() -> None:
    with pytest.raises(ValueError, match="must be below locate"):
        StepControl(smallest=0.1)


@pytest.mark.mpi
def test_the_inertia_is_that_of_the_converged_state(box: Box, laws: dict[str, Elastomer]) -> None:
    # Just below and just above a critical load a march in one step finds what one in many finds.
    domain = box((10, 1, 1), (10.0, 1.0, 1.0), cell=CellType.hexahedron)
    push = Traction("push", "x1", (-1.0, 0.0, 0.0))
    column = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")], loads=[push])
    rest = column.save()
    control = StepControl(first=0.5, locate=2.0**-12, smallest=2.0**-14)
    below = above = 0.0
    for result in march(column, [{"push": 1e-2 * MU}], control=control):
        if not result.stable:
            above = result.values["push"]
            break
        below = result.values["push"]
    assert 0 < above / below - 1 < 1e-3
    for value, stable in ((below, True), (above, False)):
        column.restore(rest)
        (result,) = march(column, [{"push": value}], control=StepControl(locate=1.0))
        assert result.stable is stable


def test_one_factorisation_serves_several_iterations(bar: Problem) -> None:
    results = list(march(bar, [{"v": v} for v in (0.1, 0.2, 0.3)]))
    assert [r.work.factorisations for r in results[1:]] == [1, 1]  # at the converged states
    assert all(r.iterations >= 2 for r in results)
    assert all(r.work.linear_iterations > r.iterations for r in results[1:])
    assert all(r.work.seconds_assembly + r.work.seconds_factorisation < r.seconds for r in results)


def test_an_unknown_value_is_refused(bar: Problem) -> None:
    with pytest.raises(ValueError, match=r"called w; there are v"):
        list(march(bar, [{"w": 1.0}]))


def test_a_column_is_unstable_beyond_eulers_load(box: Box, laws: dict[str, Elastomer]) -> None:
    slenderness = 20
    # Tetrahedra would not be symmetric, and bend before.
    domain = box((slenderness, 1, 1), (float(slenderness), 1.0, 1.0), cell=CellType.hexahedron)
    push = Traction("push", "x1", (-1.0, 0.0, 0.0))
    column = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")], loads=[push])
    euler = np.pi**2 / 4 * 3 * MU / 12 / slenderness**2
    below, above = [], []
    for result in march(column, [{"push": 1.3 * euler}]):
        (below if result.stable else above).append(result)
    assert column.supports.held.size > 0 or column.comm.size > 1
    # Both bending directions buckle at once; the step that crosses is at most 1.3/64 of Euler long.
    critical = (below[-1].values["push"] + above[0].values["push"]) / 2 / euler
    # A clamp that holds the section stiffens (0.5 / L); pre-compression and shear are below 1 %.
    assert critical == pytest.approx(1.0, abs=0.5 / slenderness + 0.02)
    assert above[-1].inertia is not None
    assert above[-1].inertia.negative == above[-1].inertia.expected + 2
    assert any("unstable" in reason for r in [*below, above[0]] for reason in r.cutbacks)
