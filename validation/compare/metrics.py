r"""How far a prediction is from a reference: one number a step for each thing that both give.

Every metric is a function of two data sets that `loligo.validation.data.matching` has brought to
the same steps and places, and compares the second with the first. Superscripts P and R are
prediction and reference, :math:`\Delta = {}^P - {}^R`, L is the distance between the first and the
last station at rest, :math:`\|f\|^2 = \frac1L \int f \cdot f\,dX` (trapezoids over stations, exact
for what is constant between them). Frames and points are in the axes of the case; strains and
wrenches in the axes of their own section. All metrics but the reactions are the same if both bodies
are moved together as if rigid. The equations are in docs/metrics.md.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from loligo.cases.core.frames import log_so3
from loligo.validation.compare.metric import (
    Metric,
    largest,
    number,
    strain_norm,
    vector,
    wrench_norm,
)
from loligo.validation.data.gaps import largest_of
from loligo.validation.data.motion_numbers import (
    amplitude,
    amplitude_gap,
    decrement,
    end_gap,
    frequency,
    loop_shape,
    phase_gap,
    stepping,
    work_of_cycle,
)
from loligo.validation.data.quantities import (
    Array,
    bend,
    body_length,
    centreline_length,
    if_there,
    mean_way,
    meridian_length,
    over_meridian,
    over_stations,
    points,
    profile,
    ways,
)


def applicable(*data: xr.Dataset) -> list[Metric]:
    """Return the metrics that every one of some data sets has the variables for."""
    return [metric for metric in METRICS if metric.serves(*data)]


def relative(metric: Metric, error: Array, reference: xr.Dataset) -> Array | None:
    """Return an error over its scale; not a number where the reference has next to none of it."""
    if metric.scale is None:
        return None
    scale = metric.scale(reference)
    return np.divide(error, scale, out=np.full_like(error, np.nan), where=scale > 0.0)


def _distance(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    return np.asarray(np.linalg.norm(points(prediction) - points(reference), axis=-1))


def _apart(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    """Return the distance of every marker from where it was measured, (step, marker)."""
    off = prediction["marker_position"].values - reference["marker_position"].values
    return np.asarray(np.linalg.norm(off, axis=-1))


def _tip_attitude(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    r, p = (data["frame"].values[:, -1, :3, :3] for data in (reference, prediction))
    return np.asarray(np.linalg.norm(log_so3(np.swapaxes(r, -1, -2) @ p), axis=-1))


def _bend_angle(data: xr.Dataset) -> Array:
    return np.asarray(np.linalg.norm(bend(data), axis=-1))


def _bend_scale(data: xr.Dataset) -> Array:
    return if_there(_bend_angle(data), np.ones(data.sizes["step"]))


def _thickness(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    name = "profile_thickness"
    difference = prediction[name].values - reference[name].values
    return over_meridian(difference[..., None], reference)


_ANGULAR, _LINEAR = slice(0, 3), slice(3, 6)
_SHELL = ("profile_axial", "profile_radius")

_METRICS = (
    Metric(
        "tip_position",
        "Position of the tip",
        "m",
        "shape",
        ("points",),
        lambda r, p: _distance(r, p)[:, -1],
        body_length,
    ),
    Metric("tip_attitude", "Attitude of the tip", "rad", "shape", ("frame",), _tip_attitude),
    Metric(
        "centreline_l2",
        "Centreline, mean",
        "m",
        "shape",
        ("points",),
        lambda r, p: over_stations(points(p) - points(r), r),
        body_length,
    ),
    Metric(
        "centreline_max",
        "Centreline, largest",
        "m",
        "shape",
        ("points",),
        lambda r, p: _distance(r, p).max(axis=1),
        body_length,
    ),
    Metric(
        "bend_angle",
        "Bend angle",
        "rad",
        "shape",
        ("strain", "station"),
        lambda r, p: _bend_angle(p) - _bend_angle(r),
        _bend_scale,
        signed=True,
    ),
    Metric(
        "centreline_length",
        "Centreline's length",
        "m",
        "shape",
        ("strain", "station"),
        *number(centreline_length),
        signed=True,
    ),
    *(
        Metric(name, title, unit, "strain", ("strain", "station"), *strain_norm(which))
        for name, title, unit, which in (
            ("curvature", "Curvature", "1/m", slice(1, 3)),
            ("torsion", "Torsion", "1/m", slice(0, 1)),
            ("stretch", "Stretch", "1", slice(3, 4)),
            ("shear", "Shear", "1", slice(4, 6)),
        )
    ),
    *(
        Metric(name, title, unit, "wrench", (variable, "station"), *wrench_norm(variable, which))
        for name, title, unit, variable, which in (
            ("solid_moment", "Moment of the solid", "N m", "wrench", _ANGULAR),
            ("solid_force", "Force of the solid", "N", "wrench", _LINEAR),
            ("fluid_moment", "Moment of the fluid", "N m", "wrench_fluid", _ANGULAR),
            ("fluid_force", "Force of the fluid", "N", "wrench_fluid", _LINEAR),
        )
    ),
    *(
        Metric(name, title, unit, "cavity", (name,), *largest(name))
        for name, title, unit in (
            ("chamber_length", "Chamber length, worst", "m"),
            ("volume", "Cavity volume, worst", "m^3"),
            ("pressure", "Cavity pressure, worst", "Pa"),
        )
    ),
    Metric(
        "marker_max",
        "Markers, largest",
        "m",
        "marker",
        ("marker_position",),
        lambda r, p: largest_of(_apart(r, p)),
        lambda data: largest_of(ways(data)),
    ),
    Metric(
        "marker_way",
        "Way of the markers, mean",
        "m",
        "marker",
        ("marker_position", "marker_rest"),
        lambda r, p: mean_way(p, r) - mean_way(r, r),
        lambda data: mean_way(data, data),
        signed=True,
    ),
    *(
        Metric(name, title, unit, "marker", (name,), *largest(name))
        for name, title, unit in (
            ("angle", "Measured angle, worst", "rad"),
            ("distance", "Measured distance, worst", "m"),
        )
    ),
    Metric(
        "profile_l2",
        "Profile, mean",
        "m",
        "shell",
        _SHELL,
        lambda r, p: over_meridian(profile(p) - profile(r), r),
        meridian_length,
    ),
    Metric(
        "profile_max",
        "Profile, largest",
        "m",
        "shell",
        _SHELL,
        lambda r, p: np.linalg.norm(profile(p) - profile(r), axis=-1).max(axis=1),
        meridian_length,
    ),
    Metric(
        "rim_radius",
        "Radius at the rim",
        "m",
        "shell",
        ("profile_radius",),
        *number(lambda data: data["profile_radius"].values[:, -1]),
        signed=True,
    ),
    Metric(
        "thickness",
        "Wall thickness, mean",
        "m",
        "shell",
        ("profile_thickness",),
        _thickness,
        lambda data: over_meridian(data["profile_thickness"].values[..., None], data),
    ),
    *(
        Metric(name, title, unit, "support", (variable,), *vector(variable, which))
        for name, title, unit, variable, which in (
            ("reaction_force", "Force of the support", "N", "reaction", _LINEAR),
            ("reaction_moment", "Moment of the support", "N m", "reaction", _ANGULAR),
            ("blocked_force", "Force on the blocked tip", "N", "reaction_tip", _LINEAR),
            ("blocked_moment", "Moment on the blocked tip", "N m", "reaction_tip", _ANGULAR),
        )
    ),
    *(
        Metric(
            name,
            title,
            unit,
            "energy",
            (name,),
            *number(lambda data, name=name: data[name].values.astype(float)),  # type: ignore[misc]
            signed=True,
        )
        for name, title, unit in (
            ("stored_energy", "Elastic energy", "J"),
            ("external_work", "Work of the loads", "J"),
            ("max_stretch", "Largest stretch", "1"),
        )
    ),
    *(
        Metric(
            name,
            title,
            "J",
            "motion",
            (name, "motion"),
            lambda r, p, name=name: p[name].values - r[name].values,  # type: ignore[misc]
            lambda data, name=name: np.full(data.sizes["step"], float(data[name].max())),  # type: ignore[misc]
            signed=True,
        )
        for name, title in (
            ("kinetic_energy", "Kinetic energy"),
            ("dissipated_energy", "Dissipated energy"),
        )
    ),
    Metric(
        "ring_frequency",
        "Frequency of the free end",
        "Hz",
        "motion",
        ("ringing",),
        *number(frequency),
        signed=True,
    ),
    Metric(
        "log_decrement",
        "Logarithmic decrement",
        "1",
        "motion",
        ("ringing",),
        *number(decrement),
        signed=True,
    ),
    *(
        Metric(name, title, unit, "motion", (needs,), *number(stepping(which)), signed=True)
        for name, title, unit, needs, which in (
            ("rise_time", "Rise time", "s", "step response", "rise"),
            ("overshoot", "Overshoot", "1", "step response", "overshoot"),
            ("settling_time", "Settling time", "s", "settling", "settling"),
        )
    ),
    Metric(
        "loop_area",
        "Work of a cycle",
        "J",
        "motion",
        ("cycle", "external_work"),
        *number(work_of_cycle),
        signed=True,
    ),
    Metric(
        "loop_shape",
        "Loop, largest distance",
        "1",
        "motion",
        ("cycle",),
        loop_shape,
        lambda data: np.ones(data.sizes["step"]),
    ),
    *(
        Metric(name, title, unit, "motion", (needs,), amplitude_gap, amplitude, signed=True)
        for name, title, unit, needs in (
            ("stroke_amplitude", "Amplitude of the free end", "m", "path in a cycle"),
            ("force_amplitude", "Amplitude of the base's force", "N", "force in a cycle"),
        )
    ),
    Metric(
        "stroke_phase",
        "Phase behind the load",
        "rad",
        "motion",
        ("cycle",),
        phase_gap,
        signed=True,
    ),
    Metric(
        "end_path",
        "Path of the free end",
        "m",
        "motion",
        ("motion",),
        end_gap,
        lambda data: body_length(data) if "station" in data.dims else meridian_length(data),
    ),
)

METRICS = tuple(metric.despite_gaps() for metric in _METRICS)
"""All metrics, in the order in which they are reported."""

BY_NAME = {metric.name: metric for metric in METRICS}
