"""`loligo robot`: robots of soft parts that swim or reach."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loligo.cli.arguments import Force

if TYPE_CHECKING:
    from loligo.cases.coefficients import Coefficients
    from loligo.cases.robot.reaching import Reacher
    from loligo.cases.robot.swimmer import Robot

app = typer.Typer(add_completion=False, rich_markup_mode="rich", no_args_is_help=True)

Motion = Annotated[
    str | None, typer.Option("--motion", "-m", help="Which of its motions; by default the first.")
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--coefficients",
        "-c",
        help="PART=FILE, calibrated coefficients of an arm, a mantle or a chain's joint; repeat.",
    ),
]
End = Annotated[
    float | None, typer.Option(help="How long it swims (s), in place of the end of its course.")
]
Step = Annotated[float | None, typer.Option(help="Step (s), in place of that of its course.")]
Name = Annotated[str, typer.Argument(help="A robot of the library, or a .toml file.")]


@app.callback()
def robot() -> None:
    """Let a robot of soft parts swim or reach, or show what it is made of.

    Example: [bold]loligo robot run quadropus[/]
    """


@app.command("list")
def list_() -> None:
    """List the robots of the library.

    Example: [bold]loligo robot list[/]
    """
    from loligo.cases.robot.swimmer import Robot, load_any, robot_names

    for name in robot_names():
        robot = load_any(name)
        told = isinstance(robot, Robot) and robot.motion
        motions = f" ({', '.join(told)})" if told else ""
        typer.echo(f"{name}: {robot.title}{motions}")


@app.command()
def show(name: Name) -> None:
    """Print a robot as it is understood: every default filled in, every number in SI.

    Example: [bold]loligo robot show quadropus[/]
    """
    import tomli_w

    from loligo.cases.robot.swimmer import load_any

    shown = load_any(name).model_dump(mode="json", exclude={"name"}, exclude_none=True)
    typer.echo(tomli_w.dumps(shown), nl=False)


@app.command()
def run(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The data set; by default ROBOT.nc.", dir_okay=False),
    ] = None,
    motion: Motion = None,
    coefficients: Given = None,
    end: End = None,
    step: Step = None,
    force: Force = False,
) -> None:
    """Let a robot swim from rest, or find out where it reaches, and write that as a data set.

    Progress goes to stderr. Where the motion cannot go on it ends with code 3, everything before
    kept.

    Example: [bold]loligo robot run monopus -o monopus.nc[/]
    """
    from loligo.cases import outputs
    from loligo.cases.robot.reaching import Reacher
    from loligo.cases.robot.swimmer import load_any

    robot = load_any(name)
    file = Path(f"{robot.name}.nc") if output is None else output
    kind = outputs.data_set("a robot's data set", ("robot", "reaching"), title=robot.title)
    outputs.check(file, kind, _files(name, coefficients), force=force)
    given = _read(coefficients or [])
    if isinstance(robot, Reacher):
        _refuse_course(robot, motion, end, step)
        _reach(robot, given, file)
    else:
        _swim(robot.told(motion).lasting(end, step), given, file)


@app.command()
def vary(
    name: Name,
    coefficients: Given = None,
    motion: Motion = None,
    samples: Annotated[int, typer.Option(min=8, help="How many sets of them are drawn.")] = 32,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 0,
    end: End = None,
    step: Step = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A record, .json; by default none.", dir_okay=False),
    ] = None,
    force: Force = False,
) -> None:
    """Tell what calibrated coefficients change in how a robot swims or reaches, with intervals.

    Speed, efficiency, turning radius and reach in this model, with the own numbers of the robot's
    file and with the coefficients. Then the interval of each from sets of coefficients that are
    drawn from theirs, and the coefficient with the largest share of its variance.

    Example: [bold]loligo robot vary quadropus -c arm=arm.toml -c mantle=mantle.toml[/]
    """
    import json

    from loligo.cases import outputs
    from loligo.cases.core import atomic as files
    from loligo.cases.core.record import BadInput
    from loligo.cases.robot.swimmer import Robot, load_any
    from loligo.reduced.robots.coefficients import EFFICIENCY
    from loligo.reduced.robots.spread import FORMAT, record, spread

    robot = load_any(name)
    if isinstance(robot, Robot):
        robot = robot.told(motion).lasting(end, step)
    else:
        _refuse_course(robot, motion, end, step)
    if not coefficients:
        raise BadInput("give the coefficients of a part, as in -c arm=arm.toml")
    if output is not None:
        kind = outputs.record("a robot's record", format=FORMAT, robot=robot.name)
        outputs.check(output, kind, _files(name, coefficients), force=force)

    def tell(done: int) -> None:
        if done % 8 == 0:
            typer.echo(f"{name}: {done} of {samples}", err=True)

    found = spread(robot, _read(coefficients), samples, seed, tell)
    wide = max(18, *(len(merit) for merit in found.low))
    typer.echo(f"{'':{wide}}{'own':>10}{'calibrated':>12}  95 % interval, most of it from")
    for merit, low in found.low.items():
        shares = found.shares[merit]
        most = max(shares, key=lambda key: shares[key], default="")
        origin = f"{most} ({100 * shares[most]:.0f} %)" if most else "nothing"
        printed = f"{found.printed[merit]:.4g}" if merit in found.printed else "-"
        typer.echo(
            f"{merit:{wide}}{printed:>10}"
            f"{found.calibrated[merit]:12.4g}  {low:.4g} to {found.high[merit]:.4g}, {origin}"
        )
    efficiency = [EFFICIENCY] if "efficiency" in found.calibrated else []
    for note in (*efficiency, *found.beyond, *found.notes):
        typer.secho(f"caution: {note}", err=True)
    if output is not None:
        files.replace(output, json.dumps(record(found), indent=2) + "\n")
        typer.echo(output)


def _refuse_course(robot: Reacher, *given: object) -> None:
    from loligo.cases.core.record import BadInput

    if any(value is not None for value in given):
        raise BadInput(f"{robot.name} reaches: it has no motions and no course")


def _files(name: str, given: list[str] | None) -> list[Path]:
    """Return the files that a robot and PART=FILE of each option name."""
    return [Path(name), *(Path(entry.partition("=")[2]) for entry in given or [])]


def _read(given: list[str]) -> dict[str, Coefficients]:
    """Read PART=FILE of each option."""
    from loligo.cases import coefficients
    from loligo.cases.core.record import BadInput

    found = {}
    for entry in given:
        part, sign, file = entry.partition("=")
        if not (part and sign):
            raise BadInput(f'"{entry}": write the part and its file, as in arm=arm.toml')
        found[part] = coefficients.read(Path(file))
    return found


def _reach(robot: Reacher, given: dict[str, Coefficients], file: Path) -> None:
    from loligo.cases.core.record import BadInput
    from loligo.cases.dataset import io as dataset
    from loligo.reduced.robots.range import beyond_reaching
    from loligo.reduced.robots.reaching import data_set

    try:
        data = data_set(robot, given)
    except ValueError as failure:
        raise BadInput(f"{robot.name}: {failure}") from None
    data.attrs |= _account(given, beyond_reaching(robot, given))
    dataset.write_whole({"/": data}, file)
    for name in robot.arm:
        size = " x ".join(f"{1e3 * length:.0f}" for length in data[f"extents_{name}"].values)
        typer.echo(f"{name} reaches {size} mm")
    typer.echo(f"{file}: complete")


def _account(given: dict[str, Coefficients], outside: list[str]) -> dict[str, str]:
    """Warn of what leaves the coefficients' range, and return what a data set says of them."""
    for words in outside:
        typer.secho(f"caution: {words}", err=True)
    if not given:
        return {}
    sources = "; ".join(f"{part}: {found.source}" for part, found in given.items())
    return {"coefficients": sources, "coefficients_beyond": "; ".join(outside)}


def _swim(robot: Robot, given: dict[str, Coefficients], file: Path) -> None:
    from loligo.cases.dataset import io as dataset
    from loligo.reduced.robots.coefficients import EFFICIENCY, calibrated, merits
    from loligo.reduced.robots.range import beyond
    from loligo.reduced.robots.swimmer import data_set, swim

    vehicle = calibrated(robot, given)
    tenths = 0

    def tell(time: float) -> None:
        nonlocal tenths
        done = int(10.0 * time / vehicle.course.end + 1e-9)
        if done > tenths:
            tenths = done
            typer.echo(f"{vehicle.name}: {time:.2f} of {vehicle.course.end:g} s", err=True)

    swum, status = swim(vehicle, tell)
    data = data_set(vehicle, swum, status)
    data.attrs |= _account(given, beyond(vehicle, given, swum))
    dataset.write_whole({"/": data}, file)
    x, y, z = swum.root[-1, :3, 3]
    typer.echo(
        f"{file}: {status}; after {swum.time[-1]:g} s at ({x:.4g}, {y:.4g}, {z:.4g}) m, "
        f"{swum.steps} steps"
    )
    found = merits(vehicle, swum)
    for name, value in found.items():
        typer.echo(f"{name}: {value:.4g}")
    if "efficiency" in found:
        typer.secho(f"caution: {EFFICIENCY}", err=True)
    if status != "complete":
        raise typer.Exit(3)


@app.command()
def draw(
    file: Annotated[
        Path, typer.Argument(help="A motion, .nc, as loligo robot run writes it.", dir_okay=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The picture; by default FILE.png.", dir_okay=False),
    ] = None,
    force: Force = False,
) -> None:
    """Draw a motion with its speed and turning over time, or what a robot reaches.

    Example: [bold]loligo robot draw monopus.nc -o monopus.png[/]
    """
    from loligo.cases import outputs
    from loligo.validation.plot import robot as draw_robot

    picture = file.with_suffix(".png") if output is None else output
    outputs.check(picture, outputs.PICTURE, [file], force=force)
    draw_robot.main(file, picture)
    typer.echo(picture)
