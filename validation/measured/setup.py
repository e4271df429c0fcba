"""What the files of an experiment do not say, as one record; a TOML file of it can be published."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import (
    Angle,
    Length,
    NonNegativeLength,
    PositiveTime,
    Time,
)
from loligo.cases.markers import Distance, Marker, MarkerName

Span = tuple[Time, Time]
SENSORS = ("marker", "angle", "distance", "pressure", "volume", "tension", "force", "moment")
Axis = Annotated[str, Field(pattern=r"^[+-]?[xyz]$")]


class Take(Record):
    """One recording: a file, when the body rested in it, and when it was held under which load."""

    file: str
    rest: Span | None = None
    """When the body was at rest; by default that of the setup."""
    holds: tuple[Span, ...] = ()
    """When it stood still under load; by default they are found."""
    load: dict[str, tuple[str, ...] | str] = Field(default_factory=dict)
    """Magnitude of the case's loads with their unit: one for all holds, or one for each."""


class Uncertainty(Record):
    """Half-widths of 95 % intervals that no recording shows."""

    sensor: dict[Literal[SENSORS], str] = Field(default_factory=dict)  # type: ignore[valid-type]
    """Of each kind of sensor, with its unit: calibration, not noise."""
    placement: tuple[NonNegativeLength, NonNegativeLength, NonNegativeLength] = (0.0, 0.0, 0.0)
    """How well the markers' places on the body are known, along the body's x, y and z."""
    alignment: Annotated[Angle, Field(ge=0.0)] = 0.0
    """How well the laboratory's axes are those of `axes`."""


class Setup(Record):
    """How an experiment was set up."""

    source: str = Field(min_length=1)
    """Who measured it, where it is published."""
    units: dict[str, str] = Field(default_factory=dict)
    """Unit of columns that state none, by dimension: length, angle, pressure, volume, force."""
    columns: tuple[str, ...] = ()
    """Headings of the columns of a MATLAB matrix, "time [s]"; "-" leaves one out."""
    rename: dict[str, str] = Field(default_factory=dict)
    """Names to take in place of the files'; that of a marker stands for its three columns."""
    marker: dict[MarkerName, Marker] = Field(default_factory=dict)
    """Where the markers sit at rest, beside those of the case."""
    distance: dict[MarkerName, Distance] = Field(default_factory=dict)
    """Distances to be taken between markers, beside those of the case."""
    leave_out: tuple[str, ...] = ()
    """Markers of the files that are not wanted."""
    axes: tuple[Axis, Axis, Axis] | None = None
    """The body's x, y and z as axes of the laboratory, "-z" for example, in place of finding them
    from three markers whose places are known."""
    rest: Span | None = None
    """When the body was at rest; by default the first hold that is found."""
    take: tuple[Take, ...] = ()
    """The recordings; by default the files that the command names."""
    tare: tuple[str, ...] = ()
    """Columns whose value at rest is taken off: load cells, absolute pressures."""
    load_cell: Literal["base", "tip"] = "base"
    """Where the forces and moments act on the body."""
    same_load: float = Field(1e-3, ge=0.0, lt=0.5)
    """Holds whose loads differ by less, over the largest, are repeats of one."""
    shortest_hold: PositiveTime = 0.5
    """No shorter time of standing still is a hold."""
    steadiness: float = Field(0.01, gt=0.0, lt=0.5)
    """How far anything may drift in that time, over its whole range, and stand still."""
    motion: bool = False
    """Whether the recording is kept as a motion, not distilled to holds."""
    every: PositiveTime | None = None
    """Of a motion, the time between two reported states; by default every sample."""
    largest_residual: Length = 0.0
    """Registration residual (m) that is accepted; by default 5 % of the markers' spread."""
    uncertainty: Uncertainty = Uncertainty()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.axes is not None and len({axis[-1] for axis in self.axes}) < 3:
            raise ValueError("axes must name each of the laboratory's x, y and z once")
        spans = [self.rest, *(t.rest for t in self.take), *(h for t in self.take for h in t.holds)]
        for span in spans:
            if span is not None and span[1] <= span[0]:
                raise ValueError(f"a span ends before it begins: {span[0]:g} s to {span[1]:g} s")
        return self
