"""A shell of revolution: its meridian, its supports, and the finite elements along the meridian.

The axis is x, the distance from it r. The meridian runs with the arc length X from the cap towards
the rim; its tangent is (cos phi, sin phi) in the (x, r) plane and its normal (-sin phi, cos phi)
points outwards: phi is 90 deg at a closed pole and 0 on a cylinder. The body of Renda 2018 hangs
along -z: x = -z and phi = theta + 90 deg, here and nowhere else.

The unknowns are the displacement (u, w) along (x, r) and the rotation psi of the director, positive
from x towards r, which the shear leaves free of the meridian's own rotation. They are interpolated
by Lagrange polynomials of degree p on the exact meridian, so that the state of rest is exact
whatever its shape, a kink is only a jump of the rest angle between two elements, and an axial shift
costs nothing. Everything is integrated with p Gauss points an element: one fewer than the
polynomials ask for, which is what keeps thin shells free of shear and membrane locking.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from loligo.cases.body import Mantle
from loligo.cases.core.record import BadInput
from loligo.reduced.checks import finite, non_negative, positive, whole
from loligo.reduced.lie import Array
from loligo.reduced.shell.laws import ShellLaw

DEGREE = 3
# Gauss points of an element and their weights on [-1, 1]: one fewer than would integrate exactly.
PLACE, SHARE = np.polynomial.legendre.leggauss(DEGREE)
BAND = 3 * DEGREE + 2  # sub- and superdiagonals: an element couples 3 (p + 1) unknowns in a row
Support = Literal["free", "symmetry", "guided", "supported", "hinged", "clamped"]
FIXED: dict[str, tuple[bool, bool, bool]] = {
    "free": (False, False, False),
    "supported": (True, False, False),
    "symmetry": (True, False, True),
    "guided": (False, True, True),
    "hinged": (True, True, False),
    "clamped": (True, True, True),
}


@dataclass(frozen=True)
class Span:
    """A stretch of meridian of constant curvature, divided into equal elements.

    An edge, a kink or a jump of the load makes a layer of width sqrt(radius * thickness) that wants
    two elements or more. Grade a mesh, or put a node where a load begins, with several spans.

    Attributes:
        length: arc length in m.
        elements: how many.
        curvature: d phi / dX in 1/m; -1/R from a pole along a sphere of radius R, 0 on a line.
        turn: a kink before the span, added to phi, in rad.
    """

    length: float
    elements: int
    curvature: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no stretch of meridian."""
        positive("length", self.length)
        whole("elements", self.elements, 1)
        finite("curvature", self.curvature)
        finite("turn", self.turn)


@dataclass(frozen=True, eq=False)
class Shell:
    """A meshed shell of revolution at rest, with all that does not change as it deforms.

    Arrays are over elements e, Gauss points g, the five point values (x', r', phi, phi', r) and the
    degrees of freedom of an element, (u, w, psi) node by node.

    Attributes:
        law: what the wall is made of.
        arc: X of the nodes (m), shape (n,).
        rest: (x, r) of the nodes at rest (m), shape (n, 2).
        fixed: which of (u, w, psi) are held, shape (n, 3).
        lids: whether flat lids close the rims, so that the pressure pulls on these too.
        point_arc: X of the Gauss points, shape (e, g).
        point_rest: point values at rest, shape (e, g, 5).
        shape: derivative of the point values by the degrees of freedom, shape (e, g, 5, 3 (p + 1)).
        weight: length of meridian of each Gauss point (m), shape (e, g).
        thickness: wall thickness at rest (m), shape (e, g).
    """

    law: ShellLaw
    arc: Array
    rest: Array
    fixed: NDArray[np.bool_]
    lids: bool
    point_arc: Array
    point_rest: Array
    shape: Array
    weight: Array
    thickness: Array

    @cached_property
    def dofs(self) -> NDArray[np.int_]:
        """Degrees of freedom of each element, shape (e, 3 (p + 1))."""
        first = 3 * DEGREE * np.arange(len(self.weight))
        dofs: NDArray[np.int_] = np.add.outer(first, np.arange(3 * (DEGREE + 1)))
        return dofs

    @cached_property
    def band_index(self) -> NDArray[np.int_]:
        """Place of each element matrix in the flattened band, row BAND + i - j, column j."""
        i, j = self.dofs[:, :, None], self.dofs[:, None, :]
        return np.ravel((BAND + i - j) * self.fixed.size + j)

    @cached_property
    def rows(self) -> Array:
        """`shape` with an element's point values in one column, (e, 5 g, 3 (p + 1))."""
        rows: Array = self.shape.reshape(len(self.shape), -1, self.shape.shape[-1])
        return rows

    @cached_property
    def area(self) -> Array:
        """Reference area of each Gauss point, all around (m^2), shape (e, g)."""
        area: Array = 2.0 * np.pi * self.point_rest[..., 4] * self.weight
        return area

    @cached_property
    def rest_strain(self) -> Array:
        """Strains (lambda, beta, mu, tau, c) at rest, shape (e, g, 5)."""
        _, _, angle, curvature, radius = np.moveaxis(self.point_rest, -1, 0)
        one = np.ones_like(angle)
        return np.stack([one, 0.0 * one, curvature, one, np.cos(angle) / radius], axis=-1)


def make_shell(
    spans: Sequence[Span],
    law: ShellLaw,
    *,
    thickness: float | Callable[[Array], Array],
    radius: float,
    angle: float,
    start: Support,
    end: Support,
    lids: bool = True,
) -> Shell:
    """Mesh a shell of revolution whose meridian begins at x = 0.

    Args:
        spans: the meridian, one after the other.
        law: what the wall is made of.
        thickness: full thickness of the wall in m, constant or a function of X.
        radius: r of the first point in m; 0 is a closed pole.
        angle: phi of the meridian at the first point in rad; 90 deg at a pole.
        start: support at X = 0. "free"; "supported" holds x; "symmetry" x and the rotation;
            "guided" r and the rotation, as at a pole or a rigid plug free along the axis;
            "hinged" x and r; "clamped" all three.
        end: support at the last X.
        lids: True if massless flat lids close the rims, so that a pressure pulls on these too;
            False for an open nozzle.

    Raises:
        ValueError: if this is no shell, or nothing holds it along x.
    """
    for name, support in (("start", start), ("end", end)):
        if support not in FIXED:
            raise ValueError(f"{name} is {support!r}; it must be one of {', '.join(FIXED)}")
    if not (FIXED[start][0] or FIXED[end][0]):
        raise ValueError(
            f"nothing holds the shell along x: start is {start!r}, end is {end!r}; make one of "
            "them supported, symmetry, hinged or clamped"
        )
    if not spans:
        raise BadInput("spans must be one or more stretches of meridian")
    non_negative("radius", radius)
    finite("angle", angle)
    arc, rest, points, x_r_phi = _mesh(spans, radius, angle)
    _check_radius(arc, rest[:, 1], start, end)
    wall = np.broadcast_to(thickness(points) if callable(thickness) else thickness, points.shape)
    positive("thickness", wall)
    elements = [span.elements for span in spans]
    half = 0.5 * np.repeat([span.length / span.elements for span in spans], elements)
    bend = np.repeat([span.curvature for span in spans], elements)[:, None]
    _, r, phi = np.moveaxis(x_r_phi, -1, 0)
    fixed = np.zeros((len(arc), 3), bool)
    fixed[0], fixed[-1] = FIXED[start], FIXED[end]
    return Shell(
        law=law,
        arc=arc,
        rest=rest,
        fixed=fixed,
        lids=lids,
        point_arc=points,
        point_rest=np.stack([np.cos(phi), np.sin(phi), phi, bend + 0.0 * phi, r], axis=-1),
        shape=_shape(half),
        weight=np.multiply.outer(half, SHARE),
        thickness=np.array(wall),
    )


def mantle_shell(body: Mantle, law: ShellLaw, size: float, breaks: Sequence[float] = ()) -> Shell:
    """Mesh a mantle, clamped where its wall is bonded to the cap and open at the far rim.

    Args:
        body: the mantle.
        law: what its wall is made of.
        size: the longest element in m.
        breaks: arc lengths (m) that must be nodes, such as the ends of a band of tension.

    Raises:
        ValueError: if the size is not positive or a break is not on the meridian.
    """
    positive("size", size)
    joint, length = body.radius * body.truncation, body.meridian_length
    for mark in breaks:
        if not 0.0 <= mark <= length:
            raise ValueError(f"the break at {mark:.6g} m is not within 0 to {length:.6g} m")
    corners = np.array([0.0, joint, length])
    inner = [mark for mark in breaks if np.abs(mark - corners).min() > 1e-9 * length]
    spans = [
        Span(b - a, int(np.ceil((b - a) / size)), -1.0 / body.radius if b <= joint else 0.0)
        for a, b in pairwise(sorted({*corners, *inner}))
    ]
    return make_shell(
        spans,
        law,
        thickness=body.thickness,
        radius=body.radius * np.cos(body.truncation),
        angle=body.truncation,
        start="clamped",
        end="free",
        lids=False,
    )


def _mesh(spans: Sequence[Span], radius: float, angle: float) -> tuple[Array, Array, Array, Array]:
    """Return X (n,) and (x, r) (n, 2) of the nodes, X (e, g) and (x, r, phi) of the points."""
    at = np.array([0.0, 0.0, radius, angle])  # X, x, r, phi
    arc, rest = [at[:1]], [at[None, 1:3]]
    point_arc, point_rest = [], []
    for span in spans:
        at = at + np.array([0.0, 0.0, 0.0, span.turn])
        size = span.length / span.elements
        nodes = size * np.arange(1, span.elements * DEGREE + 1) / DEGREE
        points = size * np.add.outer(np.arange(span.elements), 0.5 * (1.0 + PLACE))
        arc.append(at[0] + nodes)
        rest.append(_along(at, span.curvature, nodes)[:, :2])
        point_arc.append(at[0] + points)
        point_rest.append(_along(at, span.curvature, points))
        at = np.r_[at[0] + span.length, _along(at, span.curvature, np.array(span.length))]
    out = [np.concatenate(parts) for parts in (arc, rest, point_arc, point_rest)]
    out[1][np.abs(out[1][:, 1]) < 1e-12 * at[0], 1] = 0.0  # a pole, but for rounding
    return out[0], out[1], out[2], out[3]


def _along(at: Array, curvature: float, s: Array) -> Array:
    """Return (x, r, phi) at the distance s from `at` = (X, x, r, phi) on a circular arc."""
    half_turn = 0.5 * curvature * s
    chord = s * np.sinc(half_turn / np.pi)
    middle = at[3] + half_turn
    return np.stack(
        [at[1] + chord * np.cos(middle), at[2] + chord * np.sin(middle), at[3] + 2.0 * half_turn],
        axis=-1,
    )


def _check_radius(arc: Array, radius: Array, start: Support, end: Support) -> None:
    worst = int(np.argmin(radius))
    inside = radius[1:-1]
    if radius[worst] < 0.0 or (inside <= 0.0).any():
        raise ValueError(
            f"the meridian reaches the axis at X = {arc[worst]:.4g} m (r = {radius[worst]:.4g} m); "
            "only its two ends may"
        )
    for name, r, support in (("start", radius[0], start), ("end", radius[-1], end)):
        if r == 0.0 and support not in ("guided", "clamped"):
            raise ValueError(
                f"the {name} is a pole (r = 0), where r and the rotation are held: make it "
                f"guided, or clamped to hold x too, not {support!r}"
            )


def shape_functions(local: Array) -> tuple[Array, Array]:
    """Return Lagrange polynomials and derivatives at points of [-1, 1], shapes (g, p + 1)."""
    nodes = np.linspace(-1.0, 1.0, DEGREE + 1)
    coefficients = np.linalg.inv(polynomial.polyvander(nodes, DEGREE))
    value = polynomial.polyvander(local, DEGREE) @ coefficients
    slope = polynomial.polyvander(local, DEGREE - 1) @ polynomial.polyder(coefficients)
    return value, slope


def _shape(half: Array) -> Array:
    """Return the derivatives of (x', r', phi, phi', r) by the degrees of freedom of an element."""
    value, slope = shape_functions(PLACE)
    slopes = slope / half[:, None, None]
    shape = np.zeros((len(half), len(PLACE), 5, 3 * (DEGREE + 1)))
    shape[:, :, 0, 0::3] = slopes
    shape[:, :, 1, 1::3] = slopes
    shape[:, :, 2, 2::3] = value
    shape[:, :, 3, 2::3] = slopes
    shape[:, :, 4, 1::3] = value
    return shape
