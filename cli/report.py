"""`loligo report`: how far each reduced model can be trusted, in one page."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver
from pathlib import Path
from typing import Annotated, Any

import typer

from loligo.cli.arguments import Force

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def report(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Data sets (.nc), folders of them or of a study, cases, records of loligo robot "
            "vary (.json); by default all that loligo brings along.",
            metavar="[FILE|FOLDER|CASE]...",
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write to.", file_okay=False)
    ] = Path("report"),
    force: Force = False,
) -> None:
    """Write one page that says how far each reduced model can be trusted, and JSON beside it.

    Example: [bold]loligo report my_solutions -o report[/]
    """
    from loligo.cases import outputs
    from loligo.cases.core.record import BadInput

    records = [Path(word) for word in what or [] if word.endswith(".json")]
    files = _files([word for word in what or [] if not word.endswith(".json")])
    if not files:
        raise BadInput(
            "there is no data set to report: give files, a folder, or make some with "
            "`loligo solve CASE`"
        )
    outputs.check_folder(folder)
    for name, kind in (("report.html", outputs.PAGE), ("report.json", outputs.REPORT)):
        outputs.check(folder / name, kind, [*files, *records], force=force)
    with _side_by_side(len(files)) as each:
        from rich.console import Console

        from loligo.validation.compare.validity_map import read_map
        from loligo.validation.compare.validity_map import shipped as shipped_maps
        from loligo.validation.data.source import source_or_complaint
        from loligo.validation.report.page import write_report
        from loligo.validation.shipping.robots import read as read_record
        from loligo.validation.shipping.robots import shipped as brought_records

        with Console(stderr=True).status(f"comparing {len(files)} data sets"):
            read = list(each(source_or_complaint, files))
            spoiled = [found for found in read if isinstance(found, str)]
            sources = [found for found in read if not isinstance(found, str)]
            if not sources:
                raise BadInput("\n".join(spoiled))
            maps = [read_map(file) for file in shipped_maps().values()]
            machines = [
                read_record(file) for file in records or ([] if what else brought_records())
            ]
            page = write_report(
                sources, folder, maps=maps, machines=machines, spoiled=spoiled, each=each
            )
    for line in spoiled:
        typer.secho(f"not used: {line}", err=True)
    typer.echo(page)
    typer.echo(page.with_suffix(".json"))


@contextmanager
def _side_by_side(count: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a `map` that works on all cores, where there is more than one thing to do.

    Its processes begin as copies of one that imports what they need, while this one does, too.
    """
    from loligo.cases.core.record import BadInput

    workers = min(len(os.sched_getaffinity(0)), count) if hasattr(os, "sched_getaffinity") else 1
    if workers < 2:
        yield map
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["loligo.validation.report.page"])
    forkserver.ensure_running()
    try:
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            yield pool.map
    except BrokenProcessPool:
        raise BadInput(
            "a process that read or compared data sets was killed: `loligo check FILE` finds a "
            "damaged file, over which HDF5 may crash; else there was too little memory"
        ) from None


def _files(words: list[str]) -> list[Path]:
    from loligo.cases.case_file import library_names
    from loligo.cases.core.record import BadInput
    from loligo.hpc.items import INDEX, read_index
    from loligo.validation.data.shipped import measured, shipped

    brought, beside = shipped(), measured()
    if not words:
        return [*brought.values(), *beside.values()]
    files: list[Path] = []
    for word in words:
        path = Path(word)
        if (path / INDEX).exists():  # of a study: what its file asks for today
            files += [place.result for place in read_index(path) if place.result.exists()]
        elif path.is_dir():
            files += sorted(path.glob("*.nc"))
        elif path.suffix == ".nc":
            files.append(path)
        elif word in brought:
            files += [brought[word], *([beside[word]] if word in beside else [])]
        elif word in library_names():
            raise BadInput(
                f"{word}: loligo brings no reference data of this case along: make them with "
                f"`loligo solve {word}` (needs dolfinx)"
            )
        else:
            raise BadInput(f"{word}: is no data set (.nc), no folder and no case of the library")
    return files
