"""A study as jobs of Slurm: meshes, a first item, an array of the others, data set and report.

The meshes are made by one process, each once for all items that have it. The first item runs alone:
it warms the cache of compiled forms, which every job of the array then reads. Every job follows the
one before, whether that succeeds or not; several arrays run side by side.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from loligo.cases.case_file import tables, validated
from loligo.cases.core.record import BadInput, Record
from loligo.hpc.items import ItemFolder, meshes_of, state
from loligo.hpc.worker import entrance

OWN = ("array", "dependency", "ntasks", "parsable", "requeue", "signal")
"""Options of sbatch that follow from the study: another value would drop items, or lose them."""

if TYPE_CHECKING:
    from jinja2 import Template


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
    """The command that starts loligo; by default the Python that submits, or the clone's own."""
    launcher: str = "srun --mpi=pmix -n {ranks}"
    """How the ranks of an item are started."""
    at_once: int = Field(default=50, ge=1, strict=True)
    """Jobs of the array that run at the same time."""
    max_array: int = Field(default=1000, ge=1, strict=True)
    """Most jobs of one array (MaxArraySize less one); more items become several arrays."""
    signal_seconds: int = Field(default=300, ge=10, strict=True)
    """Time before the limit at which a run is told to stop."""

    @field_validator("options", "setup", "node_cache", "loligo", "launcher")
    @classmethod
    def _stays_in_its_line(cls, value: Any) -> Any:
        """Refuse what would begin another line of the script, or what nobody sees in it."""
        texts = [value] if isinstance(value, str) else value
        texts = [*value, *value.values()] if isinstance(value, dict) else texts
        for text in texts:
            if hidden := [c for c in text if unicodedata.category(c) == "Cc" and c != "\t"]:
                raise ValueError(
                    f"{text!r} holds the control character {hidden[0]!r}: no line of a job can"
                )
        return value

    @field_validator("options")
    @classmethod
    def _leaves_those_of_the_study(cls, value: dict[str, str]) -> dict[str, str]:
        if odd := [key for key in value if not re.fullmatch("[a-z][a-z0-9-]*", key)]:
            raise ValueError(f"{odd[0]!r} is no long name of an option of sbatch")
        if taken := sorted(set(value) & set(OWN)):
            raise ValueError(
                f"{', '.join(taken)}: follows from the study (ranks, at_once, max_array, "
                "signal_seconds); leave it out"
            )
        return value

    @field_validator("launcher")
    @classmethod
    def _names_ranks_alone(cls, value: str) -> str:
        try:
            value.format(ranks=1)
        except (LookupError, ValueError, AttributeError):
            raise ValueError(
                "may hold {ranks} alone in braces; other braces are written twice, {{ and }}"
            ) from None
        return value


@dataclass(frozen=True)
class Script:
    """A file to be written: a job, or what submits the jobs."""

    file: Path
    text: str


@dataclass(frozen=True)
class Job:
    """What a script does."""

    name: str
    line: str
    """The command, with `exec`."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of sbatch, beyond those of every job."""
    items: Sequence[str] = ()
    """Names of an array's items; in the script, of which Slurm keeps a copy as it was submitted."""
    warms: bool = False
    """Whether it fills the cache that others read."""


def read_cluster(file: Path | None) -> Cluster:
    """Read a cluster's file; without one Slurm's own defaults serve."""
    return Cluster() if file is None else validated(Cluster, tables(file), file)


def scripts(
    root: Path, places: list[ItemFolder], cluster: Cluster, *, trust: bool = False
) -> list[Script]:
    """Return the jobs for the items that wait or were lost, in their order; last what submits them.

    Raises:
        BadInput: if no item waits, or the folder has a name that sbatch cannot take.
    """
    if "\\" in str(root) or any(unicodedata.category(c) == "Cc" for c in str(root)):
        raise BadInput(
            f"{str(root)!r}: Slurm writes no log below a name with a line break, another control "
            "character or a backslash; "
            "choose another folder with --output"
        )
    waiting = [place for place in places if state(place) in ("waiting", "lost")]
    if not waiting:
        raise BadInput(f"{root}: no item waits (loligo study retry makes failed ones wait again)")
    loligo = cluster.loligo or _this_loligo()
    solved = any(place.asked.command[0] == "solve" for place in waiting)
    ranks = str(max(place.asked.ranks for place in waiting))
    meshes = '"$XDG_CACHE_HOME/meshes"' if cluster.node_cache else shlex.quote(str(meshes_of(root)))
    item = f"exec {loligo} study item --launcher {shlex.quote(cluster.launcher)} --meshes {meshes}"
    item += " --trust" if trust else ""
    here = shlex.quote(str(root))
    stopping = {"ntasks": ranks, "signal": f"B:USR1@{cluster.signal_seconds}", "requeue": ""}
    first, *others = [place.folder.name for place in waiting]
    parts = [others[k : k + cluster.max_array] for k in range(0, len(others), cluster.max_array)]
    # Arrays side by side share `at_once`, so that none waits for the slowest item of another.
    beside = min(len(parts), cluster.at_once)
    arrays = [
        Job(
            "array" if k == 0 else f"array-{k + 1}",
            f'{item} {here}/"${{items[$SLURM_ARRAY_TASK_ID]}}"',
            {**stopping, "array": f"0-{len(part) - 1}%{cluster.at_once // beside}"},
            items=part,
        )
        for k, part in enumerate(parts)
    ]
    mesh = Job("mesh", f"exec {loligo} study mesh {here}", warms=True)
    report = Job("report", f"exec {loligo} report {here} -o {here}/report")
    stages = [
        *([[mesh]] if solved else []),
        [Job("first", f"{item} {here}/{first}", stopping, warms=True)],
        *(arrays[k : k + beside] for k in range(0, len(arrays), beside or 1)),
        [Job("collect", f"exec {loligo} study collect {here}")],
        *([[report]] if solved else []),
    ]
    folder = root / "slurm"
    cache = root / "cache" if cluster.node_cache else None
    written = [
        Script(folder / f"{job.name}.sh", _text(job, cluster, cache))
        for stage in stages
        for job in stage
    ]
    calls = [
        [_call(folder / f"{job.name}.sh", job, root, cluster) for job in stage] for stage in stages
    ]
    start = _template("submit.sh").render(stages=calls, max_array=cluster.max_array)
    return [*written, Script(folder / "submit.sh", start)]


def _this_loligo() -> str:
    """Return the command that starts the loligo that submits.

    A clone's own Python lives within its environment; what starts it from outside enters that.
    """
    if entered := entrance():
        return shlex.join([*entered, "loligo"])
    return f"{shlex.quote(sys.executable)} -m loligo.cli.main"


def write(files: list[Script]) -> Path:
    """Write the scripts; return the last one, which submits the others."""
    for one in files:
        one.file.parent.mkdir(parents=True, exist_ok=True)
        one.file.write_text(one.text)
    return files[-1].file


def submit(start: Path) -> None:
    """Run the script that submits the jobs; it prints their numbers as they come.

    Raises:
        BadInput: if a job is refused; those that were queued before it are cancelled.
    """
    if shutil.which("sbatch") is None:
        raise BadInput(
            "there is no sbatch here: is this the cluster's login node? With --write-only the "
            "scripts are written, to be submitted there"
        )
    done = subprocess.run(["bash", str(start)], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(done.stderr.strip())


_NAMING = ("job-name", "output")
"""Options with the folder's name: arguments of sbatch, since a blank or # ends a line #SBATCH."""


def _call(file: Path, job: Job, root: Path, cluster: Cluster) -> str:
    """Return the arguments of sbatch for a job, as the shell reads them."""
    log = "%x-%A_%a.log" if job.items else "%x-%j.log"
    folder = str(file.parent).replace("%", "%%")
    naming = {"job-name": f"{root.name}-{job.name}", "output": f"{folder}/{log}"}
    named = [f"--{key}={cluster.options.get(key, naming[key])}" for key in _NAMING]
    return shlex.join([*named, str(file)])


def _text(job: Job, cluster: Cluster, cache: Path | None) -> str:
    """Return the script of a job."""
    # Appended to, the log of a job that is requeued keeps what it said before.
    every = {"ntasks": "1", "open-mode": "append"}
    options = {**every, **job.options, **cluster.options}
    return _template("job.sh").render(
        options={key: value for key, value in options.items() if key not in _NAMING},
        setup=cluster.setup,
        cache=cache and shlex.quote(str(cache)),
        job=job,
        node_cache=cluster.node_cache,
    )


def _template(name: str) -> Template:
    from jinja2 import Template

    text = resources.files("loligo.hpc").joinpath(f"templates/{name}.jinja").read_text()
    return Template(text, keep_trailing_newline=True, trim_blocks=True)
