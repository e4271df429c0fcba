"""A robot that reaches as pure data: arms of constant curvature on a body, and legs that carry it.

The axes are those of the body, z up; every arm runs along the first axis of its place. What it does
is kinematics: poses, paths of a tip, a stroke through water.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Discriminator, Field, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import (
    Angle,
    Coefficient,
    Density,
    Length,
    Mass,
    NonNegativeLength,
    PositiveAngle,
    PositiveFrequency,
    PositiveLength,
    PositiveModulus,
    Unit,
)
from loligo.cases.robot.place import Pose


class _Arm(Record):
    place: Pose = Pose()
    radius: PositiveLength
    """At the base, of what moves through the water."""
    made_of: str | None = None
    """A case of such a body, whose calibrated coefficients can take the place of the lengths."""


class OppositeBending(_Arm):
    """Gong 2018: two segments that bend against each other, and one that lengthens."""

    kind: Literal["opposite_bending"] = "opposite_bending"
    chamber_length: PositiveLength
    elongation_length: PositiveLength
    chamber_offset: PositiveLength
    chamber_stroke: PositiveLength
    elongation_stroke: PositiveLength
    pressure: PositiveModulus | None = None
    """Largest one of the chambers, where coefficients tell their lengths."""


class ThreeSegments(_Arm):
    """Liu 2020: two segments that bend against each other, and a third for the attitude."""

    kind: Literal["three_segments"] = "three_segments"
    chamber_length: PositiveLength
    chamber_stroke: PositiveLength
    chamber_offset: PositiveLength
    pressure: PositiveModulus | None = None
    """Largest one of the chambers, where coefficients tell their lengths."""


class Segments(_Arm):
    """Emet 2023: tendon-driven segments, each one arc that may shorten a little."""

    kind: Literal["segments"] = "segments"
    segments: int = Field(ge=1, le=8, strict=True)
    length: PositiveLength
    """Of each."""
    shortening: NonNegativeLength
    """By how much each can."""
    bend: PositiveAngle
    """How far each can."""


Arm = Annotated[OppositeBending | ThreeSegments | Segments, Discriminator("kind")]


class Legs(Record):
    """Equal legs of three joints whose feet stay where they are (Liu 2020 Eqs 1a and 1b)."""

    coxa: PositiveLength
    offset: NonNegativeLength
    femur: PositiveLength
    tibia: PositiveLength
    hips: tuple[tuple[Length, Length], ...] = Field(min_length=3)
    """Places of the coxa shafts on the body; the legs point away from its middle."""
    stance: PositiveLength
    """From the coxa shafts out to the feet, as it stands."""
    height: PositiveLength
    """Of the coxa shafts above the feet, as it stands."""


class Bend(Record):
    """An arc: its bend, its azimuth from the second axis to the third, by how much it shortens."""

    theta: Angle
    phi: Angle = 0.0
    shortening: NonNegativeLength = 0.0


class Path(Record):
    """What a tip shall follow, from point to point in the axes of the body."""

    arm: str
    start: tuple[Length, Length, Length]
    end: tuple[Length, Length, Length]
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """That it turns about."""
    turn: Angle = 0.0
    """By which it does; 0 is the straight line."""
    speed: Annotated[float, Field(gt=0), Unit("m/s", "speed", "50 mm/s")]
    """Of the tip along it."""


class Stroke(Record):
    """A tip that goes to and fro as a sine, the elongation at rest; what the arm's base feels."""

    arm: str
    amplitude: PositiveLength
    """To either side."""
    frequency: PositiveFrequency
    azimuth: Angle
    """From the arm's second axis to its third."""
    mass: Mass
    """Of the arm."""
    water: Density
    drag: Coefficient
    """C_d over the diameter, across the arm."""
    added: Coefficient
    """C_a, likewise."""
    passive: NonNegativeLength = 0.0
    """What hangs straight on the tip: a gripper."""


class Reacher(Record):
    """A robot that reaches."""

    kind: Literal["reaching"] = "reaching"
    name: str
    title: str
    source: str
    assumptions: tuple[str, ...] = ()
    arm: dict[str, Arm] = Field(min_length=1)
    legs: Legs | None = None
    pose: dict[str, dict[str, tuple[Bend, ...]]] = Field(default_factory=dict)
    """Bends of every segment, of arms of the kind "segments"."""
    path: dict[str, Path] = Field(default_factory=dict)
    stroke: dict[str, Stroke] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _knows_its_pressures(self) -> Self:
        for name, arm in self.arm.items():
            if not isinstance(arm, Segments) and arm.made_of and arm.pressure is None:
                raise ValueError(f"arm.{name}: with made_of give the largest pressure")
        return self

    @model_validator(mode="after")
    def _knows_its_arms(self) -> Self:
        for pose, arms in self.pose.items():
            for name, bends in arms.items():
                self._check_bends(f"pose.{pose}.{name}", name, bends)
        for kind, wanted, found in (
            ("path", (OppositeBending, ThreeSegments), self.path),
            ("stroke", (OppositeBending,), self.stroke),
        ):
            for name, one in found.items():
                if not isinstance(self.arm.get(one.arm), wanted):
                    raise ValueError(f'{kind}.{name}: the arm "{one.arm}" is none that can do it')
        for name, path in self.path.items():
            if not np.linalg.norm(path.axis) > 0.0 or not abs(path.turn) < 2.0 * np.pi:
                raise ValueError(f"path.{name}: its axis has no direction, or it turns too far")
        return self

    def _check_bends(self, key: str, name: str, bends: tuple[Bend, ...]) -> None:
        arm = self.arm.get(name)
        if not isinstance(arm, Segments):
            raise ValueError(f"{key}: there is no such arm of segments")
        if len(bends) != arm.segments:
            raise ValueError(f"{key} has {len(bends)} bends for {arm.segments} segments")
        for bend in bends:
            if abs(bend.theta) > arm.bend or bend.shortening > arm.shortening:
                raise ValueError(f"{key}: a segment cannot bend or shorten so far")
