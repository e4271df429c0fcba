"""Stiffness and pressure arms of a bar's section, and its compliance from an energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_SIZE = 6


@dataclass(frozen=True)
class SectionLaw:
    """What a section is to a rod at rest; strains and wrenches as in the data set."""

    stiffness: Array
    """K, symmetric, shape (6, 6): N m^2, N m, N."""
    skew: float
    """Largest entry of (K - K^T)/2 before it was dropped, each over sqrt(K_ii K_jj)."""
    mean_shear: tuple[float, float] | None
    """Where K is that of the energy, the two shear stiffnesses (N) that mean displacements give;
    None where K is that of mean displacements."""
    cavities: tuple[str, ...]
    arms: Array
    """Wrench (moment; force) per pressure in each cavity, shape (6, cavities): m^3, m^2."""

    @property
    def note(self) -> str:
        """What to know of the stiffness in shear; empty where mean displacements give it."""
        if self.mean_shear is None:
            return ""
        return (
            "shear stiffness by energy: mean displacements give "
            f"{self.mean_shear[0]:.4g} and {self.mean_shear[1]:.4g} N, which no rod can have"
        )

    @property
    def free_strain(self) -> Array:
        """Strain per pressure of a section that nothing else loads, shape (6, cavities)."""
        return np.asarray(np.linalg.solve(self.stiffness, self.arms))


def compliance_of(wrenches: Array, work: Array, length: float) -> Array:
    """Return the symmetric C, 21 numbers, whose energy is that of 21 pairs of solutions.

    Twice the energy of solutions a and b on a slice is int W_a . C W_b dx, where the moment grows
    with the shear force, m' = F x e_x.

    Args:
        wrenches: (moment; force) of the six solutions in the near face, one in each row.
        work: of the forces of one solution on the displacement of another, shape (6, 6) (J).
        length: of the slice (m).
    """
    upper = np.triu_indices(_SIZE)
    slope = np.zeros((_SIZE, _SIZE))
    slope[:, :3] = np.cross(wrenches[:, 3:], [1.0, 0.0, 0.0])
    a, b = (wrenches[index] for index in upper)
    da, db = (slope[index] for index in upper)
    both = (
        length * np.einsum("pi,pj->pij", a, b)
        + length**2 / 2 * (np.einsum("pi,pj->pij", a, db) + np.einsum("pi,pj->pij", da, b))
        + length**3 / 3 * np.einsum("pi,pj->pij", da, db)
    )
    both = both + np.swapaxes(both, 1, 2)
    factors = both[:, upper[0], upper[1]] * np.where(upper[0] == upper[1], 0.5, 1.0)
    scale = np.abs(factors).max(axis=0)
    compliance = np.zeros((_SIZE, _SIZE))
    compliance[upper] = np.linalg.solve(factors / scale, work[upper]) / scale
    whole: Array = np.triu(compliance) + np.triu(compliance, 1).T
    return whole
