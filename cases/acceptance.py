"""How good a reduced model must be, for what: written into the case before anything is compared."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Strict

from loligo.cases.core.record import Record
from loligo.cases.core.units import PositiveAngle

Share = Annotated[float, Field(gt=0.0, le=10.0), Strict()]


class Acceptance(Record):
    """Largest errors at any reported step with which the reduced model serves its purpose.

    Levels are shares of the scale that `docs/metrics.md` gives for each metric, but for attitude
    and phase, which are angles. A level is met if error and error bar together stay below it.
    """

    purpose: str
    """What the reduced model is to be used for."""
    tip_position: Share | None = None
    """Of the length."""
    tip_attitude: PositiveAngle | None = None
    centreline_l2: Share | None = None
    """Of the length."""
    centreline_max: Share | None = None
    """Of the length."""
    bend_angle: Share | None = None
    """Of the reference's bend."""
    chamber_length: Share | None = None
    """Of the longest chamber."""
    volume: Share | None = None
    """Of the largest cavity."""
    profile_max: Share | None = None
    """Of the meridian's length."""
    rim_radius: Share | None = None
    """Of the reference's radius at the rim."""
    blocked_force: Share | None = None
    """Of the reference's force on the tip."""

    end_path: Share | None = None
    """Of a motion: of the length, or the meridian's."""
    ring_frequency: Share | None = None
    """Of the reference's frequency."""
    log_decrement: Share | None = None
    """Of the reference's decrement."""
    rise_time: Share | None = None
    """Of the reference's rise."""
    overshoot: Share | None = None
    """Of the reference's overshoot."""
    settling_time: Share | None = None
    """Of the reference's time."""
    stroke_amplitude: Share | None = None
    """Of the reference's amplitude."""
    force_amplitude: Share | None = None
    """Of the reference's amplitude."""
    stroke_phase: PositiveAngle | None = None
    """Behind or before the reference."""
    loop_area: Share | None = None
    """Of the reference's work in a cycle."""

    @property
    def levels(self) -> dict[str, float]:
        """Level of every metric that has one."""
        given = self.model_dump(exclude={"purpose"}, exclude_none=True)
        return {name: float(level) for name, level in given.items()}
