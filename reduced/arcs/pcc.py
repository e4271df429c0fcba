r"""The constant-curvature arc: chambers, arc, pose and their derivatives, smooth through zero bend.

An arc is an array ``(..., 3)`` of ``(length, u, v)``: its length (m) and its bend vector (rad)
:math:`(u, v) = \theta(\cos\varphi, \sin\varphi)`, the tilt of the tip towards +y and +z. The body
starts along +x; azimuth :math:`\varphi` runs from +y towards +z about +x. The arc is the
exponential of the constant twist :math:`(0, -v, u;\; L, 0, 0)` (angular; linear), and its first
fraction f is the arc ``f * (length, u, v)``.

Gong 2018 (Eqs 1-3, 8, 14), Liu 2020 (Eq 1f), Emet 2023 (Eqs 1-6) and Zhang 2022 (Eqs 3-5) are all
this arc. Nothing here divides by the bend: the coefficients are the Stumpff functions c_k(theta^2)
of :mod:`loligo.reduced.lie`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.cases.core.record import BadInput
from loligo.reduced.checks import finite, non_negative, positive, whole
from loligo.reduced.lie import compiled, stumpff

Array = NDArray[np.float64]

Z_ARM: Final = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns components in a paper whose arm runs along +z (Gong, Liu, Emet) into ours: ``ours = Z_ARM @
theirs``. It is cyclic, so that their azimuth from x towards y is ours from y towards z."""

HANGING_ARM: Final = Z_ARM @ np.diag([1.0, -1.0, -1.0])
"""Turns components in Gong's world (z up, the arm hangs along -z; his Eqs 11, 13, 14) into ours."""


def from_polar(length: ArrayLike, theta: ArrayLike, phi: ArrayLike) -> Array:
    """Return the arc of a length (m), bend theta (rad, of the whole arc) and azimuth phi (rad)."""
    length, theta, phi = np.broadcast_arrays(
        positive("length", length), finite("theta", theta), finite("phi", phi)
    )
    return np.stack([length, theta * np.cos(phi), theta * np.sin(phi)], axis=-1)


def to_polar(arc: ArrayLike) -> tuple[Array, Array, Array]:
    """Return length (m), bend theta >= 0 and azimuth phi in (-pi, pi] (rad; 0 if straight)."""
    length, u, v = _parts(arc)
    return length, np.hypot(u, v), np.arctan2(v, u)


def from_curvature(length: ArrayLike, bend_y: ArrayLike, bend_z: ArrayLike) -> Array:
    """Return the arc of a length (m) and curvatures about y and z (1/m), constant along it."""
    length, bend_y, bend_z = np.broadcast_arrays(
        positive("length", length), finite("bend_y", bend_y), finite("bend_z", bend_z)
    )
    return np.stack([length, length * bend_z, -length * bend_y], axis=-1)


def twist(arc: ArrayLike) -> Array:
    """Return log(pose) = (0, -v, u, L, 0, 0); divided by the rest length, the total strain."""
    length, u, v = _parts(arc)
    zero = np.zeros_like(u)
    return np.stack([zero, -v, u, length, zero, zero], axis=-1)


def position(arc: ArrayLike) -> Array:
    """Return the tip (m), L (c_1, c_2 u, c_2 v)."""
    length, u, v = _parts(arc)
    c = _stumpff(u * u + v * v)
    return np.stack([length * c[1], length * c[2] * u, length * c[2] * v], axis=-1)


def rotation(arc: ArrayLike) -> Array:
    """Return the tip's rotation (..., 3, 3), whose first column is the tangent."""
    _, u, v = _parts(arc)
    c = _stumpff(u * u + v * v)
    uv = c[2] * u * v
    return _matrix(
        (c[0], -c[1] * u, -c[1] * v),
        (c[1] * u, 1.0 - c[2] * u * u, -uv),
        (c[1] * v, -uv, 1.0 - c[2] * v * v),
    )


def pose(arc: ArrayLike) -> Array:
    """Return the tip's frame (..., 4, 4) in the frame at the arc's base."""
    arc = np.asarray(arc, dtype=np.float64)
    frame = np.zeros((*arc.shape[:-1], 4, 4))
    frame[..., :3, :3] = rotation(arc)
    frame[..., :3, 3] = position(arc)
    frame[..., 3, 3] = 1.0
    return frame


def chain(arcs: ArrayLike) -> Array:
    """Return the frames at the ends of k arcs in series, (..., k, 4, 4) for arcs (..., k, 3)."""
    frames = pose(arcs)
    for i in range(1, frames.shape[-3]):
        frames[..., i, :, :] = frames[..., i - 1, :, :] @ frames[..., i, :, :]
    return frames


def from_tip(tip: ArrayLike) -> Array:
    r"""Return the one arc with bend below 2 pi that ends at ``tip`` (m).

    With :math:`\rho` the distance from the base tangent,
    :math:`\theta = 2\,\mathrm{atan2}(\rho, x)` and :math:`L = |p|\,(\theta/2)/\sin(\theta/2)`.
    """
    x, y, z = _split(tip)
    rho, chord = np.hypot(y, z), np.sqrt(x * x + y * y + z * z)
    closed = (rho == 0.0) & (x <= 0.0)
    if np.any(closed):
        raise ValueError(
            f"tip {_first(tip, closed)} m lies on the base tangent, at or behind the base: no arc "
            "with a bend below 2 pi ends there; move it off the axis"
        )
    half = np.arctan2(rho, x)
    side = np.where(rho > 0.0, rho, 1.0)
    length = chord / np.sinc(half / np.pi)
    return np.stack([length, 2.0 * half * (y / side), 2.0 * half * (z / side)], axis=-1)


def chamber_directions(count: int, turn: float = 0.0) -> Array:
    """Return (cos, sin) of the azimuths 90 deg + turn + 360 deg (j - 1)/n, shape (n, 2)."""
    whole("count", count, 1)
    azimuth = np.pi / 2 + finite("turn", turn) + 2.0 * np.pi * np.arange(count) / count
    return np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)


def chamber_lengths(arc: ArrayLike, offset: float, directions: ArrayLike) -> Array:
    """Return L - offset (u cos a_j + v sin a_j) of the n chambers (m), shape (..., n); Gong Eq 14.

    Args:
        arc: Length and bend vector.
        offset: Distance of the chambers from the axis (m).
        directions: (cos a_j, sin a_j) from :func:`chamber_directions`.
    """
    arc = finite("arc", arc, (3,))
    non_negative("offset", offset)
    lean = arc[..., 1:] @ finite("directions", directions, (2,)).T
    return np.asarray(arc[..., :1] - offset * lean)


def from_chambers(lengths: ArrayLike, offset: float, directions: ArrayLike) -> Array:
    """Return the arc of n >= 3 evenly spaced chambers of given lengths (m); Gong Eqs 1-3.

    For n > 3 it is the arc that fits the lengths best in the least-squares sense.
    """
    lengths = positive("lengths", lengths)
    directions = finite("directions", directions, (2,))
    positive("offset", offset)
    count = len(directions)
    if count < 3 or lengths.shape[-1] != count:
        raise BadInput(
            f"{lengths.shape[-1]} chamber lengths for {count} chambers; an arc needs one length a "
            "chamber and at least three chambers"
        )
    return np.asarray(lengths @ chamber_map(offset, directions).T)


def chamber_map(offset: float, directions: Array) -> Array:
    """Return d(L, u, v)/d(lengths) of n evenly spaced chambers, (3, n), constant."""
    count = len(directions)
    return np.vstack([np.full(count, 1.0 / count), (-2.0 / (count * offset)) * directions.T])


def position_gradient(arc: ArrayLike) -> Array:
    """Return d(tip)/d(length, u, v), shape (..., 3, 3); columns are the variables."""
    length, u, v = _parts(arc)
    c = _stumpff(u * u + v * v)
    d1, d2 = c[3] - c[2], 2.0 * c[4] - c[3]
    cross = length * d2 * u * v
    return _matrix(
        (c[1], length * d1 * u, length * d1 * v),
        (c[2] * u, length * (c[2] + d2 * u * u), cross),
        (c[2] * v, cross, length * (c[2] + d2 * v * v)),
    )


def position_hessian(arc: ArrayLike) -> Array:
    """Return d2(tip)/d(length, u, v)2, shape (..., 3, 3, 3); the tip's component comes first."""
    arc = np.stack(_parts(arc), axis=-1)
    w = arc[..., 1:]
    length = arc[..., 0, None, None]
    c = _stumpff(np.sum(w * w, axis=-1))[..., None, None]
    d1, d2 = c[3] - c[2], 2.0 * c[4] - c[3]
    dd1, dd2 = c[3] - 3.0 * c[4] + 3.0 * c[5], c[4] - 5.0 * c[5] + 8.0 * c[6]
    eye, ww = np.eye(2), w[..., :, None] * w[..., None, :]
    triple = w[..., :, None, None] * ww[..., None, :, :]
    mixed = (
        w[..., :, None, None] * eye
        + w[..., None, :, None] * eye[:, None, :]
        + w[..., None, None, :] * eye[:, :, None]
    )
    hessian = np.zeros((*arc.shape[:-1], 3, 3, 3))
    hessian[..., 0, 0, 1:] = d1[..., 0] * w
    hessian[..., 1:, 0, 1:] = d2 * ww + c[2] * eye
    hessian[..., :, 1:, 0] = hessian[..., :, 0, 1:]
    hessian[..., 0, 1:, 1:] = length * (dd1 * ww + d1 * eye)
    hessian[..., 1:, 1:, 1:] = (length * dd2)[..., None] * triple + (length * d2)[..., None] * mixed
    return hessian


def jacobian(arc: ArrayLike) -> Array:
    """Return the tip's body twist (angular; linear) per rate of (length, u, v), (..., 6, 3)."""
    _, u, v = _parts(arc)
    c = _stumpff(u * u + v * v)
    zero, uv = np.zeros_like(u), c[3] * u * v
    angular = _matrix(
        (zero, c[2] * v, -c[2] * u),
        (zero, -uv, c[3] * u * u - 1.0),
        (zero, 1.0 - c[3] * v * v, uv),
    )
    linear = np.swapaxes(rotation(arc), -1, -2) @ position_gradient(arc)
    return np.concatenate([angular, linear], axis=-2)


def jacobian_rate(arc: ArrayLike, rate: ArrayLike) -> Array:
    """Return (d jacobian/dt) rate (..., 6): the twist's rate while (length, u, v) move evenly."""
    rate = np.asarray(rate, dtype=np.float64)
    _, u, v = _parts(arc)
    _, du, dv = _split(rate)
    c = _stumpff(u * u + v * v)
    swept, growth = v * du - u * dv, u * du + v * dv
    c2_rate, c3_rate = (2.0 * c[4] - c[3]) * growth, (3.0 * c[5] - c[4]) * growth
    angular = np.stack([c2_rate, -(c3_rate * u + c[3] * du), -(c3_rate * v + c[3] * dv)], axis=-1)
    angular *= np.asarray(swept)[..., None]
    body = np.swapaxes(rotation(arc), -1, -2)
    acceleration = np.einsum("...ijk,...j,...k->...i", position_hessian(arc), rate, rate)
    velocity = np.einsum("...ij,...j->...i", jacobian(arc), rate)
    linear = np.einsum("...ij,...j->...i", body, acceleration)
    linear -= np.cross(velocity[..., :3], velocity[..., 3:])
    return np.concatenate([angular, linear], axis=-1)


def _stumpff(square: ArrayLike) -> Array:
    """Return c_0 to c_7 of each squared bend (rad^2), along a new first axis."""
    square = np.asarray(square, dtype=np.float64)
    return _stumpff_of_each(square.ravel()).reshape(8, *square.shape)


@compiled
def _stumpff_of_each(squares: Array) -> Array:
    c = np.empty((8, len(squares)))
    for i in range(len(squares)):
        c[:, i] = stumpff(squares[i])
    return c


def _parts(arc: ArrayLike) -> tuple[Array, Array, Array]:
    """Return length, u and v of arcs; a length of 0 is that of an arc's first fraction 0."""
    length, u, v = _split(arc)
    non_negative("length", length)
    return length, u, v


def _split(array: ArrayLike) -> tuple[Array, Array, Array]:
    array = np.asarray(array, dtype=np.float64)
    if array.shape[-1:] != (3,):
        raise BadInput(f"the last axis must hold 3 numbers; the array has shape {array.shape}")
    if not np.isfinite(array).all():
        raise BadInput("an arc, or its tip, must be finite: look for NaN or inf in it")
    return array[..., 0], array[..., 1], array[..., 2]


def _matrix(*rows: tuple[ArrayLike, ArrayLike, ArrayLike]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _first(points: ArrayLike, bad: ArrayLike) -> str:
    point = np.asarray(points, dtype=np.float64).reshape(-1, 3)[np.flatnonzero(bad)[0]]
    return "(" + ", ".join(f"{value:.6g}" for value in point) + ")"
