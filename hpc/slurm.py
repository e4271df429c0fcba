"""A study as jobs of Slurm: a first item, an array of the others, and what collects them.

The first item runs alone: it warms the cache of compiled forms, which every job of the array then
reads. The array follows whether it succeeds or not, and what collects follows the array.
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
from loligo.hpc.items import Place, state


class Cluster(Record):
    """What a cluster wants to be told, once."""

    options: dict[str, str] = Field(default_factory=dict)
    """Options of sbatch by their long names: partition, account, time, mem ..."""
    setup: tuple[str, ...] = ()
    """Shell lines before the work: modules, a container's path, caches on the node."""
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
    """Return the jobs for the items that wait or were lost: first, array, collect.

    Raises:
        BadInput: if no item waits.
    """
    waiting = [place for place in places if state(place) in ("waiting", "lost")]
    if not waiting:
        raise BadInput(f"{root}: no item waits (loligo study retry makes failed ones wait again)")
    work = [str(place.folder.resolve()) for place in waiting]
    loligo = cluster.loligo or f"{shlex.quote(sys.executable)} -m loligo.cli.main"
    ranks = max(place.asked.ranks for place in waiting)
    launcher = shlex.quote(cluster.launcher)
    item = f"exec {loligo} study item --launcher {launcher}"
    folder = root / "slurm"
    log = folder / "%x-%A_%a.log"
    rest = folder / "work.txt", "".join(f"{line}\n" for line in work[1:])
    pick = f'"$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" {shlex.quote(str(rest[0]))})"'
    common = {"output": str(log), "signal": f"B:USR1@{cluster.signal_seconds}", "requeue": ""}
    jobs = [("first", {"ntasks": str(ranks), **common}, f"{item} {shlex.quote(work[0])}")]
    if len(work) > 1:
        array = f"0-{len(work) - 2}%{cluster.at_once}"
        jobs.append(("array", {"ntasks": str(ranks), "array": array, **common}, f"{item} {pick}"))
    end = f"exec {loligo} study collect {shlex.quote(str(root))}"
    jobs.append(("collect", {"ntasks": "1", "output": str(log)}, end))
    return [
        Script(
            folder / f"{name}.sh",
            _text(f"{root.name}-{name}", options, cluster, line),
            rest if name == "array" else None,
        )
        for name, options, line in jobs
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


def _text(name: str, options: dict[str, str], cluster: Cluster, line: str) -> str:
    from jinja2 import Template

    template = resources.files("loligo.hpc").joinpath("templates/job.sh.jinja").read_text()
    every = {"job-name": name, **options, **cluster.options}
    return Template(template, keep_trailing_newline=True, trim_blocks=True).render(
        options=every, setup=cluster.setup, line=line
    )
