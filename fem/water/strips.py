r"""Water that an arm moves through and along: strip theory on the mean motion of its sections.

The body is cut into slabs by its section planes. In each, two points of the axis, those of Gauss's
rule, go along with the mean motion: with weights w, linear in X, such that
:math:`\int w\,dV = 1` and :math:`\int w X\,dV = P`, the point P is at
:math:`q = P + \int w\,u\,dV`: exactly where any motion linear in X takes it, rigid ones among them.
Both carry half of the slab's length of water. Let t be the unit vector from the first to the second
and :math:`m_\parallel, m_\perp` the added mass of a point. Then the water's kinetic energy is

.. math:: T = \tfrac12 \sum m_\perp |\dot q|^2 + (m_\parallel - m_\perp) (t \cdot \dot q)^2,

and its force on the points :math:`Q = -d/dt\,\partial T/\partial \dot q + \partial T/\partial q`
(Lagrange). The first part has the terms of the turning frame; the last one is a couple in each
slab, the moment :math:`-v \times p` (Munk 1924). So Q does the work that T loses. Drag,
:math:`-|\dot q| (c_\perp \dot q + (c_\parallel - c_\perp)(t \cdot \dot q)\,t)`, takes the rest.

All of it acts on the body through 3 numbers a point, so that its tangent is of low rank: it is
applied, never assembled. The derivation with its checks is in docs/water.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, Function, form
from scipy.sparse import csr_array, vstack

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.fluid import added_mass, section_drag
from loligo.fem.core.fields import Fields
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.loads.base import Vector
from loligo.fem.observe.wrench import Slabs
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies

Array = npt.NDArray[np.float64]
Numbers = Any
"""An array of real numbers, or of complex ones that carry a derivative."""

_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
_TINY = 1e-30
"""Imaginary step of derivatives: they are exact to rounding."""


@dataclass(frozen=True)
class Strips:
    """What the water does along an arm, two points a slab; the first axis of all is the slabs."""

    slab: npt.NDArray[np.intp]
    """Number of each slab among those between the stations."""
    place: Array
    """The points at rest, shape (slabs, 2, 3) (m)."""
    added: Array
    """Mass that moves along and across, shape (slabs, 2, 2) (kg)."""
    drag: Array
    """c along and across, likewise (kg/m)."""


def strips(case: Case) -> Strips | None:
    """Return the strips of a case's arm; None where no water moves with it."""
    body, water = case.body, case.water
    if water is None or water.strip is None:
        return None
    assert isinstance(body, TaperedArm | ChamberedArm)  # the case has been checked
    stack = bodies.pieces(body)
    ends = np.array([0.0, *bodies.stations(body), bodies.length(body)])
    long = np.flatnonzero(np.diff(ends) > 1e-9 * ends[-1])
    low, size = ends[long, None], np.diff(ends)[long, None]
    x = low + size * _GAUSS
    radius = np.array(
        [[next(p for p in stack if at < p.end).radius(at) for at in row] for row in x]
    )
    mass = added_mass(water.density, np.pi * radius**2, water.strip.added)
    drag = section_drag(water.density, radius, water.strip.drag)
    place = np.zeros((*x.shape, 3))
    place[..., 0] = x
    half = 0.5 * size[:, :, None]
    return Strips(long, place, half * mass[..., :2], half * drag[..., :2])


@dataclass(frozen=True)
class FlowingWater:
    """Velocity and acceleration of water that flows, by names of a problem's values."""

    speed: str
    """In m/s."""
    rate: str
    """In m/s^2."""
    along: Vector
    """Unit vector of both."""


class MovingWater:
    """The water of strips on a problem's displacements, at rest or in a stream.

    Of an accelerated stream :class:`loligo.fem.loads.base.StreamPressure` is the other part.
    """

    def __init__(
        self, problem: Problem, of: Strips, slabs: Slabs, stream: FlowingWater | None = None
    ) -> None:
        """Find the weights of the points of a problem that can move; collective.

        Raises:
            ValueError: if the problem's steps conserve energy, or it cannot move.
        """
        check_steps(problem)
        assert problem.motion is not None
        self._fields, self._motion, self._strips = problem.fields, problem.motion, of
        self._values, self._stream = problem.values, stream
        self._comm, self._slab_count = problem.comm, slabs.count
        self._weights = _weights(problem.fields, problem.kinematics, of, slabs)

    # What a problem asks for -----------------------------------------------------------------

    def kinetic_energy(self) -> float:
        """Return that of the water that moves along, seen from the stream (J)."""
        q, v, _ = self._now()
        along = _along(_direction(q), v)
        across = np.sum(v**2, axis=2)
        parallel, normal = self._strips.added[..., 0], self._strips.added[..., 1]
        return float(0.5 * np.sum(normal * across + (parallel - normal) * along**2))

    def drained_power(self) -> float:
        """Return what drag takes (W)."""
        q, v, _ = self._now()
        return -float(np.sum(_drag(self._strips.drag, q, v) * v))

    def driving_power(self) -> float:
        """Return what a stream gives by its drag (W); still water gives nothing."""
        q, v, _ = self._now()
        return float(np.sum(_drag(self._strips.drag, q, v) @ self.velocity))

    def momentum(self) -> Array:
        """Return that of the water that moves along, seen from the stream (N s).

        Its energy does not change with the place, so that its force is minus the rate of this.
        """
        q, v, _ = self._now()
        t, normal = _direction(q), self._strips.added[..., 1:]
        slip = np.sum(t * v, axis=-1, keepdims=True)
        carried = normal * v + (self._strips.added[..., :1] - normal) * slip * t
        return np.asarray(carried.sum(axis=(0, 1)))

    @property
    def velocity(self) -> Array:
        """Of the stream (m/s)."""
        return self._flow()[0]

    def resultants(self) -> Array:
        """Return the wrench of the water on every slab, fixed axes, about the origin.

        Shape (slabs, 6), the same on all ranks (N m, N).
        """
        q, v, a = self._now()
        force = _force(self._strips, q, v, a)
        wrench = np.concatenate([np.cross(q, force), force], axis=2).sum(axis=1)
        total = np.zeros((self._slab_count, 6))
        total[self._strips.slab] = wrench
        return total

    def add_force(self, scale: float, force: Array) -> None:
        """Add the water's nodal forces, scaled, to an array of this rank's unknowns."""
        self._spread(scale * _force(self._strips, *self._now()), force)

    def add_mass(self, way: Array, force: Array) -> None:
        """Add the water's mass times a way of this rank's unknowns to an array of them."""
        q, v, _ = self._now()
        self._spread(-_force(self._strips, q, np.zeros_like(v), self._gather(way)), force)

    def add_tangent(self, way: Array, force: Array) -> None:
        """Add the derivative of what the water takes along a way, as above.

        Velocity and acceleration follow the displacement as the step in time prescribes.
        """
        rates, (q, v, a) = self._motion.rates, self._now()
        moved = _TINY * 1j * self._gather(way)
        found = _force(
            self._strips,
            q + moved,
            v + rates.velocity_slope * moved,
            a + rates.acceleration_slope * moved,
        )
        self._spread(-np.imag(found) / _TINY, force)

    # Between nodes and points ----------------------------------------------------------------

    def _now(self) -> tuple[Array, Array, Array]:
        """Places of the points, their velocities and accelerations in the stream."""
        rates, u = self._motion.rates, self._gather(self._fields.function.x.array)
        slopes = rates.velocity_slope, rates.acceleration_slope
        starts = rates.velocity_start, rates.acceleration_start
        velocity, acceleration = (
            slope * u + self._gather(start) - flow
            for slope, start, flow in zip(slopes, starts, self._flow(), strict=True)
        )
        return self._strips.place + u, velocity, acceleration

    @property
    def flows(self) -> bool:
        """Whether the water moves by itself."""
        return bool(np.any(self._flow()))

    def _flow(self) -> tuple[Array, Array]:
        """Velocity and acceleration of the stream."""
        if self._stream is None:
            return np.zeros(3), np.zeros(3)
        of, along = self._stream, np.array(self._stream.along)
        return self._values[of.speed] * along, self._values[of.rate] * along

    def _gather(self, unknowns: Array) -> Array:
        mine = self._weights @ unknowns[self._fields.node_unknowns]
        return np.asarray(self._comm.allreduce(mine)).reshape(self._strips.place.shape)

    def _spread(self, force: Array, to: Array) -> None:
        to[self._fields.node_unknowns] += self._weights.T @ force.reshape(-1, 3)


def check_steps(problem: Problem) -> None:
    """Refuse moving water to a problem whose steps have no place for its forces."""
    if problem.motion is None:
        raise ValueError("water moves with a body that moves: build the problem with moving=True")
    if problem.step is not None:
        raise ValueError(
            "steps that conserve energy have no place for moving water; take generalised-alpha"
        )


def _weights(fields: Fields, k: Kinematics, of: Strips, slabs: Slabs) -> csr_array:
    """Return the weight of every node of this rank in every point, shape (points, nodes).

    int w N dV for the node's shape function N. The nodes' positions are those of the same shape
    functions, so that their moments are exact for the points to follow any linear motion.
    """
    mesh, comm = k.domain.mesh, k.domain.mesh.comm
    inside = Function(dolfinx.fem.functionspace(mesh, ("DG", 0)))
    factor = Constant(mesh, np.zeros(4))
    x = ufl.SpatialCoordinate(mesh)
    weight = factor[0] + sum(factor[i + 1] * x[i] for i in range(3))
    moment = form(inside * weight * k.virtual[0] * k.cells(tuple(k.density)))
    ones = np.column_stack([np.ones(len(fields.node_positions)), fields.node_positions])
    rows = []
    for number, points in zip(of.slab, of.place, strict=True):
        inside.x.array[: len(slabs.cells)] = slabs.cells == number
        inside.x.scatter_forward()
        raw = np.empty((4, len(ones)))
        for i in range(4):
            factor.value = np.eye(4)[i]
            vector = dolfinx.fem.assemble_vector(moment)
            vector.scatter_reverse(dolfinx.la.InsertMode.add)
            raw[i] = vector.array[fields.node_unknowns[:, 0]]
        moments = comm.allreduce(raw @ ones)
        wanted = np.column_stack([np.ones(2), points])
        rows.append(csr_array(np.linalg.solve(moments.T, wanted.T).T @ raw))
    return csr_array(vstack(rows))


def _direction(q: Numbers) -> Numbers:
    """Unit vectors from the first point of each slab to the second, shape (slabs, 1, 3)."""
    chord = q[:, 1:] - q[:, :1]
    return chord / _size(chord)


def _size(v: Numbers) -> Numbers:
    """Length of vectors, analytic for complex ones, with a last axis of 1."""
    return np.sqrt(np.sum(v * v, axis=-1, keepdims=True))


def _along(t: Numbers, v: Numbers) -> Numbers:
    return np.sum(t * v, axis=-1)


def _force(of: Strips, q: Numbers, v: Numbers, a: Numbers) -> Numbers:
    """Forces of the water on the points (N)."""
    t = _direction(q)
    length = _size(q[:, 1:] - q[:, :1])
    turn = v[:, 1:] - v[:, :1]
    turn = (turn - np.sum(t * turn, axis=-1, keepdims=True) * t) / length  # rate of t
    normal = of.added[..., 1:]
    more = of.added[..., :1] - normal
    slip = np.sum(t * v, axis=-1, keepdims=True)
    quicker = np.sum(t * a + turn * v, axis=-1, keepdims=True)
    force = -normal * a - more * (quicker * t + slip * turn)
    pull = np.sum(more * slip * v, axis=1, keepdims=True)  # dT/dt
    pull = (pull - np.sum(t * pull, axis=-1, keepdims=True) * t) / length
    couple = np.concatenate([-pull, pull], axis=1)
    return force + couple + _drag(of.drag, q, v)


def _drag(c: Array, q: Numbers, v: Numbers) -> Numbers:
    t, speed = _direction(q), _size(v)
    slip = np.sum(t * v, axis=-1, keepdims=True)
    return -speed * (c[..., 1:] * v + (c[..., :1] - c[..., 1:]) * slip * t)
