"""The water around a body, and what of it moves with the body. Its laws: `loligo.cases.fluid`."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import Area, Coefficient, Density, NonNegativeLength


class Strip(Record):
    """Water that an arm drags through and moves along, by strip theory, in a motion.

    Every section feels what a long cylinder of its outer radius would, by the mean velocity and
    acceleration of the section, in its own axes: along the arm, and twice across it.
    """

    drag: tuple[Coefficient, Coefficient, Coefficient] = (0.0, 0.0, 0.0)
    """C of Renda 2018 Eq 11; across, it is the usual drag coefficient of the diameter."""
    added: tuple[Coefficient, Coefficient, Coefficient] = (0.0, 0.0, 0.0)
    """B of Renda 2018 Eq 13: mass that moves along, over that of the water in a section's place."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in ("drag", "added"):
            _, one, other = getattr(self, name)
            if one != other:
                raise ValueError(
                    f"the sections of an arm are round: the last two numbers of {name} must be "
                    f"equal, not {one} and {other}"
                )
        return self


class Nozzle(Record):
    """Water that a mantle draws in and expels along its axis, in a motion (Renda 2018, Eq 15)."""

    outflow: Area
    """A_no, of the nozzle for what is expelled."""
    inflow: Area
    """A_ni, of the openings for what is drawn in."""
    loss: float = Field(1.0, gt=0.0)
    """C_f."""


class Wall(Record):
    """Water that moves along with a mantle's wall, in a motion (Renda 2018, Eq 14)."""

    added: Coefficient
    """B_s, its mass over the wall's own; the paper has 1.1."""


class Hull(Record):
    """Water that drags a mantle along its axis, in a motion (Renda 2018, Eq 12).

    By the velocity of the cap in the water and the cross-section of the widest ring, spread evenly
    over the wall.
    """

    drag: Coefficient
    """C_d, of that cross-section; the paper has 1.7."""


class Surroundings(Record):
    """The water around the body."""

    density: Density = 1000.0
    base_depth: NonNegativeLength
    """Depth of the base's centre below the surface."""
    strip: Strip | None = None
    """What of it moves with an arm; without it the water only presses."""
    nozzle: Nozzle | None = None
    """What of it a mantle draws in and expels."""
    wall: Wall | None = None
    """What of it moves with a mantle's wall."""
    hull: Hull | None = None
    """What of it drags a mantle; it has a nozzle, too."""
