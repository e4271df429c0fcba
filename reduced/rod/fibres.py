"""A nonlinear section law: an energy of every fibre, summed over the section.

The fibre at (y, z) stretches by lambda = xi_4 + z kappa_y - y kappa_z, as a bar of incompressible
rubber that is free across, with the energy U(lambda) per reference volume. The section's energy and
wrench are

    W = int U(lambda) dA,   N = int U' dA,   M_y = int U' z dA,   M_z = -int U' y dA,

so that EA and EI follow the strain and couple, as they do in the solid; at rest they are E A and
E I. Torsion and shear stay linear, with the stiffness of the section at rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loligo.cases.rubber.elastomer import Elastomer
from loligo.reduced.checks import non_negative, positive
from loligo.reduced.joint.material import uniaxial
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX, evaluate
from loligo.reduced.rod.model import SectionLaw

_RINGS, _SPOKES = 4, 12


def round_fibres(radius: float | FieldOfX) -> FieldOfX:
    """Return the fibres of a solid round section as a function of X, for `fibre_law`.

    Gauss points in the square of the radius, evenly spread in the angle: exact for polynomials of
    degree 7 in y and z, that is for fibres whose stress is of degree 6 in the strain.
    """
    if not callable(radius):
        positive("radius", radius)
    square, share = np.polynomial.legendre.leggauss(_RINGS)
    place = np.sqrt(0.5 * (square + 1.0))
    angle = 2.0 * np.pi * np.arange(_SPOKES) / _SPOKES
    unit = np.stack(
        [
            np.multiply.outer(place, np.cos(angle)).ravel(),
            np.multiply.outer(place, np.sin(angle)).ravel(),
            np.repeat(0.5 * np.pi * share / _SPOKES, _SPOKES),
        ],
        axis=1,
    )

    def fibres(X: Array) -> Array:
        r = non_negative("radius", evaluate(radius, X, (), "radius"))
        at: Array = unit * np.stack([r, r, r**2], axis=1)[:, None]
        return at

    return fibres


def fibre_law(
    elastomer: Elastomer,
    fibres: Callable[[Array], Array],
    stiffness: Array | FieldOfX,
    rest_stretch: float = 1.0,
) -> SectionLaw:
    """Return the section law of fibres of rubber.

    Args:
        elastomer: whose uniaxial answer the fibres have.
        fibres: y, z and area of every fibre (m, m, m^2) as a function of X, (n, fibres, 3).
        stiffness: of the section at rest, (6, 6) or a function of X; torsion and shear, and their
            coupling, are taken from it.
        rest_stretch: of the axis at rest; the curvature at rest must be small against 1/radius.
    """
    positive("rest_stretch", rest_stretch)
    keep = np.ix_([0, 4, 5], [0, 4, 5])

    def law(excess: Array, X: Array) -> tuple[Array, Array]:
        y, z, area = np.moveaxis(np.asarray(fibres(X), float), -1, 0)
        rows = np.stack([z, -y, np.ones_like(y)], axis=-1)
        stretch = 1.0 + (rows @ excess[:, 1:4, None])[:, :, 0] / rest_stretch
        alive = np.min(stretch, axis=1) > 0.0
        found = uniaxial(elastomer, np.where(alive[:, None], stretch, 1.0))
        weighted = area[:, :, None] * rows
        wrench, tangent = np.zeros((len(X), 6)), np.zeros((len(X), 6, 6))
        wrench[:, 1:4] = np.einsum("nf,nfi->ni", found.stress, weighted)
        slope = found.tangent[:, :, None] * weighted / rest_stretch
        tangent[:, 1:4, 1:4] = np.swapaxes(rows, 1, 2) @ slope
        linear = evaluate(stiffness, X, (6, 6), "stiffness")
        for k, block in enumerate(linear):
            tangent[k][keep] = block[keep]
        wrench[:, [0, 4, 5]] = (linear[:, [0, 4, 5]][:, :, [0, 4, 5]] @ excess[:, [0, 4, 5], None])[
            :, :, 0
        ]
        wrench[~alive] = np.nan  # a fibre is compressed to nothing: the solver has to step back
        return wrench, tangent

    return law
