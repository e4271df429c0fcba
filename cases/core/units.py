"""Quantities with units at the edge, SI floats inside.

A case file writes ``"245 mm"``; the record holds ``0.245``. Python code that builds a record passes
SI floats directly. Written back to JSON or TOML, a quantity carries its SI unit again, so that what
is written can be read.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    import pint

# A number, then unit symbols with small exponents. Anything richer is refused before it reaches
# pint, so that a case file cannot make its parser compute.
_EXPONENT = r"(?:(?:\^|\*\*)-?\d(?:\.\d+)?)?"
_SYMBOL = rf"[A-Za-zµμ°%]+{_EXPONENT}"
_QUANTITY = re.compile(
    r"\s*(?P<value>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    rf"\s*(?P<unit>{_SYMBOL}(?:\s*[*/ ]\s*{_SYMBOL})*)?\s*"
)
_LONGEST = 80
"""Characters of a quantity, so that reading it takes no time."""


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry:
    import pint

    return pint.UnitRegistry()


def _kind(unit: pint.Unit) -> pint.Unit:
    """Return the base units that a unit is made of, angles among them."""
    return _registry().get_root_units(unit)[1]


def split(text: str) -> tuple[float, str] | None:
    """Return number and unit of a text such as "245 mm"; None if it is not of that form."""
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or match["unit"] is None:
        return None
    return float(match["value"]), match["unit"]


def convert(value: float, unit: str, other: str) -> float:
    """Return a value in another unit; pint's errors if one is no unit, or of another kind."""
    import pint

    registry = _registry()
    given = registry.parse_units(unit)
    # To pint angles are plain numbers, and 60 rpm are 6.28 Hz.
    if _kind(given) != _kind(registry.parse_units(other)):
        raise pint.DimensionalityError(given, other)
    factor = float(registry.Quantity(1.0, given).to(other).magnitude)
    # 9 mm is 9/1000, not 9 * 0.001: the nearest float, so that it prints as it was written.
    divisor = round(1.0 / factor) if factor < 1.0 else 0
    exact = divisor > 0 and math.isclose(divisor * factor, 1.0, rel_tol=1e-15)
    return value / divisor if exact else value * factor


@dataclass(frozen=True)
class Unit:
    """The dimension of a float field: its SI unit, its name, and an example for messages."""

    si: str
    name: str
    example: str

    def parse(self, text: str) -> float:
        """Return the SI value of a text such as ``"245 mm"``."""
        import pint

        if len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}..."  # no quantity any more
        match = _QUANTITY.fullmatch(text)
        if match is None:
            raise ValueError(
                f'"{text}" is not a number with a unit; write for example "{self.example}"'
            )
        if match["unit"] is None:
            raise ValueError(f'"{text}" has no unit; write for example "{self.example}"')
        try:
            return convert(float(match["value"]), match["unit"], self.si)
        except pint.UndefinedUnitError:
            raise ValueError(
                f'"{match["unit"]}" in "{text}" is not a unit; write for example "{self.example}"'
            ) from None
        except pint.DimensionalityError:
            article = "an" if self.name[0] in "aeiou" else "a"
            raise ValueError(
                f'"{text}" is not {article} {self.name}; write for example "{self.example}"'
            ) from None

    def format(self, value: float) -> str:
        """Return the text that parses back to the same float."""
        return f"{value!r} {self.si}"

    def _validate(self, value: Any, info: ValidationInfo) -> float:
        if isinstance(value, str):
            try:
                value = self.parse(value)
            except ValueError as error:
                raise PydanticCustomError("quantity", "{reason}", {"reason": str(error)}) from None
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise PydanticCustomError(
                "quantity",
                'should be a {name} in quotes, for example "{example}"',
                {"name": self.name, "example": self.example},
            )
        elif info.context is not None and info.context.get("units_required"):
            raise PydanticCustomError(
                "quantity",
                '{value} has no unit; write for example "{example}"',
                {"value": repr(value), "example": self.example},
            )
        if not math.isfinite(value):
            raise PydanticCustomError("quantity", "should be finite", {})
        return float(value)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Parse before the float's own bounds are checked; write the unit back in JSON."""
        return core_schema.with_info_before_validator_function(
            self._validate,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.format, when_used="json"
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """In a case file a quantity is a text."""
        return {
            "type": "string",
            "description": f"A {self.name} with its unit.",
            "examples": [self.example],
        }


_LENGTH = Unit("m", "length", "245 mm")
_PRESSURE = Unit("Pa", "pressure", "20 kPa")

Length = Annotated[float, _LENGTH]
PositiveLength = Annotated[float, Field(gt=0), _LENGTH]
NonNegativeLength = Annotated[float, Field(ge=0), _LENGTH]
Pressure = Annotated[float, _PRESSURE]
Modulus = Annotated[float, _PRESSURE]
PositiveModulus = Annotated[float, Field(gt=0), _PRESSURE]
Volume = Annotated[float, Unit("m^3", "volume", "5 mL")]
PositiveVolume = Annotated[float, Field(gt=0), Unit("m^3", "volume", "5 mL")]
Compliance = Annotated[float, Field(ge=0), Unit("m^3/Pa", "volume per pressure", "0.1 mL/kPa")]
Force = Annotated[float, Unit("N", "force", "1 mN")]
PositiveForce = Annotated[float, Field(gt=0), Unit("N", "force", "1 mN")]
Moment = Annotated[float, Unit("N m", "moment", "5 mN m")]
LineTension = Annotated[float, Unit("N/m", "tension per length", "15 N/m")]
PositiveLineTension = Annotated[float, Field(gt=0), Unit("N/m", "tension per length", "15 N/m")]
Time = Annotated[float, Field(ge=0), Unit("s", "time", "0.5 s")]
PositiveTime = Annotated[float, Field(gt=0), Unit("s", "time", "0.5 s")]
PositiveFrequency = Annotated[float, Field(gt=0), Unit("Hz", "frequency", "1.51 Hz")]
PositiveRate = Annotated[float, Field(gt=0), Unit("s^-1", "rate", "1e-5 s^-1")]
Velocity = Annotated[float, Unit("m/s", "velocity", "0.2 m/s")]
Density = Annotated[float, Field(gt=0), Unit("kg/m^3", "density", "1080 kg/m^3")]
Mass = Annotated[float, Field(gt=0), Unit("kg", "mass", "204 g")]
Area = Annotated[float, Field(gt=0), Unit("m^2", "area", "491 mm^2")]
Coefficient = Annotated[float, Field(ge=0)]
"""A dimensionless number that cannot be negative."""
Viscosity = Annotated[float, Field(ge=0), Unit("Pa s", "viscosity", "300 Pa s")]
Angle = Annotated[float, Unit("rad", "angle", "90 deg")]
PositiveAngle = Annotated[float, Field(gt=0), Unit("rad", "angle", "5 deg")]


def quantity_words(value: float, unit: str) -> str:
    """Return a quantity in SI as people write it: 18 kPa, 5 mN m."""
    if unit in ("Pa", "N", "N m", "N/m", "m") and value != 0.0:
        scales = ((1e6, "M"), (1e3, "k"), (1.0, ""))
        factor, prefix = next((pair for pair in scales if abs(value) >= pair[0]), (1e-3, "m"))
        return f"{value / factor:.4g} {prefix}{unit}"
    return f"{value:.4g}" if unit == "1" else f"{value:.4g} {unit}"
