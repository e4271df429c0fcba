r"""How far a rubber may be stretched before it is unstable by itself (Drucker).

The energy as a function of the two in-plane logarithmic stretches has incompressibility built in;
its Hessian is the Kirchhoff stress's slope on every isochoric increment coaxial with the stretch,
so that :math:`d\tau : d\epsilon > 0` means that it is positive definite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loligo.cases.elastomer import Elastomer
from loligo.reduced.shell_energy import plane_stress
from loligo.validation.coupon import SECOND_STRETCH, Array, Mode

SEARCHED = (0.02, 50.0)


class StableRange(NamedTuple):
    """The stretches around 1 in which a mode is stable, as far as `SEARCHED` reaches."""

    smallest: float
    largest: float


def is_stable(law: Elastomer, first: Array, second: Array) -> NDArray[np.bool_]:
    """Return whether the state of two in-plane stretches is stable; false beyond Gent's limit."""
    w = plane_stress(law, first, second)
    h11 = first * w.d1 + first**2 * w.d11
    h22 = second * w.d2 + second**2 * w.d22
    h12 = first * second * w.d12
    return np.asarray((h11 > 0.0) & (h11 * h22 > h12**2))


def stable_range(law: Elastomer, mode: Mode) -> StableRange:
    """Walk from stretch 1 both ways in steps of 0.1 % until a state is unstable."""
    ends = []
    for end in SEARCHED:
        steps = int(np.ceil(abs(np.log(end)) / 1e-3))
        stretch = np.exp(np.linspace(0.0, np.log(end), steps + 1))
        stretch[-1] = end
        stable = is_stable(law, stretch, stretch ** SECOND_STRETCH[mode])
        first_unstable = steps + 1 if stable.all() else int(np.argmin(stable))
        ends.append(float(stretch[max(first_unstable - 1, 0)]))
    return StableRange(*ends)
