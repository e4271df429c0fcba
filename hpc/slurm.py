"""A study as jobs of Slurm: meshes, a first item, an array of the others, data set and report.

The meshes are made by one process, each once for all items that have it. The first item runs alone:
it warms the cache of compiled forms, which every job of the array then reads. Every job follows the
one before, whether that succeeds or not.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from pydantic import Field

from loligo.cases.read import tables, validated
from loligo.cases.record import BadInput, Record
from loligo.hpc.items import Place, meshes_of, state


class Cluster(Record):
    """What a cluster wants to be told, once."""

    options: dict[str, str] = Field(default_factory=dict)
    """Options of sbatch by their long names: partition, account, time, mem ..."""
    setup: tuple[str, ...] = ()
    """Shell lines before the work: modules, a container's path."""
    node_cache: str = ""
    """A folder on every node, such as "$TMPDIR/loligo": compiled forms and meshes are copied there,
    for clusters whose shared disks are slow or have no locks."""
    loligo: str = ""
    """The command that starts loligo; by default the Python that submits."""
    launcher: str = "srun --mpi=pmix -n {ranks}"
    """How the ranks of an item are started."""
    at_once: int = Field(default=50, ge=1, strict=True)
    """Jobs of the array that run at the same time."""
    signal_seconds: int = Field(default=300, ge=10, strict=True)
    """Time before the limit at which a run is told to stop."""


@dataclass(frozen=True)
class Script:
    """One job."""

    file: Path
    text: str
    work: tuple[Path, str] | None = None
    """A file that the job reads, with what belongs into it."""


def read_cluster(file: Path | None) -> Cluster:
    """Read a cluster's file; without one Slurm's own defaults serve."""
    return Cluster() if file is None else validated(Cluster, tables(file), file)


def scripts(root: Path, places: list[Place], cluster: Cluster) -> list[Script]:
    """Return the jobs for the items that wait or were lost, in their order.

    Raises:
        BadInput: if no item waits.
    """
    waiting = [place for place in places if state(place) in ("waiting", "lost")]
    if not waiting:
        raise BadInput(f"{root}: no item waits (loligo study retry makes failed ones wait again)")
    work = [str(place.folder.resolve()) for place in waiting]
    loligo = cluster.loligo or f"{shlex.quote(sys.executable)} -m loligo.cli.main"
    solved = any(place.asked.command[0] == "solve" for place in waiting)
    ranks = str(max(place.asked.ranks for place in waiting))
    meshes = '"$XDG_CACHE_HOME/meshes"' if cluster.node_cache else shlex.quote(str(meshes_of(root)))
    item = f"exec {loligo} study item --launcher {shlex.quote(cluster.launcher)} --meshes {meshes}"
    folder = root / "slurm"
    rest = folder / "work.txt", "".join(f"{line}\n" for line in work[1:])
    pick = f'"$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" {shlex.quote(str(rest[0]))})"'
    stopping = {"signal": f"B:USR1@{cluster.signal_seconds}", "requeue": ""}
    array = {"array": f"0-{len(work) - 2}%{cluster.at_once}"}
    here = shlex.quote(str(root))
    lines = {
        "mesh": ({}, f"exec {loligo} study mesh {here}") if solved else None,
        "first": ({"ntasks": ranks, **stopping}, f"{item} {shlex.quote(work[0])}"),
        "array": ({"ntasks": ranks, **array, **stopping}, f"{item} {pick}") if rest[1] else None,
        "collect": ({}, f"exec {loligo} study collect {here}"),
        "report": ({}, f"exec {loligo} report {here}/*/result.nc -o {here}/report")
        if solved
        else None,
    }
    cache = root.resolve() / "cache" if cluster.node_cache else None
    return [
        Script(
            folder / f"{name}.sh",
            _text(f"{root.name}-{name}", job[0], cluster, job[1], folder, cache),
            rest if name == "array" else None,
        )
        for name, job in lines.items()
        if job is not None
    ]


def submit(jobs: list[Script]) -> list[str]:
    """Write the scripts and submit them, each after the one before; return the jobs' numbers."""
    numbers: list[str] = []
    for job in jobs:
        job.file.parent.mkdir(parents=True, exist_ok=True)
        job.file.write_text(job.text)
        if job.work is not None:
            file, text = job.work
            file.write_text(text)
        after = [f"--dependency=afterany:{numbers[-1]}"] if numbers else []
        try:
            done = subprocess.run(
                ["sbatch", "--parsable", *after, str(job.file)],
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise BadInput("there is no sbatch here: is this the cluster's login node?") from None
        if done.returncode != 0:
            raise BadInput(f"sbatch refused {job.file}: {done.stderr.strip()}")
        numbers.append(done.stdout.strip().partition(";")[0])
    return numbers


def _text(
    name: str, options: dict[str, str], cluster: Cluster, line: str, logs: Path, cache: Path | None
) -> str:
    from jinja2 import Template

    template = resources.files("loligo.hpc").joinpath("templates/job.sh.jinja").read_text()
    log = "%x-%A_%a.log" if "array" in options else "%x-%j.log"
    # Appended to, the log of a job that is requeued keeps what it said before.
    every = {"job-name": name, "ntasks": "1", "output": str(logs / log), "open-mode": "append"}
    return Template(template, keep_trailing_newline=True, trim_blocks=True).render(
        options={**every, **options, **cluster.options},
        setup=cluster.setup,
        cache=cache and shlex.quote(str(cache)),
        warms=name.endswith(("-mesh", "-first")),
        node_cache=cluster.node_cache,
        line=line,
    )
