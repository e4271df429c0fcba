"""A serial robot as pure data: rigid modules with propellers, soft joints between them, and water.

Zhang 2022, from the tail along +x. Modules are alike, and so are joints. Three actuators lengthen
every joint, the first towards +y, the others 120 deg on from +y towards +z, and bend it away from
the longest one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import (
    Area,
    Coefficient,
    Force,
    Length,
    Mass,
    Modulus,
    PositiveLength,
    PositiveModulus,
    PositiveTime,
    Pressure,
    Time,
    Unit,
    Viscosity,
)

Speed = Annotated[float, Field(ge=0), Unit("m/s", "speed", "0.5 m/s")]


class Module(Record):
    """A rigid cylinder, its mass spread evenly about its axis."""

    length: PositiveLength
    radius: PositiveLength
    mass: Mass
    buoyancy_above: Length = 0.0
    """By how much its centre of buoyancy is beyond its axis in z, which rights it where the robot
    says what is down."""


class SoftJoint(Record):
    """Three springs with viscosity at the actuators; bends and stretches evenly."""

    length: PositiveLength
    radius: PositiveLength
    mass: Mass
    actuator_offset: PositiveLength
    """r_s, of the actuators from the axis."""
    actuator_area: Area
    """K of Eq 35, force over pressure of an actuator."""
    spring_area: Area
    """Of the rubber that an actuator stretches: V_s of Eq 21 over the length."""
    young: PositiveModulus | None = None
    """Of linear springs."""
    yeoh: tuple[PositiveModulus, Modulus, Modulus] | None = None
    """C_10, C_20 and C_30 of Eq 22, in place of `young`: the springs are bars of that rubber."""
    viscosity: Viscosity
    """Stress over rate of strain along the actuators."""
    made_of: str | None = None
    """A case of such a joint, whose calibrated coefficients it can take."""

    @model_validator(mode="after")
    def _one_rubber(self) -> Self:
        if (self.young is None) == (self.yeoh is None):
            raise ValueError("give a joint either young or yeoh")
        return self

    @property
    def modulus(self) -> float:
        """Young's modulus at rest (Pa)."""
        if self.yeoh is not None:
            return 6.0 * self.yeoh[0]
        assert self.young is not None
        return self.young


class Wetting(Record):
    """What the water does to the modules by strip theory; nothing to the joints (Eqs 30 to 32)."""

    added: Coefficient = 0.0
    """C_a."""
    added_surge: Coefficient = 0.0
    """alpha, the share of it along the axis."""
    cross_flow: Coefficient = 0.0
    """Drag coefficient over the diameter of what is quadratic across the axis."""
    linear: Coefficient = 0.0
    """C_d of Eq 32."""
    surge: Coefficient = 0.0
    """beta, the share of it along the axis."""
    roll: Coefficient = 0.0
    """Omega, of it about the axis."""
    speed: Speed = 0.0
    """The reference velocity of Eq 32."""


class Propeller(Record):
    """A force that goes with its module."""

    module: int = Field(ge=0, strict=True)
    """Counted from 0 at the tail."""
    at: tuple[Length, Length, Length]
    """From the middle of the module, in its axes."""
    along: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """Direction, of any length."""
    thrust: Force = 1.0
    """At a command of 1."""

    @model_validator(mode="after")
    def _directed(self) -> Self:
        if not np.linalg.norm(self.along) > 0.0:
            raise ValueError("along must be a direction")
        return self


class Stage(Record):
    """Commands that are reached in a straight line from those before, and then stay."""

    start: Time = 0.0
    ramp: PositiveTime = 1.0
    propel: tuple[float, ...]
    """u_T, of every propeller."""
    inflate: tuple[Pressure, ...]
    """u_J, gauge pressures of every actuator, three a joint."""


class Chain(Record):
    """Modules in a row with joints between them."""

    modules: int = Field(ge=2, le=64, strict=True)
    module: Module
    joint: SoftJoint
    water: Wetting = Wetting()
    propeller: tuple[Propeller, ...] = ()

    @model_validator(mode="after")
    def _placed(self) -> Self:
        for k, propeller in enumerate(self.propeller):
            if propeller.module >= self.modules:
                raise ValueError(
                    f"propeller[{k}] is on module {propeller.module}; the last is "
                    f"{self.modules - 1}"
                )
            if abs(propeller.at[0]) > 0.5 * self.module.length:
                raise ValueError(f"propeller[{k}] is beyond the end of its module")
        return self

    @property
    def pitch(self) -> float:
        """Length of a module and a joint (m)."""
        return self.module.length + self.joint.length

    @property
    def length(self) -> float:
        """Of the straight chain (m)."""
        return self.module_span(self.modules - 1)[1]

    def module_span(self, number: int) -> tuple[float, float]:
        """Return where a module begins and ends (m), counted from 0."""
        return number * self.pitch, number * self.pitch + self.module.length

    def joint_span(self, number: int) -> tuple[float, float]:
        """Return where a joint begins and ends (m), counted from 0."""
        return (number + 1) * self.pitch - self.joint.length, (number + 1) * self.pitch

    def check(self, stages: tuple[Stage, ...]) -> str | None:
        """Return what is wrong with the stages of a motion."""
        if not stages:
            return "has no stage"
        for stage in stages:
            for name, given, wanted in (
                ("propel", len(stage.propel), len(self.propeller)),
                ("inflate", len(stage.inflate), 3 * (self.modules - 1)),
            ):
                if given != wanted:
                    return f"{name} has {given} commands for {wanted}"
        for one, two in pairwise(stages):
            if two.start < one.start + one.ramp:
                return "a stage begins before the ramp of the one before has ended"
        return None


def commands(stages: tuple[Stage, ...], time: float) -> tuple[list[float], list[float]]:
    """Return u_T and u_J (Pa) at a time; all is off before the first stage."""
    propel, inflate = [0.0] * len(stages[0].propel), [0.0] * len(stages[0].inflate)
    for stage in stages:
        share = min(max((time - stage.start) / stage.ramp, 0.0), 1.0)
        propel = [a + share * (b - a) for a, b in zip(propel, stage.propel, strict=True)]
        inflate = [a + share * (b - a) for a, b in zip(inflate, stage.inflate, strict=True)]
    return propel, inflate
