"""The report: one page that needs no network, and the same numbers as JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import xarray as xr

from loligo.validation.map_figure import map_svg, map_words
from loligo.validation.report_body import body_picture
from loligo.validation.report_data import Robot, gather, summary
from loligo.validation.report_figures import curves, description
from loligo.validation.source import Source
from loligo.validation.words import share_words, value_words


def write_report(
    sources: Sequence[Source],
    folder: Path,
    *,
    maps: Sequence[xr.Dataset] = (),
    spoiled: Sequence[str] = (),
    title: str = "loligo report",
) -> Path:
    """Compare all references, write `report.html` and `report.json`, and return the page.

    Of the validity maps those are shown that are of a case among the references. What could not be
    read, `spoiled`, is listed with what could not be used.
    """
    robots, unused = gather(sources)
    unused = [*spoiled, *unused]
    cases = {entry.case.name for robot in robots for entry in robot.entries}
    charts = [chart for chart in maps if chart.attrs["case_name"] in cases]
    numbers = summary(robots, unused, charts)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(numbers, indent=1, allow_nan=False)
    (folder / "report.json").write_text(text + "\n", encoding="utf-8")
    page = folder / "report.html"
    drawn = [{"svg": map_svg(chart), "words": map_words(chart)} for chart in charts]
    page.write_text(render(numbers, pictures(robots), drawn, title), encoding="utf-8")
    return page


def render(
    numbers: dict[str, Any],
    figures: dict[str, dict[str, Any]],
    maps: Sequence[dict[str, Any]],
    title: str,
) -> str:
    """Return the page; everything that comes from data or cases is escaped."""
    folder = resources.files("loligo.validation") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"share": share_words, "value": value_words}
    return environment.get_template("report.html.j2").render(
        robots=numbers["robots"],
        unused=numbers["not_used"],
        agreed=numbers["agreed"],
        figures=figures,
        maps=list(zip(numbers["maps"], maps, strict=True)),
        title=title,
    )


def pictures(robots: Sequence[Robot]) -> dict[str, dict[str, Any]]:
    """Return the curves of every case, with words for those who do not see them."""
    return {
        entry.case.name: {
            "svg": curves(entry.comparison),
            "words": description(entry.comparison),
            "body": _body(entry.source),
        }
        for robot in robots
        for entry in robot.entries
        if entry.comparison is not None
    }


def _body(source: Source) -> str | None:
    return None if source.surface is None else body_picture(source.surface)
