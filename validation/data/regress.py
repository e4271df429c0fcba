r"""The stiffness of an arm's section from what a solution says of strain and wrench.

At stations far from ends, discs and jumps of the load a section knows nothing of them
(Saint-Venant), and strain follows from wrench alone,

    strain(X) = K(X)^-1 (wrench(X) + sum of p * arm),    K(X) = D(X) k D(X),

D^2 the diagonal of the stiffness from the geometry at X, so that a taper needs no more than the
dimensionless k, whose diagonal is 1 where the geometry is right. Strains of a data set are means
between stations, and so is the right side here, with the wrench linear between them. The wrench is
that of solid and fluid; it is what balance gives, the strain what noise is in: the regression, by
least squares, is of strain on wrench and pressure, and K its inverse.

Error bars say how well one k fits all samples. What bends the samples alike, as loads too large for
a linear law, shows in no bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.stats import t as student

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import STRAIN_COMPONENTS
from loligo.cases.load.kinds import RecruitedTorque
from loligo.meshes.bodies import Arm, pieces
from loligo.reduced.section.stiffness import section_stiffness

Array = npt.NDArray[np.float64]

AWAY, AWAY_IN_TORSION = 1.0, 2.0
"""Diameters between a sample and the next end, disc or jump; torsion dies out later."""
_ALIKE = 1e-4
"""Smallest singular value over the largest, columns of unit length, of loads that differ."""
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True)
class Regression:
    """What a regression found, for the components that it was asked for.

    Other wrench components are taken for zero: of a coupled section it is what remains when they
    do no work.
    """

    components: tuple[str, ...]
    ratio: Array
    """k, symmetric: stiffness over that of the geometry, shape (n, n)."""
    ratio_bar: Array
    """Half-widths at 95 % of its entries, shape (n, n)."""
    skew: float
    """Largest entry of (k - k^T)/2 before it was dropped."""
    cavities: tuple[str, ...]
    drive: Array
    """Free strain per pressure, times D^2, (n, cavities): the arms where k is 1."""
    drive_bar: Array
    samples: int
    """Strains of each component that took part."""

    def stiffness(self, case: Case, x: float) -> tuple[Array, Array]:
        """Return K at a place of the soft lengths (m) and its half-widths, SI, (n, n)."""
        scale = self._scale(case, x)
        return self.ratio * np.outer(scale, scale), self.ratio_bar * np.outer(scale, scale)

    def arms(self, case: Case, x: float) -> Array:
        """Return the wrench per pressure that drives the section there, SI, (n, cavities)."""
        scale = self._scale(case, x)[:, None]
        return np.asarray(scale * (self.ratio @ (self.drive / scale)))

    def _scale(self, case: Case, x: float) -> Array:
        return _scale(_arm(case), case, np.array([x]))[0, _columns(self.components)]


def regress(
    case: Case,
    samples: Sequence[xr.Dataset],
    components: Sequence[str],
    cavities: Sequence[str] = (),
) -> Regression:
    """Return the section stiffness that fits data sets of one arm under several loads.

    Args:
        case: the arm with its rubber; any case of it.
        samples: data sets with strain, strain_rest, wrench and wrench_fluid. Their loads together
            must pull at every component on its own, and should be small. Steps known to be
            unstable are left out.
        components: of :data:`loligo.cases.dataset.io.STRAIN_COMPONENTS`.
        cavities: those whose pressure drives the section.

    Raises:
        BadInput: if no station is far enough from everything, or the loads are too much alike.
    """
    chosen = _columns(components)
    rows = [row for sample in samples for row in _rows(case, sample, chosen, cavities)]
    if not rows:
        raise BadInput(
            f"{case.name}: no two stations lie {_away(chosen):g} diameter(s) from ends, discs and "
            "jumps of the load: take a longer arm or more stations"
        )
    n = len(chosen)
    found = [
        _least_squares(case.name, *(np.array(part) for part in zip(*of, strict=True)))
        for of in ([(row[0][i], row[1][i]) for row in rows] for i in range(n))
    ]
    every, bars = (np.array(part) for part in zip(*found, strict=True))
    ratio = np.linalg.inv(every[:, :n])
    # To first order dk = -k df k, entries of the compliance f taken as independent.
    spread = np.sqrt((ratio**2) @ (bars[:, :n] ** 2) @ (ratio**2))
    return Regression(
        components=tuple(components),
        ratio=(ratio + ratio.T) / 2,
        ratio_bar=np.where(np.eye(n) > 0.0, spread, np.sqrt(spread**2 + spread.T**2) / 2),
        skew=float(np.abs(ratio - ratio.T).max() / 2),
        cavities=tuple(cavities),
        drive=every[:, n:],
        drive_bar=bars[:, n:],
        samples=len(rows),
    )


def _rows(
    case: Case, sample: xr.Dataset, chosen: list[int], cavities: Sequence[str]
) -> Iterator[tuple[Array, Array]]:
    """Scaled strain (n,) and what it is linear in (n, n + cavities), of every interval and step."""
    body = _arm(case)
    station, middle = sample["station"].values, sample["station_mid"].values
    strain = (sample["strain"] - sample["strain_rest"]).values[:, :, chosen]
    wrench = (sample["wrench"] + sample["wrench_fluid"]).values[:, :, chosen]
    pressure = np.zeros((len(strain), 0))
    if cavities:
        pressure = sample["pressure"].sel(cavity=list(cavities)).values
    stable = sample["stable"].values != 0 if "stable" in sample else np.ones(len(strain), bool)
    for i, x in enumerate(middle):
        j = int(np.searchsorted(station, x)) - 1
        start, end = station[j], station[j + 1]
        if not _far(case, body, start, end, _away(chosen)):
            continue
        at = (start + end) / 2 + (end - start) / 2 * _POINTS
        weight, share = _WEIGHTS / 2, (1 + _POINTS) / 2
        scale = _scale(body, case, at)[:, chosen]
        own = 1 / (weight @ (1 / scale**2))  # D^2 of the interval
        for step in np.flatnonzero(stable):
            along = np.outer(1 - share, wrench[step, j]) + np.outer(share, wrench[step, j + 1])
            pull = np.einsum("q,qi,qj,i->ij", weight, 1 / scale, along / scale, np.sqrt(own))
            push = np.outer(np.ones(len(chosen)), pressure[step])
            yield np.sqrt(own) * strain[step, i], np.hstack([pull, push / np.sqrt(own)[:, None]])


def _far(case: Case, body: Arm, start: float, end: float, away: float) -> bool:
    """Whether an interval lies far inside a soft length, from jumps too."""
    for piece in pieces(body):
        if piece.region == "body" and piece.start <= start and end <= piece.end:
            jumps = [piece.start, piece.end] + [
                piece.start + load.recruited * piece.length
                for load in case.load.values()
                if isinstance(load, RecruitedTorque)
            ]
            reach = away * 2 * float(piece.radius((start + end) / 2))
            return not any(start - reach < jump < end + reach for jump in jumps)
    return False


def _away(chosen: Sequence[int]) -> float:
    return AWAY_IN_TORSION if 0 in chosen else AWAY


def _least_squares(case: str, strain: Array, pull: Array) -> tuple[Array, Array]:
    """Coefficients of one component and their half-widths at 95 %."""
    size = np.linalg.norm(pull, axis=0)
    columns = pull / np.where(size > 0.0, size, 1.0)
    values = np.linalg.svd(columns, compute_uv=False)
    freedom = len(strain) - pull.shape[1]
    if freedom < 1 or np.any(size == 0.0) or values[-1] < _ALIKE * values[0]:
        raise BadInput(
            f"{case}: the {len(strain)} samples do not tell {pull.shape[1]} coefficients apart: "
            "add data sets whose loads pull at the components one by one, or ask for fewer"
        )
    coefficients, *_ = np.linalg.lstsq(columns, strain)
    misfit = float(np.sum((strain - columns @ coefficients) ** 2)) / freedom
    variance = misfit * np.diag(np.linalg.inv(columns.T @ columns))
    bar = student.ppf(0.975, freedom) * np.sqrt(variance)
    return coefficients / size, bar / size


def _scale(body: Arm, case: Case, x: Array) -> Array:
    """D: roots of the diagonal of the stiffness from the geometry, shape (places, 6)."""
    stiffness: Any = section_stiffness(body, case.material, x)
    return np.asarray(np.sqrt(np.diagonal(stiffness, axis1=1, axis2=2)))


def _columns(components: Sequence[str]) -> list[int]:
    for name in components:
        if name not in STRAIN_COMPONENTS:
            raise BadInput(f'there is no strain "{name}"; there are {", ".join(STRAIN_COMPONENTS)}')
    return [STRAIN_COMPONENTS.index(name) for name in components]


def _arm(case: Case) -> Arm:
    if not isinstance(case.body, TaperedArm | ChamberedArm):
        raise BadInput(f"{case.name}: only an arm has sections, not a {case.body.kind}")
    return case.body
