"""Writes the pages of docs/ that follow from the code (`make docs`); a test finds stale ones."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from pathlib import Path

import typer
from pydantic.fields import FieldInfo

from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.case_file import library_names, load
from loligo.cases.core.record import Record
from loligo.cases.core.units import Unit
from loligo.cases.dataset import io as dataset
from loligo.cases.load.history import History
from loligo.cases.load.kinds import Load
from loligo.cases.robot.chain import Chain, Stage
from loligo.cases.robot.reaching import Arm, Bend, Legs, Reacher, Stroke
from loligo.cases.robot.reaching import Path as TipPath
from loligo.cases.robot.swimmer import Bell, Limb, Part, Robot
from loligo.cases.rubber.elastomer import Gent, MooneyRivlin, NeoHooke, Ogden, Yeoh
from loligo.reduced.predict.scope_table import FEATURES, Model, ScopeEntry, of_load
from loligo.validation.data.shipped import read_manifest

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py; change the code and run `make docs`. -->\n\n"


def case_file() -> str:
    """Return the reference of every key of a case file."""
    parts = [
        NOTE,
        "# The case file\n\n",
        "A case is a TOML file, named as the case is named. Every dimensional number is a text ",
        'with its unit, `"245 mm"`; any unit of the right dimension will do. Unknown keys, ',
        "missing or wrong units, values out of range and impossible combinations are refused by ",
        "`loligo cases check`, all at once. Editors complete and check keys with the schema that ",
        "`loligo cases schema` prints. ",
        "The [conventions](conventions.md) say what the axes, signs and names mean.\n\n",
        "## Top of the file\n\n",
        _table(Case, leave_out={"name"}),
    ]
    for title, key, records in (
        ("Bodies", "[body]", (TaperedArm, ChamberedArm, Bar, Mantle, Solid)),
        ("Rubbers", "[material.body]", (NeoHooke, MooneyRivlin, Yeoh, Ogden, Gent)),
        ("Loads", "[load.name]", typing.get_args(typing.get_args(Load)[0])),
        ("Histories", "[load.name.history]", typing.get_args(typing.get_args(History)[0])),
    ):
        parts.append(f"## {title}: `{key}`\n\n")
        for record in records:
            tag = next(iter({"kind", "energy"} & set(record.model_fields)))
            parts.append(f'### `{tag} = "{record.model_fields[tag].default}"`\n\n')
            parts.append(f"{_prose(record)}\n\n{_table(record, leave_out={tag})}")
    parts.append("## Smaller tables\n\n")
    for record in _nested((Case, TaperedArm, ChamberedArm, Bar, Mantle, Solid, Ogden)):
        parts.append(f"### {record.__name__}\n\n{_prose(record)}\n\n{_table(record)}")
    return "".join(parts)


def robot_file() -> str:
    """Return the reference of every key of a robot file."""
    parts = [
        NOTE,
        "# The robot file\n\n",
        "A robot is a TOML file, named as the robot is named; [robots](robots.md) says what to do ",
        "with it. Dimensional numbers are texts with a unit, as in a [case file](case-file.md), ",
        "and what is wrong is said all at once. NAME is any name that you give.\n\n",
        "## A robot that swims\n\n",
        f"{_prose(Robot)}\n\n",
        _table(Robot, leave_out={"name"}),
    ]
    for key, records in (
        ("[part.NAME]", typing.get_args(typing.get_args(Part)[0])),
        ("[limb.NAME]", (Limb,)),
        ("[bell.NAME]", (Bell,)),
        ("[chain]", (Chain,)),
        ("[[motion.NAME]]", (Stage,)),
    ):
        parts += _robot_tables(key, records)
    parts += ["## A robot that reaches\n\n", f"{_prose(Reacher)}\n\n"]
    parts.append(_table(Reacher, leave_out={"name"}))
    for key, records in (
        ("[arm.NAME]", typing.get_args(typing.get_args(Arm)[0])),
        ("[legs]", (Legs,)),
        ("[pose.NAME]: lists by arm of", (Bend,)),
        ("[path.NAME]", (TipPath,)),
        ("[stroke.NAME]", (Stroke,)),
    ):
        parts += _robot_tables(key, records)
    shown = {Robot, Chain, Legs, Stage}
    parts.append("## Smaller tables\n\n")
    for record in _nested((Robot, Limb, Bell, Chain, *typing.get_args(typing.get_args(Arm)[0]))):
        if record not in shown:
            parts.append(f"### {record.__name__}\n\n{_prose(record)}\n\n{_table(record)}")
    return "".join(parts)


def _robot_tables(key: str, records: Sequence[type[Record]]) -> list[str]:
    parts = [f"### `{key}`\n\n"]
    for record in records:
        kind = record.model_fields["kind"].default if "kind" in record.model_fields else None
        said = f'`kind = "{kind}"`: ' if kind and len(records) > 1 else ""
        parts.append(f"{said}{_prose(record)}\n\n{_table(record, leave_out={'kind'})}")
    return parts


def data_set() -> str:
    """Return the schema of the data set."""
    parts = [
        NOTE,
        "# The data set\n\n",
        "A reference solution, a prediction and a measurement are the same netCDF-4 file, opened ",
        "by `xarray.open_dataset` with no code of ours:\n\n",
        "```console\n$ loligo reduce cylinder -o cylinder.nc\n```\n\n",
        "```python\nimport xarray as xr\n\n",
        'data = xr.open_dataset("cylinder.nc")\n',
        "tip = data.frame[:, -1, :3, 3]\n",
        'data.strain.sel(strain_component="kz").plot(x="station_mid", hue="step")\n```\n\n',
        "`loligo check FILE` says what is wrong with a file or absent from it, and what that ",
        "costs. What a source cannot give is left out and named in the attribute `missing`.\n\n",
        "## Attributes\n\n| attribute | without it |\n|---|---|\n",
        *(f"| `{name}` | {why} |\n" for name, why in dataset.REQUIRED_ATTRIBUTES.items()),
        f"\n`kind` is one of {', '.join(f'`{kind}`' for kind in dataset.KINDS)}. The version of ",
        f"the schema is {dataset.SCHEMA_VERSION}.\n\n",
        "## Dimensions with fixed labels\n\n| dimension | labels |\n|---|---|\n",
        *(f"| `{dim}` | {', '.join(labels)} |\n" for dim, labels in dataset.LABELS.items()),
        "\n`station` and `meridian` are arc lengths at rest (m); `station_mid` lies in the middle ",
        "between stations; `cavity` holds names, `tendon` numbers from 1.\n\n",
        "## Variables\n\n| variable | dimensions | unit | what | without it |\n",
        "|---|---|---|---|---|\n",
    ]
    for name, quantity in dataset.QUANTITIES.items():
        dims = ", ".join(quantity.dims)
        mark = " (optional)" if quantity.optional else ""
        parts.append(
            f"| `{name}`{mark} | {dims} | {quantity.unit} | {quantity.long_name} | "
            f"{quantity.why} |\n"
        )
    parts.append("| `load_<name>` | step | that of the load | value of each load | |\n")
    parts.append(
        "| `<name>_uncertainty` | step | that of the variable | error bar, half-width: the widest "
        "of its entries; of `frame`, that of the origins (m) | |\n"
        "| `<name>_uncertainty_flag` | step | 1 | how the levels behaved that the bar comes from: "
        "0 exact, 1 order observed, 2 order not observed, 3 oscillatory, 4 divergent, 5 two levels "
        "alone | |\n"
        "\n## Groups\n\n"
        "`xr.open_groups` reads them; a file without them is valid. Damage can make the HDF5 "
        "library end a process: loligo lets a child process visit a file of other origin first.\n\n"
        "| group | what |\n|---|---|\n"
        "| `levels/<n>` | the same variables on mesh level n; attributes `size`, `unknowns`, "
        "`mesh_hash`, `cpu_seconds` |\n"
        "| `time_levels/<n>` | the same with another time step, attribute `time_step` (s) |\n"
        "| `surface` | the skin as triangles, with displacement and stretch at up to five steps |\n"
        "| `solver` | iterations, residuals, cutbacks and seconds of wall time (`wall_seconds`) of "
        "every converged state, and where the loads turned |\n"
        "| `modes` | where stability is lost, the shapes in which it is, on the vertices of "
        "`surface` |\n"
        "| `vibrations` | of a motion, natural frequencies and damping about where it begins |\n"
        "\n## What loligo brings along\n\n"
        "Reference data of the library's cases lie in `validation/reference`, with a manifest: the "
        "command that made each file, its SHA-256, CPU seconds and versions. A file that was "
        "changed is refused. `make data` makes what is not there, or not of today's case.\n\n"
        "```python\nimport xarray as xr\n\n"
        "from loligo.validation.data.shipped import shipped\n\n"
        'data = xr.open_dataset(shipped()["cylinder"])\n'
        'data.frame[:, :, 1, 3].plot(x="station", hue="step")\n```\n',
    )
    return "".join(parts)


def scope() -> str:
    """Return the table of what every reduced model does with loads and features of a case."""
    models = typing.get_args(Model)
    parts = [
        NOTE,
        "# What reduced models carry\n\n",
        "`loligo reduce` refuses a case that has something a model cannot carry, and warns of ",
        "everything that the model leaves out; the data set names it in `left_out`. With the ",
        "coefficients in brackets the model carries it; `sections` are those of `loligo section ",
        "-o`, `law` is that of `loligo section --law`, which settles `sections`, too. A dash: no ",
        "body of the model has it, or nothing is special about it.\n\n",
    ]
    rows = [
        (f"`{kind.model_fields['kind'].default}`", of_load(kind.model_construct()))
        for kind in typing.get_args(typing.get_args(Load)[0])
    ]
    rows += [(f"{feature.words} (`{feature.key}`)", feature.entries) for feature in FEATURES]
    whys: dict[str, int] = {}
    parts.append(f"| load or feature | {' | '.join(models)} |\n|---{'|---' * len(models)}|\n")
    for name, entries in rows:
        parts.append(f"| {name} |")
        parts += [f" {_scope_cell(entries.get(model), whys)} |" for model in models]
        parts.append("\n")
    parts.append("\n")
    parts += [f"{number}. {why}\n" for why, number in whys.items()]
    return "".join(parts)


def _scope_cell(entry: ScopeEntry | None, whys: dict[str, int]) -> str:
    """Return an entry with the number of its reason, which is taken down."""
    if entry is None or entry.state == "carried":
        return "-" if entry is None else "carried"
    number = whys.setdefault(entry.why, len(whys) + 1)
    settled = f" [{entry.settled_by}]" if entry.settled_by else ""
    return f"{entry.state} ({number}){settled}"


def library() -> str:
    """Return the table of the cases, with their sources and assumptions."""
    parts = [NOTE, "# The library\n\n"]
    manifest = read_manifest()
    for case in map(load, library_names()):
        loads = ", ".join(sorted({f"`{item.kind}`" for item in case.load.values()}))
        parts.append(f"## {case.name}\n\n{case.title}; {loads} on a `{case.body.kind}`.\n\n")
        parts.append(f"Source: {case.source}.\n\n")
        if entry := manifest.get(case.name):
            parts.append(
                f"Reference data: mesh levels {', '.join(map(str, entry.levels))}, up to "
                f"{entry.unknowns} unknowns, {entry.cpu_seconds:.0f} CPU s.\n\n"
            )
        else:
            parts.append(f"Reference data: none yet; `loligo solve {case.name}` makes them.\n\n")
        parts.extend(f"- {assumption}\n" for assumption in case.assumptions)
        parts.append("\n")
    return "".join(parts).rstrip() + "\n"


def commands() -> str:
    """Return the help of every command."""
    from loligo.cli.main import app

    parts = [NOTE, "# The commands\n\n"]
    parts.append(
        "Exit codes: 0 done, 2 bad input, 3 stopped before the end with everything so far kept, "
        "4 a 3D solution that cannot go on, with that kept, too, or a comparison that fails its "
        "acceptance.\n\n"
    )
    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="loligo")
    for name in root.list_commands(context):
        parts.append(_command(root.get_command(context, name), f"loligo {name}"))
    return "".join(parts).rstrip() + "\n"


def _command(command: typing.Any, path: str) -> str:
    text = (command.help or "").replace("[bold]", "`").replace("[/]", "`")
    words = " ".join(p.make_metavar() for p in command.params if p.param_type_name == "argument")
    parts = [f"## `{f'{path} {words}'.strip()}`\n\n{text.strip()}\n\n"]
    rows = [
        f"| `{', '.join(p.opts)}` | {p.help} |\n"
        for p in command.params
        if getattr(p, "help", None) and p.name != "help"
    ]
    if rows:
        parts.append("| | |\n|---|---|\n" + "".join(rows) + "\n")
    for name, sub in getattr(command, "commands", {}).items():
        parts.append(_command(sub, f"{path} {name}"))
    return "".join(parts)


def _table(record: type[Record], leave_out: set[str] = frozenset()) -> str:
    rows = [
        f"| `{name}` | {_kind(field)} | {_default(field)} | {_line(field.description)} |\n"
        for name, field in record.model_fields.items()
        if name not in leave_out
    ]
    return "| key | value | default | |\n|---|---|---|---|\n" + "".join(rows) + "\n"


def _line(text: str | None) -> str:
    """Return text without line breaks, which would end a row of a table."""
    return " ".join((text or "").split())


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, Record) or value in ((), {}):
        return ""
    unit = next((m for m in field.metadata if isinstance(m, Unit)), None)
    if unit is not None:
        return f'`"{unit.format(value)}"`' if value else "0"
    text = repr(list(value) if isinstance(value, tuple) else value)
    return f"`{text.replace(chr(39), chr(34)).replace('False', 'false')}`"


def _kind(field: FieldInfo) -> str:
    return _words(field.annotation, next((m for m in field.metadata if isinstance(m, Unit)), None))


def _words(annotation: typing.Any, unit: Unit | None = None) -> str:
    """Say in words what a field holds."""
    if unit is not None:
        return unit.name
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _words(arguments[0], next((a for a in arguments if isinstance(a, Unit)), None))
    if origin in (typing.Union, types.UnionType):
        kept = [a for a in arguments if a is not types.NoneType]
        if all(isinstance(_bare(a), type) and issubclass(_bare(a), Record) for a in kept):
            return _words(kept[0]) if len(kept) == 1 else "table, see below"
        return " or ".join(_words(a) for a in kept)
    if origin is typing.Literal:
        return " or ".join(f'`"{a}"`' for a in arguments)
    if origin is tuple:
        word = _words(arguments[0])
        return f"list of {word}" if arguments[-1] is Ellipsis else f"{len(arguments)} of {word}"
    if origin is dict:
        return f"{_words(arguments[1])}, by name"
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return f"table `{annotation.__name__}`"
    return {float: "number", int: "integer", str: "text", bool: "true or false"}[annotation]


def _prose(record: type[Record]) -> str:
    return _line(record.__doc__)


def _bare(annotation: typing.Any) -> typing.Any:
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    return annotation


def _nested(records: tuple[type[Record], ...]) -> list[type[Record]]:
    """Return the records that appear inside others by a single type, in order of appearance."""
    found: dict[type[Record], None] = {}

    def visit(annotation: typing.Any) -> None:
        annotation = _bare(annotation)
        members = [a for a in typing.get_args(annotation) if a is not types.NoneType]
        if isinstance(annotation, type) and issubclass(annotation, Record):
            if annotation not in found:
                found[annotation] = None
                for field in annotation.model_fields.values():
                    visit(field.annotation)
        elif (
            typing.get_origin(annotation) is not dict and len(set(map(_bare, members)) - {...}) == 1
        ):
            visit(members[0])

    for record in records:
        for field in record.model_fields.values():
            visit(field.annotation)
    return list(found)


PAGES = {
    "case-file.md": case_file,
    "commands.md": commands,
    "data-set.md": data_set,
    "library.md": library,
    "robot-file.md": robot_file,
    "scope.md": scope,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
