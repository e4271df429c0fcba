"""What the report says of whole robots: printed numbers beside those with FE's coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loligo.reduced.robots.coefficients import EFFICIENCY
from loligo.validation.words import prefixed, value_words

_UNITS = {"_m_per_s": "m/s", "_m": "m", "_N": "N", "_Pa": "Pa", "": "1"}
_LEAST = 0.01
"""Share of a variance below which a coefficient is not named."""


def machine_numbers(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record of `loligo robot vary` tells, row by row, as the page shows it."""
    return {
        "name": record["robot"],
        "title": record["title"],
        "motion": record["motion"],
        "samples": record["samples"],
        "failed": record["failed"],
        "sources": record["sources"],
        "coefficients": [
            {"name": name, "value": value, "low": low, "high": high}
            for name, (value, low, high) in record["coefficients"].items()
        ],
        "rows": [_row(record, merit) for merit in record["low"]],
        "efficiency": EFFICIENCY if "efficiency" in record["calibrated"] else None,
        "beyond": record["beyond"],
        "notes": list(dict.fromkeys(note.partition(": ")[2] for note in record["notes"])),
    }


def _row(record: Mapping[str, Any], merit: str) -> dict[str, Any]:
    suffix = next(end for end in _UNITS if merit.endswith(end))
    unit = _UNITS[suffix]
    printed, calibrated = record["printed"].get(merit), record["calibrated"][merit]
    low, high = record["low"][merit], record["high"][merit]
    shares = sorted(record["shares"][merit].items(), key=lambda item: -item[1])
    return {
        "merit": merit,
        "what": merit.removesuffix(suffix).replace("_", " "),
        "unit": unit,
        "printed": printed,
        "calibrated": calibrated,
        "low": low,
        "high": high,
        "ratio": None if not printed else calibrated / printed,
        "shares": dict(shares),
        "words": {
            "printed": "none" if printed is None else value_words(printed, unit),
            "calibrated": value_words(calibrated, unit),
            "interval": _interval(low, high, unit),
        },
        "from": [
            {"coefficient": name.replace("_", " "), "share": share}
            for name, share in shares
            if share >= _LEAST
        ],
    }


def _interval(low: float, high: float, unit: str) -> str:
    """An interval in four digits, since most of these are narrow; a speed has no prefix."""
    factor, prefix = prefixed(high) if unit in ("m", "N", "Pa") else (1.0, "")
    unit_words = "" if unit == "1" else f" {prefix}{unit}"
    return f"{low / factor:.4g} to {high / factor:.4g}{unit_words}"
