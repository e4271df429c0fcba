"""One page that says how far each reduced model can be trusted, and its numbers as JSON."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from loligo.cases import outputs
from loligo.cases.case_file import library_names
from loligo.cases.core.record import BadInput
from loligo.errors import warn
from loligo.hpc.items import INDEX, read_index
from loligo.result import AnyResult, Measurement, Prediction, Solution
from loligo.validation.data.shipped import measured, shipped
from loligo.validation.data.source import Source, source_or_complaint


def report(
    what: Sequence[AnyResult | str | Path] = (),
    folder: str | Path = "report",
    *,
    force: bool = False,
) -> Path:
    """Write report.html and report.json, and return the page.

    Args:
        what: solutions and measurements, data sets (.nc), folders of them or of a study, names of
            cases, records of `loligo robot vary` (.json); by default all that loligo brings along.
        folder: to write to.
        force: replace other files of these names.

    Data sets that cannot be used are named in a warning and in the page.

    Raises:
        BadInput: if none can be used.
    """
    results = [one for one in what if isinstance(one, Solution | Prediction | Measurement)]
    words = [str(one) for one in what if isinstance(one, str | Path)]
    page, spoiled = write(words, Path(folder), [one.source for one in results], force=force)
    for line in spoiled:
        warn(f"not used: {line}")
    return page


def write(
    words: Sequence[str],
    folder: Path,
    given: Sequence[Source] = (),
    *,
    force: bool = False,
    workers: int = 1,
) -> tuple[Path, list[str]]:
    """Write the report; return the page and what could not be used.

    Args:
        words: files, folders and names, see `report`.
        folder: to write to.
        given: data sets beside those.
        force: replace other files of these names.
        workers: processes at the same time; above 1 a script needs `if __name__ == "__main__":`.
    """
    records = [Path(word) for word in words if word.endswith(".json")]
    files = data_files([word for word in words if not word.endswith(".json")], bool(given))
    if not files and not given:
        raise BadInput(
            "there is no data set to report: give files, a folder, or make some with "
            "`loligo solve CASE`"
        )
    outputs.check_folder(folder)
    inputs = [*files, *records, *(one.file for one in given if one.file is not None)]
    for name, kind in (("report.html", outputs.PAGE), ("report.json", outputs.REPORT)):
        outputs.check(folder / name, kind, inputs, force=force)
    with _side_by_side(min(workers, len(files))) as each:
        from loligo.validation.compare.validity_map import read_map
        from loligo.validation.compare.validity_map import shipped as shipped_maps
        from loligo.validation.report.page import write_report
        from loligo.validation.shipping.robots import read as read_record
        from loligo.validation.shipping.robots import shipped as shipped_records

        read = list(each(source_or_complaint, files))
        spoiled = [one for one in read if isinstance(one, str)]
        sources = [*given, *(one for one in read if not isinstance(one, str))]
        if not sources:
            raise BadInput("\n".join(spoiled))
        everything = not words and not given
        machines = [read_record(f) for f in records or (shipped_records() if everything else [])]
        page = write_report(
            sources,
            folder,
            maps=[read_map(file) for file in shipped_maps().values()],
            machines=machines,
            spoiled=spoiled,
            each=each,
        )
    return page, spoiled


def data_files(words: Sequence[str], others: bool = False) -> list[Path]:
    """Return the data sets that files, folders and names of cases mean.

    Args:
        words: what the user gives; without any, all that loligo brings along.
        others: whether there are other data sets, so that nothing is meant without a word.
    """
    brought, beside = shipped(), measured()
    if not words:
        return [] if others else [*brought.values(), *beside.values()]
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


@contextmanager
def _side_by_side(workers: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a `map` that works in several processes, where there is more than one thing to do.

    They begin as copies of one that imports what they need, while this one does, too.
    """
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
