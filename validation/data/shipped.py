"""The reference data that loligo brings along: one data set a case, each with its checksum."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.reading import know

MANIFEST = "manifest.toml"


@dataclass(frozen=True)
class ManifestEntry:
    """What the manifest says of one file."""

    command: str
    """What made it."""
    sha256: str
    size: int
    """Bytes."""
    levels: tuple[int, ...]
    unknowns: int
    """On the finest level."""
    cpu_seconds: float
    """Of all levels."""
    created: str
    git_commit: str
    versions: dict[str, str]


def folder() -> Path:
    """Return where the files lie."""
    return Path(str(resources.files("loligo.validation"))) / "reference"


def shipped() -> dict[str, Path]:
    """Return the files of the reference data sets that loligo brings along, by case."""
    return {file.stem: file for file in sorted(folder().glob("*.nc"))}


def measured() -> dict[str, Path]:
    """Return the files of measured data that loligo brings along, by case.

    Beside each lies the setup that says how `loligo import` made it of whose recordings.
    """
    return {file.stem: file for file in sorted((folder() / "measured").glob("*.nc"))}


def read_manifest() -> dict[str, ManifestEntry]:
    """Return the manifest's entries by case; none before any file has been made."""
    file = folder() / MANIFEST
    if not file.is_file():
        return {}
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        case: ManifestEntry(**{**table, "levels": tuple(table["levels"])})
        for case, table in tables.items()
    }


def write_manifest(entries: dict[str, ManifestEntry]) -> None:
    """Write the manifest, cases in order."""
    import tomli_w

    tables = {case: {**asdict(entries[case])} for case in sorted(entries)}
    files.replace(folder() / MANIFEST, tomli_w.dumps(tables))


def checksum(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(files.read_bytes(file)).hexdigest()


def verify(file: Path) -> None:
    """Raise BadInput if a file among the shipped ones is not the one that was published."""
    if file.resolve().parent != folder().resolve():
        return
    entry = read_manifest().get(file.stem)
    if entry is None:
        raise BadInput(
            f"{file}: is not in {MANIFEST} beside it, so that nobody knows what made it: move it "
            "elsewhere to use it, or let `make data` make it"
        )
    if checksum(file) != entry.sha256:
        raise BadInput(
            f"{file}: is not the file that was published, its SHA-256 is another: install loligo "
            f"anew, or make the file again in a clone with `{entry.command}`"
        )
    know(file)
