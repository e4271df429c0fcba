"""`loligo robot`: robots of soft parts that swim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode="rich", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A robot of the library, or a .toml file.")]


@app.callback()
def robot() -> None:
    """Let a robot of arms and mantles swim, or show what it is made of.

    Example: [bold]loligo robot run quadropus[/]
    """


@app.command("list")
def list_() -> None:
    """List the robots of the library.

    Example: [bold]loligo robot list[/]
    """
    from loligo.cases.robot import load_robot, robot_names

    for name in robot_names():
        robot = load_robot(name)
        motions = f" ({', '.join(robot.motion)})" if robot.motion else ""
        typer.echo(f"{name}: {robot.title}{motions}")


@app.command()
def show(name: Name) -> None:
    """Print a robot as it is understood: every default filled in, every number in SI.

    Example: [bold]loligo robot show quadropus[/]
    """
    import tomli_w

    from loligo.cases.robot import load_robot

    shown = load_robot(name).model_dump(mode="json", exclude={"name"}, exclude_none=True)
    typer.echo(tomli_w.dumps(shown), nl=False)


@app.command()
def run(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The data set; by default ROBOT.nc.", dir_okay=False),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option("--motion", "-m", help="Which of its motions; by default the first."),
    ] = None,
) -> None:
    """Let a robot swim from rest, and write its motion as a data set.

    Progress goes to stderr. Where the motion cannot go on it ends with code 3, everything before
    kept.

    Example: [bold]loligo robot run monopus -o monopus.nc[/]
    """
    from loligo.cases import dataset, files
    from loligo.cases.robot import load_robot
    from loligo.reduced.vehicle import data_set, swim

    vehicle = load_robot(name).told(motion)
    file = Path(f"{vehicle.name}.nc") if output is None else output
    files.check_writable(file)
    tenths = 0

    def tell(time: float) -> None:
        nonlocal tenths
        done = int(10.0 * time / vehicle.course.end + 1e-9)
        if done > tenths:
            tenths = done
            typer.echo(f"{vehicle.name}: {time:.2f} of {vehicle.course.end:g} s", err=True)

    swum, status = swim(vehicle, tell)
    dataset.write_whole({"/": data_set(vehicle, swum, status)}, file)
    x, y, z = swum.root[-1, :3, 3]
    typer.echo(
        f"{file}: {status}; after {swum.time[-1]:g} s at ({x:.4g}, {y:.4g}, {z:.4g}) m, "
        f"{swum.steps} steps"
    )
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
) -> None:
    """Draw a motion from the side and from above, with speed and turning over time.

    Example: [bold]loligo robot draw monopus.nc -o monopus.png[/]
    """
    from loligo.cases import files
    from loligo.cases.record import BadInput
    from loligo.validation import draw_robot

    picture = file.with_suffix(".png") if output is None else output
    if picture.suffix != ".png":
        raise BadInput(f"{picture}: a picture is a .png")
    files.check_writable(picture)
    draw_robot.main(file, picture)
    typer.echo(picture)
