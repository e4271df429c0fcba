"""What a data set shows by itself: is it consistent, how wide are its bars, what does it exceed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.levels import ORDER
from loligo.validation.compare.bars import alike, level_bar, not_observed
from loligo.validation.compare.comparison import idle
from loligo.validation.compare.consistency import strain_findings
from loligo.validation.compare.metrics import applicable
from loligo.validation.report.bodies import ReportedCase
from loligo.validation.words import share_words, value_words

BALANCE = 1e-2
"""Residual of the energy balance, of the largest part, above which it is called open."""


def checks(entry: ReportedCase) -> Iterator[dict[str, Any]]:
    """Is the data set consistent with itself: what must hold whatever the model."""
    data = entry.source.data
    findings = dataset.check(data)
    yield _check("form", not findings, "; ".join(map(str, findings)) or "no finding")
    if {"frame", "strain", "station"} <= set(data.variables):
        spoiled = list(strain_findings(data))
        words = "; ".join(map(str, spoiled)) or "strains are those of the frames"
        yield _check("strains and frames", not spoiled, words)
    parts = [n for n in ("stored_energy", "dissipated_energy", "kinetic_energy") if n in data]
    if "external_work" in data and "stored_energy" in parts:
        work = data["external_work"].values
        gap = work - sum(data[name].values for name in parts)
        size = max(float(np.abs(work).max()), 1e-300)
        residual = float(np.abs(gap).max()) / size
        words = f"work of the loads and energy differ by {share_words(residual)} of the work"
        yield _check("energy balance", residual <= BALANCE, words, residual)
    if "stable" in data:
        unstable = [str(i + 1) for i, s in enumerate(data["stable"].values) if s == 0]
        unknown = bool((data["stable"].values < 0).any())
        words = f"unstable at step {', '.join(unstable)}" if unstable else "no step is unstable"
        yield _check("stability", not unstable, words + (", some unknown" if unknown else ""))


def _check(name: str, good: bool, words: str, value: float | None = None) -> dict[str, Any]:
    return {"what": name, "good": good, "words": words, "value": value}


def solution(entry: ReportedCase) -> Iterator[dict[str, Any]]:
    """Bar and observed order of every quantity that the reference gives, if the load excites it."""
    data = entry.source.data
    rows = entry.comparison.rows if entry.comparison is not None else ()
    levels = alike(data, entry.source.meshes)
    for metric in applicable(data):
        row = next((row for row in rows if row.metric is metric), None)
        bar = row.mesh if row is not None else level_bar(metric, data, levels, ORDER)
        scale = None if metric.scale is None else metric.scale(data)
        silent = idle(metric, data) or (scale is not None and scale[-1] == 0.0)
        if silent or not bar.known or not np.any(bar.half_width):
            continue
        half = float(bar.half_width[-1])
        share = None if scale is None else half / float(scale[-1])
        order = None if bar.order is None else float(bar.order[-1])
        yield {
            "what": metric.title,
            "unit": metric.unit,
            "half_width": half,
            "words": value_words(half, metric.unit),
            "share": share,
            "origin": bar.origin,
            "order": order if order is not None and np.isfinite(order) else None,
            "theory": ORDER,
            "order_not_observed": not_observed(bar),
        }


def beyond_class(entry: ReportedCase) -> list[str]:
    """What no rod and no round shell can follow, at the last step, in words."""
    data = entry.source.data
    words = []
    if "section_residual" in data:
        largest = np.abs(data["section_residual"].values[-1]).max(axis=0)
        for name, value in zip(dataset.RESIDUALS, largest, strict=True):
            words.append(f"{name.replace('_', ' ')} up to {share_words(float(value))}")
    if "lobes" in data:
        lobes = np.abs(data["lobes"].values[-1])
        mode = int(data["mode"].values[lobes.argmax()]) if "mode" in data.coords else None
        named = "" if mode is None else f" with {mode} waves"
        words.append(f"lobes{named} of {value_words(float(lobes.max()), 'm')}")
    return words


def stretch(entry: ReportedCase) -> dict[str, Any] | None:
    """Largest stretch against the range of the rubber's law."""
    data = entry.source.data
    if "max_stretch" not in data:
        return None
    largest = float(data["max_stretch"].max())
    rubber = entry.case.material["body"]
    limit = rubber.fitted_stretch[1] if rubber.fitted_stretch else None
    return {
        "largest": largest,
        "limit": limit,
        "beyond": limit is not None and largest > limit,
        "law": rubber.energy.replace("_", "-"),
    }
