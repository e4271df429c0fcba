"""`loligo section`: stiffness and pressure arms of a section, from geometry and from a slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import AnyCase, Force, Trust

if TYPE_CHECKING:
    from loligo.cases.case import Case
    from loligo.reduced.lie import Array

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command()
def section(
    case: AnyCase,
    at: Annotated[
        str | None,
        typer.Option("--at", help='Place along the axis, "60 mm"; by default half the length.'),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(help="Edges of the slice's outer surface; by default a sixth of the radius."),
    ] = None,
    slice_: Annotated[
        bool, typer.Option("--slice/--no-slice", help="Cut a slice of the solid, too.")
    ] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the slices' sections as coefficients for loligo reduce; without --at of "
            "every soft length.",
            dir_okay=False,
        ),
    ] = None,
    law: Annotated[
        bool,
        typer.Option(
            "--law",
            help="Write the law of every soft length at finite strain to --output, .nc; for the "
            "pressures that the case's loads span.",
        ),
    ] = False,
    pressure: Annotated[
        str | None,
        typer.Option(
            help='With --law: up to this pressure in every chamber, alone or with others, "20 kPa".'
        ),
    ] = None,
    ends: Annotated[
        bool,
        typer.Option(
            "--ends/--no-ends", help="With --law: solve for the ends of chambered arms at discs."
        ),
    ] = True,
    force: Force = False,
    trust: Trust = False,
) -> None:
    """Print a section's 6x6 stiffness and pressure arms at rest, in SI, or write them to a file.

    The order is (torsion, bend_y, bend_z, stretch, shear_y, shear_z), as moments and forces. An arm
    is the wrench that drives the section per pressure in a chamber. From geometry it is that of
    the fluid on the chamber's ends alone; the slice knows the wall and the thread. The file is
    what `loligo reduce --coefficients` reads.

    With --law the section is solved at finite strain, with its chambers, its thread and its rubber.
    The file is what `loligo reduce --law` reads. Chambers whose pressures are in proportion at all
    steps of the case stay so in the law. The ends of a chambered arm at its discs are part of the
    law.

    Example: [bold]loligo section gong_bending_one -o gong.toml[/]
    """
    from loligo.cases import outputs
    from loligo.cases.body import ChamberedArm, TaperedArm
    from loligo.cases.case_file import find, inputs, read
    from loligo.cases.coefficients import fingerprint
    from loligo.cases.core.record import BadInput
    from loligo.cases.section_law.shipped import identity
    from loligo.cases.user_law import trusted
    from loligo.hpc.launcher import launched_ranks, serial_copies
    from loligo.meshes.bodies import length

    if launched_ranks().size > 1:
        from mpi4py import MPI

        if wrong := serial_copies(MPI.COMM_WORLD.size):
            raise BadInput(wrong)
    file = find(case)
    study = trusted(read(file), file.parent) if trust else read(file)
    if not isinstance(study.body, TaperedArm | ChamberedArm):
        raise BadInput(f"{study.name}: only an arm has sections, not a {study.body.kind}")
    x = length(study.body) / 2 if at is None else _length("--at", at)
    edge = None if size is None else _length("--size", size)
    if law:
        if output is None or at is not None or not slice_:
            raise BadInput(
                "--law is of every soft length, without a slice: give --output and neither --at "
                "nor --no-slice"
            )
        kind = outputs.section_law(identity(study))
        outputs.check(output, kind, inputs(study, file), force=force)
        _write_law(study, pressure, edge, output, ends=ends)
        typer.echo(output)
        return
    if pressure is not None:
        raise BadInput("--pressure is the range of a section law: give it with --law")
    if output is None:
        typer.echo("\n".join(_coefficients(study, x, edge, slice_)))
        return
    if not slice_:
        raise BadInput("--no-slice leaves no sections to write: reduced models know the geometry's")
    kind = outputs.coefficients(fingerprint(study))
    outputs.check(output, kind, inputs(study, file), force=force)
    _write(study, () if at is None else (x,), edge, output)
    typer.echo(output)


def _write(study: Case, at: tuple[float, ...], size: float | None, file: Path) -> None:
    from loligo.cases import coefficients
    from loligo.sectioning import section as sections

    found = sections(study, at=at, size=size)
    for note in found.notes[1:]:  # the first is of every linear law
        typer.secho(f"note: {note}", err=True)
    coefficients.write(found, file)


def _write_law(
    study: Case, pressure: str | None, size: float | None, file: Path, *, ends: bool
) -> None:
    from loligo.cases.section_law.law import write_law
    from loligo.sectioning import section_law

    def say(line: str) -> None:
        typer.secho(line, err=True)

    most = None
    if pressure is not None:
        most = _quantity("--pressure", pressure, "Pa", "pressure", "20 kPa")
    laws = section_law(study, pressure=most, size=size, ends=ends, say=say)
    worst = max(law.error for _, law in laws.sections)
    say(f"largest error at pressures that were not fitted: {worst:.1e}")
    write_law(laws.sections, laws.belongs_to, file)


def _length(option: str, text: str) -> float:
    return _quantity(option, text, "m", "length", "60 mm")


def _quantity(option: str, text: str, si: str, name: str, example: str) -> float:
    from loligo.cases.core.record import BadInput
    from loligo.cases.core.units import Unit

    try:
        value = Unit(si, name, example).parse(text)
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from None
    if value <= 0.0:
        raise BadInput(f"{option}: {text} must be above zero")
    return value


def _coefficients(study: Case, x: float, size: float | None, with_slice: bool) -> Iterator[str]:
    import numpy as np

    from loligo.cases.body import ChamberedArm, TaperedArm
    from loligo.cases.core.record import BadInput
    from loligo.reduced.section.stiffness import pressure_arms, section_stiffness

    body = study.body
    assert isinstance(body, TaperedArm | ChamberedArm)
    try:
        stiffness = section_stiffness(body, study.material, np.array([x]))[0]
    except ValueError as error:
        raise BadInput(f"{study.name}: {error}") from None
    yield f'case = "{study.name}"'
    yield f"x = {x:.9g}  # m"
    yield from _table("geometry", stiffness, pressure_arms(body, x))
    if with_slice:
        from loligo.fem.section_slice import section_law

        law = section_law(body, study.material, study.winding, x, size)
        arms = {cavity: law.arms[:, j] for j, cavity in enumerate(law.cavities)}
        yield from _table("slice", law.stiffness, arms, law.skew, law.note)


def _table(
    name: str,
    stiffness: Array,
    arms: Mapping[str, Array],
    skew: float | None = None,
    note: str = "",
) -> Iterator[str]:
    import numpy as np

    yield f"\n[{name}]"
    if skew is not None:
        yield f"skew = {skew:.2g}  # largest, over the roots of the diagonal; dropped below"
    if note:
        yield f"# {note}"
    scale = np.sqrt(np.diag(stiffness))
    rounding = 1e-12 * np.outer(scale, scale)
    yield "stiffness = [  # N m^2, N m, N"
    for row in np.where(np.abs(stiffness) < rounding, 0.0, stiffness):
        yield f"  {_row(row)},"
    yield "]"
    if arms:
        yield f"\n[{name}.arms]  # m^3, m^2"
        yield from (f"{cavity} = {_row(arm)}" for cavity, arm in arms.items())
        yield f"\n[{name}.free_strain]  # 1/(m Pa), 1/Pa"
        yield from (
            f"{cavity} = {_row(np.linalg.solve(stiffness, arm))}" for cavity, arm in arms.items()
        )


def _row(values: Array) -> str:
    return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"
