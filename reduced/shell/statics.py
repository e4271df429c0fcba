"""Equilibria of a shell of revolution: at given loads, at given volumes, along a path of loads.

All three are Newton's method on internal forces = loads(factor), loads(factor) = base + factor *
direction. Where the factor is unknown too, one scalar equation is added: the volume, a
displacement, or the arc length of the path. The bordered system is solved by elimination with the
banded tangent, whose pivots tell the stability of the state that is reached.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, solve_banded

from loligo.cases.core.record import LoligoError
from loligo.reduced.checks import between, one_of, positive
from loligo.reduced.lie import Array
from loligo.reduced.shell.assembly import Inadmissible, Linearised, linearise, negative_pivots
from loligo.reduced.shell.loads import Loads
from loligo.reduced.shell.model import BAND, Shell

ITERATIONS = 25
LARGEST_TURN = 1.0  # rad, of one Newton update: beyond it the tangent says nothing
SMALLEST_STEP = 2.0**-16  # of the way to the next requested value
CONVERGED = 1e-8  # last update over the displacement; the next would be its square
ROUNDING = 1e-10  # of the largest radius: displacements below are lost in stretch minus one


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A shell at rest under loads.

    Attributes:
        displacement: (u, w, psi) of the nodes (m, m, rad), shape (n, 3).
        loads: what acts on it.
        factor: of the given loads, from where the search started; 1 at the end of `solve`.
        energy: stored in the wall (J).
        volume: inside the mid-surface, between the planes of its two rims (m^3).
        reaction: forces and moments of the supports on the nodes (N, N, N m), shape (n, 3).
        unstable_at_load: how many independent axisymmetric motions lower the energy while pressure
            and dead forces are kept; 0 is stable.
        unstable_at_volume: the same while the enclosed volume is kept in place of the pressure.
        iterations: Newton iterations of the last step.
    """

    displacement: Array
    loads: Loads
    factor: float
    energy: float
    volume: float
    reaction: Array
    unstable_at_load: int
    unstable_at_volume: int
    iterations: int


class NoEquilibrium(LoligoError, RuntimeError):
    """No equilibrium was found; `reached` holds those before, the last of them nearest."""

    def __init__(self, message: str, reached: Sequence[Equilibrium]) -> None:
        """Keep what was reached."""
        super().__init__(message)
        self.reached = list(reached)


class _StepFailed(ArithmeticError):
    """Newton's method did not converge from here; a shorter step may."""


Control = Callable[[Linearised, Array], tuple[float, Array]]
"""From a state and its displacement to a scalar and its gradient (n, 3)."""


def volume_control() -> Control:
    """Return the enclosed volume (m^3), to be prescribed by `follow`."""
    return lambda state, displacement: (state.volume, state.volume_gradient)


def displacement_control(
    shell: Shell, arc: float, component: Literal["axial", "radial", "rotation"]
) -> Control:
    """Return the displacement (m, rad) of the node nearest to X = `arc`, to be prescribed."""
    directions = ("axial", "radial", "rotation")
    one_of("component", component, directions)
    between("arc", arc, 0.0, float(shell.arc[-1]))
    node = int(np.argmin(np.abs(shell.arc - arc)))
    place = node, directions.index(component)
    if shell.fixed[place]:
        raise ValueError(f"the {component} displacement at X = {arc:.6g} m is held by a support")
    row = np.zeros(shell.fixed.shape)
    row[place] = 1.0
    return lambda state, displacement: (float(displacement[place]), row)


def solve(shell: Shell, loads: Loads, start: Equilibrium | None = None) -> Equilibrium:
    """Return the equilibrium under loads, reached from `start` or from rest in steps as needed.

    Raises:
        NoEquilibrium: where raising the load reaches none; it keeps the last state before. Beyond a
            limit point use `follow` or `arc_length`.
    """
    start = start or _rest(shell, loads)
    base, direction = start.loads, loads - start.loads

    def attempt(value: float, state: Equilibrium) -> Equilibrium:
        return _newton(shell, base, direction, state, value, None)

    return _march(start, 0.0, 1.0, attempt, "the share of the load")


def follow(
    shell: Shell,
    loads: Loads,
    control: Control,
    values: Sequence[float],
    start: Equilibrium | None = None,
) -> list[Equilibrium]:
    """Return the equilibria at given values of a control under `factor * loads`, factor unknown.

    Loads of `start` that are no part of `loads` stay: the state is under start.loads + factor *
    loads. With `loads` a unit of pressure and `volume_control` the factor is a pressure in Pa.

    Raises:
        NoEquilibrium: where a value cannot be reached; it keeps those that were.
    """
    state = replace(start or _rest(shell, loads), factor=0.0)
    base = state.loads
    reached: list[Equilibrium] = []

    def attempt(value: float, near: Equilibrium) -> Equilibrium:
        return _newton(shell, base, loads, near, near.factor, _less(control, value))

    for value in values:
        lin = linearise(shell, state.displacement, state.loads.pressure)
        now, _ = control(lin, state.displacement)
        try:
            state = _march(state, now, value, attempt, "the controlled value")
        except NoEquilibrium as failure:
            raise NoEquilibrium(str(failure), reached + failure.reached) from failure
        reached.append(state)
    return reached


def arc_length(
    shell: Shell, loads: Loads, step: float, start: Equilibrium | None = None
) -> Iterator[Equilibrium]:
    """Yield equilibria along the path of `start.loads + factor * loads`, through limit points.

    Pseudo-arclength continuation: each point lies on a plane across the path's tangent, at most
    `step` away: root mean square displacement over the wall's area (m). The step halves where
    Newton's method fails. The path sets out towards growing factors and never ends: take as much
    of it as is wanted.
    """
    positive("step", step)
    state = replace(start or _rest(shell, loads), factor=0.0)
    base = state.loads
    metric = _mean_square(shell)
    heading = np.zeros(shell.fixed.shape)
    size = step
    while True:
        lin = linearise(shell, state.displacement, state.loads.pressure)
        move = _banded_solve(lin, _forces(shell, loads, lin)[..., None])[..., 0]
        length = np.sqrt((metric * move**2).sum())
        if not length > 0.0:
            raise ValueError("the loads do not move the shell: there is no path to follow")
        tangent = move / length
        if (metric * tangent * heading).sum() < 0.0:
            tangent = -tangent
        heading = tangent
        state, size = _advance(shell, base, loads, state, metric * tangent, size, step)
        yield state


def _rest(shell: Shell, like: Loads) -> Equilibrium:
    """Return the unloaded shell."""
    still = np.zeros(shell.fixed.shape)
    return _equilibrium(shell, still, 0.0 * like, 0.0, linearise(shell, still, 0.0), 0)


def _less(control: Control, value: float) -> Control:
    """Return a control less a value: the equation that Newton's method adds."""

    def equation(state: Linearised, displacement: Array) -> tuple[float, Array]:
        now, row = control(state, displacement)
        return now - value, row

    return equation


def _advance(
    shell: Shell,
    base: Loads,
    direction: Loads,
    state: Equilibrium,
    row: Array,
    size: float,
    step: float,
) -> tuple[Equilibrium, float]:
    """Go `size` along a path, or less if that fails; return the state and the size to try next."""
    origin = state.displacement

    def progress(now: Linearised, displacement: Array) -> tuple[float, Array]:
        return float((row * (displacement - origin)).sum()), row

    while True:
        try:
            plane = _less(progress, size)
            state = _newton(shell, base, direction, state, state.factor, plane)
            return state, min(2.0 * size, step)
        except _StepFailed as failure:
            size *= 0.5
            if size < SMALLEST_STEP * step:
                raise NoEquilibrium(
                    f"the path is lost at load factor {state.factor:.6g}: {failure}", [state]
                ) from failure


def _mean_square(shell: Shell) -> Array:
    """Return the weights of (u, w, psi) in the mean square displacement, shape (n, 3)."""
    share = shell.rest[:, 1] * np.gradient(shell.arc)
    return np.outer(share / share.sum(), [1.0, 1.0, 0.0])


def _march(
    state: Equilibrium,
    begin: float,
    end: float,
    attempt: Callable[[float, Equilibrium], Equilibrium],
    what: str,
) -> Equilibrium:
    """Walk from `begin` to `end`: halve a step that fails, double after one that holds."""
    done, step = 0.0, 1.0
    while done < 1.0:
        reach = min(done + step, 1.0)
        try:
            state = attempt(end if reach == 1.0 else begin + reach * (end - begin), state)
        except _StepFailed as failure:
            step = 0.5 * (reach - done)
            if step < SMALLEST_STEP:
                last = begin + done * (end - begin)
                raise NoEquilibrium(
                    f"no equilibrium was found beyond {last:.6g} of {what}, on the way to "
                    f"{end:.6g}: {failure}. This may be a limit point: prescribe a "
                    "volume or a displacement with `follow`, or go on with `arc_length`.",
                    [state],
                ) from failure
            continue
        done, step = reach, 2.0 * step
    return state


def _newton(
    shell: Shell,
    base: Loads,
    direction: Loads,
    near: Equilibrium,
    factor: float,
    equation: Control | None,
) -> Equilibrium:
    """Return the equilibrium near a state, at a factor or, with an equation more, of any factor."""
    displacement = near.displacement
    size = shell.rest[:, 1].max()
    scale = np.array([1.0 / size, 1.0 / size, 1.0])
    try:
        for iteration in range(1, ITERATIONS + 1):
            loads = base + factor * direction
            lin = linearise(shell, displacement, loads.pressure)
            residual = _forces(shell, loads, lin) - np.where(shell.fixed, 0.0, lin.internal)
            if equation is None:
                update = _banded_solve(lin, residual[..., None])[..., 0]
            else:
                pair = np.stack([residual, _forces(shell, direction, lin)], axis=-1)
                plain, per_factor = np.moveaxis(_banded_solve(lin, pair), -1, 0)
                gap, row = equation(lin, displacement)
                gain = (row * per_factor).sum()
                if gain == 0.0:
                    raise _StepFailed("the load does not change what is prescribed")
                change = -(gap + (row * plain).sum()) / gain
                update = plain + change * per_factor
                factor += change
            largest = np.abs(update * scale).max()
            if not (np.isfinite(update).all() and np.isfinite(factor)):
                raise _StepFailed("the tangent is singular")
            if np.abs(update[:, 2]).max() > LARGEST_TURN:
                raise _StepFailed("one iteration turned the wall by more than 1 rad")
            displacement = displacement + update
            if largest <= CONVERGED * np.abs(displacement * scale).max() + ROUNDING:
                loads = base + factor * direction
                lin = linearise(shell, displacement, loads.pressure)
                return _equilibrium(shell, displacement, loads, factor, lin, iteration)
    except (Inadmissible, LinAlgError) as failure:
        raise _StepFailed(str(failure)) from failure
    raise _StepFailed(f"no convergence in {ITERATIONS} iterations, last update {largest:.1e}")


def _forces(shell: Shell, loads: Loads, lin: Linearised) -> Array:
    """Return the loads on the free degrees of freedom, shape (n, 3)."""
    return np.where(shell.fixed, 0.0, loads.dead + loads.pressure * lin.wall)


def _banded_solve(lin: Linearised, columns: Array) -> Array:
    """Return the displacements of several columns of forces, shape (n, 3, columns)."""
    flat = columns.reshape(-1, columns.shape[-1])
    out: Array = solve_banded((BAND, BAND), lin.tangent, flat, check_finite=False)
    return out.reshape(columns.shape)


def _equilibrium(
    shell: Shell,
    displacement: Array,
    loads: Loads,
    factor: float,
    lin: Linearised,
    iterations: int,
) -> Equilibrium:
    negative = negative_pivots(lin.tangent)
    gradient = np.where(shell.fixed, 0.0, lin.volume_gradient)
    swell = _banded_solve(lin, gradient[..., None])[..., 0]
    # Haynsworth: bordering by the gradient adds one negative eigenvalue to those on its kernel,
    # and shows another one where the compliance of the volume is positive.
    held = negative + int((gradient * swell).sum() > 0.0) - 1
    return Equilibrium(
        displacement=displacement,
        loads=loads,
        factor=factor,
        energy=lin.energy,
        volume=lin.volume,
        reaction=np.where(shell.fixed, lin.internal - loads.dead - loads.pressure * lin.wall, 0.0),
        unstable_at_load=negative,
        unstable_at_volume=held,
        iterations=iterations,
    )
