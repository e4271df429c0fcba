"""Values in messages have the units that a person reads."""

import pytest

from loligo.cases.case_file import load
from loligo.cases.load.kinds import CavityPressure, Supply, TendonShortening, TendonTension, Weight
from loligo.fem.core.value_text import units_of, value_text

GONG, LIMB = load("gong_bending_one"), load("emet_limb_one_tendon")


@pytest.mark.parametrize(
    ("case", "acting", "name", "value", "text"),
    [
        (GONG, CavityPressure(cavities=("s1c1",), pressure=1.0), "s1c1", 11379.5, "11379.5 Pa"),
        (GONG, CavityPressure(cavities=("s1c1",), pressure=1.0), "s1c2", 0.0, "0 Pa"),
        (GONG, Supply(cavities=("s1c1",), volume=1e-6), "s1c1", 24.42e-6, "24.42 ml"),
        (LIMB, TendonTension(tendons=(1,), tension=1.0), "tendon_1", 0.6, "0.6 N"),
        (LIMB, TendonShortening(tendons=(1,), shortening=0.1), "tendon_1", 0.012, "12 mm"),
        (LIMB, Weight(), "load_a", 9.81, "9.81 m/s^2"),
    ],
)
def test_a_value_has_the_unit_of_its_load(case, acting, name, value, text):
    units = units_of(case.model_copy(update={"load": {"a": acting}}))
    assert value_text(units, name, value) == text


def test_a_value_of_no_case_has_no_unit():
    assert value_text({}, "inside", 123.4) == "123.4"
