"""Mass matrix of a shell of revolution, and its vibrations about a state."""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, dia_array

from loligo.reduced.checks import positive, whole
from loligo.reduced.lie import Array
from loligo.reduced.shell.assembly import linearise, sum_elements
from loligo.reduced.shell.model import BAND, DEGREE, PLACE, Shell, shape_functions
from loligo.reduced.shell.statics import Equilibrium

# Two points more than for the strains: with as many, the mass of an element would be singular.
MASS_PLACE, MASS_SHARE = np.polynomial.legendre.leggauss(DEGREE + 2)


def mass_matrix(shell: Shell, density: float, added: float | Array = 0.0) -> csr_array:
    """Return the consistent mass matrix of wall and water, over all (u, w, psi) of the nodes.

    The kinetic energy per reference area of a wall of density rho and full thickness h is

        rho h (1 + B)/2 (u_dot^2 + w_dot^2) + rho h^3/24 psi_dot^2.

    The axes are fixed and all rotations share one axis, so that the matrix is constant and no
    gyroscopic terms are left out. Renda's M_s (2018, below Eq 5) has the rotary inertia rho h^2/12
    in place of rho h^3/12, paper and code: 1/h = 500 times more at a wall of 2 mm.

    The added mass B_s of Eq 14 is that of the acceleration in fixed axes. Printed are the rates of
    the velocity's components in the wall's axes, which leaves out the part of the acceleration
    across the velocity: it does no work, but depends on the axes one takes.

    Args:
        shell: in its state of rest.
        density: of the wall (kg/m^3).
        added: B, mass of water that moves with the wall over the wall's own mass; or any other law
            that is linear in the local acceleration: matrices (kg/m^2) on (u_dot, w_dot) at the
            shell's Gauss points, symmetric, shape (e, g, 2, 2).

    Raises:
        ValueError: if density or added mass is negative, or not finite.
    """
    positive("density", density)
    wall = density * shell.thickness
    if not np.isfinite(added).all():
        raise ValueError("the added mass must be finite: look for NaN or inf in it")
    if isinstance(added, np.ndarray):
        water = np.broadcast_to(added, (*wall.shape, 2, 2))
    else:
        water = added * wall[..., None, None] * np.eye(2)
    if not (np.linalg.eigvalsh(water) >= 0.0).all():
        raise ValueError("the added mass must not be negative, in whatever direction")
    inertia = np.zeros((*wall.shape, 3, 3))
    inertia[..., :2, :2] = water + wall[..., None, None] * np.eye(2)
    inertia[..., 2, 2] = wall * shell.thickness**2 / 12.0

    value, _ = shape_functions(MASS_PLACE)
    spread = polynomial.polyvander(MASS_PLACE, DEGREE - 1) @ np.linalg.inv(
        polynomial.polyvander(PLACE, DEGREE - 1)
    )
    nodes = shell.dofs[:, ::3] // 3
    half = 0.5 * (shell.arc[nodes[:, -1]] - shell.arc[nodes[:, 0]])
    ring = 2.0 * np.pi * half[:, None] * MASS_SHARE * (shell.rest[nodes, 1] @ value.T)
    inertia = np.einsum("eq,qg,egab->eqab", ring, spread, inertia)
    elements = np.einsum("eqab,qi,qj->eiajb", inertia, value, value, optimize=True)
    size = 3 * (DEGREE + 1)
    band = sum_elements(shell, elements.reshape(-1, size, size))
    return csr_array(_sparse(band))


@dataclass(frozen=True, eq=False)
class Modes:
    """Small undamped vibrations about a state, lowest first.

    Attributes:
        frequency: angular, in rad/s, shape (k,).
        shape: (u, w, psi) of the nodes, with the modal mass 1 kg, shape (k, n, 3).
    """

    frequency: Array
    shape: Array


def vibrations(
    shell: Shell, mass: csr_array, count: int, about: Equilibrium | None = None
) -> Modes:
    """Return the lowest modes of K phi = omega^2 M phi about an equilibrium, or rest.

    Raises:
        ValueError: if the state is unstable, or a pressure on a moving open rim has no potential:
            neither vibrates.
    """
    whole("count", count, 1)
    displacement = about.displacement if about else np.zeros(shell.fixed.shape)
    pressure = about.loads.pressure if about else 0.0
    free = np.flatnonzero(~shell.fixed)
    stiffness = _dense(_sparse(linearise(shell, displacement, pressure).tangent), free)
    if not np.allclose(stiffness, stiffness.T, rtol=0.0, atol=1e-10 * np.abs(stiffness).max()):
        raise ValueError("the pressure on an open rim that moves along x has no potential")
    square, vectors = eigh(stiffness, _dense(mass, free), subset_by_index=[0, count - 1])
    if square[0] <= 0.0:
        raise ValueError(f"the state is unstable: its lowest omega^2 is {square[0]:.4g} 1/s^2")
    shape = np.zeros((count, shell.fixed.size))
    shape[:, free] = vectors.T
    return Modes(np.sqrt(square), shape.reshape(count, *shell.fixed.shape))


def _sparse(band: Array) -> dia_array:
    size = band.shape[1]
    return dia_array((band, np.arange(BAND, -BAND - 1, -1)), shape=(size, size))


def banded(matrix: csr_array) -> Array:
    """Return a matrix of the shell's unknowns in the form of `scipy.linalg.solve_banded`."""
    entries = matrix.tocoo()
    band = np.zeros((2 * BAND + 1, matrix.shape[1]))
    band[BAND + entries.row - entries.col, entries.col] = entries.data
    return band


def _dense(matrix: dia_array | csr_array, keep: NDArray[np.int_]) -> Array:
    dense: Array = matrix.toarray()[np.ix_(keep, keep)]
    return dense
