"""One picture of a calibration: data, fit, its band, and where the law is unstable."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

from loligo.validation.fitting.rubber.coupon import Array, Coupon, Mode, nominal_stress
from loligo.validation.fitting.rubber.identify import stress_error
from loligo.validation.fitting.rubber.record import Calibration, Stability
from loligo.validation.fitting.rubber.search import RubberFit

INK, FIT, UNSTABLE = "#222222", "#1f6feb", "#d1242f"


def draw(
    found: RubberFit,
    fitted: tuple[Coupon, ...],
    held_out: tuple[Coupon, ...],
    calibration: Calibration,
    file: Path,
) -> None:
    """Draw a panel for each mode into a file, its format by the suffix.

    The band is the 95 % confidence band of the fitted curve, by the tangent.
    """
    figure = Figure(figsize=(10.5, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    curves = {c.mode: c for c in (*fitted, *held_out)}
    seen = {c.mode for c in fitted}
    for panel, stability in zip(figure.subplots(1, 3), calibration.stability, strict=True):
        curve = curves.get(stability.mode)
        if curve is not None:
            _points(panel, curve, stability.mode in seen)
        _law(panel, found, stability.mode, stability.asked_smallest, stability.asked_largest)
        _unstable(panel, stability)
        panel.set_title(_title(stability.mode, curve, calibration), fontsize=10)
        panel.set_xlabel("stretch")
        panel.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("nominal stress (MPa)")
    named = {
        label: handle
        for panel in figure.axes
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        named.values(), named.keys(), loc="outside lower center", ncols=len(named), frameon=False
    )
    # Without a date or random names the same calibration makes the same file.
    with mpl.rc_context({"svg.hashsalt": "loligo"}):
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def _points(panel: Axes, curve: Coupon, fitted: bool) -> None:
    panel.plot(
        curve.stretch,
        curve.stress / 1e6,
        "o",
        ms=4,
        color=INK,
        mfc=INK if fitted else "white",
        label="data" if fitted else "data, held out",
        zorder=3,
    )


def _law(panel: Axes, found: RubberFit, mode: Mode, low: float, high: float) -> None:
    stretch: Array = np.linspace(low, high, 200, dtype=np.float64)
    stress = nominal_stress(found.law.elastomer(found.values), mode, stretch) / 1e6
    reach = stats.t.ppf(0.975, found.freedom) * stress_error(found, mode, stretch) / 1e6
    low_band, high_band = stress - reach, stress + reach
    panel.fill_between(
        stretch, low_band, high_band, color=FIT, alpha=0.25, lw=0, label="95 % band of the fit"
    )
    panel.plot(stretch, stress, color=FIT, label=found.law.energy.replace("_", "-"))


def _unstable(panel: Axes, stability: Stability) -> None:
    """Shade what lies outside the stable range, as far as the panel shows."""
    left, right = panel.get_xlim()
    if stability.largest < right:
        panel.axvspan(stability.largest, right, color=UNSTABLE, alpha=0.12, lw=0, label="unstable")
    if stability.smallest > left:
        panel.axvspan(left, stability.smallest, color=UNSTABLE, alpha=0.12, lw=0)
    panel.set_xlim(left, right)


def _title(mode: Mode, curve: Coupon | None, calibration: Calibration) -> str:
    name = mode.replace("_", " ")
    if curve is None:
        return f"{name}: no data"
    rms = next(c.rms for c in calibration.curves if c.mode == mode)
    return f"{name}: beyond reach" if rms is None else f"{name}: rms {rms / 1e6:.3g} MPa"
