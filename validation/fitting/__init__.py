"""Calibration: coefficients of reduced models, rubbers, pressure offsets.

`coefficients` fits reduced models, `rubber` fits elastomers to coupon tests,
`statistics` is what both share.
"""

__all__ = ["coefficients", "pressure_offset", "rubber", "statistics"]
