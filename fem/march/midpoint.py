r"""The rates of a step that conserves energy, see :mod:`loligo.fem.problem.conserving`.

.. math:: u_1 - u_0 = h\,\frac{v_0 + v_1}{2}, \qquad v_1 - v_0 = h\,a_m.

Forces are in balance between the ends: with the mean velocity, the acceleration a_m and, of what is
incompressible, a pressure p_m. Neither acceleration nor pressure at an end enters a step. They are
told by the line through the means of this step and the last one. The rule 2 p_m - p_0 would be as
exact, but p_m may alternate, and what alternates grows with that rule from step to step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loligo.fem.problem.generalised_alpha import MotionState, Rates

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Midpoint:
    """The scheme, which has no numbers to choose.

    The auxiliary array of a place holds the means of the last step. Where a motion begins, or goes
    on behind a jump of a load, those are what is there, and the last step is of no length.
    """

    jumps: npt.NDArray[np.bool_]
    """Which unknowns are no state but what a step finds: the pressures p_m."""
    description = "energy-momentum"

    def rates(self, place: MotionState, step: float) -> Rates:
        """Return the mean rates of a step of this size by the displacement at its end."""
        u, slope = place.displacement, 1.0 / step
        turn = 2.0 * slope**2
        return Rates(slope, -slope * u, turn, -turn * (u + step * place.velocity))

    def arrive(self, place: MotionState, step: float, displacement: Array) -> MotionState:
        """Return the end of a step, the unknowns there found."""
        u = displacement
        velocity = 2.0 * (u - place.displacement) / step - place.velocity
        mean = np.asarray((velocity - place.velocity) / step, dtype=np.float64)
        mean[self.jumps] = (u + place.displacement)[self.jumps] / 2.0
        end: Array = mean + (mean - place.auxiliary) * (step / (step + place.step))
        return MotionState(np.where(self.jumps, end, u), velocity, end, mean, step)

    def own_error(self, before: MotionState, after: MotionState) -> Array:
        """Return a step's own error of the displacement, h^3/12 times its third derivative."""
        jerk = (after.auxiliary - before.auxiliary) * 2.0 / (after.step + before.step)
        return np.asarray(after.step**3 / 12.0 * jerk)
