"""What a deformed section says to a rod: its frame, and what no frame can represent.

The equations and their reasons are in docs/sections.md. Everything here is arithmetic on points of
a section with their reference areas, wherever the deformation comes from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MOMENTS = 16
"""Numbers that :func:`moments` gives."""


@dataclass(frozen=True)
class StationPlane:
    """A section plane at rest."""

    centre: Array
    """Where the geometric axis crosses it, shape (3,) (m)."""
    axes: Array
    """Columns: its normal towards the tip, and two directions in it, shape (3, 3)."""

    def coordinates(self, rest: Array) -> Array:
        """Return the two in-plane coordinates of reference positions, shape (points, 2)."""
        return np.asarray((rest - self.centre) @ self.axes[:, 1:])


def plane(centre: Array, normal: Array) -> StationPlane:
    """Return a plane with the axes that the shortest turn takes from x to its normal."""
    x = np.array([1.0, 0.0, 0.0])
    middle = x + normal
    turn = 2.0 * np.outer(middle, middle) / (middle @ middle) - np.eye(3)  # half a turn about it
    axes = turn @ np.diag([1.0, -1.0, -1.0])  # after half a turn about x
    return StationPlane(np.asarray(centre), axes)


def moments(coordinates: Array, weight: Array, position: Array) -> Array:
    """Return int 1, eta, eta eta, x, x eta dA of points, shape (16,): sums over ranks add up.

    Args:
        coordinates: eta, in the plane at rest, shape (points, 2) (m).
        weight: reference areas, shape (points,) (m^2).
        position: deformed positions x, shape (points, 3) (m).
    """
    eta = coordinates * weight[:, None]
    return np.concatenate(
        [
            [weight.sum()],
            eta.sum(0),
            (coordinates.T @ eta).ravel(),
            weight @ position,
            (position.T @ eta).ravel(),
        ]
    )


@dataclass(frozen=True)
class AffineFit:
    """The affine map x = origin + slope eta that fits a deformed section best."""

    origin: Array
    """Image of the geometric axis, shape (3,) (m)."""
    slope: Array
    """First-moment map, shape (3, 2)."""

    @property
    def rotation(self) -> Array:
        """Columns: normal and in-plane axes of the section's frame, shape (3, 3)."""
        left, _, right = np.linalg.svd(self.slope, full_matrices=False)
        across = left @ right
        return np.column_stack([np.cross(across[:, 0], across[:, 1]), across])

    @property
    def frame(self) -> Array:
        """The section frame [[R, o], [0, 1]], shape (4, 4)."""
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = self.rotation, self.origin
        return frame


def fit(total: Array) -> AffineFit:
    """Return the affine map of least squares over the solid section, from its moments."""
    area, first, second = total[0], total[1:3], total[3:7].reshape(2, 2)
    position, mixed = total[7:10], total[10:16].reshape(3, 2)
    mean, centroid = position / area, first / area
    slope = np.linalg.solve(
        second - area * np.outer(centroid, centroid),
        (mixed - area * np.outer(mean, centroid)).T,
    ).T
    return AffineFit(mean - slope @ centroid, slope)


def residuals(total: Array, fitted: AffineFit, area: Array, warping: float) -> Array:
    """Return area change, ovalisation and warping of a section.

    Args:
        total: its moments.
        fitted: their affine map.
        area: deformed area vector (m^2).
        warping: int h^2 dA, h the height over the fitted plane (m^4).
    """
    rest, first, second = total[0], total[1:3], total[3:7]
    largest, smallest = np.linalg.svd(fitted.slope, compute_uv=False)
    gyration = (second[0] + second[3] - first @ first / rest) / rest
    return np.array(
        [
            fitted.rotation[:, 0] @ area / rest - 1.0,
            (largest - smallest) / (largest + smallest),
            np.sqrt(warping / (rest * gyration)),
        ]
    )
