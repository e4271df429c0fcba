"""The profile of a mantle, and how far from round it is.

Material points on the mid-surface are followed at equal azimuths. Their mean over the azimuth is
the profile; the Fourier amplitudes of their distance from the axis are the lobes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loligo.cases.body import Mantle
from loligo.fem.core.measure import Probe
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]

MODES = tuple(range(2, 9))
"""Circumferential modes that are reported."""
_MERIDIAN, _AROUND = 49, 32
"""Arc lengths and azimuths at which the wall is followed."""
_INSET = 1e-3
"""First arc length over that of the meridian: the held edge of the mesh is not quite round."""
_DEPTHS = (0.01, 0.06, 0.11)
"""Depths below either face, over the thickness, from which the face is extrapolated."""


@dataclass(frozen=True)
class Profile:
    """The wall in one state, by arc length at rest (m)."""

    radius: Array
    """Of the mid-surface, mean over the azimuth (m)."""
    axial: Array
    """x of the mid-surface, mean over the azimuth (m)."""
    thickness: Array
    """Length of the fibre that was normal at rest, mean over the azimuth (m)."""
    lobes: Array
    """Largest amplitude along the meridian of every mode of the radius (m)."""


class WallPoints:
    """Points of a mantle's wall."""

    def __init__(self, problem: Problem, body: Mantle) -> None:
        """Locate the points."""
        self._problem = problem
        self.meridian, azimuth = _grid(body)
        """Arc lengths at rest from the held edge to the rim (m)."""
        face = 0.5 - np.array(_DEPTHS)
        height = body.thickness * np.concatenate([[0.0], face, -face])
        s, phi, t = np.meshgrid(self.meridian, azimuth, height, indexing="ij")
        self._rest = wall_points(body, s, phi, t)
        self._probe = Probe(problem.domain.mesh, self._rest.reshape(-1, 3))

    def measure(self) -> Profile:
        """Return the profile of the problem's current state, the same on all ranks."""
        moved = self._rest + self._probe.read(self._problem.fields.displacement_field()).reshape(
            self._rest.shape
        )
        middle = moved[:, :, 0]
        carry = _extrapolation(_DEPTHS)
        outer, inner = (
            np.einsum("k,spki->spi", carry, moved[:, :, part])
            for part in (slice(1, 4), slice(4, 7))
        )
        radius = np.hypot(middle[..., 1], middle[..., 2])
        return Profile(
            radius.mean(axis=1),
            middle[..., 0].mean(axis=1),
            np.linalg.norm(outer - inner, axis=2).mean(axis=1),
            lobe_amplitudes(radius).max(axis=0),
        )


def lobe_amplitudes(radius: Array) -> Array:
    """Return a_n of r = r_0 + sum a_n cos(n phi + b_n) for all modes, shape (..., modes).

    Args:
        radius: at equal azimuths from 0 to 2 pi, the last axis (m).
    """
    spectrum = np.fft.rfft(radius, axis=-1) * 2.0 / radius.shape[-1]
    return np.asarray(np.abs(spectrum[..., list(MODES)]))


def middle_points(body: Mantle) -> Array:
    """Return points of the mid-surface at rest, shape (rings, azimuths, 3)."""
    s, phi = np.meshgrid(*_grid(body), indexing="ij")
    return wall_points(body, s, phi, np.zeros_like(s))


def _grid(body: Mantle) -> tuple[Array, Array]:
    """Arc lengths and azimuths at which the wall is followed."""
    meridian: Array = np.linspace(0.0, body.meridian_length, _MERIDIAN, dtype=np.float64)
    meridian[0] = _INSET * body.meridian_length
    return meridian, np.arange(_AROUND) * 2 * np.pi / _AROUND


def wall_points(body: Mantle, s: Array, phi: Array, t: Array) -> Array:
    """Return the points at arc length s, azimuth phi and height t over the mid-surface at rest."""
    lean = np.maximum(body.truncation - s / body.radius, 0.0)
    past = np.maximum(s - body.radius * body.truncation, 0.0)
    r = (body.radius + t) * np.cos(lean)
    x = body.radius * np.sin(body.truncation) - (body.radius + t) * np.sin(lean) + past
    return np.stack([x, r * np.cos(phi), r * np.sin(phi)], axis=-1)


def _extrapolation(depths: tuple[float, ...]) -> Array:
    """Weights that carry values at depths to depth 0 by the polynomial through them."""
    powers = np.vander(depths, increasing=True)
    return np.asarray(np.linalg.inv(powers)[0])
