r"""How far a prediction is from a reference: one number a step for each thing that both give.

Every metric is a function of two data sets that `loligo.validation.matching` has brought to the
same steps and places, and compares the second with the first. Superscripts P and R are prediction
and reference, :math:`\Delta = {}^P - {}^R`, L is the distance between the first and the last
station at rest, :math:`\|f\|^2 = \frac1L \int f \cdot f\,dX` (trapezoids over stations, exact for
what is constant between them). Frames and points are in the axes of the case; strains and wrenches
in the axes of their own section. All metrics but the reactions are the same if both bodies are
moved together as if rigid. The equations are in docs/metrics.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.integrate import trapezoid

from loligo.cases.frames import log_so3
from loligo.validation.motion_numbers import (
    KINDS_OF_MOTION,
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

Array = NDArray[np.float64]
Compare = Callable[[xr.Dataset, xr.Dataset], Array]
Scale = Callable[[xr.Dataset], Array]

NEXT_TO_NOTHING = 1e-2
"""A part of strain, wrench or bend (rad) below this share of the whole is no scale for an error."""


@dataclass(frozen=True)
class Metric:
    """One way to compare, what it needs, and what its error is measured against."""

    name: str
    title: str
    unit: str
    group: Literal["shape", "strain", "wrench", "cavity", "shell", "support", "energy", "motion"]
    needs: tuple[str, ...]
    error: Compare
    """Error at every step: signed where a number is compared, a norm where a field is."""
    scale: Scale | None = None
    """What a relative error is relative to, at every step; None for an angle."""
    signed: bool = False

    def serves(self, *data: xr.Dataset) -> bool:
        """Whether every data set has what it takes."""
        return all(has(each, name) for each in data for name in self.needs)


def applicable(*data: xr.Dataset) -> list[Metric]:
    """Return the metrics that every one of some data sets has the variables for."""
    return [metric for metric in METRICS if metric.serves(*data)]


def relative(metric: Metric, error: Array, reference: xr.Dataset) -> Array | None:
    """Return an error over its scale; not a number where the reference has next to none of it."""
    if metric.scale is None:
        return None
    scale = metric.scale(reference)
    return np.divide(error, scale, out=np.full_like(error, np.nan), where=scale > 0.0)


def points(data: xr.Dataset) -> Array:
    """Return the axis' points (step, station, 3) in m."""
    if "frame" in data:
        return np.asarray(data["frame"].values[..., :3, 3])
    return np.asarray(data["centreline"].values)


def length(data: xr.Dataset) -> float:
    """Return L, the arc length at rest from the first to the last station (m)."""
    station = data["station"].values
    return float(station[-1] - station[0])


def bend(data: xr.Dataset) -> Array:
    r"""Return the bend vector :math:`\sum (\kappa - \kappa_{rest})_{y,z}\,\Delta X` (step, 2)."""
    return np.asarray(np.einsum("smc,m->sc", _excess(data)[..., 1:3], _widths(data)))


def centreline_length(data: xr.Dataset) -> Array:
    r"""Return :math:`\sum |v|\,\Delta X` of the linear strains v, (step)."""
    v = data["strain"].values[..., 3:]
    return np.asarray(np.linalg.norm(v, axis=-1) @ _widths(data))


def over_stations(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, station, components) over the stations."""
    station = data["station"].values
    square = np.sum(field**2, axis=-1)
    return np.asarray(np.sqrt(trapezoid(square, station, axis=-1) / length(data)))


def over_intervals(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, station_mid, components) over the body."""
    return np.asarray(np.sqrt(np.sum(field**2, axis=-1) @ _widths(data) / length(data)))


def over_meridian(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, meridian, components) over the meridian."""
    arc = data["meridian"].values
    square = np.sum(field**2, axis=-1)
    return np.asarray(np.sqrt(trapezoid(square, arc, axis=-1) / (arc[-1] - arc[0])))


def has(data: xr.Dataset, name: str) -> bool:
    """Return whether a data set has a variable, "points" of the axis, or something of a motion."""
    if name in KINDS_OF_MOTION:
        return KINDS_OF_MOTION[name](data)
    if name == "points":
        return "station" in data.dims and bool({"frame", "centreline"} & set(data.data_vars))
    return name in data


def _widths(data: xr.Dataset) -> Array:
    return np.asarray(np.diff(data["station"].values))


def _excess(data: xr.Dataset) -> Array:
    """Strain less the strain at rest; straight at rest where that is not given."""
    straight = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    rest = data["strain_rest"].values if "strain_rest" in data else straight
    return np.asarray(data["strain"].values - rest)


def _body_length(data: xr.Dataset) -> Array:
    return np.full(data.sizes["step"], length(data))


def _distance(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    return np.asarray(np.linalg.norm(points(prediction) - points(reference), axis=-1))


def _tip_attitude(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    r, p = (data["frame"].values[:, -1, :3, :3] for data in (reference, prediction))
    return np.asarray(np.linalg.norm(log_so3(np.swapaxes(r, -1, -2) @ p), axis=-1))


def _bend_angle(data: xr.Dataset) -> Array:
    return np.asarray(np.linalg.norm(bend(data), axis=-1))


def _strain_norm(which: slice) -> tuple[Compare, Scale]:
    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = _excess(prediction)[..., which] - _excess(reference)[..., which]
        return over_intervals(difference, reference)

    def scale(data: xr.Dataset) -> Array:
        excess = _excess(data) * _unit_length(length(data))
        part = over_intervals(excess[..., which], data)
        full = over_intervals(excess, data)
        return np.asarray(_if_there(part, full) / (length(data) if which.start < 3 else 1.0))

    return error, scale


def _wrench_norm(name: str, which: slice) -> tuple[Compare, Scale]:
    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = prediction[name].values[..., which] - reference[name].values[..., which]
        return over_stations(difference, reference)

    def scale(data: xr.Dataset) -> Array:
        wrench = data[name].values / _unit_length(length(data))
        part = over_stations(wrench[..., which], data)
        full = over_stations(wrench, data)
        return _if_there(part, full) * (length(data) if which.start < 3 else 1.0)

    return error, scale


def _unit_length(unit: float) -> Array:
    """Factors that make angular and linear strains of one dimension (their inverses, wrenches)."""
    return np.array([unit] * 3 + [1.0] * 3)


def _if_there(part: Array, full: Array) -> Array:
    """A scale, or zero where it is nothing beside the whole: torsion of an arm that only bends."""
    return np.where(part > NEXT_TO_NOTHING * full, part, 0.0)


def _largest(name: str) -> tuple[Compare, Scale]:
    """Largest difference over all entries of a step, against the largest entry."""

    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = np.abs(prediction[name].values - reference[name].values)
        return np.asarray(difference.reshape(len(difference), -1).max(axis=1))

    def scale(data: xr.Dataset) -> Array:
        values = np.abs(data[name].values)
        return np.asarray(values.reshape(len(values), -1).max(axis=1))

    return error, scale


def _number(of: Callable[[xr.Dataset], Array]) -> tuple[Compare, Scale]:
    """Signed difference of a number, against its magnitude in the reference."""
    return (
        lambda reference, prediction: of(prediction) - of(reference),
        lambda data: np.abs(of(data)),
    )


def _bend_scale(data: xr.Dataset) -> Array:
    return _if_there(_bend_angle(data), np.ones(data.sizes["step"]))


def _vector(name: str, which: slice) -> tuple[Compare, Scale]:
    """Length of the difference of one vector a step."""

    def take(data: xr.Dataset) -> Array:
        return np.asarray(data[name].values[:, which])

    def scale(data: xr.Dataset) -> Array:
        size = length(data) if "station" in data.dims else float(_meridian_length(data)[0])
        whole = np.linalg.norm(data[name].values / _unit_length(size), axis=-1)
        part = np.linalg.norm(take(data), axis=-1) / (size if which.start < 3 else 1.0)
        return _if_there(part, whole) * (size if which.start < 3 else 1.0)

    return (
        lambda reference, prediction: np.linalg.norm(take(prediction) - take(reference), axis=-1),
        scale,
    )


def _profile(data: xr.Dataset) -> Array:
    return np.stack([data["profile_axial"].values, data["profile_radius"].values], axis=-1)


def _thickness(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    name = "profile_thickness"
    difference = prediction[name].values - reference[name].values
    return over_meridian(difference[..., None], reference)


def _meridian_length(data: xr.Dataset) -> Array:
    arc = data["meridian"].values
    return np.full(data.sizes["step"], arc[-1] - arc[0])


_ANGULAR, _LINEAR = slice(0, 3), slice(3, 6)
_SHELL = ("profile_axial", "profile_radius")

METRICS = (
    Metric(
        "tip_position",
        "Position of the tip",
        "m",
        "shape",
        ("points",),
        lambda r, p: _distance(r, p)[:, -1],
        _body_length,
    ),
    Metric("tip_attitude", "Attitude of the tip", "rad", "shape", ("frame",), _tip_attitude),
    Metric(
        "centreline_l2",
        "Centreline, mean",
        "m",
        "shape",
        ("points",),
        lambda r, p: over_stations(points(p) - points(r), r),
        _body_length,
    ),
    Metric(
        "centreline_max",
        "Centreline, largest",
        "m",
        "shape",
        ("points",),
        lambda r, p: _distance(r, p).max(axis=1),
        _body_length,
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
        *_number(centreline_length),
        signed=True,
    ),
    *(
        Metric(name, title, unit, "strain", ("strain", "station"), *_strain_norm(which))
        for name, title, unit, which in (
            ("curvature", "Curvature", "1/m", slice(1, 3)),
            ("torsion", "Torsion", "1/m", slice(0, 1)),
            ("stretch", "Stretch", "1", slice(3, 4)),
            ("shear", "Shear", "1", slice(4, 6)),
        )
    ),
    *(
        Metric(name, title, unit, "wrench", (variable, "station"), *_wrench_norm(variable, which))
        for name, title, unit, variable, which in (
            ("solid_moment", "Moment of the solid", "N m", "wrench", _ANGULAR),
            ("solid_force", "Force of the solid", "N", "wrench", _LINEAR),
            ("fluid_moment", "Moment of the fluid", "N m", "wrench_fluid", _ANGULAR),
            ("fluid_force", "Force of the fluid", "N", "wrench_fluid", _LINEAR),
        )
    ),
    *(
        Metric(name, title, unit, "cavity", (name,), *_largest(name))
        for name, title, unit in (
            ("chamber_length", "Chamber length, worst", "m"),
            ("volume", "Cavity volume, worst", "m^3"),
            ("pressure", "Cavity pressure, worst", "Pa"),
        )
    ),
    Metric(
        "profile_l2",
        "Profile, mean",
        "m",
        "shell",
        _SHELL,
        lambda r, p: over_meridian(_profile(p) - _profile(r), r),
        _meridian_length,
    ),
    Metric(
        "profile_max",
        "Profile, largest",
        "m",
        "shell",
        _SHELL,
        lambda r, p: np.linalg.norm(_profile(p) - _profile(r), axis=-1).max(axis=1),
        _meridian_length,
    ),
    Metric(
        "rim_radius",
        "Radius at the rim",
        "m",
        "shell",
        ("profile_radius",),
        *_number(lambda data: data["profile_radius"].values[:, -1]),
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
        Metric(name, title, unit, "support", (variable,), *_vector(variable, which))
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
            *_number(lambda data, name=name: data[name].values.astype(float)),  # type: ignore[misc]
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
        *_number(frequency),
        signed=True,
    ),
    Metric(
        "log_decrement",
        "Logarithmic decrement",
        "1",
        "motion",
        ("ringing",),
        *_number(decrement),
        signed=True,
    ),
    *(
        Metric(name, title, unit, "motion", (needs,), *_number(stepping(which)), signed=True)
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
        *_number(work_of_cycle),
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
        lambda data: _body_length(data) if "station" in data.dims else _meridian_length(data),
    ),
)
"""All metrics, in the order in which they are reported."""

BY_NAME = {metric.name: metric for metric in METRICS}
