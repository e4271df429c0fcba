"""Static equilibrium of a rod: Newton's method with the exact tangent, and load steps that recover.

The loads go from those of the start (none, for a rod at rest) to the requested ones along a
straight line in load space. The first attempt is the whole way; a step that fails is undone and
halved, one that succeeds lets the next be twice as long, and the last ends exactly at the request.
A long step that starts or ends at an indefinite tangent although the rod was stable has failed too:
it would leave the branch that a slowly loaded rod follows. Short steps may pass, and so may reach
the unstable equilibria beyond a critical load.

A tip that is to be held (see `rod_tip`) goes from where it starts to its frame along a screw,
together with the loads; stability is then that of the motions that leave it at rest.
"""

from collections.abc import Sequence

import numpy as np

from loligo.cases.core.record import LoligoError
from loligo.reduced.lie import Array
from loligo.reduced.rod.kernel import add_internal, add_tendons, subtract_loads
from loligo.reduced.rod.loads import Load
from loligo.reduced.rod.loadset import LoadSet, load_set
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.state import RodState, is_definite
from loligo.reduced.rod.tip import bordered, tip_path

_ITERATIONS = 15
_LONGEST_TURN = np.pi  # of one Newton correction along the rod: beyond it branches get mixed up
_TOLERANCE = 1e-8  # of the last correction, in strain times length; the error left is its square
_SHORTEST_STEP = 1.0 / 4096.0
_LONG_STEP = 1.0 / 64.0  # of the way; at most this is taken through an indefinite tangent


class NotConvergedError(LoligoError, RuntimeError):
    """No equilibrium was found at the requested loads, only on the way to them.

    Attributes:
        fraction: of the way from the start's loads to the requested ones that `last` stands at.
        last: the coordinates q of that equilibrium.
        reason: why there is none beyond.
    """

    def __init__(self, fraction: float, last: Array, reason: str) -> None:
        """Make the message."""
        super().__init__(
            f"the rod found equilibria up to {fraction:.4%} of the way to the requested loads and "
            f"none beyond: {reason}. Past a limit load there may be none; else solve for smaller "
            "loads and use that state as the start"
        )
        self.fraction = fraction
        self.last = last
        self.reason = reason


class _FailedStepError(Exception):
    pass


def solve(
    rod: Rod, loads: Sequence[Load], start: RodState | None = None, tip: Array | None = None
) -> RodState:
    """Return the static equilibrium of a rod under loads, its tip free or held.

    Args:
        rod: the rod.
        loads: what acts on it.
        start: a state to go on from, through loads between its own and these; by default rest.
        tip: the frame in which the tip is held, (4, 4); by default it is free.

    Raises:
        NotConvergedError: if no equilibrium is found; it says how far the loads got and why.
    """
    target = load_set(rod, loads)
    origin = target.scaled(0.0) if start is None else load_set(rod, start.loads)
    q = np.zeros(rod.grid.unknowns) if start is None else start.q
    if q.shape != (rod.grid.unknowns,):
        raise ValueError(
            f"the start has {q.size} coordinates and the rod {rod.grid.unknowns}; "
            "start from a state of a rod with the same degrees and segments"
        )
    reaction: Array = np.zeros(6)
    if start is not None and start.tip_reaction is not None:
        if tip is None:  # let go: the reaction fades as a load does
            origin = origin.with_tip_wrench(start.tip_reaction)
        else:
            reaction = start.tip_reaction
    path = None if tip is None else tip_path(rod, q, np.asarray(tip, float))
    done, step, cutbacks = 0.0, 1.0, 0
    stable = start is None or start.stable
    history: list[tuple[float, ...]] = []
    while done < 1.0:
        end = min(done + step, 1.0)
        acting = target if end == 1.0 else origin.scaled(1.0 - end).plus(target.scaled(end))
        held = None if path is None else path.at(end)
        try:
            keep_stable = stable and end - done > _LONG_STEP
            q, reaction, tangent, corrections = _newton(rod, acting, q, reaction, held, keep_stable)
        except _FailedStepError as failure:
            step = 0.5 * (end - done)
            cutbacks += 1
            if step < _SHORTEST_STEP:
                raise NotConvergedError(done, q, str(failure)) from None
        else:
            history.append(corrections)
            stable = is_definite(tangent)
            done, step = end, 2.0 * step
    return RodState(
        rod, tuple(loads), q, tangent, tuple(history), cutbacks, None if tip is None else reaction
    )


def residual(rod: Rod, loads: LoadSet, q: Array) -> tuple[Array, Array]:
    """Return the residual B^T (internal - external) and its exact derivative with respect to q."""
    grid = rod.grid
    strain = rod.strain_at_gauss(q)
    collapsed = strain[:, 3] <= 0.0
    if collapsed.any():
        X = grid.gauss[collapsed][0]
        raise _FailedStepError(f"the rod was compressed to nothing at X = {X:.4g} m")
    wrench, stiffness = rod.section(strain)
    acting = loads.actuation
    wrench += acting.wrench
    add_tendons(strain, acting.offset, acting.slope, acting.tension, wrench, stiffness)
    values = np.zeros(grid.unknowns)
    tangent = np.zeros((grid.unknowns, grid.unknowns))
    basis = rod.shapes, grid.component, grid.first
    add_internal(*basis, grid.gauss_weights, wrench, stiffness, values, tangent)
    base, nodal = np.asarray(rod.base, float), loads.on_nodes(rod)
    subtract_loads(base, grid.steps, rod.joints_at_cells, strain, *basis, nodal, values, tangent)
    return values, tangent


def _newton(
    rod: Rod,
    loads: LoadSet,
    q: Array,
    reaction: Array,
    held: Array | None,
    keep_stable: bool,
) -> tuple[Array, Array, Array, tuple[float, ...]]:
    """Coordinates and tip reaction at equilibrium, last tangent, sizes of the corrections.

    The tangent is that of the motions which leave a held tip at rest.
    """
    sizes: list[float] = []
    n = len(q)
    for _ in range(_ITERATIONS):
        system, right, free = _linearised(rod, loads, q, reaction, held)
        if keep_stable and not sizes and not is_definite(free):
            raise _FailedStepError("the rod is no longer stable")
        try:
            correction = np.linalg.solve(system, right)
        except np.linalg.LinAlgError:
            raise _FailedStepError("the tangent is singular") from None
        change = rod.strain_at_gauss(correction[:n]) - rod.rest_at_gauss
        turn = float(rod.grid.gauss_weights @ np.linalg.norm(change[:, :3], axis=1))
        if turn > _LONGEST_TURN:
            raise _FailedStepError(f"one Newton correction bends the rod by {turn:.3g} rad")
        q = q + correction[:n]
        sizes.append(turn + float(np.abs(change[:, 3:]).max()))
        if held is not None:
            reaction = reaction + correction[n:]
        if sizes[-1] < _TOLERANCE:
            if held is not None:  # the reaction may have jumped although the rod did not move
                _, _, free = _linearised(rod, loads, q, reaction, held)
            if keep_stable and not is_definite(free):
                raise _FailedStepError("the next equilibrium is not stable")
            return q, reaction, free, tuple(sizes)
    raise _FailedStepError(f"{_ITERATIONS} Newton iterations left a correction of {sizes[-1]:.3g}")


def _linearised(
    rod: Rod, loads: LoadSet, q: Array, reaction: Array, held: Array | None
) -> tuple[Array, Array, Array]:
    """Matrix and right side of a Newton step, and the tangent that decides on stability."""
    acting = loads if held is None else loads.with_tip_wrench(reaction)
    values, tangent = residual(rod, acting, q)
    if not (np.isfinite(values).all() and np.isfinite(tangent).all()):
        raise _FailedStepError("the section law or the path of a tendon is not finite")
    if held is None:
        return tangent, -values, tangent
    return bordered(rod, q, held, values, tangent)
