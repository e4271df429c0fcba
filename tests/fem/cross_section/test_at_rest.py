"""What a shipped law says at rest against a slice of the solid: two ways that share no equation."""

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.fem.section_slice import sections
from loligo.reduced.section.law_choice import at_rest, choose


@pytest.mark.parametrize("name", ["gong_elongation", "gong_bending_one"])
def test_a_law_at_rest_is_the_slice(name):
    case = load(name)
    (ours,) = at_rest(choose(case, "rod", "slice").laws)
    ((theirs,), _) = sections(case)
    ours_k, theirs_k = np.array(ours.stiffness), np.array(theirs.stiffness)
    free = slice(0, 4)  # a shear force is no uniform state: the shears differ
    scale = np.sqrt(np.outer(np.diag(theirs_k), np.diag(theirs_k)))
    assert (ours_k / scale)[free, free] == pytest.approx((theirs_k / scale)[free, free], abs=0.02)
    for cavity, arm in theirs.arms.items():
        size = arm[3] * np.repeat([case.body.radius, 1.0], 3)
        assert np.array(ours.arms[cavity]) / size == pytest.approx(np.array(arm) / size, abs=0.03)
