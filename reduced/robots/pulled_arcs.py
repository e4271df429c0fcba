r"""Shape of a tapered limb that tendons bend segment by segment, and the tension that it takes.

A frictionless tendon of tension T at the distance d from the axis bends every section that it
passes by the moment T d, whatever the shape of the limb:

.. math:: \kappa(X) = T\, d(X)/EI(X), \qquad T = \theta \Big/ \int d/EI\, dX .

So the bend of a segment tells its shape and the tension T. Tendons end with their segment and pass
those before it: T is what all of them that pass a segment come to in the plane of its bend, and its
own have T less what the outer ones pull there. Shortening by the tension and the weight in water
are left out. Of a cone with tendons that converge kappa goes as r^-3, which no arc does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loligo.cases.body import TaperedArm
from loligo.cases.coefficients import Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.reduced.checks import finite, whole
from loligo.reduced.lie import Array
from loligo.reduced.section.arm_law import arm_law, soft_pieces

PIECES = 32
"""Arcs that stand for a segment: what they leave goes with the square of their length."""


@dataclass(frozen=True, eq=False)
class PulledLimb:
    """A limb of equal segments.

    Attributes:
        length: of a segment (m).
        shares: of a segment's bend in each of its pieces, (segments, PIECES).
        tension: T over the bend of a segment, of all tendons that pass it (N/rad), (segments,).
        radius: of the pieces (m), (segments, PIECES).
    """

    length: float
    shares: Array
    tension: Array
    radius: Array


def pulled_limb(
    body: TaperedArm,
    material: Mapping[str, Elastomer],
    segments: int,
    coefficients: Coefficients | None = None,
) -> PulledLimb:
    """Return a limb with tendons, cut into equal segments.

    Raises:
        BadInput: if the body has no tendons.
    """
    if body.tendons is None:
        raise BadInput("a limb of segments is bent by tendons, and this body has none")
    whole("segments", segments, 1)
    (soft,) = soft_pieces(body)
    law = arm_law(body, material, coefficients=coefficients, model="rod")
    length = soft.length / (segments * PIECES)
    X = soft.start + length * (np.arange(segments * PIECES) + 0.5)
    base, tip = body.tendons.base_offset, body.tendons.tip_offset
    offset = base + (tip - base) * (X - soft.start) / soft.length
    per_tension = (offset / law.stiffness(X)[:, 2, 2]).reshape(segments, PIECES) * length
    total = per_tension.sum(axis=1)
    return PulledLimb(
        soft.length / segments,
        per_tension / total[:, None],
        1.0 / total,
        soft.radius(X).reshape(segments, PIECES),
    )


def arcs(limb: PulledLimb, segment: int, theta: ArrayLike, phi: ArrayLike) -> Array:
    """Return the arcs (..., PIECES, 3) of a segment that bends by theta at the azimuth phi."""
    theta, phi = np.broadcast_arrays(finite("theta", theta), finite("phi", phi))
    bend = theta[..., None] * limb.shares[segment]
    length = np.full(bend.shape, limb.length / PIECES)
    found: Array = np.stack(
        [length, bend * np.cos(phi)[..., None], bend * np.sin(phi)[..., None]], axis=-1
    )
    return found


def largest_stretch(limb: PulledLimb, segment: int, theta: float) -> float:
    """Return the largest stretch of a fibre on the surface of a segment that bends by theta."""
    finite("theta", theta)
    bend = abs(theta) * limb.shares[segment] * PIECES / limb.length * limb.radius[segment]
    least = 1.0 - float(bend.max())
    return max(2.0 - least, least**-0.5 if least > 0.0 else np.inf)
