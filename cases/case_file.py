"""Case files: found by name or path, read from TOML, all complaints at once, written back.

Other files of records, a study's for instance, are read the same way.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import types
import typing
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loligo.cases.body import Solid
from loligo.cases.case import Case, Problems
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput, Record
from loligo.cases.rubber.elastomer import UserLaw
from loligo.cases.user_law import code_file

Kind = typing.TypeVar("Kind", bound=Record)


MOST_WORDS = 20
"""Names that are listed where none was meant."""


class CaseError(BadInput):
    """A file that cannot be used: the file, and every key that is wrong with its reason."""

    def __init__(self, file: Path | str, problems: list[tuple[str, str]]) -> None:
        """Keep the pairs of key and reason; the message lists them all."""
        self.file = str(file)
        self.problems = problems
        lines = [": ".join(part for part in problem if part) for problem in problems]
        super().__init__("\n  ".join([self.file, *lines]))


def library_names() -> list[str]:
    """Return the names of the cases that loligo brings along."""
    return sorted(path.stem for path in _library().glob("*.toml"))


def find(name_or_path: str) -> Path:
    """Return the file of a case named from the library or given by its path."""
    path = Path(name_or_path)
    if path.suffix.lower() == ".toml":
        return path
    names = library_names()
    if name_or_path in names:
        return _library() / f"{name_or_path}.toml"
    raise CaseError(
        name_or_path,
        [
            (
                "",
                f"is neither a case of the library nor a .toml file{_nearest(name_or_path, names)};"
                " `loligo cases` lists the library",
            )
        ],
    )


def read(file: Path) -> Case:
    """Read one case file; raises CaseError with everything that is wrong with it."""
    return resolve(tables(file), file)


def tables(file: Path) -> dict[str, Any]:
    """Read a TOML file, of a case or of something else, as it is written."""
    try:
        return tomllib.loads(files.read_text(file))
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise CaseError(file, [("", reason)]) from None
    except (ValueError, RecursionError) as error:
        raise CaseError(file, [("", f"is not valid TOML: {error}")]) from None


def resolve(data: dict[str, Any], file: Path) -> Case:
    """Check the contents of a case file; what they name lies beside it, and it names the case."""
    if "name" in data:
        raise CaseError(file, [("name", "unknown key; a case is named after its file")])
    if not re.fullmatch(r"\w[\w-]*", file.stem):
        raise CaseError(file, [("", "its name may hold letters, digits, _ and - only")])
    case = validated(Case, {"name": file.stem, **data}, file)
    _check_files(case, file)
    return case


def validated(kind: type[Kind], data: dict[str, Any], file: Path) -> Kind:
    """Make a record of a file's contents; raises CaseError with everything that is wrong."""
    try:
        return kind.model_validate(data, context={"units_required": True})
    except ValidationError as error:
        raise CaseError(file, list(_problems(error, kind))) from None


def load(name_or_path: str) -> Case:
    """Find and read a case."""
    return read(find(name_or_path))


def to_toml(case: Case) -> str:
    """Return the resolved case as text that reads back to the same case."""
    import tomli_w

    return tomli_w.dumps(case.model_dump(mode="json", exclude={"name"}, exclude_none=True))


def _library() -> Path:
    return Path(str(resources.files("loligo.cases"))) / "library"


def named_files(case: Case, folder: Path) -> tuple[Path, ...]:
    """Return the files that a case names: a body's mesh or STEP file, the code of its energies."""
    body = case.body
    names = [body.mesh, body.step] if isinstance(body, Solid) else []
    laws = [law for law in case.material.values() if isinstance(law, UserLaw)]
    names += [str(code_file(law.entry)) for law in laws]
    return tuple(folder / name for name in names if name is not None)


def inputs(case: Case, file: Path) -> tuple[Path, ...]:
    """Return a case's file and the files that it names."""
    return file, *named_files(case, file.parent)


def _check_files(case: Case, file: Path) -> None:
    """A solid's own file must exist and stay, links followed, inside the case's folder."""
    for key in ("mesh", "step"):
        name = getattr(case.body, key, None)
        if name is None:
            continue
        try:
            target = (file.parent / name).resolve()
            there = target.is_file()
        except (OSError, ValueError) as error:
            raise CaseError(file, [(f"body.{key}", f"is no name of a file: {error}")]) from None
        if not target.is_relative_to(file.parent.resolve()):
            raise CaseError(file, [(f"body.{key}", f'"{name}" leaves the folder of the case')])
        if not there:
            raise CaseError(file, [(f"body.{key}", f'there is no file "{name}" beside the case')])


def _problems(error: ValidationError, root: type[Record]) -> Iterator[tuple[str, str]]:
    """Turn pydantic's findings into pairs of key and plain reason."""
    merged: dict[str, list[str]] = {}
    for item in error.errors():
        keys, record = _resolve(item["loc"], root)
        context = item.get("ctx", {})
        cause = context.get("error")
        if isinstance(cause, Problems):
            for key, reason in cause.items:
                merged.setdefault(key, []).append(reason)
            continue
        key = ".".join(keys).replace(".[", "[")
        match item["type"]:
            case "extra_forbidden":
                valid = list(record.model_fields) if record else []
                reason = f"unknown key{_nearest(keys[-1], valid)}"
            case "missing":
                reason = "is missing"
            case "union_tag_invalid":
                tags = context["expected_tags"].replace("'", "").split(", ")
                key = ".".join([*keys, context["discriminator"].strip("'_()")])
                reason = f'"{context["tag"]}" is unknown{_nearest(context["tag"], tags)}'
            case "union_tag_not_found" if not isinstance(item["input"], dict):
                reason = "should be a table"
            case "dict_type" | "model_type" | "model_attributes_type":
                reason = "should be a table"
            case "tuple_type":
                reason = "should be a list in [ ]"
            case "string_type":
                reason = "should be a text in quotes"
            case "union_tag_not_found":
                key = ".".join([*keys, context["discriminator"].strip("'_()")])
                reason = "is missing"
            case "literal_error":
                reason = f"should be {context['expected']}".replace("'", '"')
            case "value_error":
                reason = str(cause)
            case "string_pattern_mismatch":
                reason = "a name may hold letters, digits, _ and - only"
            case "tuple_type":
                reason = "should be a list in square brackets"
            case "too_short" | "too_long":
                word = "at least" if item["type"] == "too_short" else "at most"
                bound = context.get("min_length", context.get("max_length"))
                reason = f"needs {word} {bound} entries; it has {context['actual_length']}"
            case _:
                reason = item["msg"].removeprefix("Input ")
        merged.setdefault(key, []).append(reason)
    for key, reasons in merged.items():
        # A list whose entries are wrong counts as too short, too.
        if not (
            reasons[0].startswith("needs at least") and any(k.startswith(f"{key}[") for k in merged)
        ):
            yield key, "; or ".join(dict.fromkeys(reasons))


def _resolve(
    loc: tuple[int | str, ...], root: type[Record]
) -> tuple[list[str], type[Record] | None]:
    """Follow an error's location through the records, from the whole file's on.

    Returns the keys as the user wrote them (without the tags that pydantic adds for unions) and the
    record that the last key belongs to.
    """
    keys: list[str] = []
    owner: type[Record] | None = None
    node: Any = root
    for part in loc:
        node = _bare(node)
        if isinstance(node, type) and issubclass(node, Record):
            owner = node
            keys.append(str(part))
            field = node.model_fields.get(str(part))
            node = field.annotation if field else None
        elif typing.get_origin(node) in (typing.Union, types.UnionType):
            node = next((m for m in typing.get_args(node) if _has_tag(_bare(m), part)), None)
        elif typing.get_origin(node) is dict:
            keys.append(str(part))
            node = typing.get_args(node)[1]
        elif typing.get_origin(node) is tuple:
            keys.append(f"[{part}]")
            node = typing.get_args(node)[0]
    return keys, owner


def _bare(annotation: Any) -> Any:
    """Strip Annotated, and Optional around a single type."""
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    members = [m for m in typing.get_args(annotation) if m is not types.NoneType]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType) and len(members) == 1:
        return _bare(members[0])
    return annotation


def _has_tag(member: Any, tag: int | str) -> bool:
    return (
        isinstance(member, type)
        and issubclass(member, Record)
        and any(field.default == tag for field in member.model_fields.values())
    )


def _nearest(word: str, words: list[str]) -> str:
    """Say which word was meant, or which there are, if they are few enough to be read."""
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    if close:
        return f'; did you mean "{close[0]}"?'
    return f"; known are {', '.join(words)}" if 0 < len(words) <= MOST_WORDS else ""
