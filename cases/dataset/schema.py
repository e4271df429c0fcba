"""The schema of the data set: every variable with its dimensions, unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA_VERSION = "1.3"
STRAIN_COMPONENTS = ("tx", "ky", "kz", "ex", "sy", "sz")
WRENCH_COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")
RESIDUALS = ("area_change", "ovalisation", "warping")
LINES = ("bore", "surface")
PARTS = ("noise", "repeats", "registration", "placement", "sensor")
"""Sources of the uncertainty of measured data, in the order of `uncertainty_part`."""
LABELS = {
    "axis": ("x", "y", "z"),
    "strain_component": STRAIN_COMPONENTS,
    "wrench_component": WRENCH_COMPONENTS,
    "residual": RESIDUALS,
    "line": LINES,
    "uncertainty_part": PARTS,
}
"""Dimensions whose labels are fixed."""
ARC_LENGTHS = ("station", "station_mid", "meridian")
"""Dimensions whose coordinates are arc lengths at rest (m)."""
LONGEST = 20.0
"""A body longer than this (m) is taken for one in millimetres."""


@dataclass(frozen=True)
class Quantity:
    """What the schema says of one variable."""

    dims: tuple[str, ...]
    unit: str
    long_name: str
    why: str
    """What cannot be compared without it."""
    optional: bool = False
    """Whether a source may leave it out without naming it as missing."""


QUANTITIES = {
    "time": Quantity(("step",), "s", "time; NaN for statics", "nothing can be ordered in time"),
    "pressure": Quantity(
        ("step", "cavity"), "Pa", "gauge pressure of each cavity", "no pressure law can be fitted"
    ),
    "volume": Quantity(
        ("step", "cavity"), "m^3", "enclosed volume of each cavity", "no supply can be sized"
    ),
    "volume_rest": Quantity(
        ("cavity",), "m^3", "enclosed volume of each cavity at rest", "growth is not known", True
    ),
    "volume_centroid": Quantity(
        ("step", "cavity", "axis"),
        "m",
        "centroid of the fluid in each cavity",
        "its weight has no place to act",
        optional=True,
    ),
    "volume_centroid_rest": Quantity(
        ("cavity", "axis"), "m", "volume_centroid at rest", "its way is not known", optional=True
    ),
    "chamber_length": Quantity(
        ("step", "cavity", "line"),
        "m",
        "length of each chamber's line along its bore and along the surface",
        "no pressure to length map of a constant-curvature model can be fitted",
    ),
    "chamber_length_rest": Quantity(
        ("cavity", "line"), "m", "chamber_length at rest", "elongation is not known", True
    ),
    "tendon_tension": Quantity(
        ("step", "tendon"), "N", "tension of each tendon", "no winch can be sized"
    ),
    "tendon_length": Quantity(
        ("step", "tendon"),
        "m",
        "length of each tendon's path from the base face to its anchor",
        "no tension to winding map of a limb can be fitted",
    ),
    "tendon_length_rest": Quantity(
        ("tendon",), "m", "tendon_length at rest", "what is wound up is not known", True
    ),
    "centreline": Quantity(
        ("step", "station", "axis"), "m", "points of the axis", "no shape can be compared"
    ),
    "frame": Quantity(
        ("step", "station", "row", "column"),
        "1 (rotation), m (last column)",
        "section frames, homogeneous matrices",
        "no shape can be compared",
    ),
    "frame_rest": Quantity(
        ("station", "row", "column"),
        "1 (rotation), m (last column)",
        "section frames at rest",
        "displacements of a bent body are not known",
        True,
    ),
    "frame_velocity": Quantity(
        ("step", "station", "strain_component"),
        "1/s (angular), m/s (linear)",
        "twist of the section frames in their own axes, g^-1 dg/dt, in the order of the strains",
        "no momentum and no drag can be compared",
        True,
    ),
    "strain": Quantity(
        ("step", "station_mid", "strain_component"),
        "1/m (angular), 1 (linear)",
        "total strain between stations, log(g_i^-1 g_i+1)/dX",
        "no section law can be compared or fitted",
    ),
    "strain_rest": Quantity(
        ("station_mid", "strain_component"),
        "1/m (angular), 1 (linear)",
        "strain of the rest configuration",
        "a precurved body looks loaded",
    ),
    "wrench": Quantity(
        ("step", "station", "wrench_component"),
        "N m (moment), N (force)",
        "action of the distal solid on the proximal solid, section frame",
        "stiffness cannot be separated from load",
    ),
    "wrench_fluid": Quantity(
        ("step", "station", "wrench_component"),
        "N m (moment), N (force)",
        "action of the distal fluid on the proximal part, section frame: -p (A, first moments) of "
        "the deformed bores; wrench + wrench_fluid balance the loads beyond",
        "two people differ by p A",
    ),
    "wrench_tendon": Quantity(
        ("step", "station", "wrench_component"),
        "N m (moment), N (force)",
        "action of the distal tendons on the proximal ones, section frame; with tendons wrench + "
        "wrench_fluid + wrench_tendon balance the loads beyond",
        "two people differ by the tensions",
        True,
    ),
    "section_residual": Quantity(
        ("step", "station", "residual"),
        "1",
        "what a rod cannot represent",
        "model error of the section cannot be told from error of its stiffness",
    ),
    "profile_radius": Quantity(
        ("step", "meridian"), "m", "radius of the mid-surface", "no shell can be compared"
    ),
    "profile_axial": Quantity(
        ("step", "meridian"), "m", "axial place of the mid-surface", "no shell can be compared"
    ),
    "profile_thickness": Quantity(
        ("step", "meridian"), "m", "wall thickness", "thinning cannot be compared"
    ),
    "profile_radius_rest": Quantity(
        ("meridian",), "m", "profile_radius at rest", "contraction is not known", True
    ),
    "profile_axial_rest": Quantity(
        ("meridian",), "m", "profile_axial at rest", "shortening is not known", True
    ),
    "lobes": Quantity(
        ("step", "mode"),
        "m",
        "amplitude of the circumferential modes",
        "nobody sees that a round model has left its branch",
    ),
    "reaction": Quantity(
        ("step", "wrench_component"),
        "N m (moment), N (force)",
        "action of the support on the body at the base, fixed axes, moment about the origin",
        "loads cannot be checked by equilibrium",
    ),
    "reaction_tip": Quantity(
        ("step", "wrench_component"),
        "N m (moment), N (force)",
        "action of the support on a blocked tip disc, fixed axes, moment about the centre of its "
        "inner face; 0 where the tip is free",
        "no blocked force can be compared",
    ),
    "external_work": Quantity(("step",), "J", "work of the loads", "the balance is unknown"),
    "stored_energy": Quantity(("step",), "J", "elastic energy", "the balance is unknown"),
    "dissipated_energy": Quantity(("step",), "J", "energy lost", "the balance is unknown"),
    "kinetic_energy": Quantity(("step",), "J", "kinetic energy", "the balance is unknown"),
    "stable": Quantity(
        ("step",), "1", "1 stable, 0 unstable, -1 unknown", "unstable states would be fitted"
    ),
    "max_stretch": Quantity(
        ("step",),
        "1",
        "largest principal stretch",
        "nobody sees that the rubber's fitted range is left",
    ),
    "max_stretch_position": Quantity(
        ("step", "axis"),
        "m",
        "where at rest the rubber is stretched most: along a straight body, and in its section",
        "nobody sees whether a corner of the mesh or the body itself is stretched",
        True,
    ),
    "marker_rest": Quantity(
        ("marker", "axis"), "m", "where each marker is at rest", "no way of a marker is known", True
    ),
    "marker_position": Quantity(
        ("step", "marker", "axis"),
        "m",
        "where each marker is: at rest, and how far it went since",
        "no marker can be compared",
        True,
    ),
    "marker_position_parts": Quantity(
        ("uncertainty_part", "step", "marker", "axis"),
        "m",
        "half-widths of marker_position by source",
        "the sources of its uncertainty are not known",
        True,
    ),
    "angle": Quantity(
        ("step", "tag"),
        "rad",
        "angle by which a section has turned over another one since rest",
        "no turn can be compared",
        True,
    ),
    "angle_parts": Quantity(
        ("uncertainty_part", "step", "tag"),
        "rad",
        "half-widths of angle by source",
        "the sources of its uncertainty are not known",
        True,
    ),
    "distance": Quantity(
        ("step", "span"), "m", "distance of two markers", "no distance can be compared", True
    ),
    "distance_parts": Quantity(
        ("uncertainty_part", "step", "span"),
        "m",
        "half-widths of distance by source",
        "the sources of its uncertainty are not known",
        True,
    ),
}
"""Every variable of the schema; beside them stand loads, `load_<name>` (step), and error bars."""

REQUIRED_ATTRIBUTES = {
    "schema_version": "a reader cannot know what the names mean",
    "kind": "a prediction could be taken for a reference",
    "source": "nobody knows where the numbers come from",
    "status": "a run that stopped early looks complete",
}
KINDS = ("reference", "prediction", "measurement")
MEASURABLE = ("marker_position", "angle", "distance", "chamber_length", "reaction", "reaction_tip")
"""Variables of which one at least is what a measurement without a shape is about."""
POSITIVE = (
    "distance",
    "volume",
    "volume_rest",
    "chamber_length",
    "chamber_length_rest",
    "tendon_length",
    "tendon_length_rest",
    "profile_thickness",
    "max_stretch",
)
"""Variables that cannot be zero or negative."""
