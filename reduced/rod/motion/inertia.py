"""What a rod in motion carries on its nodes: mass, rotary inertia, water; its small vibrations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import eig

from loligo.cases.core.record import BadInput
from loligo.cases.fluid import added_mass, section_drag
from loligo.reduced.checks import non_negative
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX, evaluate
from loligo.reduced.rod.kernel import add_internal, jacobians_along
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.equations import FreeBase, RodWater
from loligo.reduced.rod.state import RodState

_INSIDE = 1e-9  # of an interval: its own side of an end where section or water may jump


@dataclass(frozen=True, eq=False)
class Lumps:
    """What the nodes carry: per length times their quadrature weights, in their own axes.

    Attributes:
        mass: in kg, (nodes,).
        rotary: inertia in kg m^2, (nodes, 3, 3).
        added: mass of the water in kg, (nodes, 3, 3).
        drag: C in kg/m and L in kg/s of the force -(|v| C + L) v, W in kg m^2/s of the moment -W w,
            (nodes, 3, 3, 3).
    """

    mass: Array
    rotary: Array
    added: Array
    drag: Array

    def inertia(self) -> Array:
        """Return [[J, 0], [0, m I + B]], (nodes, 6, 6)."""
        whole = np.zeros((len(self.mass), 6, 6))
        whole[:, :3, :3] = self.rotary
        whole[:, 3:, 3:] = self.mass[:, None, None] * np.eye(3) + self.added
        return whole

    def resistance(self, speed: Array) -> Array:
        """Return [[W, 0], [0, |v| C + L]] for the speeds |v| of the nodes, (nodes, 6, 6)."""
        whole = np.zeros((len(self.mass), 6, 6))
        whole[:, :3, :3] = self.drag[:, 2]
        whole[:, 3:, 3:] = speed[:, None, None] * self.drag[:, 0] + self.drag[:, 1]
        return whole


def lumps(
    rod: Rod, inertia: Array | FieldOfX, water: RodWater | None, base: FreeBase | None
) -> Lumps:
    """Return what the nodes of a rod carry.

    Args:
        rod: the rod.
        inertia: per length, [[J, 0], [0, m I]] in kg m and kg/m, constant or a function of X.
        water: around it.
        base: with the body that it carries.
    """
    grid = rod.grid
    numbers = grid.nodes_by_interval
    low, high = grid.breaks[:-1, None], grid.breaks[1:, None]
    gap = _INSIDE * (high - low)
    X = np.clip(grid.nodes[numbers], low + gap, high - gap).ravel()
    sections = evaluate(inertia, X, (6, 6), "inertia")
    for where, section in zip(X, sections, strict=True):
        _check(section, f"inertia at X = {where:.6g} m")
    wet = np.zeros((4, len(X), 3, 3))
    if water is not None:
        name = "radius of the water"
        radius = non_negative(name, evaluate(water.radius, X, (), name))
        area = np.pi * radius**2
        wet[0] = added_mass(water.density, area, water.added)[:, None] * np.eye(3)
        wet[1] = section_drag(water.density, radius, water.drag)[:, None] * np.eye(3)
        slow = np.pi * water.density * np.asarray(water.linear, float)
        wet[2] = np.multiply.outer(radius, slow[1:])[:, None] * np.eye(3)
        wet[3] = np.multiply.outer(radius**3, slow[0] * np.eye(3)[0])[:, None] * np.eye(3)

    tensors = np.stack([sections[:, :3, :3], *wet], axis=1)
    tensors = tensors.reshape(*numbers.shape, 5, 3, 3) * grid.lobatto_weights[..., None, None, None]
    turns = rod.turns[:, None]
    tensors[:, 0] = turns @ tensors[:, 0] @ np.swapaxes(turns, -1, -2)
    total = np.zeros((len(grid.nodes), 5, 3, 3))
    np.add.at(total, numbers, tensors)
    mass = np.zeros(len(grid.nodes))
    np.add.at(mass, numbers, grid.lobatto_weights * sections[:, 3, 3].reshape(numbers.shape))
    if base is not None:
        body = np.asarray(base.inertia, float)
        if body.shape != (6, 6):
            raise ValueError(f"the inertia of a free base must be 6x6, but has shape {body.shape}")
        _check(body, "inertia of the free base")
        total[0, 0] += body[:3, :3]
        mass[0] += body[3, 3]
    rotary, added = np.ascontiguousarray(np.swapaxes(total[:, :2], 0, 1))
    return Lumps(mass, rotary, added, np.ascontiguousarray(total[:, 2:]))


def require_mass(carried: Lumps) -> None:
    """Refuse a rod without inertia, whose motion has no equation."""
    if not carried.mass.sum() + np.einsum("nii->", carried.added) > 0.0:
        raise BadInput("inertia must be positive: a rod without mass, in no water, has no motion")


def node_jacobians(rod: Rod, q: Array) -> Array:
    """Return the body Jacobians of the nodes of a rod with a held base, (nodes, 6, n)."""
    grid = rod.grid
    strain = rod.strain_at_gauss(q)
    basis = rod.shapes, grid.component, grid.first
    start = np.zeros((6, grid.unknowns))
    return jacobians_along(grid.steps, rod.joints_at_cells, strain, *basis, start)[0]


def mass_matrix(
    rod: Rod, q: Array, inertia: Array | FieldOfX, water: RodWater | None = None
) -> Array:
    """Return M(q) of the kinetic energy v^T M v/2 of a rod with a held base, water included."""
    jacobian = node_jacobians(rod, q)
    carried = lumps(rod, inertia, water, None).inertia()
    return np.tensordot(jacobian, carried @ jacobian, ((0, 1), (0, 1)))


def damping_matrix(rod: Rod, damping: Array | FieldOfX) -> Array:
    """Return the integral of B^T Upsilon B: generalised viscous forces by the rates of q."""
    grid = rod.grid
    values, matrix = np.zeros(grid.unknowns), np.zeros((grid.unknowns, grid.unknowns))
    zero = np.zeros_like(rod.rest_at_gauss)
    upsilon = damping_at_gauss(rod, damping)
    basis = rod.shapes, grid.component, grid.first
    add_internal(*basis, grid.gauss_weights, zero, upsilon, values, matrix)
    return matrix


def damping_at_gauss(rod: Rod, damping: Array | FieldOfX | None) -> Array:
    """Return Upsilon at the Gauss points, zero where the rod is rigid, (2 cells, 6, 6)."""
    soft = rod.grid.soft
    upsilon = np.zeros((len(soft), 6, 6))
    if damping is not None:
        upsilon[soft] = evaluate(damping, rod.grid.gauss[soft], (6, 6), "damping")
        skew = np.abs(upsilon - np.swapaxes(upsilon, 1, 2)).max()
        size = np.abs(upsilon).max()
        if skew > 1e-9 * size or np.linalg.eigvalsh(upsilon).min() < -1e-9 * size:
            raise ValueError("damping must be symmetric and must not drive the rod")
    return upsilon


class Vibrations(NamedTuple):
    """Small motions exp(s t) about an equilibrium, by rising |s|."""

    s: Array
    """In 1/s, with Im s >= 0, (modes,)."""
    shapes: Array
    """Of the coordinates, in columns, (n, modes)."""
    error: Array
    """By how much rounding may have moved s (1/s), to first order, (modes,)."""

    @property
    def growing(self) -> Array:
        """Which of them grow, by flutter or buckling: those with Re s beyond its error."""
        return np.asarray(self.s.real > self.error)


def vibrations(
    state: RodState,
    inertia: Array | FieldOfX,
    *,
    damping: Array | FieldOfX | None = None,
    water: RodWater | None = None,
) -> Vibrations:
    """Return small motions exp(s t) about an equilibrium.

    They solve (s^2 M + s C + K) y = 0 with the whole tangent K, that of follower loads too, so that
    a positive real part is flutter or buckling. Drag is quadratic and has no part in them. The real
    part of what neither grows nor decays is rounding: see `growing`.

    Args:
        state: with a free tip.
        inertia: per length, see `lumps`.
        damping: Upsilon, see `simulate`.
        water: whose added mass takes part.
    """
    if state.tip_reaction is not None:
        raise ValueError("vibrations are those of a rod with a free tip, but this one is held")
    require_mass(lumps(state.rod, inertia, water, None))
    mass = mass_matrix(state.rod, state.q, inertia, water)
    n = len(mass)
    viscous = np.zeros_like(mass) if damping is None else damping_matrix(state.rod, damping)
    zero, unit = np.zeros((n, n)), np.eye(n)
    # Times scaled by the fastest motion, for the sake of the eigenvalue solver
    fast = np.sqrt(np.linalg.norm(np.linalg.solve(mass, state.tangent), 2))
    left = np.block([[zero, unit], [-state.tangent / fast**2, -viscous / fast]])
    right = np.block([[unit, zero], [zero, mass]])
    values, duals, vectors = eig(left, right, left=True)
    kept = np.flatnonzero(values.imag >= 0.0)
    kept = kept[np.argsort(np.abs(values[kept]))]
    error = _rounding(left, right, values[kept], duals[:, kept], vectors[:, kept])
    return Vibrations(fast * values[kept], vectors[:n, kept], fast * error)


def _rounding(left: Array, right: Array, values: Array, duals: Array, vectors: Array) -> Array:
    """Return bounds, to first order, of the errors of eigenvalues w of A x = w B x.

    With y the left eigenvector, w is off by y . (dA - w dB) x / (y . B x). The solver's backward
    error is in the residual r = A x - w B x, at most |y| |r|. That of the entries of A and B, sums
    of n terms, is n u of each, u the unit of rounding.
    """
    size = np.abs(values)
    residual = left @ vectors - values * (right @ vectors)
    solver = np.linalg.norm(duals, axis=0) * np.linalg.norm(residual, axis=0)
    entries = np.abs(left) @ np.abs(vectors) + size * (np.abs(right) @ np.abs(vectors))
    unit = len(left) * np.finfo(np.float64).eps
    given = unit * np.einsum("ij,ij->j", np.abs(duals), entries)
    condition = np.abs(np.einsum("ij,ij->j", duals.conj(), right @ vectors))
    return np.asarray((solver + given) / condition)


def _check(section: Array, name: str) -> None:
    expected = np.zeros((6, 6))
    expected[:3, :3] = 0.5 * (section[:3, :3] + section[:3, :3].T)
    expected[3:, 3:] = section[3, 3] * np.eye(3)
    size = np.abs(section).max()
    if np.abs(section - expected).max() > 1e-9 * size or np.linalg.eigvalsh(expected)[0] < 0:
        raise ValueError(
            f"{name} must be [[J, 0], [0, m I]] with J symmetric and nothing negative: "
            "the axis runs through the centres of mass"
        )
