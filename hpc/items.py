"""The items of a study on disk: what is asked, who works on it, what came of it.

A study's folder holds the index of its items, the folder ``cache/meshes`` of the meshes that they
share, and one folder an item, named by its hash:

    <case>.toml     the complete case, with the files that it names
    asked.json      the command, the ranks, and what the study set
    running.json    who works on it now; touched every few seconds, taken by one only
    outcome.json    how the last run ended
    result.nc       the data set
    result.checkpoints/   of a run that is not complete
    log.txt         what its runs printed, each below a line of when and where it began

Every file but the log is written aside and renamed, so that a kill at any instant leaves a state
that can be read. Nobody else knows these names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.hpc import claim as claims
from loligo.hpc.claim import Claim
from loligo.hpc.study import Item, item_toml

State = Literal["waiting", "running", "lost", "done", "stopped", "failed"]
INDEX = "index.json"
"""File of a study's folder that names its items."""
HEARTBEAT = 5.0
"""Seconds between two signs of life of who works on an item."""
PATIENCE = 60.0
"""Seconds without a sign of life after which somebody on another machine is given up."""
ENDS: dict[int, State] = {0: "done", 3: "stopped", 4: "stopped"}
"""What the exit codes of `loligo` mean; any other failed. A 3D solution that cannot go on has 4."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    state: State
    code: int
    reason: str
    """The last line that the run printed, where it did not end well."""
    seconds: float
    host: str = ""
    """The machine, of several ranks that of the launcher."""
    job: str = ""
    """Number of the scheduler's job, empty without one."""


@dataclass(frozen=True)
class Asked:
    """What is to be run."""

    command: tuple[str, ...]
    """Arguments of `loligo` before the case's file."""
    ranks: int
    settings: dict[str, Any]
    """What the study set, by the keys of the case file."""

    def __post_init__(self) -> None:
        """Refuse a command that no study asks for; it was read from a file and will be run."""
        words = " ".join(self.command)
        if not _COMMAND.fullmatch(words) or words.split(" ") != list(self.command):
            raise ValueError(f"{words}: no command of a study's item")


_COMMAND = re.compile(r"reduce|solve --levels? [0-6](,[0-6])*")
_NAME = re.compile(r"[0-9a-f]{12}")
"""Of an item's folder."""
_HEAD = re.compile(r"^=+ run of .* =+\n", re.MULTILINE)
"""Where the log of a run begins."""
_LAUNCHER = re.compile(r"^-{40,}\n(.*?)^-{40,}\n?", re.MULTILINE | re.DOTALL)
"""What launchers say between two rules."""

Kind = TypeVar("Kind", Outcome, Asked)


@dataclass(frozen=True)
class ItemFolder:
    """Where an item lies."""

    folder: Path

    @property
    def asked(self) -> Asked:
        """What is to be run; BadInput if nobody can tell any more."""
        file = self.folder / "asked.json"
        asked = _read(file, Asked)
        if asked is None:
            raise BadInput(
                f"{file}: is damaged or gone; `loligo study run` or `submit` writes it again"
            )
        return asked

    @property
    def case(self) -> Path:
        """The case file; BadInput if it is gone."""
        cases = _cases(self.folder)
        if not cases:
            raise BadInput(
                f"{self.folder}: has no case file; `loligo study run` or `submit` writes it again"
            )
        return cases[0]

    @property
    def result(self) -> Path:
        """The data set, whether it exists or not."""
        return self.folder / "result.nc"

    @property
    def log(self) -> Path:
        """What its runs printed."""
        return self.folder / "log.txt"

    @property
    def claim_file(self) -> Path:
        """Names who works on the item."""
        return self.folder / "running.json"


def meshes_of(root: Path) -> Path:
    """Return where the meshes of a study lie, whether there are any or not."""
    return root / "cache" / "meshes"


def lay_out(root: Path, items: list[Item]) -> list[ItemFolder]:
    """Make the folders of items; what is there already stays, with the settings of now.

    A study that grew by a key sets more of the same item. The ranks are those of now unless it is
    done: then they tell on how many it was computed.
    """
    places = []
    for item in items:
        place = ItemFolder(root / item.id)
        asked = Asked(item.command, item.ranks, dict(item.settings))
        if not place.folder.is_dir():
            root.mkdir(parents=True, exist_ok=True)
            aside = Path(tempfile.mkdtemp(prefix=f".{item.id}.", dir=root))
            _write_case(item, aside)
            (aside / "asked.json").write_text(_json(asked))
            aside.chmod(0o777 & ~files.umask())
            try:
                aside.rename(place.folder)
            except OSError:  # somebody else made it meanwhile
                shutil.rmtree(aside)
        else:
            _write_case(item, place.folder)
            _ask_anew(place, asked)
        places.append(place)
    return places


def _write_case(item: Item, folder: Path) -> None:
    """Write the case of an item and the files that it names, as far as they are not there."""
    if not _cases(folder):
        files.replace(folder / f"{item.case.name}.toml", item_toml(item))
    for file in item.files:
        target = folder / file.relative_to(item.folder)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            files.replace(target, files.read_bytes(file))


def _cases(folder: Path) -> list[Path]:
    return [file for file in folder.glob("*.toml") if file.is_file()]


def _ask_anew(place: ItemFolder, asked: Asked) -> None:
    file = place.folder / "asked.json"
    before = _read(file, Asked)
    if before is not None and state(place) == "done":
        asked = replace(asked, ranks=before.ranks)
    if before is None or _json(asked) != _json(before):
        files.replace(file, _json(asked))


def _json(asked: Asked) -> str:
    return json.dumps(asdict(asked), indent=1)


def write_index(root: Path, places: list[ItemFolder]) -> None:
    """Keep the order of a study's items; the folder may hold those of an earlier version, too."""
    files.replace(root / INDEX, json.dumps([place.folder.name for place in places]))


def read_index(root: Path) -> list[ItemFolder]:
    """Return the items of a study's folder in their order; BadInput if it is none.

    The items lie in that folder, links followed: some of their files may be deleted.
    """
    try:
        names = json.loads(files.read_text(root / INDEX))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{root}: is not the folder of a study") from None
    except OSError as error:
        raise BadInput(f"{root}/{INDEX}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        names = None
    if not _is_index(names):
        raise BadInput(
            f"{root}/{INDEX}: is damaged; `loligo study run` or `submit` writes it again"
        )
    here = root.resolve()
    for name in names:
        if (root / name).resolve() != here / name:
            raise BadInput(
                f"{root / name}: leads out of the study's folder by a link; items lie in it"
            )
    return [ItemFolder(root / name) for name in names]


def check_index(root: Path) -> None:
    """Refuse a folder whose index is a file of something else; a damaged one is written again."""
    file = root / INDEX
    if file.exists() and not any(_NAME.fullmatch(path.name) for path in root.iterdir()):
        try:
            read_index(root)
        except BadInput:
            raise BadInput(
                f"{file}: is not the index of a study, and a study would replace it; give another "
                "--output"
            ) from None


def _is_index(names: Any) -> bool:
    """Whether a content of JSON is a list of items' hashes."""
    return isinstance(names, list) and all(
        isinstance(name, str) and _NAME.fullmatch(name) for name in names
    )


def state(place: ItemFolder) -> State:
    """Return what is known of an item."""
    if place.claim_file.exists():
        return "running" if _alive(place) else "lost"
    ended = outcome(place)
    return "waiting" if ended is None else ended.state


def outcome(place: ItemFolder) -> Outcome | None:
    """Return how the last run of an item ended; None if none has, or nothing is left of it."""
    ended = _read(place.folder / "outcome.json", Outcome)
    if ended is not None and ended.state == "done" and not place.result.exists():
        return None
    return ended


def claimed(place: ItemFolder) -> Claim | None:
    """Return who works on an item, or did when it was lost; None if nobody, or nobody can tell."""
    return claims.read(place.claim_file)


def settings(place: ItemFolder) -> dict[str, Any]:
    """Return what the study set; nothing where nobody can tell any more."""
    asked = _read(place.folder / "asked.json", Asked)
    return {} if asked is None else asked.settings


def claim(place: ItemFolder, job: str, restarts: int = 0) -> bool:
    """Take an item for this process; False if somebody works on it, or its last run has ended.

    Args:
        place: the item.
        job: number of the scheduler's job, empty without one.
        restarts: times that the scheduler has started the job again. What the job took before its
            last start it takes again at once; what it took since, another process of it works on.
    """
    mine = Claim(job=job, restarts=restarts)

    def dead(before: Claim | None) -> bool:
        if before is None:  # a damaged one is nobody's
            return True
        return not _alive(place) or _earlier_start(before, mine)

    if not claims.take(place.claim_file, mine, dead):
        return False
    if outcome(place) is not None:  # it ended after this process saw it wait
        place.claim_file.unlink()
        return False
    return True


def _earlier_start(before: Claim, mine: Claim) -> bool:
    """Whether a claim is of the same job before the scheduler started it again."""
    return bool(mine.job) and before.job == mine.job and before.restarts < mine.restarts


def show_life(place: ItemFolder) -> bool:
    """Show that this process still works on an item; False if somebody else does by now.

    A process that was held up for a minute, as by a disk that hung, was taken for dead.
    """
    by = claimed(place)
    if by is None or not by.mine:
        return False
    os.utime(place.claim_file)
    return True


def name_run(place: ItemFolder, process: int) -> None:
    """Add to the claim of this process the number of the process that computes for it."""
    by = claimed(place)
    if by is not None and show_life(place):
        files.replace(place.claim_file, json.dumps(asdict(replace(by, run=process))))


def release(place: ItemFolder, ended: Outcome | None) -> None:
    """Give an item back, with how it ended; None leaves it waiting."""
    if not show_life(place):
        return
    if ended is not None:
        files.replace(place.folder / "outcome.json", json.dumps(asdict(ended)))
    place.claim_file.unlink(missing_ok=True)


def forget(place: ItemFolder, *, afresh: bool) -> None:
    """Make an item wait again.

    Args:
        place: the item.
        afresh: to be run from its beginning, not from its last checkpoint.
    """
    if afresh:
        shutil.rmtree(place.result.with_suffix(".checkpoints"), ignore_errors=True)
        place.result.unlink(missing_ok=True)
    (place.folder / "outcome.json").unlink(missing_ok=True)


def begin_log(place: ItemFolder, job: str) -> BinaryIO:
    """Open the log of an item for its next run, below what those before it printed."""
    log = place.log.open("ab")
    when = time.strftime("%Y-%m-%d %H:%M:%S %z")
    where = socket.gethostname() + (f", job {job}" if job else "")
    log.write(f"===== run of {when} on {where} =====\n".encode())
    log.flush()
    return log


def last_lines(place: ItemFolder, count: int) -> list[str]:
    """Return the end of what the last run printed; a launcher's words only if there are no others.

    Those stand between two rules. They repeat at length that a rank failed, or say why none began.
    """
    try:
        text = place.log.read_text(encoding="utf-8", errors="replace").replace("\0", "")
    except FileNotFoundError:
        return []
    printed = _HEAD.split(text)[-1]
    lines = [line for line in _LAUNCHER.sub("", printed).splitlines() if line.strip(" -=")]
    return lines[-count:] or [_gist(words) for words in _LAUNCHER.findall(printed)][-count:]


def error(place: ItemFolder) -> str:
    """Return why the last run ended, in its own words: its last error, or else its last line."""
    text = "\n".join(last_lines(place, 1000))
    errors = re.findall(r"^error:.*(?:\n[ \t].*)*", text, re.MULTILINE)
    return " ".join((errors or last_lines(place, 1) or [""])[-1].split())


def _gist(words: str) -> str:
    """Return the first paragraph of what a launcher says, with what a colon at its end promises."""
    first, *others = (" ".join(part.split()) for part in re.split(r"\n\s*\n", words.strip()))
    return " ".join([first, *others[: first.endswith(":")]])


def _alive(place: ItemFolder) -> bool:
    """Whether who took an item still works: by its signs of life, and here by its processes."""
    by = claimed(place)
    try:
        age = time.time() - place.claim_file.stat().st_mtime
    except FileNotFoundError:  # it ended this instant
        return False
    if by is None:
        return False
    return age < PATIENCE and (not by.here or by.lives)


def _read(file: Path, kind: type[Kind]) -> Kind | None:
    """Return the record that a file holds; None if there is no file, or it was damaged."""
    try:
        return kind(**json.loads(files.read_text(file)))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
