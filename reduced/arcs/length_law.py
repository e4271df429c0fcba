r"""How far a pressure stretches its chamber, and which pressure stretches it so far.

Within thread that does not stretch, a length of rubber (area :math:`A_r` at rest, within a hoop of
area :math:`A_h`) takes in :math:`A_h s - A_r` at an axial stretch s, and as neo-Hooke's rubber with
a hoop stretch of 1 stores :math:`\tfrac{1}{2}\mu A_r (s^2 + s^{-2} - 2)`. A pressure p does the
work :math:`p A_h ds`:

.. math:: s - s^{-3} = c \, x (1 + g x), \qquad x = p/\mu, \quad c = A_h/A_r,

with a growth g for what else widens, 0 for thread that does not stretch. Without thread c = 4 A/(3
A_r) is that of small strains, A the area of the bores. The left side grows with s for all s > 0:
there is one stretch to every pressure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from loligo.reduced.checks import finite, positive
from loligo.reduced.lie import Array


def stretch(pressure: ArrayLike, gain: float, growth: float = 0.0) -> Array:
    """Return the stretch s of a chamber.

    Args:
        pressure: x = p/mu, the pressure over the rubber's shear modulus.
        gain: c.
        growth: g.
    """
    x = finite("pressure", pressure)
    positive("gain", gain)
    finite("growth", growth)
    drive = gain * x * (1.0 + growth * x)
    # s - s^-3 is concave: from below, Newton's steps stay below and end at the root.
    s = np.where(drive >= 0.0, 1.0, (1.0 - np.minimum(drive, 0.0)) ** (-1.0 / 3.0))
    for _ in range(60):
        step = (drive - s + s**-3) / (1.0 + 3.0 * s**-4)
        s = s + step
        if np.all(np.abs(step) <= 1e-15 * s):
            break
    return s


def pressure(stretch: ArrayLike, gain: float, growth: float = 0.0) -> Array:
    """Return the pressure over mu at a stretch: what `stretch` inverts, from rest on.

    Raises:
        ValueError: if no pressure on the way from rest stretches so far.
    """
    s = positive("stretch", stretch)
    positive("gain", gain)
    finite("growth", growth)
    drive = (s - s**-3) / gain
    root = 1.0 + 4.0 * growth * drive
    if np.any(root < 0.0):
        raise ValueError(
            f"no pressure stretches a chamber by {s[root < 0.0].max():.4g}: with a growth of "
            f"{growth:.4g} the pressure's pull has a largest value"
        )
    x: Array = 2.0 * drive / (1.0 + np.sqrt(root))
    return x
