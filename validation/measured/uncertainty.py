r"""The uncertainty of measured data by its sources: half-widths of 95 % intervals.

:math:`U_D^2 = \sum U_i^2` over the sources of `PARTS` (ASME V&V 20). Noise is the scatter of the
means of a hold's parts; repeats is the scatter of holds under one load, pooled over all loads, so
that two repeats each still tell; registration turns the way of a marker by the scatter of the
rotation; placement is how a wrong place on the body shows where the body turns; sensor is stated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats
from scipy.spatial.transform import Rotation

from loligo.cases.dataset.schema import PARTS
from loligo.validation.measured.channels import Array, mean_known

NORMAL = 1.96
"""Half-width of a 95 % interval over the standard deviation."""


def repeated(values: Array, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Return means (step, ...) of holds (hold, ...), and half-widths from the scatter of repeats.

    The half-widths are zero if no load was repeated.
    """
    means = np.array([mean_known(values[list(group)]) for group in groups])
    counts = np.array([len(group) for group in groups])
    freedom = int((counts - 1).sum())
    if freedom == 0:
        return means, np.zeros_like(means)
    square = sum(
        np.nansum((values[list(group)] - mean) ** 2, axis=0)
        for group, mean in zip(groups, means, strict=True)
    )
    deviation = np.sqrt(square / freedom)
    size = counts.reshape(-1, *[1] * (means.ndim - 1))
    half = stats.t.ppf(0.975, freedom) * deviation / np.sqrt(size)
    return means, np.broadcast_to(half, means.shape).copy()


def averaged(half_widths: Array, groups: Sequence[Sequence[int]]) -> Array:
    """Return half-widths (step, ...) of means of independent holds; what is not known counts 0."""
    square = np.nan_to_num(half_widths) ** 2
    return np.array([np.sqrt(square[list(g)].sum(axis=0)) / len(g) for g in groups])


def by_registration(way: Array, covariance: Array) -> Array:
    """Return half-widths (..., 3) of ways (..., 3) turned by an uncertain rotation."""
    turned = np.cross(np.eye(3), way[..., None, :])  # rows e_k x way
    variance = np.einsum("...ki,kl,...li->...i", turned, covariance, turned)
    return np.asarray(NORMAL * np.sqrt(np.maximum(variance, 0.0)))


def by_placement(way: Array, rest: Array, placement: Sequence[float]) -> Array:
    r"""Return half-widths (step, marker, 3): (Q - 1) times how far the places may be off.

    Q, how the body turns at a marker, is not measured by one marker. It is taken as that of an arc
    from the base: twice the way across over the distance from the base, about the axis that takes
    x to the way.
    """
    across = way * [0.0, 1.0, 1.0]
    size = np.linalg.norm(across, axis=-1)
    reach = np.maximum(rest[:, 0], 1e-12)
    angle = np.minimum(2.0 * np.nan_to_num(size) / reach, np.pi)
    axis = np.cross([1.0, 0.0, 0.0], np.nan_to_num(across))
    axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-300)
    turn = Rotation.from_rotvec((angle[..., None] * axis).reshape(-1, 3)).as_matrix()
    off = (turn - np.eye(3)).reshape(*way.shape[:-1], 3, 3)
    return np.asarray(np.sqrt(np.einsum("...ij,j->...i", off**2, np.square(placement))))


def stacked(parts: dict[str, Array], shape: tuple[int, ...]) -> Array:
    """Return half-widths by source, (part, ...), zero where there is none."""
    return np.stack([np.broadcast_to(parts.get(name, 0.0), shape) for name in PARTS])


def combined(parts: Array) -> Array:
    """Return the root of the sum of squares over the sources, the first dimension."""
    return np.asarray(np.sqrt(np.sum(np.nan_to_num(parts) ** 2, axis=0)))
