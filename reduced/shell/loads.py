"""Loads on a shell of revolution: a follower pressure and dead forces, which add and scale.

In time, each is multiplied by a history.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loligo.reduced.checks import finite, one_of, positive
from loligo.reduced.lie import Array
from loligo.reduced.shell.model import DEGREE, PLACE, SHARE, Shell, shape_functions


@dataclass(frozen=True, eq=False)
class Loads:
    """A pressure and dead nodal forces: a vector space, `0.5 * (a + b)` is a load.

    Attributes:
        pressure: inside minus outside (Pa), on the deformed wall; positive inflates.
        dead: forces and moments conjugate to (u, w, psi) of the nodes (N, N, N m), shape (n, 3).
    """

    pressure: float
    dead: Array

    def __post_init__(self) -> None:
        """Refuse what is not a number."""
        if not (np.isfinite(self.pressure) and np.isfinite(self.dead).all()):
            raise ValueError("a load is not finite: look for NaN or inf in its pressure or forces")

    def __add__(self, other: "Loads") -> "Loads":
        """Return the sum of two loads."""
        return Loads(self.pressure + other.pressure, self.dead + other.dead)

    def __sub__(self, other: "Loads") -> "Loads":
        """Return the difference of two loads."""
        return self + -1.0 * other

    def __rmul__(self, factor: float) -> "Loads":
        """Return the load times a factor."""
        return Loads(factor * self.pressure, factor * self.dead)


@dataclass(frozen=True, eq=False)
class TimedLoads:
    """A load that changes in time: loads times history(t).

    Attributes:
        loads: what acts where the history is 1.
        history: factor of the time in s.
    """

    loads: Loads
    history: Callable[[float], float]


def triangular(frequency: float) -> Callable[[float], float]:
    """Return the history 0 to 1 to 0, straight up and down, `frequency` times a second."""
    positive("frequency", frequency)
    return lambda t: 1.0 - abs(2.0 * (frequency * t % 1.0) - 1.0)


def sinusoidal(frequency: float) -> Callable[[float], float]:
    """Return the history (1 - cos(2 pi f t))/2, `frequency` times a second from 0 to 1 and back."""
    positive("frequency", frequency)
    return lambda t: float(np.sin(np.pi * frequency * t) ** 2)


def pressure_load(shell: Shell, pressure: float) -> Loads:
    """Return the load of a pressure (Pa), inside minus outside.

    It is a follower load, the derivative of pressure times enclosed volume. Without lids the discs
    of the rims carry none of it.
    """
    return Loads(pressure, np.zeros(shell.fixed.shape))


def hoop_tension_load(
    shell: Shell, tension: float, band: tuple[float, float] | None = None
) -> Loads:
    """Return the load of an active hoop tension T (N/m) in the wall, Renda 2018 Eq 7 and 24.

    Its energy is T (r / r*) per reference area, so that it pulls every ring inwards with the dead
    force T per reference length of meridian and radian of azimuth, T/r* per reference area;
    positive contracts. The authors' own sign is the opposite.

    Args:
        shell: what carries it.
        tension: T in N/m.
        band: where it acts, from X to X in m; the whole meridian if None. The force is exact
            wherever the band begins; the answer is better if it begins at a node.
    """
    finite("tension", tension)
    length, value = _on_band(shell, band)
    return _dead(shell, 1, -2.0 * np.pi * tension * np.einsum("eg,egi->ei", length, value))


def cable_load(shell: Shell, tension: float, band: tuple[float, float] | None = None) -> Loads:
    """Return the load of cables around the wall, Renda 2018 section 6.1 and Eq 24.

    The sum of their tensions F presses inwards on the reference area that they are around with the
    dead force f = F/(integral of 2 pi r* dX) per area; the hoop tension is f r*.

    Args:
        shell: what carries it.
        tension: F in N; positive contracts.
        band: where the cables are, from X to X in m; the whole meridian if None.
    """
    finite("tension", tension)
    area, value = _area_on_band(shell, band)
    return _dead(shell, 1, -tension / area.sum() * np.einsum("eg,egi->ei", area, value))


def cable_hoop_tension(
    shell: Shell, tension: float, band: tuple[float, float] | None = None
) -> float:
    """Return the largest hoop tension (N/m) of cables, see `cable_load`."""
    finite("tension", tension)
    area, _ = _area_on_band(shell, band)
    return tension / float(area.sum()) * float(shell.rest[:, 1].max())


def _area_on_band(shell: Shell, band: tuple[float, float] | None) -> tuple[Array, Array]:
    length, value = _on_band(shell, band)
    radius = np.einsum("egi,ei->eg", value, shell.rest[shell.dofs[:, ::3] // 3, 1])
    area: Array = 2.0 * np.pi * length * radius
    return area, value


def _on_band(shell: Shell, band: tuple[float, float] | None) -> tuple[Array, Array]:
    """Gauss points of a band in every element: lengths (e, g) and shape functions (e, g, i)."""
    low, high = (0.0, shell.arc[-1]) if band is None else band
    if not 0.0 <= low < high <= shell.arc[-1] * (1.0 + 1e-12):
        raise ValueError(
            f"the band {band} m must rise and lie within the meridian, 0 to {shell.arc[-1]:.6g} m"
        )
    corner = shell.arc[::DEGREE]
    size = np.diff(corner)
    inner = np.clip([low, high], corner[:-1, None], corner[1:, None])
    length = 0.5 * (inner[:, 1:] - inner[:, :1])
    points = inner.mean(1)[:, None] + length * PLACE
    value, _ = shape_functions(2.0 * (points - corner[:-1, None]) / size[:, None] - 1.0)
    return length * SHARE, value


def surface_load(shell: Shell, *, axial: float = 0.0, radial: float = 0.0) -> Loads:
    """Return the load of dead forces per reference area (Pa), along x and along r."""
    finite("axial", axial)
    finite("radial", radial)
    share = np.einsum("eg,egi->ei", shell.area, shell.shape[:, :, 4, 1::3])
    return _dead(shell, 0, axial * share) + _dead(shell, 1, radial * share)


def edge_load(
    shell: Shell,
    edge: Literal["start", "end"],
    *,
    axial: float = 0.0,
    radial: float = 0.0,
    moment: float = 0.0,
) -> Loads:
    """Return the load of dead forces (N/m) and a moment (N) per reference length of a rim.

    The forces are along x and r, the moment turns the director from x towards r.
    """
    one_of("edge", edge, ("start", "end"))
    for name, value in (("axial", axial), ("radial", radial), ("moment", moment)):
        finite(name, value)
    node = 0 if edge == "start" else -1
    dead = np.zeros(shell.fixed.shape)
    dead[node] = 2.0 * np.pi * shell.rest[node, 1] * np.array([axial, radial, moment])
    return Loads(0.0, dead)


def _dead(shell: Shell, component: int, element: Array) -> Loads:
    dead = np.zeros(shell.fixed.shape)
    np.add.at(dead[:, component], shell.dofs[:, ::3] // 3, element)
    return Loads(0.0, dead)
