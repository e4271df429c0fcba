"""The data set: schema, check, files, error bars from levels.

One netCDF schema serves 3D solutions, predictions and measurements.
"""

__all__ = ["check", "gci", "io", "levels", "reading", "schema", "summary", "surface"]
