"""What moves a shell of revolution beside its loads, and the record of its motion."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from loligo.cases.fluid import Jet
from loligo.reduced.lie import Array

Surge = Callable[[float], float]
"""Velocity of supports or water along x (m/s), of the time (s)."""


def still(time: float) -> float:
    """Return the velocity of what does not move."""
    return 0.0


@dataclass(frozen=True)
class SlidingBase:
    """A support that may move along x and carries a rigid body.

    Attributes:
        mass: of the body, with its own added mass (kg).
    """

    mass: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a mass that is none."""
        if not 0.0 <= self.mass < np.inf:
            raise ValueError(f"the base's mass is {self.mass} kg; it must not be negative")


@dataclass(frozen=True)
class MantleWater:
    """Jet and drag of a mantle whose nozzle is its last rim, Renda 2018 Eq 12 and 15.

    Both are forces along the axis, evenly spread over the reference area of the wall: the thrust of
    the jet with the rate of the enclosed volume, and the drag rho_w C_d pi max(r)^2 V |V|/2 of the
    velocity V of the base in the water. The paper's volume integrates pi r^2 along the meridian's
    length, which counts a conical part too much; here it is the volume, and its rate is exact. (The
    authors' code has another factor 2 in the rate, where the meridian stretches.)

    The thrust presses the wall against its support. Soft walls fold under an axial force of about
    2 pi E h^2/sqrt(3 (1 - nu^2)), 0.58 N for Renda's mantle: held still it bears the pulses at 1.51
    a second and folds within four pulses at 1.89, while a free one is relieved by its own inertia.

    Attributes:
        jet: the nozzle; its density is the water's.
        drag: C_d.
        flow: velocity of the water along x; what accelerates it is a load.
    """

    jet: Jet
    drag: float = 0.0
    flow: Surge = still

    def __post_init__(self) -> None:
        """Refuse a drag that pushes."""
        if not 0.0 <= self.drag < np.inf:
            raise ValueError(f"the drag coefficient is {self.drag}; it must not be negative")


@dataclass(frozen=True, eq=False)
class ShellState:
    """Displacement (u, w, psi) of the nodes and their velocity, shapes (n, 3), in m, rad and s."""

    displacement: Array
    velocity: Array


@dataclass(frozen=True, eq=False)
class ShellMotion:
    """A shell in motion; the first axis is the output times.

    Forces along x are means since the time before (0 at the first), so that times the interval they
    are impulses. Energies obey kinetic + stored + dissipated - work = constant.

    Attributes:
        time: in s, as asked.
        displacement: (u, w, psi) of the nodes (m, m, rad), shape (t, n, 3).
        velocity: of the same (m/s, m/s, rad/s).
        volume: inside the mid-surface, between the planes of its two rims (m^3).
        volume_rate: of the same (m^3/s).
        reaction: force of the supports, or of a free base's body, on the shell along x (N).
        thrust: force of the jet on the shell, along -x (N): forwards, away from the nozzle.
        drag: force of the water's drag on the shell, along x (N).
        momentum: along x, of wall, added mass and the body of a free base (kg m/s).
        kinetic: energy (J).
        stored: energy in the wall (J).
        dissipated: energy lost in the wall since the first time (J).
        work: of loads, water and supports since the first time (J).
        steps: how many it took.
        halved: how often a step failed and was halved.
    """

    time: Array
    displacement: Array
    velocity: Array
    volume: Array
    volume_rate: Array
    reaction: Array
    thrust: Array
    drag: Array
    momentum: Array
    kinetic: Array
    stored: Array
    dissipated: Array
    work: Array
    steps: int
    halved: int

    def state(self, index: int = -1) -> ShellState:
        """Return the state at an output, to go on from."""
        return ShellState(self.displacement[index], self.velocity[index])
