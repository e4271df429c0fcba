"""Renda's mantle and a ring of its wall, for tests of motion."""

import numpy as np

from loligo.cases.body import Mantle
from loligo.cases.fluid import Jet
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.shell.laws import GreenLaw, RubberLaw
from loligo.reduced.shell.model import Span, make_shell, mantle_shell
from loligo.reduced.shell.motion import ShellState

E, ETA, RHO, H, R, TUBE = 40e3, 500.0, 7415.0, 2e-3, 31e-3, 94e-3  # Table 1, full thickness
ADDED = 1.1
BODY = Mantle(radius=R, thickness=H, cylinder_length=TUBE)
JET = Jet(density=1022.0, outflow=491e-6, inflow=1400e-6)
RUBBER = RubberLaw(NeoHooke(mu=E / 3, density=1080.0))


def mantle(law=None, size=8e-3):
    return mantle_shell(BODY, law or GreenLaw(E, viscosity=ETA), size)


def ring(law, length=0.02, thickness=H, end="free"):
    """A tube held along x at one end alone: with nu = 0 it stays a tube."""
    return make_shell(
        [Span(length, 1)],
        law,
        thickness=thickness,
        radius=R,
        angle=0.0,
        start="supported",
        end=end,
        lids=False,
    )


def squeezed(shell, tau):
    """A ring at rest at tau times its radius."""
    still = np.zeros(shell.fixed.shape)
    return ShellState(still + np.array([0.0, (tau - 1) * R, 0.0]), still)


def constant(time):
    return 1.0


def balance(motion):
    return motion.kinetic + motion.stored + motion.dissipated - motion.work
