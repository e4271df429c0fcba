"""Rows of arguments: a callable, arguments with which it works, and bad replacements of them."""

import numpy as np

NAN, INF = float("nan"), float("inf")


def upside(X):
    """The radius of a cone that tapers through zero."""
    return 0.01 - 0.06 * np.asarray(X)


def positive(*names):
    """Bad replacements of numbers that must be positive: zero, below, infinite, not a number."""
    return [(name, bad, name) for name in names for bad in (0.0, -1.0, INF, NAN)]


def not_below(*names):
    return [(name, bad, name) for name in names for bad in (-1.0, INF, NAN)]


def finite(*names):
    return [(name, bad, name) for name in names for bad in (NAN, INF)]


def numbers(size, *names):
    """Of an array whose last axis has a size: another size, and NaN in it."""
    shapes = ([0.1] * (size + 1), [NAN] + [0.1] * (size - 1))
    return [(name, bad, "") for name in names for bad in shapes]


def row(call, bad, **good):
    return call, good, bad
