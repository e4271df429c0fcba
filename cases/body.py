"""The bodies that can be studied, as pure data.

Every body rests along +x with its base face in the plane x = 0 (the mantle: the rim of its
mid-surface). Rigid discs and plates are part of the body and count in x. Azimuth is measured from
+y towards +z about +x; chamber or tendon j of n sits at 90 deg + 360 deg (j - 1)/n (plus the
segment's turn). Volumes, areas and section properties are in :mod:`loligo.meshes.bodies`.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from loligo.cases.core.record import Record, beside
from loligo.cases.core.units import Angle, Length, NonNegativeLength, PositiveLength

MAX_STATIONS = 21
"""Station planes a body may have; more would set the element size instead of following it."""


class _Body(Record):
    """What every body says of its parts; a body that has some says so itself."""

    @property
    def tendon_count(self) -> int:
        """Number of tendons."""
        return 0

    @property
    def has_winding(self) -> bool:
        """Whether it is wound with thread."""
        return False


class Tendons(Record):
    """Straight tendons from base to tip, evenly around the axis."""

    count: int = Field(ge=1, le=12, strict=True)
    base_offset: PositiveLength
    """Distance from the axis at the base of the soft part."""
    tip_offset: PositiveLength
    """Distance from the axis at the tip; smaller than at the base for converging tendons."""


class TaperedArm(_Body):
    """A truncated cone (or a cylinder), solid or with a central bore that is open at both ends."""

    kind: Literal["tapered_arm"] = "tapered_arm"
    length: PositiveLength
    """Length of the soft part."""
    base_radius: PositiveLength
    tip_radius: PositiveLength
    bore_radius: NonNegativeLength = 0.0
    base_disc: NonNegativeLength = 0.0
    """Thickness of the rigid disc below the soft part; 0 for none."""
    tip_disc: NonNegativeLength = 0.0
    """Thickness of the rigid disc that tip loads act on; 0 for none."""
    tendons: Tendons | None = None
    stations: int = Field(11, ge=2, le=MAX_STATIONS, strict=True)
    """Section planes of the soft part, its two ends included."""

    @property
    def cavities(self) -> tuple[str, ...]:
        """A bore that is open at both ends is no cavity."""
        return ()

    @property
    def discs(self) -> tuple[str, ...]:
        """Names of the rigid discs."""
        return tuple(
            name for name, h in (("base", self.base_disc), ("tip", self.tip_disc)) if h > 0.0
        )

    @property
    def tendon_count(self) -> int:
        """Number of tendons."""
        return self.tendons.count if self.tendons else 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        thinnest = min(self.base_radius, self.tip_radius)
        if self.bore_radius >= thinnest:
            raise ValueError(
                f"the bore (radius {_mm(self.bore_radius)}) breaks through the wall where the arm "
                f"is thinnest (radius {_mm(thinnest)})"
            )
        if self.tendons is not None:
            for end, offset, radius in (
                ("base", self.tendons.base_offset, self.base_radius),
                ("tip", self.tendons.tip_offset, self.tip_radius),
            ):
                if not self.bore_radius < offset < radius:
                    raise ValueError(
                        f"tendons.{end}_offset {_mm(offset)} lies outside the wall, which reaches "
                        f"from {_mm(self.bore_radius)} to {_mm(radius)} there"
                    )
        return self


class Bar(_Body):
    """A straight bar of rectangular section, between rigid discs of the same section if any."""

    kind: Literal["bar"] = "bar"
    length: PositiveLength
    """Length of the soft part."""
    width: PositiveLength
    """Extent along y."""
    height: PositiveLength
    """Extent along z."""
    base_disc: NonNegativeLength = 0.0
    """Thickness of the rigid disc below the soft part; 0 for none."""
    tip_disc: NonNegativeLength = 0.0
    """Thickness of the rigid disc that tip loads act on; 0 for none."""
    stations: int = Field(11, ge=2, le=MAX_STATIONS, strict=True)
    """Section planes of the soft part, its two ends included."""

    @property
    def cavities(self) -> tuple[str, ...]:
        """It is solid."""
        return ()

    @property
    def discs(self) -> tuple[str, ...]:
        """Names of the rigid discs."""
        return tuple(
            name for name, h in (("base", self.base_disc), ("tip", self.tip_disc)) if h > 0.0
        )


class Sleeve(Record):
    """A wound layer of finite thickness around a chamber."""

    inner_radius: PositiveLength
    outer_radius: PositiveLength


class Segment(Record):
    """A length of a chambered arm: n equal round chambers along x between two plates."""

    length: PositiveLength
    chambers: int = Field(3, ge=1, le=8, strict=True)
    chamber_radius: PositiveLength
    chamber_offset: NonNegativeLength
    """Distance of the chamber axes from the segment's axis; 0 for one central bore."""
    turn: Angle = 0.0
    """Rotation of all chambers of this segment about +x."""
    sleeve: Sleeve | None = None
    """Wound layer around every chamber, a volume of its own."""
    winding_radius: PositiveLength | None = None
    """Radius at which thread is wound around all chambers; the arm's own radius is allowed."""

    @property
    def reach(self) -> float:
        """Radius that a chamber with its sleeve takes around its own axis."""
        return self.sleeve.outer_radius if self.sleeve else self.chamber_radius

    @property
    def azimuths(self) -> tuple[float, ...]:
        """Azimuth of each chamber axis (rad)."""
        return tuple(
            math.pi / 2 + self.turn + 2 * math.pi * j / self.chambers for j in range(self.chambers)
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.sleeve is not None and not (
            self.chamber_radius < self.sleeve.inner_radius < self.sleeve.outer_radius
        ):
            raise ValueError(
                "a sleeve needs chamber_radius < sleeve.inner_radius < sleeve.outer_radius; here "
                f"{_mm(self.chamber_radius)}, {_mm(self.sleeve.inner_radius)}, "
                f"{_mm(self.sleeve.outer_radius)}"
            )
        if self.chambers > 1:
            gap = 2 * self.chamber_offset * math.sin(math.pi / self.chambers) - 2 * self.reach
            if gap <= 0.0:
                raise ValueError(
                    f"neighbouring chambers overlap by {_mm(-gap)}: move them out (chamber_offset "
                    f"{_mm(self.chamber_offset)}) or make them smaller (radius {_mm(self.reach)})"
                )
        if self.winding_radius is not None and self.chamber_offset + self.reach >= (
            self.winding_radius
        ):
            raise ValueError(
                f"the winding at radius {_mm(self.winding_radius)} cuts the chambers, which reach "
                f"out to {_mm(self.chamber_offset + self.reach)}"
            )
        return self


class ChamberedArm(_Body):
    """Segments with pressure chambers, one behind the other, between rigid plates.

    One segment is a bending or elongation segment or a hooped actuator, three chambers with sleeves
    are a soft joint, several segments are a whole arm. Cavity ``s2c1`` is chamber 1 of segment 2.
    """

    kind: Literal["chambered_arm"] = "chambered_arm"
    radius: PositiveLength
    segments: tuple[Segment, ...] = Field(min_length=1)
    plates: tuple[PositiveLength, ...]
    """Thickness of the base plate, of the connectors between segments, and of the tip plate."""
    stations: int = Field(7, ge=2, le=MAX_STATIONS, strict=True)
    """Section planes of each segment, its two ends included."""

    @property
    def cavities(self) -> tuple[str, ...]:
        """Names of the chambers, ``s<segment>c<chamber>``."""
        return tuple(
            f"s{i}c{j}"
            for i, segment in enumerate(self.segments, 1)
            for j in range(1, segment.chambers + 1)
        )

    @property
    def discs(self) -> tuple[str, ...]:
        """Names of the plates: base, the number of the segment before each connector, tip."""
        return ("base", *(str(i) for i in range(1, len(self.segments))), "tip")

    @property
    def has_winding(self) -> bool:
        """Whether a segment carries a winding or sleeves."""
        return any(s.winding_radius is not None or s.sleeve is not None for s in self.segments)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.plates) != len(self.segments) + 1:
            raise ValueError(
                f"{len(self.segments)} segment(s) need {len(self.segments) + 1} plates (base, "
                f"connectors, tip); there are {len(self.plates)}"
            )
        for i, segment in enumerate(self.segments, 1):
            wall = self.radius - segment.chamber_offset - segment.reach
            fills = segment.sleeve is not None and segment.chamber_offset == 0.0
            if wall < 0.0 or (wall == 0.0 and not fills):
                raise ValueError(
                    f"the chambers of segment {i} leave no outer wall: they reach to "
                    f"{_mm(self.radius - wall)}, the arm to {_mm(self.radius)}"
                )
            if segment.winding_radius is not None and segment.winding_radius > self.radius:
                raise ValueError(
                    f"the winding of segment {i} at radius {_mm(segment.winding_radius)} lies "
                    f"outside the arm (radius {_mm(self.radius)})"
                )
        if len(self.segments) * self.stations > MAX_STATIONS:
            raise ValueError(
                f"{len(self.segments)} segments with {self.stations} stations each are "
                f"{len(self.segments) * self.stations} planes; at most {MAX_STATIONS} are allowed"
            )
        return self


class Mantle(_Body):
    """A truncated hemisphere that runs on into a cylinder, of constant wall, open at the far rim.

    The rigid cap that closes the truncated pole is not meshed: the wall is held where it is bonded
    to the cap. The open rim is the nozzle and carries no pressure.
    """

    kind: Literal["mantle"] = "mantle"
    radius: PositiveLength
    """Radius of the mid-surface, of hemisphere and cylinder."""
    thickness: PositiveLength
    """Full wall thickness."""
    truncation: Angle = math.pi / 4
    """Angle of the meridian left of the hemisphere, from the cap's rim to the cylinder."""
    cylinder_length: PositiveLength

    @property
    def cavities(self) -> tuple[str, ...]:
        """The one open cavity."""
        return ("mantle",)

    @property
    def discs(self) -> tuple[str, ...]:
        """The rigid cap is not meshed."""
        return ()

    @property
    def meridian_length(self) -> float:
        """Arc length of the mid-surface from cap to rim (m)."""
        return self.radius * self.truncation + self.cylinder_length

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not 0.0 < self.truncation < math.pi / 2:
            raise ValueError(
                f"truncation is {math.degrees(self.truncation):.4g} deg; "
                "it must lie between 0 and 90 deg"
            )
        if self.thickness / 2 >= self.radius:
            raise ValueError(f"a wall of {_mm(self.thickness)} is thicker than the mantle is wide")
        return self


Point = tuple[Length, Length, Length]


class Solid(_Body):
    """A user's own body, from a Gmsh mesh or a STEP file, along +x from the origin at its base.

    A mesh brings its physical groups. A STEP file brings the shape; ``surfaces`` names its faces by
    points on them, and every face without a name belongs to ``outer``.
    """

    kind: Literal["solid"] = "solid"
    mesh: str | None = None
    """A .msh file beside the case, with groups as in the documentation."""
    step: str | None = None
    """A .step file beside the case."""
    file_unit: Literal["m", "cm", "mm"] | None = None
    """The length unit of a .msh file, which does not say it; a STEP file does."""
    size: PositiveLength | None = None
    """Element size at level 0, for a STEP file."""
    surfaces: dict[str, tuple[Point, ...]] = Field(default_factory=dict)
    """Face names of a STEP file: for each name, a point on every face that bears it."""
    centreline: tuple[Point, ...] = Field(min_length=2)
    """Corners of the axis from base to tip."""
    stations: tuple[NonNegativeLength, ...] = Field(min_length=2, max_length=MAX_STATIONS)
    """Arc lengths of the section planes; the first at the base, the last at the tip."""
    cavities: tuple[str, ...] = ()
    """Names of the closed cavities; cavity ``a`` is the facet group ``cavity_a``."""
    discs: tuple[str, ...] = ()
    """Names of the rigid parts; disc ``tip`` is the volume group ``disc_tip``."""

    @field_validator("mesh", "step")
    @classmethod
    def _stays_in_folder(cls, value: str | None) -> str | None:
        return None if value is None else beside(value, "case")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.mesh is None) == (self.step is None):
            raise ValueError('name exactly one of mesh = "file.msh" and step = "file.step"')
        if (self.mesh is None) != (self.file_unit is None):
            raise ValueError(
                'a .msh file needs its length unit, file_unit = "mm"; a STEP file states its own'
            )
        if self.step is not None and self.discs:
            raise ValueError("a STEP file has no named volumes: rigid discs need a .msh file")
        if self.step is not None and self.size is None:
            raise ValueError(
                'a STEP file needs the element size at level 0, for example size = "4 mm"'
            )
        if self.step is not None and not {"base", "tip"} <= set(self.surfaces):
            raise ValueError("surfaces must name at least base and tip")
        if self.mesh is not None and (self.surfaces or self.size is not None):
            raise ValueError(
                "surfaces and size belong to a STEP file; a mesh brings its own groups"
            )
        if any(b <= a for a, b in pairwise(self.stations)):
            raise ValueError("stations must increase from the base to the tip")
        origin, second = self.centreline[0], self.centreline[1]
        if math.hypot(*origin) > 0.0 or second[0] <= 0.0 or math.hypot(second[1], second[2]) > 0.0:
            raise ValueError("the centreline must start at the origin and leave it along +x")
        corners = zip(self.centreline, self.centreline[1:], self.centreline[2:], strict=False)
        if any(_turns_back(*corner) for corner in corners):
            raise ValueError("the centreline repeats a corner or turns by a right angle or more")
        length = sum(math.dist(a, b) for a, b in pairwise(self.centreline))
        if abs(self.stations[0]) > 0.0 or abs(self.stations[-1] - length) > 1e-9 * length:
            raise ValueError(
                "the first station must be 0 and the last the length of the centreline, "
                f"{_mm(length)}"
            )
        return self


def _kind(body: Any) -> str | None:
    """Kind of a body; a table with a file is a solid even where it does not say so."""
    if isinstance(body, dict):
        kind = body.get("kind")
        return "solid" if kind is None and ("mesh" in body or "step" in body) else kind
    return getattr(body, "kind", None)


Body = Annotated[
    Annotated[TaperedArm, Tag("tapered_arm")]
    | Annotated[ChamberedArm, Tag("chambered_arm")]
    | Annotated[Bar, Tag("bar")]
    | Annotated[Mantle, Tag("mantle")]
    | Annotated[Solid, Tag("solid")],
    Discriminator(_kind),
]


def _turns_back(a: Point, b: Point, c: Point) -> bool:
    """Whether the way on from b has no part along the way from a to b."""
    return (
        sum((q - p) * (r - q) for p, q, r in zip(a, b, c, strict=True))
        <= -1e-9 * math.dist(a, b) * math.dist(b, c)
        or math.dist(b, c) == 0.0
    )


def _mm(value: float) -> str:
    return f"{value * 1e3:.4g} mm"
