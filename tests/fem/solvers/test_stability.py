"""What is said about stability where loads have a potential, and where they have none."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Pressure, Traction
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.standing import StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Box = Callable[..., Domain]
MU, SLENDERNESS = 1e5, 20
EULER = np.pi**2 / 4 * 3 * MU / 12 / SLENDERNESS**2
"""Critical pressure on the end of a cantilever of square section 1 x 1 (Pa)."""


def _column(box: Box, law: Elastomer) -> Problem:
    """A column under a dead force and a pressure that turns with its end."""
    domain = box((SLENDERNESS, 1, 1), (float(SLENDERNESS), 1.0, 1.0), cell=CellType.hexahedron)
    dead, follower = Traction("dead", "x1", (-1.0, 0.0, 0.0)), Pressure("follower", "x1")
    return Problem(domain, law, supports=[Fixed("x0")], loads=[dead, follower])


@pytest.mark.mpi
def test_a_load_that_rests_does_not_blur_the_statement(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    column = _column(box, laws["neo_hooke"])
    below = above = 0.0
    for result in march(column, [{"dead": 1.3 * EULER}]):
        assert result.inertia is not None
        assert result.inertia.symmetric
        if not result.stable:
            above = result.values["dead"]
            break
        below = result.values["dead"]
    assert (below + above) / 2 / EULER == pytest.approx(1.0, abs=0.5 / SLENDERNESS + 0.02)
    # It buckles as Euler's column, 1 - cos(pi x/2L), in whatever plane; its nodes on the axis.
    assert result.mode is not None
    fields = column.fields
    x = fields.node_positions
    middle = np.all(np.abs(x[:, 1:] - 0.5) < 1e-6, axis=1)
    mode = result.mode[fields.node_unknowns[middle]]
    across = np.hypot(mode[:, 1], mode[:, 2])
    shape = 1 - np.cos(np.pi * x[middle, 0] / 2 / SLENDERNESS)
    # Shear and the clamp change it by the square of the slenderness; the tip turns by pi/2L.
    assert across == pytest.approx(shape, abs=0.02)
    assert np.abs(mode[:, 0]).max(initial=0.0) < 1e-3


def test_a_follower_force_is_judged_by_the_symmetric_part(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    # Beck's column never diverges, but small dead forces can do work on it: for a beam under an end
    # force that turns with its end, EI w'''' + P w'' with the skew end term -P w'(L) dw(L) shared
    # between both sides. The form int EI w''^2 - P w'^2 + P w'(L) w(L) is positive up to P = k^2 EI
    # with k from the end conditions; the first root is found here, without the finite elements.
    column = _column(box, laws["neo_hooke"])
    below = above = 0.0
    control = StepControl(first=0.2, locate=2.0**-8)
    for result in march(column, [{"follower": 8 * EULER}], control=control):
        assert result.inertia is not None
        assert not result.inertia.symmetric
        if not result.stable:
            above = result.values["follower"]
            break
        below = result.values["follower"]
    stiffness = 3 * MU / 12 / SLENDERNESS**2
    assert (below + above) / 2 / stiffness == pytest.approx(_hill_load(), rel=0.05)


def _hill_load() -> float:
    """P L^2/(E I) at which int w''^2 - P w'^2 + P w'(1) w(1) loses its sign, w(0) = w'(0) = 0."""
    powers = np.arange(2, 12)
    bend = np.array([[m * (m - 1) * n * (n - 1) / (m + n - 3) for n in powers] for m in powers])
    slope = np.array([[m * n / (m + n - 1) for n in powers] for m in powers])
    end = (powers[:, None] + powers[None, :]) / 2.0
    inverse = np.linalg.eigvals(np.linalg.solve(bend, slope - end))
    real = inverse[np.abs(inverse.imag) < 1e-9].real
    return float(1.0 / real.max())
