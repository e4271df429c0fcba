"""Water that moves along with a body: the interface that a problem calls."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class MovingFluid(Protocol):
    """Drag and added mass of water around a moving body, without knowledge of the body's mesh.

    Arrays of unknowns hold the owned entries of this rank, in the problem's numbering.
    """

    @property
    def flows(self) -> bool:
        """Whether the water moves by itself."""
        ...

    @property
    def velocity(self) -> Array:
        """Velocity of the water far away (m/s), shape (3,)."""
        ...

    def kinetic_energy(self) -> float:
        """Return the kinetic energy of the added mass (J)."""
        ...

    def momentum(self) -> Array:
        """Return the momentum of the added mass (N s), shape (3,)."""
        ...

    def drained_power(self) -> float:
        """Return the power that drag dissipates (W)."""
        ...

    def driving_power(self) -> float:
        """Return the power that the water supplies to the body (W)."""
        ...

    def resultants(self) -> Array:
        """Return the wrench (moment N m; force N) on every slab about the origin, (slabs, 6)."""
        ...

    def add_force(self, scale: float, force: Array) -> None:
        """Add the nodal forces of the water, times a scale, to a vector."""
        ...

    def add_mass(self, way: Array, force: Array) -> None:
        """Add the product of the added mass with an increment of the unknowns to a vector."""
        ...

    def add_tangent(self, way: Array, force: Array) -> None:
        """Add the product of the tangent with an increment of the unknowns to a vector."""
        ...
