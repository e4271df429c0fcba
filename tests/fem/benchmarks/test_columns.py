"""F21: Euler's columns as 3D solids, L/h = 40: the load at which the state becomes unstable."""

from collections.abc import Callable

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Traction
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.standing import StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

SLENDERNESS = 40
# Supports of the two ends, and P L^2/EI. A face that keeps its x alone is a plane of symmetry; one
# that keeps y and z, a hinge: its sections may turn.
COLUMNS = {
    "guided and hinged": ([Fixed("x0", (0,)), Fixed("x1", (1, 2))], np.pi**2 / 4),
    "clamped and free": ([Fixed("x0")], np.pi**2 / 4),
    "clamped and hinged": ([Fixed("x0"), Fixed("x1", (1, 2))], 20.19073),
}


@pytest.mark.slow
@pytest.mark.parametrize("ends", list(COLUMNS))
def test_critical_load(
    box: Callable[..., Domain], laws: dict[str, Elastomer], check: Callable[..., None], ends: str
) -> None:
    supports, exact = COLUMNS[ends]
    law = laws["neo_hooke"]
    push = Traction("push", "x1", (-1.0, 0.0, 0.0))
    domain = box((SLENDERNESS, 2, 2), (float(SLENDERNESS), 1.0, 1.0))
    column = Problem(domain, law, supports=supports, loads=[push])
    unit = law.young_modulus / 12 / SLENDERNESS**2
    below = above = 0.0
    # Beside the bifurcation rounding bends the perfect column, and longer steps are refused.
    control = StepControl(first=0.4, locate=2.0**-8, smallest=2.0**-14)
    for result in march(column, [{"push": 1.1 * exact * unit}], control=control):
        if not result.stable:
            above = result.values["push"]
            break
        below = result.values["push"]
    found = (below + above) / 2 / unit
    check("F21", f"column {ends}: P L^2/EI", found, exact, 2e-2)
