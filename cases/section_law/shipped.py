"""Which section law of the solid belongs to which arm, and the laws that loligo brings along.

A law belongs to the shapes of sections, to the rubber's energy and to the thread. Lengths, plates,
discs, density and viscosity do not matter. All solid round sections of one rubber are similar, so
that they share a law. What is shipped are laws of single sections: an arm takes one for each of its
soft lengths, turned as its segment is.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import assert_never

import numpy as np

from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.reading import know
from loligo.cases.section_law.law import ArmLaws, SolidLaw, read_law
from loligo.cases.section_law.parts import Array, Polynomial

MANIFEST = "manifest.toml"
_NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
_NO_PART = {
    "density",
    "viscosity",
    "rate_index",
    "smallest_rate",
    "fitted_stretch",
    "spread",
}
"""Of a rubber: what a section at rest does not feel."""


@dataclass(frozen=True)
class Entry:
    """What the manifest says of one file."""

    command: str
    """What made it."""
    sha256: str
    size: int
    """Bytes."""
    cpu_seconds: float
    created: str
    git_commit: str
    versions: dict[str, str]
    belongs_to: dict[str, str]
    """As in the file, see `identity`."""


def identity(case: Case) -> dict[str, str]:
    """Return hashes of what a section law belongs to: sections, rubber, thread.

    Raises:
        BadInput: if the body is no arm.
    """
    rubbers = sorted(case.material.items())
    parts = {
        "sections": _sections(case),
        "rubber": ";".join(f"{k}={v.model_dump_json(exclude=_NO_PART)}" for k, v in rubbers),
        "thread": "none" if case.winding is None else case.winding.model_dump_json(),
    }
    return {
        name: hashlib.sha256(_NUMBER.sub(_rounded, text).encode()).hexdigest()
        for name, text in parts.items()
    }


def _rounded(number: re.Match[str]) -> str:
    """Return a number to nine digits, so that "0.9 cm" is "9 mm"."""
    value = float(number[0])
    short = float(f"{value:.9g}")
    return number[0] if short == value else repr(short)


def _sections(case: Case) -> str:
    """Return the shapes of an arm's sections as a text."""
    body = case.body
    match body:
        case ChamberedArm():
            shapes = [segment.model_dump_json(exclude={"length"}) for segment in body.segments]
            return "; ".join((f"radius {body.radius!r}", *shapes))
        case TaperedArm(bore_radius=0.0):
            return "solid round sections"
        case TaperedArm():
            return f"radii {body.base_radius!r}, {body.tip_radius!r}, bore {body.bore_radius!r}"
        case Bar():
            return f"width {body.width!r}, height {body.height!r}"
        case Mantle() | Solid():
            raise BadInput(f"{case.name}: only an arm has sections, not a {body.kind}")
        case unknown:
            assert_never(unknown)


def others(belongs_to: dict[str, str], case: Case) -> list[str]:
    """Return which of sections, rubber and thread of a case are not those of some hashes."""
    return [name for name, part in identity(case).items() if belongs_to.get(name) != part]


def folder() -> Path:
    """Return where the files lie."""
    return Path(str(resources.files("loligo.cases"))) / "laws"


@cache
def read_manifest() -> dict[str, Entry]:
    """Return the manifest's entries by name; none before any file has been made."""
    file = folder() / MANIFEST
    if not file.is_file():
        return {}
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: Entry(**table) for name, table in tables.items()}


def write_manifest(entries: dict[str, Entry]) -> None:
    """Write the manifest, names in order."""
    import tomli_w

    tables = {name: asdict(entries[name]) for name in sorted(entries)}
    files.replace(folder() / MANIFEST, tomli_w.dumps(tables))
    read_manifest.cache_clear()
    shipped_law.cache_clear()
    _placed.cache_clear()


@cache
def shipped_law(name: str) -> ArmLaws:
    """Return a law that loligo brings along.

    Raises:
        BadInput: if the file is not the one that was published.
    """
    file, entry = folder() / f"{name}.nc", read_manifest()[name]
    if hashlib.sha256(files.read_bytes(file)).hexdigest() != entry.sha256:
        raise BadInput(
            f"{file}: is not the file that was published, its SHA-256 is another: install loligo "
            f"anew, or make it again in a clone with `{entry.command}`"
        )
    know(file)
    return read_law(file)


def shipped_laws(case: Case) -> list[dict[str, SolidLaw]]:
    """Return the laws that loligo brings along for every soft length of an arm, by their names."""
    found = []
    for number, (alone, turn) in enumerate(_lengths(case), 1):
        mine = identity(alone)
        known = [name for name, entry in read_manifest().items() if entry.belongs_to == mine]
        found.append({name: _placed(name, number, turn) for name in known})
    return found


def _lengths(case: Case) -> list[tuple[Case, float]]:
    """Return an arm of each soft length alone, as if it were not turned, and its turn (rad)."""
    body = case.body
    if not isinstance(body, ChamberedArm):
        return [(case, 0.0)]
    found = []
    for segment in body.segments:
        straight = segment.model_copy(update={"turn": 0.0})
        alone = {"segments": (straight,), "plates": body.plates[:2]}
        one = case.model_copy(update={"body": body.model_copy(update=alone)})
        found.append((one, segment.turn))
    return found


@cache
def _placed(name: str, number: int, turn: float) -> SolidLaw:
    """Return a shipped law in a segment of an arm, counted from 1."""
    ((_, law),) = shipped_law(name).sections
    cavities = tuple(f"s{number}{cavity[2:]}" for cavity in law.cavities)
    return replace(turned(law, turn), cavities=cavities)


def turned(law: SolidLaw, angle: float) -> SolidLaw:
    """Return the law of a section that is turned about x by an angle (rad), chamber by chamber."""
    if angle == 0.0:
        return law
    c, s = np.cos(angle), np.sin(angle)
    m = np.kron(np.eye(2), np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))

    def carried(part: Polynomial, first: int = 0) -> Polynomial:
        """Turn all axes of the values from one on."""
        values = part.coefficients
        for axis in range(1 + first, values.ndim):
            product: Array = np.asarray(np.tensordot(values, m, (axis, 1)), dtype=float)
            values = np.moveaxis(product, -1, axis)
        return replace(part, coefficients=values)

    end = law.end
    if end is not None:
        end = replace(end, free=carried(end.free), stiffness=carried(end.stiffness))
    return replace(
        law,
        end=end,
        free=carried(law.free),
        stiffness=carried(law.stiffness),
        cubic=carried(law.cubic),
        quartic=carried(law.quartic),
        volume_slope=carried(law.volume_slope, first=1),
        fluid=carried(law.fluid),
        fluid_slope=carried(law.fluid_slope),
        turned_from=f"{law.name} turned by {angle:.9g}",
    )
