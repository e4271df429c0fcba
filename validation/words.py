"""Numbers as people read them: a prefix for the unit, three digits, shares in per cent."""

from __future__ import annotations

import math

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"))
_PREFIXED = {"m", "Pa", "N", "N m", "J", "N/m"}


def value_words(value: float | None, unit: str) -> str:
    """Return a value with its unit: 0.0123 m is "12.3 mm", an angle is in degrees."""
    if value is None or not math.isfinite(value):
        return "not known"
    if abs(value) < 1e-12:
        value = 0.0
    if unit == "rad":
        return f"{math.degrees(value):.3g} deg"
    if unit == "m^3":
        return f"{value * 1e6:.3g} ml"
    if unit not in _PREFIXED:
        return f"{value:.3g}" if unit == "1" else f"{value:.3g} {unit.removeprefix('1')}"
    factor, prefix = prefixed(value)
    return f"{value / factor:.3g} {prefix}{unit}"


def range_words(low: float, high: float, unit: str) -> str:
    """Return a range, "119 mm to 189 mm"."""
    return f"{value_words(low, unit)} to {value_words(high, unit)}"


def share_words(share: float | None) -> str:
    """Return a share in per cent; a dash where there is none."""
    if share is None or not math.isfinite(share):
        return "-"
    if abs(share) < 1e-9:  # of what was computed
        return "0 %"
    return f"{100.0 * share:.2g} %" if abs(share) < 0.0995 else f"{100.0 * share:.0f} %"


def prefixed(value: float) -> tuple[float, str]:
    """Return a factor and an SI prefix with which a value lies between 1 and 1000."""
    size = abs(value)
    if size == 0.0:
        return 1.0, ""
    return next(((f, p) for f, p in _PREFIXES if size >= f), _PREFIXES[-1])
