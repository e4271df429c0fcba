"""Section frames and the strain between them: the logarithm of rigid motions.

A frame is g = [[R, p], [0, 1]]; twists and strains are (angular; linear) in the body frame, so that
g' = g x^.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SMALL = 0.1
"""Angle (rad) below which a series loses fewer digits than the closed form."""


def strain_between(frame: Array, station: Array) -> Array:
    """Return the total strain log(g_i^-1 g_i+1)/(X_i+1 - X_i) of frames (..., station, 4, 4)."""
    first, second = frame[..., :-1, :, :], frame[..., 1:, :, :]
    back = np.swapaxes(first[..., :3, :3], -1, -2)
    step = np.zeros_like(first)
    step[..., :3, :3] = back @ second[..., :3, :3]
    step[..., :3, 3:] = back @ (second[..., :3, 3:] - first[..., :3, 3:])
    step[..., 3, 3] = 1.0
    strain: Array = log_se3(step) / np.diff(station)[:, None]
    return strain


def log_so3(rotation: Array) -> Array:
    """Return the rotation vectors w of rotations (..., 3, 3), |w| <= pi, by the unit quaternion.

    Accurate to rounding for every angle in [0, pi]. At pi itself w and -w are the same rotation
    and either may be returned, so the logarithm is not continuous there.
    """
    r = rotation.reshape(-1, 3, 3)
    trace = np.trace(r, axis1=1, axis2=2)
    diagonal = np.diagonal(r, axis1=1, axis2=2)
    # Rows of 4 q q^T; the one with the largest diagonal entry loses no digits (Shepperd).
    square = np.empty((len(r), 4, 4))
    square[:, 0, 0] = 1.0 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        square[:, 1 + i, 1 + i] = 1.0 + 2.0 * diagonal[:, i] - trace
        square[:, 0, 1 + i] = square[:, 1 + i, 0] = r[:, k, j] - r[:, j, k]
        square[:, 1 + i, 1 + j] = square[:, 1 + j, 1 + i] = r[:, i, j] + r[:, j, i]
    best = np.argmax(np.diagonal(square, axis1=1, axis2=2), axis=1)
    q = square[np.arange(len(r)), best]
    q *= np.where(q[:, :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(q[:, 1:], axis=1)
    near = sine < 1e-30 * q[:, 0]
    half = np.where(near, 1.0, np.arctan2(sine, q[:, 0])) / np.where(near, q[:, 0], sine)
    w: Array = 2.0 * half[:, None] * q[:, 1:]
    return w.reshape(*rotation.shape[:-2], 3)


def log_se3(frame: Array) -> Array:
    r"""Return the twists x = (w; v) of frames (..., 4, 4), exp(x^) = g and \|w\| <= pi.

    v = p - w x p / 2 + b w x (w x p), b = (1 - (a/2) cot(a/2)) / a^2 with the angle a = \|w\|.
    """
    w, p = log_so3(frame[..., :3, :3]), frame[..., :3, 3]
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    s = angle**2
    series = 1 / 12 + s * (1 / 720 + s * (1 / 30240 + s * (1 / 1209600 + s / 47900160)))
    half = np.maximum(angle, _SMALL) / 2
    closed = (1.0 - half * np.cos(half) / np.sin(half)) / (4.0 * half**2)
    b = np.where(angle < _SMALL, series, closed)
    turned = np.cross(w, p)
    return np.concatenate([w, p - turned / 2 + b * np.cross(w, turned)], axis=-1)
