r"""Numbers of a case that no soft robot has, each with the mistake that would explain it.

A case of any size is solved as it is written, so these are warnings. Every bound follows from the
physics of rubber, with a margin:

- Gels and rubbers have shear moduli from 100 Pa to 30 MPa, densities from 300 to 3000 kg/m^3.
- A bar of neo-Hooke rubber under a force F stretches by :math:`\lambda - \lambda^{-2} = F/\mu A`,
  and no rubber bears a stretch of 10. A hanging bar has :math:`F/A = \rho g L` at its base.
- A moment that rolls a round bar up to a circle of its own radius strains the surface by 100 %:
  :math:`M = 3\mu I/r`.
- A cavity in a large block of neo-Hooke rubber grows without bound at :math:`p = 5\mu/2` (Gent and
  Lindley 1959). Thread may carry ten times as much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import assert_never

from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import GRAVITY, Case
from loligo.cases.load.kinds import Load, nature

MODULUS = (1e2, 3e7)
DENSITY = (3e2, 3e3)
LENGTH = (1e-3, 20.0)
"""Of a body (m): from a robot on a chip to a whale's tail."""
LARGEST_STRETCH_FORCE = 10.0
"""F/(mu A) at which a bar of neo-Hooke rubber is stretched tenfold."""
CAVITATION = 2.5
"""p/mu at which a cavity in a large block grows without bound."""
THREAD = 10.0
"""Factor on it for a body that is wound."""
NOTHING = 1e-6
"""Load over what would deform the body by its own size, below which nothing can be seen."""
_PRESSURE_SLIPS = {
    1e3: "kPa written as Pa",
    1e6: "MPa written as Pa, or kPa as mPa",
    1e9: "MPa written as mPa",
    1e-3: "Pa written as kPa",
    1e-6: "Pa written as MPa",
}
_LENGTH_SLIPS = {1e-3: "mm written as m", 1e-9: "mm written as Mm", 1e3: "m written as mm"}
_DENSITY_SLIPS = {1e3: "g/cm^3 written as kg/m^3", 1e-3: "kg/m^3 written as g/cm^3"}
"""What explains a number, by the factor that undoes it."""


def implausible(case: Case) -> tuple[str, ...]:
    """Return a sentence for each number of a case that no soft robot has."""
    return (*_rubbers(case), *_lengths(case), *_loads(case), *_limits(case))


def _rubbers(case: Case) -> Iterator[str]:
    for name, rubber in case.material.items():
        key = f"material.{name}"
        yield from _outside(
            f"{key}: a shear modulus", rubber.shear_modulus, "Pa", MODULUS, _PRESSURE_SLIPS
        )
        yield from _outside(
            f"{key}.density: a density", rubber.density, "kg/m^3", DENSITY, _DENSITY_SLIPS
        )
    if case.water is not None:
        yield from _outside(
            "water.density: a density", case.water.density, "kg/m^3", DENSITY, _DENSITY_SLIPS
        )


def _lengths(case: Case) -> Iterator[str]:
    yield from _outside("body: a length", _length(case), "m", LENGTH, _LENGTH_SLIPS)


def _limits(case: Case) -> Iterator[str]:
    """Limits are fractions; one above 1 was meant in per cent."""
    levels = case.acceptance.levels if case.acceptance else {}
    for name, level in levels.items():
        if level > 1.0 and name not in ("tip_attitude", "stroke_phase"):
            yield (
                f"acceptance.{name}: {level:g} is {level:.0%}: is it in per cent? Then write "
                f"{level / 100:g}"
            )


def _loads(case: Case) -> Iterator[str]:
    mu = case.material["body"].shear_modulus
    for name, load in case.load.items():
        ratio, largest, means, advice = _severity(case, load, mu)
        ratio *= _largest_factor(case, load)
        if ratio > largest:
            yield f"load.{name}: {means} is {ratio:.3g}, beyond {largest:g}: {advice}"
        elif 0.0 < ratio < NOTHING * largest:
            yield f"load.{name}: {means} is {ratio:.3g}: nothing will be seen to move; {advice}"


def _severity(case: Case, load: Load, mu: float) -> tuple[float, float, str, str]:
    """Return a load over what the body can bear, the bound of that, its name, and advice."""
    area, radius = _thinnest(case)
    bearable, kind = LARGEST_STRETCH_FORCE, nature(load)
    match kind.borne:
        case "":
            return 0.0, math.inf, "", ""
        case "pressure":
            bound = CAVITATION * (THREAD if case.winding else 1.0)
            advice = "is it in kPa, or the modulus in MPa? Write the units of both"
            return abs(kind.size) / mu, bound, "pressure over shear modulus p/mu", advice
        case "force":
            what = "tension" if kind.tendons else "force"
            advice = "is it in mN, or the modulus in kPa?"
            return (
                _over(kind.size, mu * area),
                bearable,
                f"{what} over what the tip bears {what[0].upper()}/(mu A)",
                advice,
            )
        case "moment":
            ratio = _over(kind.size, 0.75 * math.pi * mu * radius * radius * radius)
            advice = "is the force in mN, or a length in mm?"
            return ratio, bearable, "moment over that which rolls up the tip M r/(3 mu I)", advice
        case "weight":
            pull = case.material["body"].density * GRAVITY * _length(case) / mu
            advice = "is the length in mm, the modulus in kPa?"
            return pull, bearable, "weight over what the base bears rho g L/mu", advice
        case unknown:
            assert_never(unknown)


def _over(load: float, bearable: float) -> float:
    """Return their ratio; zero where nothing is known of what is bearable."""
    return load / bearable if bearable > 0.0 else 0.0


def _largest_factor(case: Case, load: Load) -> float:
    """Return the largest factor on a load that is reported."""
    if case.time is None:
        return max((abs(f) for f in load.path or case.steps), default=0.0)
    return 1.0  # a history says when, and seldom how much


def _length(case: Case) -> float:
    """Return the length of the body (m)."""
    match case.body:
        case TaperedArm() | Bar() as arm:
            return arm.length
        case ChamberedArm() as arm:
            return sum(segment.length for segment in arm.segments)
        case Mantle() as mantle:
            return mantle.meridian_length
        case Solid() as solid:
            return solid.stations[-1]
        case unknown:
            assert_never(unknown)


def _thinnest(case: Case) -> tuple[float, float]:
    """Return the area of the soft section and its radius at the tip; zeros where unknown."""
    match case.body:
        case TaperedArm() as arm:
            thin = (arm.tip_radius - arm.bore_radius) * (arm.tip_radius + arm.bore_radius)
            return math.pi * thin, arm.tip_radius
        case ChamberedArm() as arm:
            return math.pi * arm.radius * arm.radius, arm.radius
        case Bar() as bar:
            return bar.width * bar.height, min(bar.width, bar.height) / 2
        case Mantle() | Solid():
            return 0.0, 0.0
        case unknown:
            assert_never(unknown)


def _outside(
    what: str, value: float, unit: str, bounds: tuple[float, float], slips: Mapping[float, str]
) -> Iterator[str]:
    """Yield a sentence if a value is outside of its bounds, with the slip that brings it back."""
    low, high = bounds
    if low <= value <= high:
        return
    likely = next((s for factor, s in slips.items() if low <= value * factor <= high), None)
    hint = f": is it {likely}?" if likely else ""
    yield f"{what} of {value:.4g} {unit} is outside of {low:g} to {high:g} {unit}{hint}"
