"""The report: one page that needs no network, and the same numbers as JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import xarray as xr

from loligo.cases.core import atomic as files
from loligo.validation.compare.ladder import AGREED
from loligo.validation.compare.validity_map import map_record
from loligo.validation.data.source import Source
from loligo.validation.plot.picture import beside
from loligo.validation.plot.validity_map import map_svg, map_words
from loligo.validation.report.bodies import Body, Given, compared, gather, of_library
from loligo.validation.report.body_picture import body_picture, mode_pictures
from loligo.validation.report.figures import curves, description
from loligo.validation.report.marker_figure import markers_svg
from loligo.validation.report.numbers import body_numbers
from loligo.validation.report.robots import machine_numbers
from loligo.validation.words import share_words, value_words

Bodies = Sequence[Sequence[Given]]
Each = Callable[[Callable[[Sequence[Given]], "Chapter"], Bodies], Iterable["Chapter"]]


def write_report(
    sources: Sequence[Source],
    folder: Path,
    *,
    maps: Sequence[xr.Dataset] = (),
    machines: Sequence[Mapping[str, Any]] = (),
    spoiled: Sequence[str] = (),
    title: str = "loligo report",
    each: Each = map,
) -> Path:
    """Compare all references, write `report.html` and `report.json`, and return the page.

    Of the validity maps those are shown that are of a library case among the references, of the
    records of whole robots (`loligo robot vary`) all. What could not be read, `spoiled`, is listed
    with what could not be used. Bodies are compared one after the other by `each`; the `map` of a
    pool of processes does it side by side.
    """
    bodies, unused = gather(sources)
    # The one with the most cases first, so that none is left alone in the end.
    order = sorted(range(len(bodies)), key=lambda i: -len(bodies[i]))
    under_way = each(chapter, [bodies[i] for i in order])
    shown = {given.case.name for body in bodies for given in body if of_library(given.case)}
    charts = [chart for chart in maps if chart.attrs["case_name"] in shown]
    drawn = [{"svg": map_svg(chart), "words": map_words(chart)} for chart in charts]
    made = dict(zip(order, under_way, strict=True))
    chapters = [made[i] for i in sorted(made)]
    numbers = {
        "schema": "loligo report 1",
        "robots": [chapter.numbers for chapter in chapters],
        "maps": [map_record(chart) for chart in charts],
        "machines": [machine_numbers(record) for record in machines],
        "not_used": [*spoiled, *unused],
        "agreed": AGREED,
    }
    figures = {name: figure for chapter in chapters for name, figure in chapter.figures.items()}
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    files.replace(page.with_suffix(".json"), json.dumps(numbers, indent=1, allow_nan=False) + "\n")
    files.replace(page, render(numbers, figures, drawn, title))
    return page


@dataclass(frozen=True)
class Chapter:
    """What the page says and shows of a body."""

    numbers: dict[str, Any]
    figures: dict[str, dict[str, Any]]


def chapter(body: Sequence[Given]) -> Chapter:
    """Compare all data of a body, and draw them."""
    found = compared(body)
    return Chapter(body_numbers(found), pictures(found))


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
        machines=numbers["machines"],
        unused=numbers["not_used"],
        agreed=numbers["agreed"],
        figures=figures,
        maps=list(zip(numbers["maps"], maps, strict=True)),
        title=title,
    )


def pictures(body: Body) -> dict[str, dict[str, Any]]:
    """Return the curves and bodies of every case, with words for those who do not see them."""
    return {
        entry.case.name: {
            "svg": "" if entry.comparison is None else curves(entry.comparison),
            "words": "" if entry.comparison is None else description(entry.comparison),
            "markers": markers_svg(entry.measurements),
            **body_shown(entry.source),
            "modes": []
            if entry.source.surface is None or entry.source.modes is None
            else mode_pictures(entry.source.surface, entry.source.modes),
        }
        for entry in body.entries
        if entry.comparison is not None or entry.measurements
    }


def body_shown(source: Source) -> dict[str, Any]:
    """Return the picture beside the data, in which a hollow body is cut, else a plain drawing."""
    drawn = None if source.file is None else beside(source.file)
    if drawn is None and source.surface is not None:
        return {"body": body_picture(source.surface), "cut": False}
    return {"body": drawn, "cut": drawn is not None}
