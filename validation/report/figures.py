"""The curves of a comparison, as SVG text that stands in a page by itself."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loligo.validation.compare.comparison import Comparison
from loligo.validation.compare.headline import HeadlineNumber
from loligo.validation.compare.kinematic import CLASSES, best_member, soft_spans
from loligo.validation.data.quantities import Array, moving_load, points
from loligo.validation.data.ringing import free_end
from loligo.validation.plot.style import legend_below, readable, svg_figure, svg_text

REFERENCE, MODEL, ARC, FITTED = "#1b1b1b", "#0a6ebd", "#b35900", "#2e7d32"
"""Told apart by dash and marker as well, so that print and colour blindness lose nothing."""


def curves(found: Comparison) -> str:
    """Return the figure of one comparison as SVG text."""
    with svg_figure(9.6, 3.1) as figure:
        draw(figure, found)
        return svg_text(figure)


def draw(figure: Figure, found: Comparison) -> None:
    """Draw one comparison into a figure: what is claimed against the load, then the shape."""
    panels = figure.subplots(1, 3)
    _against_load(panels[0], found)
    if "profile_radius" in found.pair.reference:
        _profile(panels[1], found)
        _thickness(panels[2], found)
    else:
        (_shape if found.case.time is None else _path)(panels[1], found)
        _along(panels[2], found)
    legend_below(figure)


def description(found: Comparison) -> str:
    """Say in words what the figure shows, for those who do not see it."""
    parts = [f"{found.case.title}: reference and {found.model}."]
    for claim in found.claims[:1]:
        parts.append(
            f"{claim.title} at the last step: {claim.reference[-1]:.4g} {claim.unit} in the "
            f"reference, {claim.prediction[-1]:.4g} {claim.unit} predicted."
        )
    return " ".join(parts)


def _against_load(panel: Axes, found: Comparison) -> None:
    claim = _main_claim(found)
    if claim is None:
        panel.set_visible(False)
        return
    factor, unit = readable(claim.unit, claim.reference)
    x, label = _load(found)
    row = found.row(claim.metric)
    bar = row.bar / factor if row is not None and row.bars_known else None
    if claim.range is not None:
        low, high = (np.asarray(side) / factor for side in claim.range)
        panel.fill_between(
            x, low, high, color=MODEL, alpha=0.15, lw=0, label="published moduli of the rubber"
        )
    panel.errorbar(
        x,
        claim.reference / factor,
        bar,
        fmt="o",
        ms=4,
        color=REFERENCE,
        capsize=3,
        label="reference",
    )
    panel.plot(x, claim.prediction / factor, "-", color=MODEL, label=found.model)
    panel.set_xlabel(label)
    panel.set_ylabel(f"{claim.title} ({unit})")


def _main_claim(found: Comparison) -> HeadlineNumber | None:
    """The number that changes most over the steps, shares of itself."""
    moving = [c for c in found.claims if np.ptp(c.reference) > 0.0 or c.reference.size == 1]
    for name in ("bend_angle", "tip_displacement", "rim_radius", "blocked_force", "volume"):
        for claim in moving:
            big = name != "bend_angle" or abs(claim.reference[-1]) > 0.02
            if claim.name == name and big:
                return claim
    return found.claims[0] if found.claims else None


def _load(found: Comparison) -> tuple[Array, str]:
    """The load that varies, for the horizontal axis."""
    data = found.pair.reference
    if found.case.time is not None:
        return data["time"].values, "time (s)"
    name, unit = moving_load(data)
    if not name:
        return np.array(found.pair.steps, dtype=float), "step"
    values = data[name].values
    factor, words = readable(unit, values)
    label = f"{name.removeprefix('load_')} ({words})"
    return values / factor, label.replace("$", r"\$")


def _shape(panel: Axes, found: Comparison) -> None:
    """The centreline at the last step, in the plane in which the reference bends most."""
    reference = found.pair.reference.isel(step=[-1])
    target = points(reference)[0]
    off = target[:, 1:] - target[0, 1:]
    direction = np.linalg.svd(off)[2][0] if np.any(off) else np.array([1.0, 0.0])
    direction = direction * np.sign(off[-1] @ direction or 1.0)

    def draw(at: Array, style: str, colour: str, label: str, width: float = 1.4) -> None:
        panel.plot(
            at[:, 0] * 1e3,
            at[:, 1:] @ direction * 1e3,
            style,
            color=colour,
            label=label,
            lw=width,
            ms=4,
        )

    draw(target, "o", REFERENCE, "reference")
    draw(points(found.pair.prediction)[-1], "-", MODEL, found.model)
    if "frame" in reference:
        arc = best_member(reference, soft_spans(found.case, reference), CLASSES[0])
        draw(points(arc)[0], ":", ARC, "best arc")
    if (tuned := found.calibrated) is not None and "station" in tuned.prediction.dims:
        seen = "fitted" if found.pair.steps[-1] in tuned.fitted else "held out"
        draw(points(tuned.prediction)[-1], "--", FITTED, f"calibrated, {seen}")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xlabel("x (mm)")
    panel.set_ylabel("across (mm)")


def _path(panel: Axes, found: Comparison) -> None:
    """Where the tip goes in a motion, in the plane in which the reference's goes farthest."""
    place = free_end(found.pair.reference)
    centre = place.mean(axis=0)
    plane = np.linalg.svd(place - centre, full_matrices=False)[2][:2]
    for data, style, colour, label in _both(found):
        across = (free_end(data) - centre) @ plane.T * 1e3
        panel.plot(across[:, 1], across[:, 0], style, color=colour, ms=3, lw=1.2, label=label)
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xlabel("path of the tip (mm)")
    panel.set_ylabel("along its main direction (mm)")


def _along(panel: Axes, found: Comparison) -> None:
    """Curvature, or stretch where the body does not bend, along the body."""
    reference, prediction = found.pair.reference, found.pair.prediction
    if not all("strain" in data for data in (reference, prediction)):
        panel.set_visible(False)
        return
    X = reference["station_mid"].values * 1e3
    row = found.row("curvature")
    bends = row is not None and row.scale is not None and row.scale[-1] > 0.0
    for data, style, colour, label in _both(found):
        strain = data["strain"].values[-1]
        values = np.linalg.norm(strain[:, 1:3], axis=1) if bends else strain[:, 3]
        panel.plot(X, values, style, color=colour, ms=4, lw=1.4, label=label)
    panel.set_xlabel("X at rest (mm)")
    panel.set_ylabel("curvature (1/m)" if bends else "stretch")
    panel.set_ylim(bottom=0.0 if bends else None)


def _profile(panel: Axes, found: Comparison) -> None:
    for data, style, colour, label in _both(found):
        panel.plot(
            data["profile_axial"].values[-1] * 1e3,
            data["profile_radius"].values[-1] * 1e3,
            style,
            color=colour,
            ms=3,
            lw=1.4,
            label=label,
        )
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xlabel("x (mm)")
    panel.set_ylabel("radius (mm)")


def _thickness(panel: Axes, found: Comparison) -> None:
    for data, style, colour, label in _both(found):
        if "profile_thickness" in data:
            values = data["profile_thickness"].values[-1] * 1e3
            arc = data["meridian"].values * 1e3
            panel.plot(arc, values, style, color=colour, ms=3, lw=1.4, label=label)
    panel.set_xlabel("arc length of the meridian at rest (mm)")
    panel.set_ylabel("wall (mm)")


def _both(found: Comparison) -> tuple[tuple[xr.Dataset, str, str, str], ...]:
    return (
        (found.pair.reference, "o", REFERENCE, "reference"),
        (found.pair.prediction, "-", MODEL, found.model),
    )
