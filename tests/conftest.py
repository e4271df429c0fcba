"""Settings for all tests, and the fixture that records how closely a benchmark is met."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for `short` and `twists`

# The first call of a compiled function takes seconds; no test asserts a time.
settings.register_profile("loligo", deadline=None)
settings.load_profile("loligo")

Check = Callable[..., None]


@pytest.fixture
def check(record_property: Callable[[str, object], None]) -> Check:
    """The function that asserts a number of the benchmark list, and records how close it came.

    ``check("F7", "torque", found, exact, 2e-3)``: the error relative to the largest exact number,
    or to ``scale``. ``check("F1", "order of u", found, at_least=2.85)``: a bound from below. What
    it records becomes a line of docs/verification*.md (tests/verification.py).
    """

    def compare(
        row: str,
        what: str,
        found: npt.ArrayLike,
        exact: npt.ArrayLike = 0.0,
        tolerance: float = 0.0,
        *,
        scale: float | None = None,
        at_least: float | None = None,
    ) -> None:
        if at_least is not None:
            record_property(row, f"{what}|{found:.4g}|at least {at_least:g}")
            assert found >= at_least, f"{row}, {what}: {found} is below {at_least}"
            return
        size = np.abs(exact).max() if scale is None else scale
        error = float(np.abs(np.subtract(found, exact)).max() / size)
        record_property(row, f"{what}|{error:.1e}|{tolerance:.2g}")
        assert error <= tolerance, (
            f"{row}, {what}: {found} instead of {exact}, {error:.3g} off, {tolerance:g} is allowed"
        )

    return compare
