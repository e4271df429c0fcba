"""Arc length: limit points are passed, requested values met where the path meets them."""

from collections.abc import Callable

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Weight
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.arclength import follow
from loligo.fem.march.standing import MarchStopped, Standing, StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.load_line import line_through

Build = Callable[..., Domain]
A, B = 0.010, 0.015
SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))


def _ball(octant: Build, law: Elastomer, size: float = 0.005) -> Problem:
    cavity = Cavity("inside", "inner")
    return Problem(octant(A, B, size), law, supports=SYMMETRY, cavities=[cavity])


@pytest.mark.mpi
def test_both_branches_agree_with_volume_control(octant: Build, laws: dict[str, Elastomer]) -> None:
    """The limit pressure of this ball is 0.494 mu, closed form; the mesh is coarse."""
    ball = _ball(octant, laws["neo_hooke"])
    rest, kept = ball.save(), []
    wanted = [4e4, 4.8e4, 4.8e4, 4e4]
    control = StepControl(first=0.5)
    targets = [{"inside": p} for p in wanted]
    results = list(follow(ball, targets, control=control, keep=kept.append))
    met = [r for r in results if r.target is not None]
    assert [r.pressures["inside"] for r in met] == wanted
    assert [r.target for r in met] == [0, 1, 2, 3]
    assert [r.stable for r in met] == [True, True, False, False]
    (limit,) = (r.limit["inside"] for r in results if r.limit)
    # Behind the limit point the ball goes on as it came: it swells, evenly all around.
    (mode,) = (r.mode for r in results if r.mode is not None)
    nodes = ball.fields.node_unknowns
    mode, place = mode[nodes], ball.fields.node_positions
    outward = np.sum(mode * place, axis=1) / np.linalg.norm(place, axis=1)
    squares = ball.comm.allreduce(np.array([np.sum(outward**2), np.sum(mode**2)]))
    assert squares[0] > 0.99 * squares[1]

    # The same states by volume, where all of them are stable.
    volumes = [r.volumes["inside"] for r in met]
    ball.restore(rest)
    between = np.linspace(volumes[1], volumes[2], 5)[1:-1]
    again = list(
        march(
            ball,
            [{"inside": v} for v in (*volumes[:2], *between, *volumes[2:])],
            volume_controlled=("inside",),
        )
    )
    found = [r.pressures["inside"] for r in again if r.target is not None]
    np.testing.assert_allclose([*found[:2], *found[-2:]], wanted, rtol=1e-6)
    assert all(r.stable for r in again)
    curve = np.polynomial.Polynomial.fit([volumes[1], *between, volumes[2]], found[1:-1], 4)
    top = max(curve(v) for v in np.linspace(volumes[1], volumes[2], 1001))
    assert limit == pytest.approx(top, rel=2e-4)  # what the quartic through five states leaves

    # Taken up again behind the limit point, the path goes on the way it went.
    at = next(i for i, r in enumerate(results) if r.limit)
    standing: Standing = kept[at]
    ball.restore(rest)
    rest_of_it = list(follow(ball, targets, control=control, resume=standing))
    assert [r.number for r in rest_of_it] == [r.number for r in results[at + 1 :]]
    np.testing.assert_allclose(
        [r.volumes["inside"] for r in rest_of_it],
        [r.volumes["inside"] for r in results[at + 1 :]],
        rtol=1e-6,
    )


def test_a_path_by_motions_and_volumes(octant: Build, box: Build, laws: dict) -> None:
    def pull(x: np.ndarray, value: float) -> np.ndarray:
        return np.stack([value * x[0], 0 * x[0], 0 * x[0]])

    bar = Problem(box(), laws["neo_hooke"], supports=[*SYMMETRY, Moved("v", "x1", pull, (0,))])
    met = [r for r in follow(bar, [{"v": -0.2}, {"v": -0.4}]) if r.target is not None]
    assert [r.values["v"] for r in met] == [-0.2, -0.4]
    assert bar.reaction("x1")[3] == pytest.approx(1e5 * (0.6 - 0.6**-2), rel=1e-8)

    ball = _ball(octant, laws["neo_hooke"])
    rest = ball.cavity_volume("inside")
    states = follow(ball, [{"inside": 6 * rest}], volume_controlled=("inside",))
    last = list(states)[-1]
    assert last.volumes["inside"] == pytest.approx(6 * rest, rel=1e-9)
    assert last.stable and last.limit is None


def test_a_path_that_leads_elsewhere_ends_with_a_reason(
    octant: Build, laws: dict[str, Elastomer]
) -> None:
    ball, states = _ball(octant, laws["neo_hooke"]), []
    with pytest.raises(MarchStopped, match=r"in 5 states it has not led to.* turned at") as stop:
        for result in follow(ball, [{"inside": 6e4}], control=StepControl(first=0.4, states=5)):
            states.append(result)
    assert len(states) == 5
    assert stop.value.reached["inside"] == ball.values["inside"] == states[-1].values["inside"]


def test_a_path_that_is_taken_up_again_ends_as_it_ended(
    box: Build, laws: dict[str, Elastomer]
) -> None:
    """Its smallest step is a share of its first, not of the one with which it goes on."""

    def press(x: np.ndarray, value: float) -> np.ndarray:
        return np.stack([value * x[0], 0 * x[0], 0 * x[0]])

    bar = Problem(box(), laws["neo_hooke"], supports=[*SYMMETRY, Moved("v", "x1", press, (0,))])
    rest, kept = bar.save(), []
    control = StepControl(first=0.1, smallest=2.0**-7)
    ends = []
    for _ in range(2):
        bar.restore(rest)
        resume = kept[-2] if kept else None
        with pytest.raises(MarchStopped) as stop:
            list(follow(bar, [{"v": -2.0}], control=control, resume=resume, keep=kept.append))
        ends.append(stop.value)
    assert resume is not None
    assert resume.step != pytest.approx(resume.first, rel=0.1)
    assert ends[1].reached["v"] == pytest.approx(ends[0].reached["v"], rel=1e-6)
    whole, again = (str(end).split("attempts failed")[0].split("; ")[-1] for end in ends)
    assert again == whole


def test_a_path_cannot_begin_where_it_is(box: Build, laws: dict[str, Elastomer]) -> None:
    bar = Problem(box(), laws["neo_hooke"], supports=SYMMETRY, loads=[Weight("g")])
    with pytest.raises(ValueError, match="the first requested state is the present one"):
        next(follow(bar, [{"g": 0.0}, {"g": 1.0}]))


def test_one_factor_drives_all_values() -> None:
    start = {"p": 1.0, "q": 0.0, "r": 5.0}
    line, factors = line_through(
        start, [{"p": 2.0, "q": 2.0}, {"p": 5.0, "q": 8.0}, {"p": 3.0, "q": 4.0}]
    )
    assert line.way == {"p": 4.0, "q": 8.0, "r": 0.0}
    assert factors == pytest.approx([0.25, 1.0, 0.5])
    with pytest.raises(ValueError, match="requested state 0 is not on the line of the others"):
        line_through(start, [{"p": 2.0}, {"q": 1.0}])
    with pytest.raises(ValueError, match="no load, motion or cavity is called z; there are p, q"):
        line_through(start, [{"z": 2.0}])
