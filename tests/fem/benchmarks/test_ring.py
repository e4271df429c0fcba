"""F13: a ring under outer pressure buckles at p R^3/EI = 3.

At 4 if the pressure is dead, at 4.5 if it keeps pointing to the centre.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import ufl
from dolfinx.fem import Constant

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.standing import StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

MU, RADIUS, THICKNESS = 1e5, 1.0, 0.02


@dataclass(frozen=True)
class DeadPressure:
    """A traction along the reference normal, which does not turn with the surface."""

    name: str
    facets: str

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        normal = ufl.FacetNormal(k.domain.mesh)
        return -value * ufl.inner(normal, k.virtual) * k.facets(self.facets)


@dataclass(frozen=True)
class CentralPressure:
    """A traction of constant size that points to the axis, wherever the surface goes."""

    name: str
    facets: str

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        x = ufl.as_vector((0.0, k.position[1], k.position[2]))
        along = ufl.inner(x, k.virtual) / ufl.sqrt(ufl.inner(x, x))
        return -value * along * k.facets(self.facets)


# EI per width, with E/(1 - nu^2) = 4 mu. An inextensible ring's outer area is that of its middle
# line plus a constant, so the follower's 3 holds as it stands. A dead load per outer length is
# R_o/R times that per middle length, and works through the rotation of its lever h/2, too: in the
# ovalling mode that is h/(2R) of what it does on the middle line. With w = cos 2t the middle line
# moves by -(sin 2t)/2 along itself and turns by 3 (sin 2t)/(2R): a central load resists by half the
# square of the outer surface's way along itself, (3h/(2R) - 1)(sin 2t)/2.
STIFFNESS = 4 * MU * THICKNESS**3 / 12 / RADIUS**3
LEVER = THICKNESS / (2 * RADIUS)
CRITICAL = {
    Pressure: 3 * STIFFNESS,
    DeadPressure: 4 * STIFFNESS / (1 + LEVER) ** 2,
    CentralPressure: 9 * STIFFNESS / (2.25 * (1 + LEVER) ** 2 - 0.25 * (1 - 3 * LEVER) ** 2),
}


def _assert_ovalling(ring: Problem, mode: np.ndarray) -> None:
    """The mode has w = cos 2t, and v = -(sin 2t)/2 so that the middle line does not stretch."""
    y, z = ring.fields.node_positions[:, 1:].T
    _, v, w = mode[ring.fields.node_unknowns].T
    angle, radius = np.arctan2(z, y), np.hypot(y, z)
    radial = v * np.cos(angle) + w * np.sin(angle)
    along = w * np.cos(angle) - v * np.sin(angle)
    size = radial[np.argmax(np.abs(radial))] * np.sign(np.cos(2 * angle[np.argmax(np.abs(radial))]))
    assert radial / size == pytest.approx(np.cos(2 * angle), abs=0.02)
    middle = np.abs(radius - RADIUS) < 1e-6
    assert (along / size)[middle] == pytest.approx(-np.sin(2 * angle[middle]) / 2, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("load", list(CRITICAL))
def test_critical_pressure(
    tube: Callable[..., Domain], check: Callable[..., None], load: Any
) -> None:
    inner, outer = RADIUS - THICKNESS / 2, RADIUS + THICKNESS / 2
    ring = Problem(
        tube(inner, outer, 2 * THICKNESS, (1, 40, 1), hexahedra=True),
        NeoHooke(mu=MU, density=1000),
        # A quarter of the ring in plane strain: the ovalling mode has these symmetries.
        supports=[Fixed(("x0", "x1"), (0,)), Fixed("y0", (1,)), Fixed("z0", (2,))],
        loads=[load("p", "outer")],
    )
    critical = CRITICAL[load]
    control = StepControl(first=0.4, locate=2.0**-9)
    below = above = 0.0
    for result in march(ring, [{"p": 1.2 * critical}], control=control):
        if not result.stable:
            above = result.values["p"]
            assert result.inertia is not None
            assert result.inertia.negative == result.inertia.expected + 1
            assert result.mode is not None
            _assert_ovalling(ring, result.mode)
            break
        below = result.values["p"]
    assert above - below < 1.2 * critical / 500
    # (h/R)^2 = 0.04 %, half of the last step 0.12 %, and the mesh.
    found = (below + above) / 2
    check("F13", f"ring under {load.__name__}: critical value", found, critical, 3e-3)
