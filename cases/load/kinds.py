"""What acts on a body: one record per kind of load, each with its full magnitude.

A load's magnitude is multiplied at every reported step by the case's ``steps``, or by the load's
own ``path``; in a motion by the load's ``history``, or by 1. Forces and moments are given in the
axes of the rest configuration.

Weight, water, an outer pressure, a base motion and a current act once in a case. A cavity is driven
by one load alone. Tensions of one tendon by several loads add up, as do forces and moments at the
tip, hoop tensions and recruited torques.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple, Self, assert_never

from pydantic import Field, PositiveInt, Strict, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import (
    Compliance,
    Force,
    Length,
    LineTension,
    Moment,
    NonNegativeLength,
    Pressure,
    Velocity,
    Volume,
)
from loligo.cases.load.history import Factor, History


class _Load(Record):
    """What every load has."""

    path: tuple[Factor, ...] | None = None
    """Factor at each reported step, in place of the case's steps."""
    history: History | None = None
    """In a motion, the factor as a function of the time."""


class Weight(_Load):
    """The body's weight along the case's gravity; rigid discs weigh like the rubber of `body`.

    It is ramped with the other loads by `steps` unless it has a `path` of its own.
    """

    kind: Literal["weight"] = "weight"


class Water(_Load):
    """Depth-dependent water pressure, a follower load; its resultant is buoyancy.

    It reaches an open bore as well. Cavity pressures are relative to it, so that a cavity displaces
    nothing: the buoyancy is that of the solid, rigid discs included.
    """

    kind: Literal["water"] = "water"


class TipForce(_Load):
    """A force on the tip disc, at the centre of its inner face, where the soft part ends."""

    kind: Literal["tip_force"] = "tip_force"
    force: tuple[Force, Force, Force]
    offset: tuple[Length, Length, Length] = (0.0, 0.0, 0.0)
    """From that centre to where the force acts, at rest; the point moves with the disc."""
    follower: bool = False
    """Whether the force turns with the disc; otherwise its direction is fixed in space."""


class TipMoment(_Load):
    """A moment on the tip disc, about the centre of its inner face."""

    kind: Literal["tip_moment"] = "tip_moment"
    moment: tuple[Moment, Moment, Moment]
    follower: bool = False
    """Whether the moment turns with the disc; otherwise its direction is fixed in space."""


class CavityPressure(_Load):
    """Gauge pressure in cavities, relative to the outer water there; positive inflates."""

    kind: Literal["pressure"] = "pressure"
    cavities: tuple[str, ...] = Field(min_length=1)
    pressure: Pressure


class Supply(_Load):
    """A volume that is pumped into each of some cavities, through a line that may yield.

    What is pumped in goes into the cavity's growth or is swallowed by the line: volume = V - V_rest
    + compliance p, with p the gauge pressure that is found. Without compliance the volume is
    prescribed, as by an incompressible fluid in a rigid line.
    """

    kind: Literal["supply"] = "supply"
    cavities: tuple[str, ...] = Field(min_length=1)
    volume: Volume
    """Positive inflates."""
    compliance: Compliance = 0.0
    """Volume that the line swallows per gauge pressure, for each cavity."""


class OuterPressure(_Load):
    """Uniform pressure on the outside and in an open bore, a follower load; positive pushes inward.

    Cavities keep the pressure that is given for them: it lowers their gauge pressure. A supply's
    pressure is gauge as it is.
    """

    kind: Literal["outer_pressure"] = "outer_pressure"
    pressure: Pressure


class TendonTension(_Load):
    """Tension of frictionless tendons, anchored at the tip disc's inner face, pulled at the base.

    They run straight through the body at rest and leave it through its base face.
    """

    kind: Literal["tendon"] = "tendon"
    tendons: tuple[Annotated[PositiveInt, Strict()], ...] = Field(min_length=1)
    """Numbers of the tendons, from 1."""
    tension: Annotated[Force, Field(ge=0)]


class TendonShortening(_Load):
    """How much of frictionless tendons is wound up; their tension is found.

    They run like those under a given tension.
    """

    kind: Literal["shortening"] = "shortening"
    tendons: tuple[Annotated[PositiveInt, Strict()], ...] = Field(min_length=1)
    """Numbers of the tendons, from 1."""
    shortening: NonNegativeLength


class HoopTension(_Load):
    """Active hoop tension in a mantle's wall.

    Its energy is T (hoop stretch) per reference length of meridian and azimuth. On the round
    branch it equals a radial dead load T/r* inward per reference area (Renda 2018, Eq 7 and 24).
    """

    kind: Literal["hoop_tension"] = "hoop_tension"
    tension: LineTension
    band: tuple[NonNegativeLength, NonNegativeLength] | None = None
    """Arc lengths of the meridian between which it acts; the whole meridian if absent."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.band is not None and self.band[0] >= self.band[1]:
            raise ValueError("band must be [from, to] with from < to")
        return self


class RecruitedTorque(_Load):
    """Active bending moment that falls linearly from the base to the end of the recruited length.

    m(X) = moment (1 - X / X_r) up to X_r = recruited L (Renda 2018, Eq 25 at t = recruited dt), X
    from where the soft part begins; a free arm takes the curvature m/EI. In the solid it is the
    active axial stress S = (m_z y - m_y z)/I over the section, tension positive, added to that of
    the rubber: the muscle on the inner side of the bend pulls.
    """

    kind: Literal["recruited_torque"] = "recruited_torque"
    moment: tuple[Moment, Moment]
    """Components about the section's y and z axes at the base."""
    recruited: float = Field(1.0, gt=0.0, le=1.0)
    spreads: bool = False
    """In a motion, whether the history is that of the recruited length under a constant moment."""


class BaseMotion(_Load):
    """The base moves along a direction, in a motion; its reaction drives the body."""

    kind: Literal["base_motion"] = "base_motion"
    displacement: tuple[Length, Length, Length]


class Current(_Load):
    """Water that flows, everywhere alike, past an arm with strips or along a mantle, in a motion.

    Drag and added mass go by velocity and acceleration of the body relative to it. The pressure
    that accelerates it pushes the solid along as buoyancy does, rho_w V dU/dt (Froude and Krylov).
    Until 0 s it flows steadily.
    """

    kind: Literal["current"] = "current"
    velocity: tuple[Velocity, Velocity, Velocity]


Load = Annotated[
    Weight
    | Water
    | TipForce
    | TipMoment
    | CavityPressure
    | Supply
    | OuterPressure
    | TendonTension
    | TendonShortening
    | HoopTension
    | RecruitedTorque
    | BaseMotion
    | Current,
    Field(discriminator="kind"),
]


class Nature(NamedTuple):
    """What a load is, for code that need not know its kind."""

    unit: str
    size: float
    """Magnitude at a factor of 1: of a vector its length. Of a weight per acceleration of gravity,
    of water per gravity and density: 1."""
    rung: Literal[
        "", "tip force", "tip moment", "outer pressure", "active muscle", "driven", "motion"
    ]
    """Where it stands on the ladder of loads: nowhere on its own, by itself, or by how many of the
    chambers or tendons are driven."""
    borne: Literal["", "weight", "force", "moment", "pressure"] = ""
    """By what the body bears it, so that its size can be judged."""
    potential: bool = True
    """Whether its work depends on where the body is alone, not on its way there. Pressure has a
    potential on closed surfaces only, which is a matter of the body."""
    cavities: tuple[str, ...] = ()
    """That it drives."""
    tendons: tuple[int, ...] = ()


def nature(load: Load) -> Nature:
    """Return what a load is."""
    match load:
        case Weight():
            return Nature("m/s^2", 1.0, "", "weight")
        case Water():
            return Nature("Pa/m", 1.0, "")
        case TipForce():
            size, dead = math.hypot(*load.force), not load.follower
            return Nature("N", size, "tip force", "force", dead)
        case TipMoment():  # about an axis that stays, or that follows: neither has a potential
            size = math.hypot(*load.moment)
            return Nature("N m", size, "tip moment", "moment", potential=False)
        case CavityPressure():
            return Nature("Pa", load.pressure, "driven", "pressure", cavities=load.cavities)
        case Supply():
            return Nature("m^3", load.volume, "driven", cavities=load.cavities)
        case OuterPressure():
            return Nature("Pa", load.pressure, "outer pressure")
        case TendonTension():
            return Nature("N", load.tension, "driven", "force", tendons=load.tendons)
        case TendonShortening():
            return Nature("m", load.shortening, "driven", tendons=load.tendons)
        case HoopTension():
            return Nature("N/m", load.tension, "active muscle")
        case RecruitedTorque(spreads=True):
            return Nature("1", load.recruited, "active muscle")
        case RecruitedTorque():
            return Nature("N m", math.hypot(*load.moment), "active muscle")
        case BaseMotion():
            return Nature("m", math.hypot(*load.displacement), "motion")
        case Current():
            return Nature("m/s", math.hypot(*load.velocity), "motion")
        case unknown:
            assert_never(unknown)
