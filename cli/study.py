"""`loligo study`: many cases at once, here or on a cluster; never the same one twice."""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import Force, Trust

if TYPE_CHECKING:
    from loligo.hpc.items import ItemFolder, State

MOST_NAMES = 10
"""Items that a message names."""

app = typer.Typer(add_completion=False, rich_markup_mode="rich", no_args_is_help=True)

StudyFile = Annotated[Path, typer.Argument(help="The study, a .toml file.")]
Root = Annotated[Path, typer.Argument(help="The study's folder.", file_okay=False)]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Its folder; by default STUDY_items.", file_okay=False),
]


@app.callback()
def study() -> None:
    """Vary cases over lists, a grid, a sample or a table; run, resume and collect them.

    Example: [bold]loligo study run stiffness.toml --at-once 2[/]
    """


@app.command()
def run(
    file: StudyFile,
    root: Output = None,
    at_once: Annotated[int, typer.Option(min=1, help="Items at the same time.")] = 1,
    trust: Trust = False,
) -> None:
    """Run what is not done yet, on this machine. Ctrl-C stops it, the same command goes on.

    Ends with code 3 if an item stopped or failed, or a signal ended the study.

    Example: [bold]loligo study run stiffness.toml --at-once 2[/]
    """
    from loligo.hpc import local

    folder, places = _laid_out(file, root, trust)
    done = Counter(_states(places).values())["done"]
    typer.echo(f"{folder}: {len(places)} items, {done} done before", err=True)

    def tell(place: ItemFolder, became: State) -> None:
        nonlocal done
        if became != "running":
            done += became == "done"
            reason = f": {_reason(place)}" if became in ("failed", "stopped") else ""
            typer.echo(f"{done}/{len(places)} {place.folder.name} {became}{reason}", err=True)

    finished = local.run(places, at_once, tell, trust=trust)
    states = Counter(_states(places).values())
    typer.echo(", ".join(f"{count} {name}" for name, count in states.items()))
    if not finished or set(states) - {"done"}:
        raise typer.Exit(3)


@app.command()
def submit(
    file: StudyFile,
    root: Output = None,
    cluster: Annotated[
        Path | None, typer.Option(help="TOML file with the cluster's facts.", dir_okay=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Lay items out, print the scripts; submit nothing.")
    ] = False,
    write_only: Annotated[
        bool,
        typer.Option("--write-only", help="Write the scripts, and print the line that submits."),
    ] = False,
    _slurm: Annotated[
        bool, typer.Option("--slurm", help="To Slurm, which goes without saying so far.")
    ] = True,
    trust: Trust = False,
) -> None:
    """Submit what is not done yet to Slurm: a first item, an array, and what collects.

    Example: [bold]loligo study submit stiffness.toml --slurm --cluster ours.toml --dry-run[/]
    """
    from loligo.hpc import slurm

    facts = slurm.read_cluster(cluster)
    folder, places = _laid_out(file, root, trust)
    files = slurm.scripts(folder.resolve(), places, facts, trust=trust)
    if dry_run:
        for one in files:
            typer.echo(f"# {one.file}\n{one.text}")
        return
    start = slurm.write(files)
    if write_only:
        typer.echo(f"bash {shlex.quote(str(start))}")
    else:
        slurm.submit(start)


@app.command()
def status(
    root: Root, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Say what is done, running and failed, with reasons, the last lines, and the time left.

    Example: [bold]loligo study status stiffness_items[/]
    """
    from loligo.hpc.items import claimed, last_lines, outcome, read_index, settings
    from loligo.hpc.study import words

    places = read_index(root)
    states = _states(places)
    since = [by.since for place in places if (by := claimed(place)) and states[place] == "running"]
    counts = Counter(states.values())
    took = [o.seconds for place in places if (o := outcome(place)) and o.state == "done"]
    mean = sum(took) / len(took) if took else None
    if as_json:
        items = {place.folder.name: states[place] for place in places}
        typer.echo(json.dumps({"counts": counts, "items": items, "mean_seconds": mean}, indent=2))
        return
    typer.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    if mean is not None and (counts["waiting"] or counts["lost"] or since):
        work = mean * (counts["waiting"] + counts["lost"])
        work += sum(max(mean - (time.time() - began), 0.0) for began in since)
        at_once = max(len(since), 1)
        typer.echo(f"about {work / at_once:.0f} s left, {at_once} at once")
    for place, known in states.items():
        if known in ("running", "failed", "stopped", "lost"):
            typer.echo(f"{place.folder.name} {known}{_where(place)}: {_reason(place)}")
        if known in ("failed", "stopped", "lost"):
            if changed := settings(place):
                typer.echo(f"    with {words(changed)}")
            for line in last_lines(place, 3):
                typer.echo(f"    {line}")


@app.command()
def retry(
    root: Root,
    items: Annotated[
        list[str] | None, typer.Argument(help="Their hashes; by default all that failed.")
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="From their beginning, not from a checkpoint.")
    ] = False,
) -> None:
    """Make failed and stopped items wait again; `run` or `submit` then takes them.

    They go on from their last checkpoints, where they have any. Named by its hash, an item that is
    done is computed again, too, from its beginning: its result may have been damaged.

    Example: [bold]loligo study retry stiffness_items[/]
    """
    from loligo.cases.core.record import BadInput
    from loligo.hpc.items import forget, read_index

    places = read_index(root)
    chosen = _states([_chosen(places, item) for item in items] if items else places)
    wanted = ("waiting", "lost", "done", "failed", "stopped") if items else ("failed", "stopped")
    again = {place: known for place, known in chosen.items() if known in wanted}
    if items and not again:
        raise BadInput(f"{', '.join(items)}: still running; stop the run, or wait for its end")
    for place, known in again.items():
        forget(place, afresh=afresh or known == "done")
    typer.echo(f"{len(again)} items wait again")


@app.command()
def reproduce(
    root: Root, item: Annotated[str, typer.Argument(help="The item's hash, or its beginning.")]
) -> None:
    """Print the one command line that computes an item, in any folder, to a file there.

    Example: [bold]loligo study reproduce stiffness_items 3f2a[/]
    """
    from loligo.hpc.items import read_index
    from loligo.hpc.worker import reproduction

    typer.echo(shlex.join(reproduction(_chosen(read_index(root), item))))


@app.command()
def collect(
    root: Root,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="By default collected.nc in it.", dir_okay=False),
    ] = None,
    force: Force = False,
) -> None:
    """Join the results into one data set with a dimension `item`.

    Example: [bold]loligo study collect stiffness_items -o stiffness.nc[/]
    """
    from loligo.cases import outputs
    from loligo.hpc import collect as collecting
    from loligo.hpc.items import read_index

    places = read_index(root)
    file = output or root / "collected.nc"
    kind = outputs.collection(place.folder.name for place in places)
    outputs.check(file, kind, [place.result for place in places], force=force)
    joined, damaged = collecting.collect(places)
    collecting.write(joined, file)
    absent = [place.folder.name for place in places if not place.result.exists()]
    for trouble in (*damaged, *([f"{_some(absent)}: no result yet"] if absent else [])):
        typer.echo(f"left out: {trouble}", err=True)
    typer.echo(f"{file}: {joined.sizes['item']} of {len(places)} items")


@app.command(hidden=True)
def mesh(root: Root) -> None:
    """Make the meshes of the items that wait, as the first job of `submit` does."""
    from loligo.hpc.items import read_index
    from loligo.meshing import make_meshes

    for file, trouble in make_meshes(root, read_index(root)):
        typer.echo(trouble or file)


@app.command(hidden=True)
def item(
    folder: Annotated[Path, typer.Argument(help="The item's folder.")],
    launcher: Annotated[str | None, typer.Option(help="How ranks are started.")] = None,
    meshes: Annotated[Path | None, typer.Option(help="Where its mesh lies.")] = None,
    trust: Trust = False,
) -> None:
    """Work on one item, as `run` and the jobs of `submit` do."""
    from loligo.hpc.items import ItemFolder
    from loligo.hpc.worker import LAUNCHER, work

    ended = work(ItemFolder(folder), launcher or LAUNCHER, meshes, trust=trust)
    if ended is None or ended.state != "done":
        raise typer.Exit(3)


def _laid_out(file: Path, root: Path | None, trust: bool) -> tuple[Path, list[ItemFolder]]:
    from loligo.cases import outputs
    from loligo.cases.core.record import BadInput
    from loligo.hpc.items import check_index, lay_out, write_index
    from loligo.hpc.study import read_study

    study, items = read_study(file)
    code = dict.fromkeys(path for item in items for path in item.code)
    if code and study.run == "solve" and not trust:
        raise BadInput(
            f"{file}: its cases run Python of their own: {_some(list(map(str, code)))}; read it, "
            "then say --trust"
        )
    folder = outputs.check_folder(root or Path(f"{file.stem}_items"))
    check_index(folder)
    places = lay_out(folder, items)
    write_index(folder, places)
    return folder, places


def _some(names: list[str]) -> str:
    """Name some of many."""
    more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return ", ".join([*names[:MOST_NAMES], *more])


def _states(places: list[ItemFolder]) -> dict[ItemFolder, State]:
    from loligo.hpc.items import state

    return {place: state(place) for place in places}


def _where(place: ItemFolder) -> str:
    """Say where an item runs, or ran, with the job's number where a scheduler has one."""
    from loligo.hpc.items import claimed, outcome

    by = claimed(place) or outcome(place)
    job = f", job {by.job}" if by and by.job else ""
    return f" on {by.host}{job}" if by and by.host else ""


def _reason(place: ItemFolder) -> str:
    """Say why an item ended as it did; of one that runs what it said last."""
    from loligo.hpc.items import last_lines, outcome, state

    if state(place) == "running":
        return "".join(last_lines(place, 1))
    ended = outcome(place)
    return "the one who worked on it is gone" if ended is None else ended.reason


def _chosen(places: list[ItemFolder], item: str) -> ItemFolder:
    from loligo.cases.core.record import BadInput

    found = [place for place in places if place.folder.name.startswith(item)]
    if len(found) != 1:
        raise BadInput(f'"{item}" is the beginning of {len(found)} hashes; it should be of one')
    return found[0]
