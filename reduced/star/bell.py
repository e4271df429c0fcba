"""A shell of revolution on a base that moves in space, in the middle of an implicit step.

A ring of the shell at (x, r) is, as far as its motion is at most linear in the position, its mean
and its two first harmonics. In the axes of the shell, whose twist is (w; v), their velocities are

    V_0 = v + w x (x e_x) + u_dot e_x,
    V_1 = w x (r e_y) + w_dot e_y,    V_2 = w x (r e_z) + w_dot e_z,

and the kinetic energy is that of V_0 with the mass of the rings and of V_1, V_2 with half of it.
The rotary inertia of the wall is that of the director's turn relative to the shell. So every
field V is a velocity in space, which the step treats as that of a rod's lumps, see
`loligo.reduced.rod.motion.kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, solve_banded

from loligo.cases.core.record import LoligoError
from loligo.cases.fluid import quadratic_drag
from loligo.reduced.lie import Array, adjoint, exp_so3, hat_so3, inverse, tangent_inverse_se3
from loligo.reduced.shell.assembly import Inadmissible, enclosed_volume, hold
from loligo.reduced.shell.inertia import banded
from loligo.reduced.shell.loads import Loads, surface_load
from loligo.reduced.shell.model import BAND
from loligo.reduced.shell.wall_step import Begin, begin, tangent, wall_step
from loligo.reduced.star.system import ShellBell

_AXIS = np.array([1.0, 0.0, 0.0])
_TURNS = np.array([hat_so3(axis) for axis in np.eye(3)])  # e_k x
_LARGEST_TURN = 1.0  # rad, of one Newton update: beyond it the tangent says nothing


class BellFailed(LoligoError):
    """A wall that no step leads to; it says why."""


@dataclass(frozen=True, eq=False)
class BellModel:
    """A bell with all that stays the same in a motion."""

    bell: ShellBell

    @cached_property
    def masses(self) -> tuple[Array, Array, Array]:
        """Mass matrices of u, w and psi, (n, n)."""
        dense = self.bell.mass.toarray()
        return dense[::3, ::3], dense[1::3, 1::3], dense[2::3, 2::3]

    @cached_property
    def along(self) -> Array:
        """Mass of every node in a motion along the axis, (n,)."""
        along: Array = self.masses[0].sum(1)
        return along

    @cached_property
    def band(self) -> Array:
        """The whole mass matrix as a band."""
        return banded(self.bell.mass)

    @cached_property
    def share(self) -> Array:
        """Nodal forces of an even axial load of 1 N, (n, 3)."""
        shell = self.bell.shell
        return surface_load(shell, axial=1.0 / shell.area.sum()).dead

    @cached_property
    def to_shell(self) -> Array:
        """Twists of the root to those of the shell, (6, 6)."""
        return adjoint(inverse(np.asarray(self.bell.frame, float)))

    @cached_property
    def free(self) -> tuple[Array, Array, Array, Array]:
        """Free nodes of u and w, and the inverse mass matrices of these."""
        fixed = self.bell.shell.fixed
        u, w = np.flatnonzero(~fixed[:, 0]), np.flatnonzero(~fixed[:, 1])
        of_u, of_w, _ = self.masses
        return u, w, np.linalg.inv(of_u[np.ix_(u, u)]), np.linalg.inv(of_w[np.ix_(w, w)])

    def loads(self, start: float, end: float) -> Loads:
        """Return the mean of the drives at both ends of a step."""
        total = Loads(0.0, np.zeros(self.bell.shell.fixed.shape))
        for drive in self.bell.drives:
            total = total + 0.5 * (drive.history(start) + drive.history(end)) * drive.loads
        return total

    def place(self, displacement: Array) -> Array:
        """Return (x, r) of the nodes, (n, 2)."""
        place: Array = self.bell.shell.rest + displacement[:, :2]
        return place

    def velocities(self, twist: Array, displacement: Array, rate: Array) -> Array:
        """Return V_0, V_1 and V_2 of the nodes in the shell's axes, (3, n, 3)."""
        place = self.place(displacement)
        turn = hat_so3(twist[:3]).T  # w x e_k in the rows
        fields = np.empty((3, len(place), 3))
        fields[0] = twist[3:] + place[:, :1] * turn[0]
        fields[0, :, 0] += rate[:, 0]
        for k in (1, 2):
            fields[k] = place[:, 1:] * turn[k]
            fields[k, :, k] += rate[:, 1]
        return fields

    def carried(self, fields: Array) -> Array:
        """Return the momenta of such velocities, (3, n, 3)."""
        u, w, _ = self.masses
        return np.stack([u @ fields[0], 0.5 * (w @ fields[1]), 0.5 * (w @ fields[2])])

    def wrench(self, displacement: Array, forces: Array) -> Array:
        """Return the moment and the sum of forces on the three fields, about the shell's origin."""
        place = self.place(displacement)
        moment = np.zeros(3)
        for turn, along, force in zip(_TURNS, (0, 1, 1), forces, strict=True):
            moment += turn @ (place[:, along] @ force)
        return np.concatenate([moment, forces[0].sum(0)])

    def inertia(self, displacement: Array) -> Array:
        """Return the inertia (6, 6) of the shape about the shell's origin."""
        x, r = self.place(displacement).T
        u, w, _ = self.masses
        out = np.zeros((6, 6))
        across, around = x @ u @ x, 0.5 * (r @ w @ r)
        out[:3, :3] = np.diag([2.0 * around, across + around, across + around])
        out[3:, 3:] = self.along.sum() * np.eye(3)
        out[:3, 3:] = hat_so3(x @ self.along * _AXIS)
        out[3:, :3] = out[:3, 3:].T
        return out

    def kinetic(self, fields: Array, spin: Array) -> float:
        """Return the kinetic energy of velocities and of the director's rates."""
        energy = (fields * self.carried(fields)).sum() + spin @ self.masses[2] @ spin
        return 0.5 * float(energy)


class BellStart(NamedTuple):
    """A bell at the start of a step."""

    displacement: Array
    velocity: Array
    fields: Array
    wall: Begin
    volume: float
    loads: Loads


class BellMiddle(NamedTuple):
    """A bell's part in the equations of a step, its own unknowns eliminated.

    Its displacement follows the unknowns c of the base, in the shell's axes, by
    update + follow (row . c).

    Attributes:
        values: wrench that is left on the base, in the shell's axes.
        tangent: its derivative by c.
        update: Newton's update for a base that stays, (n, 3).
        follow: its derivative, (n, 3).
        row: derivative of the axial velocity by c, (6,).
        wrench: on the base, before elimination.
        dissipated: by the wall (J).
        drive: work of the drives (J).
        jet: work of the jet (J).
        drained: by drag (J).
    """

    values: Array
    tangent: Array
    update: Array
    follow: Array
    row: Array
    wrench: Array
    dissipated: float
    drive: float
    jet: float
    drained: float


def bell_start(
    model: BellModel, twist: Array, displacement: Array, velocity: Array, now: float, after: float
) -> BellStart:
    """Return what a step needs of where a bell begins; the twist is the root's."""
    shell = model.bell.shell
    return BellStart(
        displacement,
        velocity,
        model.velocities(model.to_shell @ twist, displacement, velocity),
        begin(shell, displacement),
        enclosed_volume(shell, displacement)[0],
        model.loads(now, after),
    )


def bell_middle(
    model: BellModel, start: BellStart, displacement: Array, theta: Array, h: float
) -> BellMiddle:
    """Return a bell's equations for a guess of its displacement and of the root's screw theta.

    Raises:
        BellFailed: if no wall can be like that.
    """
    shell = model.bell.shell
    screw = model.to_shell @ theta
    change = displacement - start.displacement
    between = 0.5 * (displacement + start.displacement)
    twist, rate = screw / h, change / h
    before = start.fields @ exp_so3(0.5 * screw[:3])  # the same vectors in the axes of the middle
    kick = 2.0 / h * (model.velocities(twist, between, rate) - before)
    forces = model.carried(kick)
    try:
        wall = wall_step(shell, start.wall, displacement, h, 0.0)
    except Inadmissible as failure:
        raise BellFailed(str(failure)) from failure

    thrust, drag, by_shape, slope = _water(model, start, displacement, twist[3], h)
    push = drag - thrust
    dead = start.loads.dead
    residual = wall.force - dead - push * model.share
    residual[:, 0] += forces[0, :, 0]
    residual[:, 1] += forces[1, :, 1] + forces[2, :, 2]
    residual[:, 2] += model.masses[2] @ (2.0 / h * (rate[:, 2] - start.velocity[:, 2]))
    wrench = model.wrench(between, forces)
    wrench[3] -= push + dead[:, 0].sum()

    to_twist = tangent_inverse_se3(0.5 * screw) / h
    row = to_twist[3]
    by_base = 2.0 / h * (model.inertia(between) @ to_twist)
    by_base[:, :3] -= _turned(model, between, before) / h
    by_base[3] -= slope * row

    matrix = tangent(shell, wall) + 2.0 / h**2 * model.band
    hold(matrix, np.flatnonzero(shell.fixed))
    pull = -slope * model.share
    pull[:, 0] += 2.0 / h * model.along
    columns = np.stack([-residual, -pull, model.share], axis=-1)
    columns = np.where(shell.fixed[:, :, None], 0.0, columns).reshape(-1, 3)
    try:
        moves = solve_banded((BAND, BAND), matrix, columns, check_finite=False)
    except LinAlgError as failure:
        raise BellFailed(str(failure)) from failure
    if not np.isfinite(moves).all():
        raise BellFailed("the tangent of the wall is singular")
    flat = np.where(shell.fixed, 0.0, by_shape).ravel()
    moves[:, :2] += np.outer(moves[:, 2], flat @ moves[:, :2] / (1.0 - flat @ moves[:, 2]))
    update, follow = moves[:, 0].reshape(change.shape), moves[:, 1].reshape(change.shape)
    if np.abs(update[:, 2]).max() > _LARGEST_TURN:
        raise BellFailed("one iteration turned the wall by more than 1 rad")

    back = 2.0 / h**2 * model.along @ moves[::3, :2] - flat @ moves[:, :2]
    values = wrench.copy()
    values[3] += back[0]
    by_base[3] += back[1] * row
    axial = float((model.share * change).sum()) + screw[3]  # mean way of the even load
    return BellMiddle(
        values,
        by_base,
        update,
        follow,
        row,
        wrench,
        wall.dissipated,
        float((dead * change).sum() + dead[:, 0].sum() * screw[3]),
        -thrust * axial,
        -drag * axial,
    )


def _turned(model: BellModel, between: Array, before: Array) -> Array:
    """How the wrench of the momenta before changes as the axes turn, (6, 3)."""
    x, r = model.place(between).T
    momenta = model.carried(before)
    out = np.zeros((6, 3))
    for turn, arm, momentum in zip(_TURNS, (x, r, r), momenta, strict=True):
        out[:3] += turn @ hat_so3((arm[:, None] * momentum).sum(0))
    out[3:] = hat_so3(momenta[0].sum(0))
    return out


def _water(
    model: BellModel, start: BellStart, displacement: Array, surge: float, h: float
) -> tuple[float, float, Array, float]:
    """Thrust and drag (N), the derivative of drag - thrust by the shape, and that by the surge."""
    water, shell = model.bell.water, model.bell.shell
    if water is None:
        return 0.0, 0.0, np.zeros(displacement.shape), 0.0
    volume, gradient = enclosed_volume(shell, displacement)
    thrust, slope = water.jet.thrust((volume - start.volume) / h)
    widest = model.place(0.5 * (start.displacement + displacement))[:, 1].max()
    coefficient = 0.5 * water.jet.density * water.drag * np.pi * widest**2
    force, slopes = quadratic_drag(coefficient, np.array([surge]))
    return thrust, float(force[0]), -slope / h * gradient, float(slopes[0, 0])


class BellEnd(NamedTuple):
    """A bell at the end of a step: its part in the equations of the new velocities.

    Attributes:
        inertia: of the base, its own rates eliminated, in the shell's axes, (6, 6).
        momentum: likewise, (6,).
        momenta: of (u, w), (n, 2).
        spin: rates of psi, (n,).
        kinetic: energy as it is (J).
    """

    inertia: Array
    momentum: Array
    momenta: Array
    spin: Array
    kinetic: float


def bell_end(
    model: BellModel, start: BellStart, displacement: Array, theta: Array, h: float
) -> BellEnd:
    """Return what the step makes of a bell's momentum."""
    screw = model.to_shell @ theta
    half = exp_so3(0.5 * screw[:3])
    between = 0.5 * (displacement + start.displacement)
    rate = (displacement - start.displacement) / h
    mean = model.velocities(screw / h, between, rate)
    fields = (2.0 * mean - start.fields @ half) @ half
    forces = model.carried(fields)
    spin = np.where(model.bell.shell.fixed[:, 2], 0.0, 2.0 * rate[:, 2] - start.velocity[:, 2])
    momenta = np.stack([forces[0, :, 0], forces[1, :, 1] + forces[2, :, 2]], axis=-1)
    u, _, over_u, _ = model.free
    inertia, momentum = model.inertia(displacement), model.wrench(displacement, forces)
    along = over_u @ model.along[u]
    inertia[3, 3] -= along @ model.along[u]
    momentum[3] -= along @ momenta[u, 0]
    return BellEnd(inertia, momentum, momenta, spin, model.kinetic(fields, spin))


def bell_rates(model: BellModel, end: BellEnd, twist: Array) -> Array:
    """Return the new velocity (n, 3) of a bell's nodes for the root's new twist."""
    surge = (model.to_shell @ twist)[3]
    u, w, over_u, over_w = model.free
    rate = np.zeros((len(end.spin), 3))
    rate[u, 0] = over_u @ (end.momenta[u, 0] - surge * model.along[u])
    rate[w, 1] = over_w @ end.momenta[w, 1]
    rate[:, 2] = end.spin
    return rate
