"""Quantities: parsed to the nearest SI float, refused with a reason, written to be read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from loligo.cases.core.units import (
    Angle,
    Density,
    Length,
    Moment,
    PositiveFrequency,
    PositiveLength,
    Pressure,
    Unit,
)

METRE = Unit("m", "length", "245 mm")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Length, "245 mm", 0.245),
        (Length, "9 mm", 0.009),
        (Length, " -1.5e1cm ", -0.15),
        (Length, "12 in", 0.3048),
        (Pressure, "20 kPa", 20000.0),
        (Pressure, "1 bar", 1e5),
        (Pressure, "2 N/mm^2", 2e6),
        (Pressure, "3 mN/mm**2", 3e3),
        (Moment, "5 mN m", 0.005),
        (Moment, "5 mN*m", 0.005),
        (Density, "1.07 g/cm^3", 1070.0),
        (Angle, "180 deg", 3.141592653589793),
    ],
)
def test_texts_become_si(kind, text, value):
    assert TypeAdapter(kind).validate_python(text) == pytest.approx(value, rel=4e-16)


def test_decimal_units_give_the_nearest_float():
    # 9 * 0.001 is 0.009000000000000001; a length written as 9 mm must print as 0.009 m.
    assert METRE.parse("9 mm") == 0.009


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("245", '"245" has no unit; write for example "245 mm"'),
        ("245 kPa", '"245 kPa" is not a length; write for example "245 mm"'),
        ("245 milimeter", '"milimeter" in "245 milimeter" is not a unit'),
        ("mm", '"mm" is not a number with a unit'),
        ("1e3 mm mm^9999", "is not a number with a unit"),
        ("1 " + "m*" * 5000 + "m", 'm*..." is not a number with a unit'),
        ("9" * 100_000, '9..." is not a number with a unit'),
        ("1 dB*m", 'dB*m" is not a'),
        ("1 mm/rad", '"1 mm/rad" is not a length'),
        ("9**9**9 m", "is not a number with a unit"),
        ("__import__('os') m", "is not a number with a unit"),
        ("nan m", "is not a number with a unit"),
        ("1e999 m", "should be finite"),
        ("", "is not a number with a unit"),
    ],
)
def test_bad_texts_are_refused_with_the_reason(text, reason):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Length).validate_python(text)
    assert reason in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize("text", ["60 rpm", "6.28 rad/s", "1 turn/s", "360 deg/s"])
def test_an_angular_speed_is_no_frequency(text):
    """60 rpm are 1 Hz, not 2 pi Hz: what is meant is for the user to say."""
    with pytest.raises(ValidationError, match="is not a frequency"):
        TypeAdapter(PositiveFrequency).validate_python(text)


@pytest.mark.parametrize("text", ["50 %", "1 dB", "1 Hz"])
def test_a_plain_number_is_no_angle(text):
    with pytest.raises(ValidationError, match="is not an angle"):
        TypeAdapter(Angle).validate_python(text)


@pytest.mark.parametrize("value", [True, None, [1.0], {"value": 1}])
def test_other_types_are_refused(value):
    with pytest.raises(ValidationError, match='should be a length in quotes, for example "245 mm"'):
        TypeAdapter(Length).validate_python(value)


def test_bare_numbers_are_si_in_python_and_refused_in_files():
    adapter = TypeAdapter(Length)
    assert adapter.validate_python(0.245) == 0.245
    with pytest.raises(ValidationError, match="245 has no unit"):
        adapter.validate_python(245, context={"units_required": True})


def test_bounds_are_checked_after_conversion():
    with pytest.raises(ValidationError, match="greater than 0"):
        TypeAdapter(PositiveLength).validate_python("0 mm")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_reads_back_to_the_same_float(value):
    adapter = TypeAdapter(Length)
    text = adapter.dump_python(value, mode="json")
    assert adapter.validate_python(text, context={"units_required": True}) == value
