r"""Oracle: a rubber tube with closed ends, hooped or bare, from its section.

Both map the reference radius R to r by incompressibility, for an axial stretch :math:`\lambda`, and
balance virtual work: the tube's energy per reference length against pressure times cavity volume.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, minimize_scalar

from loligo.cases.rubber.elastomer import Elastomer
from loligo.cases.rubber.plane_stress import plane_stress

Array = NDArray[np.float64]

_POINTS = 24  # through the wall; the integrand is smooth
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(_POINTS)


def hooped_pressure(elastomer: Elastomer, inner: float, outer: float, stretch: ArrayLike) -> Array:
    r"""Return the pressure (Pa) of a tube whose outer surface a winding keeps at its radius.

    :math:`r^2 = R_o^2 - (R_o^2 - R^2)/\lambda`: as the tube lengthens its wall thins outwards. The
    cavity and the wall fill the outer circle, so that :math:`dV/dq = \pi R_o^2` whatever the wall,
    and

    .. math:: p\,\pi R_o^2 = \frac{d}{d\lambda} \int 2\pi R\,\psi(\lambda, r/R)\,dR .

    Args:
        elastomer: Law of the wall.
        inner: Bore radius (m).
        outer: Radius of the winding (m).
        stretch: Axial stretches (...).
    """
    stretch = np.asarray(stretch, float)[..., None]
    reference, weight = _section(inner, outer)
    gap = outer**2 - reference**2
    square = outer**2 - gap / stretch
    if not np.all(outer**2 - (outer**2 - inner**2) / stretch > 0.0):
        raise ValueError(
            f"at stretch {stretch.min():.4g} the wall fills the bore; the shortest is "
            f"{1.0 - (inner / outer) ** 2:.4g}"
        )
    hoop = np.sqrt(square) / reference
    w = plane_stress(elastomer, *np.broadcast_arrays(stretch, hoop))
    hoop_rate = gap / stretch**2 / (2.0 * hoop * reference**2)
    return np.asarray((w.d1 + w.d2 * hoop_rate) @ weight / (np.pi * outer**2))


class TubeState(NamedTuple):
    """A bare tube in equilibrium."""

    pressure: float
    """Pa."""
    bore_stretch: float
    axial_stretch: float


def tube_state(elastomer: Elastomer, inner: float, outer: float, bore_stretch: float) -> TubeState:
    r"""Return the equilibrium of a bare tube with closed ends and free length.

    :math:`r^2 = a^2 + (R^2 - A^2)/\lambda` with the bore radius a; with the energy W per reference
    length, :math:`\partial W/\partial a = 2\pi a \lambda p` and
    :math:`\partial W/\partial\lambda = \pi a^2 p`.
    """
    reference, weight = _section(inner, outer)
    a = bore_stretch * inner
    gap = reference**2 - inner**2

    def slopes(stretch: float) -> tuple[float, float]:
        hoop = np.sqrt(a**2 + gap / stretch) / reference
        w = plane_stress(elastomer, np.full_like(hoop, stretch), hoop)
        lever = 1.0 / (2.0 * hoop * reference**2)
        by_stretch = (w.d1 - w.d2 * gap / stretch**2 * lever) @ weight
        by_bore = (w.d2 * 2.0 * a * lever) @ weight
        return float(by_stretch), float(by_bore)

    def unbalance(stretch: float) -> float:
        by_stretch, by_bore = slopes(stretch)
        return by_stretch - by_bore * a / (2.0 * stretch)

    # A law may have no energy far from the solution: look for the change of sign first.
    trials = np.geomspace(0.3, 5.0, 100)
    signs = np.sign([unbalance(stretch) for stretch in trials])
    change = np.flatnonzero(signs[:-1] * signs[1:] == -1.0)
    if not change.size:
        raise ValueError(
            f"the tube has no equilibrium at the bore stretch {bore_stretch:.4g}: its law ends "
            "before that"
        )
    axial = brentq(unbalance, trials[change[0]], trials[change[0] + 1], xtol=1e-14)
    return TubeState(slopes(axial)[1] / (2.0 * np.pi * a * axial), bore_stretch, axial)


def tube_limit(elastomer: Elastomer, inner: float, outer: float, largest: float = 4.0) -> TubeState:
    """Return the state of highest pressure of a bare tube; beyond it the bore balloons.

    Raises:
        ValueError: If the pressure still rises at the largest bore stretch.
    """
    peak = minimize_scalar(
        lambda stretch: -tube_state(elastomer, inner, outer, stretch).pressure,
        bounds=(1.0, largest),
        method="bounded",
        options={"xatol": 1e-9},
    )
    if peak.x > largest - 1e-3:
        raise ValueError(f"the tube has no limit pressure below the bore stretch {largest:.4g}")
    return tube_state(elastomer, inner, outer, float(peak.x))


def _section(inner: float, outer: float) -> tuple[Array, Array]:
    """Return reference radii and the weights of the area integral 2 pi R dR."""
    half = 0.5 * (outer - inner)
    radius = inner + half * (1.0 + _NODES)
    return radius, half * _WEIGHTS * 2.0 * np.pi * radius
