"""Energy, forces, enclosed volume and tangent of a shell of revolution in a given state."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loligo.cases.core.record import LoligoError
from loligo.reduced.lie import Array, compiled
from loligo.reduced.shell.model import BAND, Shell


class Inadmissible(LoligoError, ArithmeticError):
    """A state that no wall can take: turned inside out, or beyond the limit of its law."""


@dataclass(frozen=True)
class Linearised:
    """A shell about a state; forces have the shape (n, 3), conjugate to (u, w, psi) of the nodes.

    Attributes:
        energy: stored in the wall (J).
        volume: inside the mid-surface, between the planes of its two rims (m^3).
        internal: derivative of the energy (N, N, N m).
        volume_gradient: derivative of the volume (m^2, m^2, m^3); the rate of the volume is its
            product with the nodes' velocity.
        wall: force of a unit of pressure, the volume's gradient less the force on missing lids.
        tangent: derivative of `internal` - pressure `wall`, banded as `scipy.linalg.solve_banded`
            has it, with unit rows for held degrees of freedom.
    """

    energy: float
    volume: float
    internal: Array
    volume_gradient: Array
    wall: Array
    tangent: Array


def strains(shell: Shell, displacement: Array) -> Array:
    """Return (lambda, beta, mu, tau, c) at the Gauss points, shape (e, g, 5)."""
    return point_strains(shell, point_values(shell, displacement))


def resultants(shell: Shell, displacement: Array) -> Array:
    """Return (N_X, H, M_X, N_phi, M_phi) at the Gauss points, shape (e, g, 5), in N/m and N.

    Per unit reference length, as `loligo.reduced.shell.laws` defines them.
    """
    return shell.law.response(strains(shell, displacement), shell.rest_strain, shell.thickness)[1]


def wall_thickness(shell: Shell, displacement: Array) -> Array:
    """Return the deformed thickness of the wall at the Gauss points (m), shape (e, g)."""
    return shell.thickness * shell.law.thickness_stretch(strains(shell, displacement))


def linearise(shell: Shell, displacement: Array, pressure: float) -> Linearised:
    """Return energy, forces and tangent at a displacement of shape (n, 3), under a pressure (Pa).

    Raises:
        Inadmissible: if the wall is turned inside out or beyond its law.
    """
    point = point_values(shell, displacement)
    strain = point_strains(shell, point)
    if not (strain[..., [0, 3]] > 0.0).all():
        raise Inadmissible("the meridian or the hoop is turned inside out")
    energy, resultant, stiffness = shell.law.response(strain, shell.rest_strain, shell.thickness)
    if not np.isfinite(energy).all():
        raise Inadmissible("a stretch is beyond what the wall's law can take")
    slope, bend = strain_derivatives(shell, point, strain, resultant)
    flip = np.swapaxes(slope, -1, -2)
    bend += flip @ stiffness @ slope
    bend *= shell.area[..., None, None]

    along, radius = point[..., 0], point[..., 4]
    hoop = 2.0 * np.pi * shell.weight
    bend[..., 0, 4] -= pressure * hoop * radius
    bend[..., 4, 0] -= pressure * hoop * radius
    bend[..., 4, 4] -= pressure * hoop * along

    tangent = band(shell, bend)
    volume, volume_gradient = _volume(shell, point)
    wall = volume_gradient.copy()
    if not shell.lids:
        for node, outwards in rims(shell):
            rim = shell.rest[node, 1] + displacement[node, 1]
            wall[node, 0] -= outwards * np.pi * rim**2
            # row u, column w of this node: one below the diagonal of the column
            tangent[BAND - 1, 3 * node + 1] += outwards * 2.0 * np.pi * pressure * rim
    hold(tangent, np.flatnonzero(shell.fixed))
    return Linearised(
        energy=float((shell.area * energy).sum()),
        volume=volume,
        internal=gather(shell, shell.area[..., None] * (flip @ resultant[..., None])[..., 0]),
        volume_gradient=volume_gradient,
        wall=wall,
        tangent=tangent,
    )


def stored_energy(shell: Shell, displacement: Array) -> float:
    """Return the energy stored in the wall (J)."""
    energy, _, _ = shell.law.response(
        strains(shell, displacement), shell.rest_strain, shell.thickness
    )
    return float((shell.area * energy).sum())


def rims(shell: Shell) -> tuple[tuple[int, float], tuple[int, float]]:
    """Return the nodes of the two rims, each with the direction along x that leads out of it."""
    return (0, -1.0), (len(shell.arc) - 1, 1.0)


def enclosed_volume(shell: Shell, displacement: Array) -> tuple[float, Array]:
    """Return the volume inside the mid-surface, between the planes of its rims, and its gradient.

    The integral of pi r^2 x' (m^3), and its derivatives by (u, w, psi) of the nodes, shape (n, 3).
    """
    return _volume(shell, point_values(shell, displacement))


def negative_pivots(tangent: Array) -> int:
    """Return how many pivots of Gaussian elimination without row exchanges are negative.

    Of a symmetric tangent this is its number of negative eigenvalues (Sylvester). An open rim that
    moves along x makes the tangent of a pressure unsymmetric; then only its parity, the sign of the
    determinant, has a meaning.
    """
    return int(_negative_pivots(tangent.copy(), BAND))


@compiled
def _negative_pivots(band: Array, width: int) -> int:
    count = 0
    n = band.shape[1]
    for k in range(n):
        pivot = band[width, k]
        count += pivot < 0.0
        for i in range(k + 1, min(k + width + 1, n)):
            factor = band[width + i - k, k] / pivot
            if factor != 0.0:
                for j in range(k + 1, min(k + width + 1, n)):
                    band[width + i - j, j] -= factor * band[width + k - j, j]
    return count


def _volume(shell: Shell, point: Array) -> tuple[float, Array]:
    along, radius = point[..., 0], point[..., 4]
    hoop = 2.0 * np.pi * shell.weight
    disc = np.zeros_like(point)
    disc[..., 0], disc[..., 4] = 0.5 * hoop * radius**2, hoop * radius * along
    return float((0.5 * hoop * radius**2 * along).sum()), gather(shell, disc)


def point_values(shell: Shell, displacement: Array) -> Array:
    """Return (x', r', phi, phi', r) at the Gauss points, shape (e, g, 5)."""
    change = shell.rows @ displacement.ravel()[shell.dofs][..., None]
    point: Array = shell.point_rest + change.reshape(shell.point_rest.shape)
    return point


def point_strains(shell: Shell, point: Array) -> Array:
    """Return (lambda, beta, mu, tau, c) of point values, shape (e, g, 5)."""
    along, out, angle, bend, radius = np.moveaxis(point, -1, 0)
    sine, cosine = np.sin(angle), np.cos(angle)
    rest_radius = shell.point_rest[..., 4]
    return np.stack(
        [
            along * cosine + out * sine,
            out * cosine - along * sine,
            bend,
            radius / rest_radius,
            cosine / rest_radius,
        ],
        axis=-1,
    )


def strain_derivatives(
    shell: Shell, point: Array, strain: Array, resultant: Array
) -> tuple[Array, Array]:
    """Return the strains' first derivatives by the point values, and resultants times the second.

    Shapes (e, g, 5, 5), strains in rows, and (e, g, 5, 5), symmetric.
    """
    lam, beta = strain[..., 0], strain[..., 1]
    sine, cosine = np.sin(point[..., 2]), np.cos(point[..., 2])
    rest_radius = shell.point_rest[..., 4]
    first = np.zeros((*lam.shape, 5, 5))
    first[..., 0, 0] = first[..., 1, 1] = cosine
    first[..., 0, 1], first[..., 1, 0] = sine, -sine
    first[..., 0, 2], first[..., 1, 2] = beta, -lam
    first[..., 2, 3] = 1.0
    first[..., 3, 4] = 1.0 / rest_radius
    first[..., 4, 2] = -sine / rest_radius
    n, h, m = resultant[..., 0], resultant[..., 1], resultant[..., 4]
    second = np.zeros_like(first)
    second[..., 0, 2] = second[..., 2, 0] = -n * sine - h * cosine
    second[..., 1, 2] = second[..., 2, 1] = n * cosine - h * sine
    second[..., 2, 2] = -n * lam - h * beta - m * cosine / rest_radius
    return first, second


def gather(shell: Shell, by_point: Array) -> Array:
    """Return the nodal forces of a derivative by the point values, shape (n, 3)."""
    element = np.swapaxes(shell.rows, 1, 2) @ by_point.reshape(len(by_point), -1, 1)
    return np.asarray(np.bincount(shell.dofs.ravel(), element.ravel()), float).reshape(-1, 3)


def band(shell: Shell, by_points: Array) -> Array:
    """Return the banded matrix of second derivatives by the point values, shape (e, g, 5, 5)."""
    half = (by_points @ shell.shape).reshape(shell.rows.shape)
    return sum_elements(shell, np.swapaxes(shell.rows, 1, 2) @ half)


def sum_elements(shell: Shell, elements: Array) -> Array:
    """Return the sum of element matrices, shape (e, 3 (p + 1), 3 (p + 1)), in banded form."""
    size = shell.fixed.size
    flat = np.bincount(shell.band_index, elements.ravel(), (2 * BAND + 1) * size)
    return np.asarray(flat, float).reshape(-1, size)


def hold(tangent: Array, held: NDArray[np.int_]) -> None:
    """Make the rows and columns of held degrees of freedom those of the identity."""
    for i in held:
        near = np.arange(max(i - BAND, 0), min(i + BAND + 1, tangent.shape[1]))
        tangent[BAND + near - i, i] = tangent[BAND + i - near, near] = 0.0
    tangent[BAND, held] = 1.0
