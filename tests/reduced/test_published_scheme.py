"""Where the printed efficiency of the Quadropus comes from: the published scheme, run anew."""

import numpy as np
import pytest
from published_scheme import swim


@pytest.mark.slow
def test_the_published_scheme_has_the_printed_efficiency_at_its_mean_speed():
    """31 % in the text, two digits, as "estimated" from a figure."""
    time, surge, given, drained = swim(5.0)
    period = 1.0 / 1.51

    def gained(values):
        return values[-1] - np.interp(time[-1] - period, time, values)

    efficiency = gained(drained) / gained(given)
    last = surge[time > time[-1] - period]
    terminal = efficiency * last.mean() ** 3 / np.mean(np.abs(last) ** 3)
    assert terminal == pytest.approx(0.31, abs=0.01)
    assert efficiency > 0.40
