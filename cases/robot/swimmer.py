"""A swimming robot as pure data: rigid parts, arms, mantles and a chain on one root, their drives.

The axes are those of the root; every part of the robot is placed by the frame of its centre, every
arm and mantle by that of its base, whose first axis is the way it runs. A robot file is written
like a case file, and read with the same complaints.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Discriminator, Field, model_validator

from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.case_file import CaseError, tables, validated
from loligo.cases.core.record import BadInput, Record
from loligo.cases.core.units import (
    Area,
    Coefficient,
    Density,
    Length,
    Mass,
    Moment,
    PositiveForce,
    PositiveLength,
    PositiveLineTension,
    PositiveModulus,
    PositiveVolume,
    Unit,
    Viscosity,
)
from loligo.cases.load.history import Table
from loligo.cases.robot.chain import Chain, Stage
from loligo.cases.robot.place import Pose
from loligo.cases.robot.reaching import Reacher

Instant = Annotated[float, Field(ge=0), Unit("s", "time", "1 s")]
Duration = Annotated[float, Field(gt=0), Unit("s", "time", "5 ms")]
Pulsation = Annotated[float, Field(gt=0), Unit("Hz", "frequency", "1.51 Hz")]
Poisson = Annotated[float, Field(ge=0, le=0.5)]
Factor = Annotated[float, Field(gt=0)]


def _directed(way: tuple[float, float, float]) -> tuple[float, float, float]:
    if not 0.0 < np.linalg.norm(way) < np.inf:
        raise ValueError("must be a direction, as (0, 0, -1)")
    return way


class _Placed(Record):
    place: Pose = Pose()
    """Of a part's centre of mass; of the base of a limb or bell, whose first axis it follows."""
    copies: int = Field(1, ge=1, le=64, strict=True)
    """How many there are, evenly around an axis of the root; the place is that of the first."""
    around: Literal["x", "y", "z"] = "x"
    """The axis that copies are around."""


class _Solid(_Placed):
    mass: Mass
    length: PositiveLength
    added: Coefficient = 0.0
    """B_r of Renda 2018 Eq 21, water that moves along over the own mass."""
    displaced: PositiveVolume | None = None
    """Of water, at the centre of mass; by default the own volume. It counts with `down` alone."""

    @property
    def volume(self) -> float:
        """Of the water that it displaces (m^3)."""
        return self._own_volume if self.displaced is None else self.displaced

    @property
    def _own_volume(self) -> float:
        raise NotImplementedError


class Cone(_Solid):
    """A solid cone; its place is the centre of mass, its first axis runs from the base to the tip.

    The centre of mass is a quarter of the length from the base.
    """

    kind: Literal["cone"] = "cone"
    radius: PositiveLength
    """Of the base."""

    @property
    def _own_volume(self) -> float:
        return np.pi * self.radius**2 * self.length / 3.0


class BarPart(_Solid):
    """A solid bar of square section along its first axis; its place is the centre of mass."""

    kind: Literal["bar"] = "bar"
    thickness: PositiveLength

    @property
    def _own_volume(self) -> float:
        return self.thickness**2 * self.length


class Drag(_Placed):
    """Drag on the root, -rho C_r |v| v/2 with the velocity v of this place; no mass."""

    kind: Literal["drag"] = "drag"
    area: Area
    """C_r, drag coefficient times area (Renda 2018 Eq 20)."""


Part = Annotated[Cone | BarPart | Drag, Discriminator("kind")]


class Curl(Record):
    """A torque that recruits an arm from base to tip, and lets go at once (Renda 2018 Eq 25).

    After a share s of the recruiting time the section at X carries the moment times 1 - X/(s L).
    """

    moment: tuple[Moment, Moment]
    """About the second and the third axis of the sections, at the base of the arm."""
    start: Instant
    recruit: Duration
    """Time until the whole arm is recruited, which ends the torque."""


FACTORS = {
    "bending_stiffness": "bending",
    "bending_taper": "bending_taper",
    "stretch_stiffness": "stretch",
    "stretch_taper": "stretch_taper",
    "torsion_stiffness": "torsion",
    "torsion_taper": "torsion_taper",
    "shear_stiffness": "shear",
}
"""The factor of a limb by the name of its coefficient."""


class Factors(Record):
    """Factors on a limb's section stiffness over that of its radius and moduli."""

    bending: Factor = 1.0
    """Halfway along."""
    bending_taper: Factor = 1.0
    """That factor at the tip over the one at the base, geometric in between."""
    stretch: Factor = 1.0
    stretch_taper: Factor = 1.0
    torsion: Factor = 1.0
    torsion_taper: Factor = 1.0
    shear: Factor = 1.0

    @property
    def values(self) -> dict[str, float]:
        """Factors by the name of their coefficient."""
        return {name: getattr(self, field) for name, field in FACTORS.items()}


class Limb(_Placed):
    """A soft arm as a Cosserat rod with linear, viscous sections."""

    body: TaperedArm
    young: PositiveModulus
    poisson: Poisson
    """Of the shear modulus alone: sections keep their area."""
    shear_factor: Annotated[float, Field(gt=0, le=1)] | None = None
    """k of the shear stiffness k G A; by default Cowper's 6 (1 + nu)/(7 + 6 nu). Renda has 1."""
    viscosity: Viscosity
    """In shear; three times that in bending and stretch."""
    density: Density
    drag: tuple[Coefficient, Coefficient, Coefficient] = (0.0, 0.0, 0.0)
    """C of Renda 2018 Eq 11, in the axes of the sections."""
    added: tuple[Coefficient, Coefficient, Coefficient] = (0.0, 0.0, 0.0)
    """B of Eq 13, likewise."""
    degree: int = Field(3, ge=0, le=8, strict=True)
    """Of the polynomials of the six strains."""
    curl: tuple[Curl, ...] = ()
    factor: Factors = Factors()

    @model_validator(mode="after")
    def _solid(self) -> Self:
        """Refuse parts of a case's arm that a robot has no masses for."""
        for part in ("bore_radius", "base_disc", "tip_disc"):
            if getattr(self.body, part) > 0.0:
                raise ValueError(f"body.{part}: a robot's arm is solid rubber; leave it out")
        return self


class Pulse(Record):
    """What squeezes a mantle: a tension in its wall, or cables around it."""

    tension: PositiveLineTension | None = None
    """Largest hoop tension of the wall (Renda 2018 Eq 7)."""
    cable: PositiveForce | None = None
    """Largest sum of the cables' tensions, spread evenly over the area that they are around, in
    place of `tension` (section 6.1)."""
    frequency: Pulsation | None = None
    """Of pulses up and down in straight lines."""
    history: Table | None = None
    """Factor on the tension over time, as measured, in place of `frequency`."""
    band: tuple[Length, Length] | None = None
    """From X to X along the meridian; all of it if left out."""

    @model_validator(mode="after")
    def _told_once(self) -> Self:
        for one, other in (("tension", "cable"), ("frequency", "history")):
            if (getattr(self, one) is None) == (getattr(self, other) is None):
                raise ValueError(f"give a pulse either {one} or {other}")
        return self


class Bell(_Placed):
    """A mantle as a shell of revolution."""

    body: Mantle
    law: Literal["eq7", "rubber"] = "eq7"
    """The viscous wall of Renda 2018 Eq 7, or neo-Hookean rubber of Young's modulus `young`."""
    wall_bending: Factor = 1.0
    """On the wall's stiffness in bending."""
    young: PositiveModulus
    poisson: Poisson
    viscosity: Viscosity
    density: Density
    """Of the wall with all that it carries."""
    added: Coefficient = 0.0
    """B_s, water that moves with the wall over the wall's own mass."""
    drag: Coefficient = 0.0
    """C_d of Eq 12."""
    outflow: Area
    """Of the nozzle, while the mantle contracts."""
    inflow: Area
    """Of all that lets water in, while it widens."""
    loss: float = Field(1.0, gt=0)
    """C_f of Eq 15."""
    element: PositiveLength = 0.012
    """Longest element along the meridian."""
    pulse: Pulse | None = None


_STEPS = 1_000_000
"""More steps than this are a misprint, which nobody would see the end of."""
_ELEMENTS = 1000
"""Likewise of elements along the radius of a mantle."""
_WHOLE = 1e-6
"""By how much the end over the time between outputs may miss a whole number."""


class Course(Record):
    """How long a robot swims, how often it is seen, and in which steps it is solved."""

    end: Duration
    every: Duration
    """Between two outputs; the end is a whole number of these."""
    step: Duration
    """Of the implicit scheme: about a hundredth of a pulse."""


class Robot(Record):
    """A robot in still water, from rest; its axes are then those of the world."""

    kind: Literal["swimming"] = "swimming"
    name: str
    title: str
    source: str
    assumptions: tuple[str, ...] = ()
    length: PositiveLength
    """What the turning radius is measured by."""
    water: Density
    """Density of the water."""
    down: Annotated[tuple[float, float, float], AfterValidator(_directed)] | None = None
    """Where gravity points, a direction of any length; without it every part is trimmed, as if it
    weighed what it displaces."""
    guided: bool = False
    """Whether only the motion along the root's x is free."""
    course: Course
    part: dict[str, Part] = Field(default_factory=dict)
    limb: dict[str, Limb] = Field(default_factory=dict)
    bell: dict[str, Bell] = Field(default_factory=dict)
    chain: Chain | None = None
    """Modules and joints in a row, its tail the root."""
    motion: dict[str, Annotated[tuple[Stage, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """What the chain can be told to do; the first is done if nothing is said."""

    @model_validator(mode="after")
    def _has_mass(self) -> Self:
        bodies = self.limb or self.bell or self.chain
        if not (bodies or any(p.kind != "drag" for p in self.part.values())):
            raise ValueError("a robot needs a part with a mass, a limb, a bell or a chain")
        if self.course.every > self.course.end:
            raise ValueError("course.every must not be longer than course.end")
        if abs(self.course.end / self.course.every % 1.0 - 0.5) < 0.5 - _WHOLE:
            raise ValueError("course.end must be a whole number of times course.every")
        if self.course.end > _STEPS * self.course.step:
            raise ValueError(
                f"course.end is more than {_STEPS} times course.step: lengthen the step"
            )
        for name, bell in self.bell.items():
            if bell.body.radius > _ELEMENTS * bell.element:
                raise ValueError(f"bell.{name}.element is too short: at most {_ELEMENTS} a radius")
        return self

    @model_validator(mode="after")
    def _can_do_its_motions(self) -> Self:
        if self.chain is None and self.motion:
            raise ValueError("a motion tells a chain what to do; there is none")
        if self.chain is not None and not self.motion:
            raise ValueError("a chain needs a motion")
        for name, stages in self.motion.items():
            wrong = None if self.chain is None else self.chain.check(stages)
            if wrong is not None:
                raise ValueError(f"motion.{name} {wrong}")
        return self

    def told(self, motion: str | None) -> Robot:
        """Return the robot with one motion alone, by default its first.

        Raises:
            BadInput: if it has no such motion.
        """
        if motion is None:
            motion = next(iter(self.motion), None)
        elif motion not in self.motion:
            known = ", ".join(self.motion) or "none"
            raise BadInput(f'{self.name} has no motion "{motion}"; it has {known}')
        kept = {} if motion is None else {motion: self.motion[motion]}
        return self.model_copy(update={"motion": kept})

    def lasting(self, end: float | None, step: float | None) -> Robot:
        """Return the robot with another end or step (s) of its course, where one is given.

        Raises:
            BadInput: if that makes no course.
        """
        given = {"end": end, "step": step}
        changed = {name: value for name, value in given.items() if value is not None}
        data = self.model_dump(mode="json", exclude_none=True)
        for name, value in changed.items():
            data["course"][name] = f"{value} s"
        return validated(Robot, data, Path(self.name)) if changed else self


def robot_names() -> list[str]:
    """Return the names of the robots that loligo brings along."""
    return sorted(path.stem for path in _library().glob("*.toml"))


def load_any(name_or_path: str) -> Robot | Reacher:
    """Find a robot that swims or reaches in the library or by its path, and read it.

    Raises:
        CaseError: with everything that is wrong with the file.
    """
    path = Path(name_or_path)
    if path.suffix.lower() != ".toml":
        if name_or_path not in robot_names():
            known = ", ".join(robot_names())
            raise CaseError(name_or_path, [("", f"is neither a .toml file nor a robot: {known}")])
        path = _library() / f"{name_or_path}.toml"
    if not re.fullmatch(r"\w[\w-]*", path.stem):
        raise CaseError(path, [("", "its name may hold letters, digits, _ and - only")])
    data = tables(path)
    if "name" in data:
        raise CaseError(path, [("name", "unknown key; a robot is named after its file")])
    named = {"name": path.stem, **data}
    if data.get("kind") == "reaching":
        return validated(Reacher, named, path)
    return validated(Robot, named, path)


def load_robot(name_or_path: str) -> Robot:
    """Read a robot that swims, see `load_any`."""
    robot = load_any(name_or_path)
    if not isinstance(robot, Robot):
        raise BadInput(f"{robot.name} reaches, but does not swim")
    return robot


def load_reacher(name_or_path: str) -> Reacher:
    """Read a robot that reaches, see `load_any`."""
    robot = load_any(name_or_path)
    if not isinstance(robot, Reacher):
        raise BadInput(f"{robot.name} swims; its kind is not reaching")
    return robot


def _library() -> Path:
    return Path(str(resources.files("loligo.cases"))) / "robots"
