r"""Coupons: pulls of a rubber in a known homogeneous state, and what an energy says they should be.

A mode fixes the second in-plane stretch as a power of the first, and the third follows from
:math:`\lambda_1\lambda_2\lambda_3 = 1`. In every mode the nominal stress along the first stretch is
:math:`P = \partial\psi(\lambda_1, \lambda_2)/\partial\lambda_1` of the plane-stress energy.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit
from loligo.cases.rubber.elastomer import Elastomer
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.validation.data.columns import read_columns

Array = NDArray[np.float64]
Mode = Literal["uniaxial", "equibiaxial", "pure_shear"]
MODES: tuple[Mode, ...] = get_args(Mode)
SECOND_STRETCH: dict[Mode, float] = {"uniaxial": -0.5, "equibiaxial": 1.0, "pure_shear": 0.0}
"""The power of the first stretch that the second in-plane stretch is."""
_OTHER_NAMES: dict[str, Mode] = {
    "biaxial": "equibiaxial",
    "equi-biaxial": "equibiaxial",
    "bulge": "equibiaxial",
    "planar": "pure_shear",
    "shear": "pure_shear",
    "strip": "pure_shear",
    "tension": "uniaxial",
    "tensile": "uniaxial",
    "compression": "uniaxial",
}
"""Names that others use. They are hints alone: a biaxial test need not be equibiaxial."""
_STRESS = Unit("Pa", "stress", "1 MPa")


@dataclass(frozen=True, eq=False)
class Coupon:
    """One curve: nominal stress (Pa) over stretch in one mode, in the order of the stretches."""

    mode: Mode
    stretch: Array
    stress: Array

    def __post_init__(self) -> None:
        """Refuse what is no curve, and sort it."""
        stretch, stress = np.asarray(self.stretch, float), np.asarray(self.stress, float)
        if self.mode not in MODES:
            raise BadInput(f"the mode {self.mode!r} is unknown; known are {', '.join(MODES)}")
        if stretch.ndim != 1 or stretch.shape != stress.shape or stretch.size < 2:
            raise BadInput(f"{self.mode}: a curve needs two or more stretches, a stress for each")
        if not (np.isfinite(stretch).all() and np.isfinite(stress).all() and stretch.min() > 0.0):
            raise BadInput(
                f"{self.mode}: stretches must be finite and positive, stresses finite; a stretch "
                "is 1 + strain"
            )
        if not stress.any():
            raise BadInput(
                f"{self.mode}: every stress is zero, so that no law can be fitted; check the "
                "column stress"
            )
        order = np.argsort(stretch, kind="stable")
        object.__setattr__(self, "stretch", stretch[order])
        object.__setattr__(self, "stress", stress[order])

    def up_to(self, largest: float) -> Coupon:
        """Return the curve up to a stretch."""
        kept = self.stretch <= largest
        return Coupon(self.mode, self.stretch[kept], self.stress[kept])


def loaded(coupon: Coupon) -> Coupon:
    """Return the curve without points at rest.

    In every law the stress is zero there, so that they say nothing about the rubber, and a relative
    residual cannot be had of them.
    """
    kept = (coupon.stretch != 1.0) | (coupon.stress != 0.0)
    return Coupon(coupon.mode, coupon.stretch[kept], coupon.stress[kept])


class Points(NamedTuple):
    """All points of a fit in a row, with the weight that each residual P - P_measured gets."""

    first: Array
    second: Array
    """In-plane stretches."""
    stress: Array
    weight: Array
    relative: bool = False
    """Whether the weights are over the measured stress."""


def nominal_stress(law: Elastomer, mode: Mode, stretch: ArrayLike) -> Array:
    """Return dpsi/dlambda_1 (Pa) of an incompressible rubber; not a number beyond Gent's limit."""
    first = np.asarray(stretch, dtype=np.float64)
    return plane_stress(law, first, first ** SECOND_STRETCH[mode]).d1


def first_invariant(first: Array, second: Array) -> Array:
    """Return I_1 - 3 of two in-plane stretches, incompressible."""
    return np.asarray(first**2 + second**2 + (first * second) ** -2 - 3.0)


def stretch_reaching(mode: Mode, invariant: float) -> float:
    """Return the stretch above 1 at which I_1 - 3 has a value in a mode."""
    power = SECOND_STRETCH[mode]

    def beyond(stretch: float) -> float:
        first = np.array(stretch)
        return float(first_invariant(first, first**power)) - invariant

    return float(brentq(beyond, 1.0, 2.0 + invariant))


def points(
    coupons: tuple[Coupon, ...],
    residual: Literal["absolute", "relative"] = "absolute",
    weights: Mapping[Mode, float] | None = None,
) -> Points:
    """Join curves for a fit.

    Args:
        coupons: The curves.
        residual: Whether a residual is a stress (Pa) or divided by the measured stress.
        weights: Factor on the residuals of a mode; 1 where none is given.
    """
    given = weights or {}
    first = np.concatenate([c.stretch for c in coupons])
    second = np.concatenate([c.stretch ** SECOND_STRETCH[c.mode] for c in coupons])
    stress = np.concatenate([c.stress for c in coupons])
    weight = np.concatenate([np.full(c.stretch.size, given.get(c.mode, 1.0)) for c in coupons])
    if not (np.isfinite(weight).all() and (weight > 0.0).all()):
        raise BadInput("the weight of a mode must be positive; hold a mode out to ignore it")
    if residual == "relative":
        if not stress.all():
            raise BadInput("a point without stress has no relative residual: remove it")
        weight = weight / np.abs(stress)
    return Points(first, second, stress, weight, residual == "relative")


def stretch_range(coupons: tuple[Coupon, ...]) -> tuple[float, float]:
    """Return the smallest and largest principal stretch in the curves, with 1 between them."""
    p = points(coupons)
    principal = np.concatenate([[1.0], p.first, p.second, 1.0 / (p.first * p.second)])
    return float(principal.min()), float(principal.max())


def fingerprint(coupons: tuple[Coupon, ...]) -> str:
    """Return the SHA-256 of the curves' modes and numbers."""
    digest = hashlib.sha256()
    for c in coupons:
        digest.update(c.mode.encode())
        digest.update(np.stack([c.stretch, c.stress]).astype("<f8").tobytes())
    return digest.hexdigest()


def read_coupons(file: Path) -> tuple[Coupon, ...]:
    """Read curves from a CSV file, one for each mode in it.

    Columns: stretch (1 + strain), stress with its unit as in ``stress [MPa]`` (nominal: force over
    the area at rest), and mode (uniaxial, equibiaxial or pure_shear). Lines that begin with # are
    comments.
    """
    numbers, words = read_columns(file, {"stretch": None, "stress": _STRESS}, ("mode",))
    modes = [_mode(file, row, word) for row, word in enumerate(words["mode"], 1)]
    curves = []
    try:
        for mode in dict.fromkeys(modes):
            rows = [row for row, of in enumerate(modes) if of == mode]
            curves.append(Coupon(mode, numbers["stretch"][rows], numbers["stress"][rows]))
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    return tuple(curves)


def _mode(file: Path, row: int, word: str) -> Mode:
    try:
        return mode_of(word)
    except BadInput as error:
        raise BadInput(f"{file}: row {row}: {error}") from None


def mode_of(word: str) -> Mode:
    """Return the mode of this name; raises BadInput with the name that was meant."""
    mode = next((mode for mode in MODES if mode == word), None)
    if mode is None:
        plain = word.strip().lower().replace(" ", "_")
        near = difflib.get_close_matches(plain, MODES, n=1)
        meant = _OTHER_NAMES.get(plain, near[0] if near else "")
        hint = f'did you mean "{meant}"?' if meant else f"known are {', '.join(MODES)}"
        raise BadInput(f'the mode "{word}" is unknown; {hint}')
    return mode
