"""A geometrically exact Cosserat rod whose strain field is the unknown.

The frame g(X) of the section at arc length X obeys g' = g xi^, with the strain

    xi = (torsion, bend_y, bend_z, stretch, shear_y, shear_z),   xi(X) = xi_rest(X) + B(X) q,

in the section's own axes; a straight unstrained rod has xi = (0, 0, 0, 1, 0, 0). The columns of B
are Legendre polynomials on each of a number of intervals, one degree per strain: degree 0 on many
intervals is piecewise constant strain, degree 0 of the bends and the stretch is piecewise constant
curvature, one interval of a high degree is a spectral rod. A strain without a degree stays at its
rest value exactly: that is how a rod becomes inextensible or unshearable, with no large stiffness.
So do all strains of a rigid interval, which is how connectors and end plates enter.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Literal

import numpy as np

from loligo.reduced.checks import non_negative, positive
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import (
    GAUSS,
    FieldOfX,
    Grid,
    Span,
    end_at,
    evaluate,
    intervals_in,
    make_grid,
)
from loligo.reduced.rod.kernel import frames_along, frames_at

STRAINS = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
STRAIGHT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

SectionLaw = Callable[[Array, Array], tuple[Array, Array]]


def circular_stiffness(
    radius: Array | float, young: float, shear: float, shear_factor: float = 0.9
) -> Array:
    """Return diag(GJ, EI, EI, EA, kGA, kGA) of solid circular sections, shape (..., 6, 6).

    Args:
        radius: in m, any shape.
        young: E in Pa.
        shear: G in Pa.
        shear_factor: k; Cowper 1966 has 6 (1 + nu)/(7 + 6 nu), 0.9 for an incompressible solid.
    """
    for name, modulus in (("young", young), ("shear", shear)):
        non_negative(name, modulus)
    positive("shear_factor", shear_factor)
    area = np.pi * positive("radius", radius) ** 2
    second = area**2 / (4.0 * np.pi)
    bend, slide = young * second, shear_factor * shear * area
    diagonal = np.stack([2.0 * shear * second, bend, bend, young * area, slide, slide], axis=-1)
    return diagonal[..., None] * np.eye(6)


@dataclass(frozen=True, eq=False)
class Rod:
    """A rod clamped at its base: what it is made of, and which strains it may have.

    Attributes:
        length: reference arc length in m.
        stiffness: 6x6 section stiffness, in the order of the strains (N m^2, N m, N), constant or a
            function of X that returns (n, 6, 6) for X of shape (n,). For values tabulated along s,
            `scipy.interpolate.make_interp_spline(s, K, k=1)` is such a function.
        law: in place of `stiffness`, a nonlinear section law: (strain - strain_rest, X), of shapes
            (n, 6) and (n,), to the wrench (n, 6) and its derivative (n, 6, 6).
        degrees: polynomial degree of every strain that is free, by name, or one for all six.
        segments: number of equal intervals, or all their ends from 0 to the length. Put an end
            wherever stiffness, rest strain or a load jumps.
        rigid: spans (from, to) that keep their rest strain exactly and have no unknowns, between
            ends of intervals; stiffness and law are not asked for there.
        joints: rigid joints by their X, an end of an interval within the rod: the rotation, (3, 3),
            of the section beyond as seen from the one before, which is the section at X. For one
            with an offset leave a rigid span between two joints.
        strain_rest: constant (6,) or a function of X that returns (n, 6).
        base: frame of the base, (4, 4).
        scaled_by: "strain" for polynomials in the strain; "compliance" multiplies those of each
            strain by K_cc(base)/K_cc(X), so that a smooth moment is met exactly on a tapered rod.
        cells: Magnus steps on every interval, by default one more than twice the highest degree and
            at least two, with which a rigid interval has its inertia exactly.
    """

    length: float
    stiffness: Array | FieldOfX | None = None
    law: SectionLaw | None = None
    degrees: int | Mapping[str, int] = 3
    segments: int | Sequence[float] = 1
    rigid: Sequence[Span] = ()
    joints: Mapping[float, Array] = field(default_factory=dict)
    strain_rest: Array | FieldOfX | Sequence[float] = STRAIGHT
    base: Array = field(default_factory=lambda: np.eye(4))
    scaled_by: Literal["strain", "compliance"] = "strain"
    cells: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be a rod, and make the grid."""
        if not (np.isfinite(self.length) and self.length > 0):
            raise ValueError(f"length must be positive, but is {self.length}")
        if (self.stiffness is None) == (self.law is None):
            raise ValueError("give a rod either a stiffness or a section law, and not both")
        if self.scaled_by not in ("strain", "compliance"):
            raise ValueError(f'scaled_by is "strain" or "compliance", not "{self.scaled_by}"')
        if self.scaled_by == "compliance" and self.stiffness is None:
            raise ValueError('scaled_by="compliance" needs a stiffness, not a law')
        check_frame(np.asarray(self.base, float), "base")
        _ = self.grid, self.turns, self._law, self.rest_at_gauss

    @cached_property
    def grid(self) -> Grid:
        """Points, weights and polynomials."""
        degrees = _degrees(self.degrees)
        cells = max(2, 2 * int(degrees.max()) + 1) if self.cells is None else self.cells
        if cells < 1:
            raise ValueError(f"cells must be at least 1, but is {cells}")
        breaks = _breaks(self.segments, self.length)
        rigid = np.zeros(len(breaks) - 1, bool)
        for span in self.rigid:
            rigid |= intervals_in(breaks, span, "rigid span")
        if rigid.all():
            raise ValueError("the whole rod is rigid; leave at least one interval out of `rigid`")
        return make_grid(breaks, rigid, degrees, cells)

    @cached_property
    def turns(self) -> Array:
        """Rotation of every interval's first section as seen from its node, (intervals, 3, 3)."""
        turns = np.tile(np.eye(3), (self.grid.intervals, 1, 1))
        for X, turn in self.joints.items():
            if not is_rotation(np.asarray(turn, float)):
                raise ValueError(f"the joint at X = {X} m must be a 3x3 rotation")
            number = end_at(self.grid.breaks, X, "a joint's X")
            if number in (0, self.grid.intervals):
                raise ValueError("a joint must lie between base and tip; turn `base` instead")
            turns[number] = turn
        return turns

    @cached_property
    def joints_at_cells(self) -> Array:
        """Frame in which every cell begins as seen from its node, (cells, 4, 4)."""
        cells = len(self.grid.steps)
        frames = np.tile(np.eye(4), (cells, 1, 1))
        frames[:: cells // self.grid.intervals, :3, :3] = self.turns
        return frames

    @cached_property
    def shapes(self) -> Array:
        """phi_a of the local unknowns at the Gauss points, (2 cells, local)."""
        return self._shapes(self.grid.gauss)

    @cached_property
    def rest_at_gauss(self) -> Array:
        """Rest strain at the Gauss points, (2 cells, 6)."""
        return self.rest_strain(self.grid.gauss)

    @cached_property
    def _law(self) -> SectionLaw:
        """The section law; of a linear section, with its stiffness evaluated once and for all."""
        if self.law is not None:
            return self.law
        assert self.stiffness is not None
        X = self.grid.gauss[self.grid.soft]
        k = evaluate(self.stiffness, X, (6, 6), "stiffness")
        free = np.unique(self.grid.component)
        lowest = np.linalg.eigvalsh(k[:, free[:, None], free])[:, 0]
        skew = np.abs(k - np.swapaxes(k, 1, 2)).max(axis=(1, 2)) / np.abs(k).max(axis=(1, 2))
        for wrong, what in (
            (skew > 1e-9, "is not symmetric"),
            (lowest <= 0, "is not positive definite in the strains that `degrees` frees"),
        ):
            if wrong.any():
                raise ValueError(f"stiffness {what} at X = {X[wrong][0]:.6g} m")
        return lambda excess, X: ((k @ excess[:, :, None])[:, :, 0], k)

    def with_law(self, law: SectionLaw) -> "Rod":
        """Return the rod with another section law, on the same grid and strains."""
        if self.law is None:
            raise ValueError("a rod with a stiffness takes no section law in its place")
        other = copy(self)
        vars(other)["law"] = vars(other)["_law"] = law  # grid and shapes are those at hand
        return other

    def rest_strain(self, X: Array) -> Array:
        """Return the strain at rest, (n, 6)."""
        return evaluate(self.strain_rest, X, (6,), "strain_rest")

    def strain_at_gauss(self, q: Array) -> Array:
        """Return the total strain at the Gauss points, (2 cells, 6)."""
        per_interval = len(self.grid.gauss) // self.grid.intervals
        local = np.repeat(self.grid.by_interval(q), per_interval, axis=0)
        return self.rest_at_gauss + self._sum(self.shapes * local)

    def section(self, strain: Array) -> tuple[Array, Array]:
        """Return the solid's wrench and its derivative at the Gauss points, zero where rigid."""
        soft = self.grid.soft
        excess, X = (strain - self.rest_at_gauss)[soft], self.grid.gauss[soft]
        found, slope = map(np.asarray, self._law(excess, X))
        n = len(X)
        if found.shape != (n, 6) or slope.shape != (n, 6, 6):
            raise ValueError(
                f"the section law must return a wrench and a tangent of shapes {(n, 6)} and "
                f"{(n, 6, 6)} for {n} points, but returned {found.shape} and {slope.shape}"
            )
        wrench, tangent = np.zeros((len(soft), 6)), np.zeros((len(soft), 6, 6))
        wrench[soft], tangent[soft] = found, slope
        return wrench, tangent

    def strain(self, q: Array, X: Array | Sequence[float]) -> Array:
        """Return the total strain at any X, (n, 6); at a shared end see `Grid.interval_of`."""
        X = np.asarray(X, float)
        local = self.grid.by_interval(q)[self.grid.interval_of(X)]
        return self.rest_strain(X) + self._sum(self._shapes(X) * local)

    def frames(self, q: Array, X: Array | Sequence[float]) -> Array:
        """Return the section frames at any X, (n, 4, 4)."""
        X = np.asarray(X, float)
        nodes = self.grid.nodes
        cell = np.clip(np.searchsorted(nodes, X) - 1, 0, len(nodes) - 2)
        h = X - nodes[cell]
        points = (nodes[cell, None] + h[:, None] * np.array([GAUSS, 1.0 - GAUSS])).ravel()
        joints = self.joints_at_cells
        at_nodes = frames_along(
            np.asarray(self.base, float), self.grid.steps, joints, self.strain_at_gauss(q)
        )
        return frames_at(nodes, joints, at_nodes, cell, X, self.strain(q, points))

    def by_interval(self, frames: Array) -> Array:
        """Return the frames of the nodes as seen by every interval, (intervals, m + 1, 4, 4)."""
        seen: Array = frames[self.grid.nodes_by_interval]
        seen[:, 0, :3, :3] = seen[:, 0, :3, :3] @ self.turns
        return seen

    def _sum(self, terms: Array) -> Array:
        """Sums of the terms of every strain component, (n, local) to (n, 6)."""
        strain: Array = terms @ np.eye(6)[self.grid.component]
        return strain

    def _shapes(self, X: Array) -> Array:
        """phi_a of the local unknowns at X, zero where the rod is rigid, (n, local)."""
        grid = self.grid
        soft = ~grid.rigid[grid.interval_of(X)]
        shapes = np.zeros((len(X), len(grid.component)))
        shapes[soft] = grid.legendre_values(X[soft])
        if self.scaled_by == "compliance" and self.stiffness is not None:
            base = grid.breaks[:-1][~grid.rigid][0]
            k = evaluate(self.stiffness, np.append(base, X[soft]), (6, 6), "stiffness")
            diagonal = np.diagonal(k, axis1=1, axis2=2)[:, grid.component]
            shapes[soft] *= diagonal[0] / diagonal[1:]
        return shapes


def is_rotation(r: Array) -> bool:
    """Return whether r is a rotation, (3, 3), to rounding."""
    if r.shape != (3, 3):
        return False
    return bool(np.abs(r.T @ r - np.eye(3)).max() < 1e-9 and np.linalg.det(r) > 0)


def check_frame(frame: Array, name: str) -> None:
    """Refuse what is no frame; `name` says what it should have been."""
    if frame.shape == (4, 4) and is_rotation(frame[:3, :3]):
        if np.array_equal(frame[3], (0.0, 0.0, 0.0, 1.0)):
            return
    raise ValueError(f"{name} must be a 4x4 frame [[R, p], [0, 1]] with a rotation R")


def _degrees(degrees: int | Mapping[str, int]) -> Array:
    if not isinstance(degrees, Mapping):
        degrees = dict.fromkeys(STRAINS, degrees)
    if not degrees:
        raise ValueError(f"degrees must name at least one free strain of {', '.join(STRAINS)}")
    for name, degree in degrees.items():
        if name not in STRAINS:
            near = get_close_matches(name, STRAINS, 1, 0.0)[0]
            raise ValueError(f'degrees names a strain "{name}"; the nearest one is "{near}"')
        if degree != int(degree) or degree < 0:
            raise ValueError(f"the degree of {name} must be a whole number >= 0, but is {degree}")
    return np.array([degrees.get(name, -1) for name in STRAINS])


def _breaks(segments: int | Sequence[float], length: float) -> Array:
    if isinstance(segments, int | np.integer):
        if segments < 1:
            raise ValueError(f"segments must be at least 1, but is {segments}")
        return np.linspace(0.0, length, segments + 1)
    breaks = np.asarray(segments, float)
    if len(breaks) < 2 or breaks[0] != 0 or breaks[-1] != length or np.any(np.diff(breaks) <= 0):
        raise ValueError(f"segments must increase from 0 to the length {length} m, not {segments}")
    return breaks
