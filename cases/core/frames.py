"""Section frames and the strain between them: the logarithm of rigid motions.

A frame is g = [[R, p], [0, 1]]; twists and strains are (angular; linear) in the body frame, so that
g' = g x^.

Two frames say a rotation up to full turns alone. Its logarithm is the turn below 180 deg, which is
the right one only if the stations are close enough: `lost_turns` says where that is in doubt.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loligo.cases.core.record import BadInput

Array = NDArray[np.float64]

_NO_AXIS = 1e-6
"""Angle (rad) below which a rotation has no axis of its own."""
_SMALL = 0.1
"""Angle (rad) below which a series loses fewer digits than the closed form."""


LARGEST_TURN = np.radians(150.0)
"""Rotation between neighbouring stations (rad) from which its logarithm is in doubt."""
SHORTEST_CHORD = 1.0 / 3.0
"""Stretch below which it is in doubt, too. In an arc that turns by a full turn more than its
logarithm the stretch comes out negative, with two turns more below 1/3 of what it is."""


def strain_between(frame: Array, station: Array, near: Array | None = None) -> Array:
    """Return the total strain log(g_i^-1 g_i+1)/(X_i+1 - X_i) of frames (..., station, 4, 4).

    Args:
        frame: section frames.
        station: their arc lengths at rest (m).
        near: mean strains between the stations, (..., station - 1, 6), of who knows the body
            between them: the rotation then has the number of turns that is nearest to theirs.
    """
    step = _steps(frame)
    width = np.diff(station)[:, None]
    twist = log_se3(step)
    if near is not None:
        twist = _unwound(twist, step[..., :3, 3], near * width)
    strain: Array = twist / width
    return strain


def derived_strain(frame: Array, station: Array) -> Array:
    """Return `strain_between` of frames of which nothing else is known.

    Raises:
        BadInput: if a full turn between stations may be lost; the message says where.
    """
    if said := lost_turns(frame, station):
        raise BadInput(f"{said}: no strain follows from these frames; add stations between them")
    return strain_between(frame, station)


def in_doubt(frame: Array, station: Array) -> NDArray[np.bool_]:
    """Return where the turn between neighbouring stations may be a full one off.

    Of frames (step, station, 4, 4), (step, station - 1). In doubt is a rotation above 150 deg, a
    next section that lies behind or nearly so (a chord shorter than the arc of that rotation could
    have), and a rotation that jumps by more than 180 deg from the step before. A torsion of nearly
    a full turn within one step shows in none of these.
    """
    strain = strain_between(frame, station)
    turn = strain[..., :3] * np.diff(station)[:, None]
    doubt: NDArray[np.bool_] = np.linalg.norm(turn, axis=-1) > LARGEST_TURN
    doubt |= strain[..., 3] < SHORTEST_CHORD
    doubt[1:] |= np.linalg.norm(np.diff(turn, axis=0), axis=-1) > np.pi
    return doubt


def lost_turns(frame: Array, station: Array) -> str:
    """Return in words where `in_doubt` holds first; empty where it does nowhere."""
    doubt = in_doubt(frame, station)
    if not doubt.any():
        return ""
    step, i = (int(k) for k in np.argwhere(doubt)[0])
    strain = strain_between(frame[step, i : i + 2], station[i : i + 2])[0]
    angle = np.degrees(np.linalg.norm(strain[:3])) * (station[i + 1] - station[i])
    return (
        f"between the stations X = {station[i]:.4g} and {station[i + 1]:.4g} m at step {step + 1} "
        f"the body turns by {angle:.0f} deg or by full turns more or less (stretch "
        f"{strain[3]:.2g}; in doubt above {np.degrees(LARGEST_TURN):.0f} deg, below a stretch of "
        f"{SHORTEST_CHORD:.2g}, or after a jump of 180 deg within a step)"
    )


def frames_between(frame: Array, station: Array, X: Array) -> Array:
    """Return frames (..., place, 4, 4) at arc lengths X: constant strain between the stations.

    Beyond the first and the last station the body is rigid, and straight at rest.
    """
    i = np.clip(np.searchsorted(station, X, side="right") - 1, 0, station.size - 2)
    share = np.clip((X - station[i]) / (station[i + 1] - station[i]), 0.0, 1.0)
    inside = frame[..., i, :, :] @ exp_se3(log_se3(_steps(frame))[..., i, :] * share[:, None])
    beyond = np.tile(np.eye(4), (len(X), 1, 1))
    beyond[:, 0, 3] = X - np.clip(X, station[0], station[-1])
    found: Array = inside @ beyond
    return found


def exp_se3(twist: Array) -> Array:
    """Return the frames (..., 4, 4) of twists (..., 6), the inverse of `log_se3`."""
    w, v = twist[..., :3], twist[..., 3:]
    angle = np.linalg.norm(w, axis=-1)[..., None]
    s = angle**2
    a = np.sinc(angle / np.pi)
    b = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    series = 1 / 6 - s * (1 / 120 - s * (1 / 5040 - s / 362880))
    large = np.maximum(angle, _SMALL)
    c = np.where(angle < _SMALL, series, (large - np.sin(large)) / large**3)
    found = np.zeros((*twist.shape[:-1], 4, 4))
    turned = np.cross(w, v)
    found[..., :3, 3] = v + b * turned + c * np.cross(w, turned)
    for k, axis in enumerate(np.eye(3)):
        once = np.cross(w, axis)
        found[..., :3, k] = axis + a * once + b * np.cross(w, once)
    found[..., 3, 3] = 1.0
    return found


def _steps(frame: Array) -> Array:
    """g_i^-1 g_i+1 of neighbouring frames."""
    first, second = frame[..., :-1, :, :], frame[..., 1:, :, :]
    back = np.swapaxes(first[..., :3, :3], -1, -2)
    step = np.zeros_like(first)
    step[..., :3, :3] = back @ second[..., :3, :3]
    step[..., :3, 3:] = back @ (second[..., :3, 3:] - first[..., :3, 3:])
    step[..., 3, 3] = 1.0
    return step


def _unwound(twist: Array, p: Array, guess: Array) -> Array:
    """Twists whose rotation has the number of turns that is nearest to that of a guess."""
    guess = np.broadcast_to(guess, twist.shape)
    angle = np.linalg.norm(twist[..., :3], axis=-1)
    large = np.linalg.norm(guess[..., :3], axis=-1)
    known = angle > _NO_AXIS
    axis = np.where(known[..., None], twist[..., :3], guess[..., :3])
    axis = axis / np.where(known, angle, np.maximum(large, _NO_AXIS))[..., None]
    turns = np.round(((guess[..., :3] * axis).sum(axis=-1) - angle) / (2.0 * np.pi))
    lost = turns != 0.0
    if not lost.any():
        return twist
    found = twist.copy()
    whole = lost & ~known  # a whole number of turns leaves the shear across open
    found[whole] = guess[whole]
    lost &= known
    w = (axis * (angle + 2.0 * np.pi * turns)[..., None])[lost]
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    b = (1.0 - half * np.cos(half) / np.sin(half)) / (4.0 * half**2)
    turned = np.cross(w, p[lost])
    found[lost] = np.concatenate([w, p[lost] - turned / 2 + b * np.cross(w, turned)], axis=-1)
    return found


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
