"""Comparison, calibration and the report."""
