"""A star system: a rigid root that carries any number of rods and shells (Renda 2018, section 5).

The root moves freely in space. Everything is placed on it by a constant frame: rigid parts, rods
("limbs") by the base of the rod, shells of revolution ("bells") by the frame of their axis. Twists
and wrenches are (angular; linear) and (moment; force) in the axes of what they belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from loligo.reduced.checks import non_negative, vector
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.rod.loads import Load
from loligo.reduced.rod.model import Rod, check_frame
from loligo.reduced.rod.motion.equations import RodWater
from loligo.reduced.shell.loads import TimedLoads
from loligo.reduced.shell.model import Shell
from loligo.reduced.shell.motion import MantleWater as ShellWater


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid part of the root, or water that it drags along.

    The water does to it, in its own axes, what it does to a section of a rod: drag -|v| C v and the
    momentum B v (Renda 2018 Eq 20 and 21, C = rho_w C_r/2, with the moment -v x B v).

    Attributes:
        mass: in kg.
        rotary: inertia about its centre of mass, (3, 3), in kg m^2.
        frame: of its centre and axes, as seen from the root, (4, 4).
        added: B in kg, (3, 3).
        drag: C in kg/m, (3, 3).
        weight: less buoyancy, a force in the world's axes at its centre (N).
    """

    mass: float = 0.0
    rotary: Array = field(default_factory=lambda: np.zeros((3, 3)))
    frame: Array = field(default_factory=lambda: np.eye(4))
    added: Array = field(default_factory=lambda: np.zeros((3, 3)))
    drag: Array = field(default_factory=lambda: np.zeros((3, 3)))
    weight: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        """Refuse what no part can have."""
        non_negative("mass", self.mass)
        check_frame(np.asarray(self.frame, float), "frame")
        vector("weight", self.weight, 3)
        for name in ("rotary", "added", "drag"):
            value = np.asarray(getattr(self, name), float)
            if (
                value.shape != (3, 3)
                or not np.allclose(value, value.T)
                or not np.isfinite(value).all()
            ):
                raise ValueError(f"{name} of a part must be symmetric and 3x3, but is {value}")
            if np.linalg.eigvalsh(value)[0] < -1e-12 * np.abs(value).max():
                raise ValueError(f"{name} of a part must not be negative, but is {value}")


@dataclass(frozen=True, eq=False)
class RodLimb:
    """A rod on the root, whose `base` is the frame as seen from the root.

    Attributes:
        rod: see `loligo.reduced.rod.model.Rod`.
        inertia: per length, see `loligo.reduced.rod.motion.dynamics.simulate`.
        damping: Upsilon, likewise.
        water: around it.
        loads: what acts on it; if it changes, a function of the time. Dead loads are in the
            world's axes.
    """

    rod: Rod
    inertia: Array | FieldOfX
    damping: Array | FieldOfX | None = None
    water: RodWater | None = None
    loads: Sequence[Load] | Callable[[float], Sequence[Load]] = ()


@dataclass(frozen=True, eq=False)
class ShellBell:
    """A shell of revolution on the root, held at its start, that stays round.

    Its mass, with the water that moves along, is that of rings in space: it resists every motion of
    the root, and turning it costs the angular momentum of the shape that it has. (The authors'
    model knows the motion along the axis alone.) Jet and drag act along the axis, as there.

    Attributes:
        shell: at rest.
        mass: from `loligo.reduced.shell.inertia.mass_matrix`, the same in u and in w.
        frame: of its axis x and origin, as seen from the root, (4, 4).
        drives: dead loads with their histories; no pressure.
        water: jet and drag, or none.
    """

    shell: Shell
    mass: csr_array
    frame: Array = field(default_factory=lambda: np.eye(4))
    drives: Sequence[TimedLoads] = ()
    water: ShellWater | None = None

    def __post_init__(self) -> None:
        """Refuse what the step does not know."""
        n = self.shell.fixed.size
        if self.mass.shape != (n, n):
            raise ValueError(f"the mass matrix is of another shell: its shape is {self.mass.shape}")
        entries = self.mass.tocoo()
        mixed = entries.row % 3 != entries.col % 3
        if np.abs(entries.data[mixed]).max(initial=0.0) > 0.0:
            raise ValueError(
                "the mass of a bell must not couple u, w and psi: give one number for B"
            )
        if np.flatnonzero(self.shell.fixed[:, 0]).tolist() != [0]:
            raise ValueError("a bell is held along its axis at its start, and nowhere else")
        check_frame(np.asarray(self.frame, float), "frame")
        if any(drive.loads.pressure for drive in self.drives):
            raise ValueError("the drives of a bell are dead loads; a pressure is not one")


@dataclass(frozen=True, eq=False)
class Star:
    """A robot: a root of rigid parts, limbs and bells.

    Attributes:
        parts: of the root.
        limbs: rods.
        bells: shells of revolution.
        held: components of the root's twist, 0 to 5, that stay zero whatever it takes: those across
            a guide. What is left free must be a group: an axis, a plane with its normal's turn.
    """

    parts: Sequence[Part] = ()
    limbs: Sequence[RodLimb] = ()
    bells: Sequence[ShellBell] = ()
    held: Sequence[int] = ()

    def __post_init__(self) -> None:
        """Refuse a root that cannot be held so."""
        if not set(self.held) <= set(range(6)):
            raise ValueError(f"held are components 0 to 5 of the root's twist, not {self.held}")


@dataclass(frozen=True, eq=False)
class StarState:
    """A star system at one time.

    Attributes:
        root: frame, (4, 4).
        twist: of the root in its own axes, (6,).
        limbs: coordinates q and their rates, of every rod.
        bells: displacement and velocity (n, 3) of the nodes relative to the root, of every shell.
    """

    root: Array
    twist: Array
    limbs: tuple[tuple[Array, Array], ...]
    bells: tuple[tuple[Array, Array], ...]


@dataclass(frozen=True, eq=False)
class StarMotion:
    """A star system in motion; the first axis is the output times t.

    Energies obey kinetic + stored + dissipated + drained + lost - work = constant. Sums begin at
    the first time; forces are means since the time before (0 at the first).

    Attributes:
        star: the robot.
        time: in s, as asked.
        root: frame of the root, (t, 4, 4).
        twist: of the root in its own axes, (t, 6).
        limbs: q and rates of every rod, each (t, n).
        bells: displacement and velocity of every shell, each (t, n, 3).
        volume: enclosed by every bell, (t, bells).
        limb_wrench: of every limb on the root, in the root's axes about its origin, (t, limbs, 6).
        bell_wrench: of every bell likewise, jet and drag with it, (t, bells, 6).
        momentum: of everything, (angular about the world's origin; linear), (t, 6).
        kinetic: energy in J, that of the added mass with it.
        stored: energy in sections and walls.
        dissipated: energy lost in sections and walls.
        drained: energy lost to the water by drag.
        lost: energy lost to the scheme itself.
        driven: work of actuation and other loads.
        jet: work of the jets on the robot.
        steps: how many it took.
        halved: how often a step failed and was halved.
    """

    star: Star
    time: Array
    root: Array
    twist: Array
    limbs: tuple[tuple[Array, Array], ...]
    bells: tuple[tuple[Array, Array], ...]
    volume: Array
    limb_wrench: Array
    bell_wrench: Array
    momentum: Array
    kinetic: Array
    stored: Array
    dissipated: Array
    drained: Array
    lost: Array
    driven: Array
    jet: Array
    steps: int
    halved: int

    @property
    def work(self) -> Array:
        """Work of everything that is done to the robot, (t,)."""
        total: Array = self.driven + self.jet
        return total

    def state(self, index: int = -1) -> StarState:
        """Return the state at an output, to go on from."""
        return StarState(
            self.root[index],
            self.twist[index],
            tuple((q[index], rate[index]) for q, rate in self.limbs),
            tuple((q[index], rate[index]) for q, rate in self.bells),
        )

    def frames(self, limb: int, X: Array | Sequence[float]) -> Array:
        """Return the section frames of a limb at X, (t, n, 4, 4)."""
        rod = self.star.limbs[limb].rod
        seen = np.array([rod.frames(q, X) for q in self.limbs[limb][0]])
        frames: Array = self.root[:, None] @ seen
        return frames
