"""Where a robot's motion leaves the range that the coefficients of its parts hold for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from loligo.cases.coefficients_reach import beyond_reach, doubtful
from loligo.cases.robot import reaching
from loligo.cases.robot import swimmer as robot
from loligo.reduced.arcs.workspace import chamber_grid
from loligo.reduced.predict import rod as predict_rod
from loligo.reduced.predict import shell as predict_shell
from loligo.reduced.robots import pressed_arcs as pressed
from loligo.reduced.robots import pulled_arcs as pulled
from loligo.reduced.robots.coefficients import Given
from loligo.reduced.robots.reaching import drives
from loligo.reduced.robots.reaching_arms import ArmDrive, follow, path_pressures
from loligo.reduced.robots.snake import largest_stretch
from loligo.reduced.shell.loads import cable_hoop_tension
from loligo.reduced.shell.model import Shell
from loligo.reduced.star.system import StarMotion

_Ranges = Mapping[str, tuple[float, float]]
_UNITS = {"recruited_torque": "N m", "hoop_tension": "N/m", "pressure": "Pa"}


def beyond(vehicle: robot.Robot, given: Given, motion: StarMotion) -> list[str]:
    """Return in sentences where a swim leaves what coefficients know, part by part.

    The largest stretch that a part comes to and its drive are compared. Water and inertia load a
    part, too: of them the stretch tells.
    """
    said = []
    for name, model, stretch, loads in _swum(vehicle, motion):
        if (coefficients := given.get(name)) is not None:
            found = doubtful(coefficients, model) + beyond_reach(
                coefficients.reach, stretch, loads, _UNITS
            )
            said += [f"{name}: {words}" for words in found]
    return said


def beyond_reaching(reacher: reaching.Reacher, given: Given) -> list[str]:
    """Return in sentences where what an arm does leaves what its coefficients know."""
    said = []
    for name, drive in drives(reacher, given).items():
        stretch, loads = _driven(reacher, name, drive)
        model = "rod" if drive.limb is not None else "pcc"
        found = doubtful(given[name], model)
        found += beyond_reach(given[name].reach, stretch, loads, _UNITS)
        said += [f"{name}: {words}" for words in found]
        for path_name, path in reacher.path.items():
            if path.arm == name and drive.segments:
                said += [f"{name}: {words}" for words in _along(path_name, reacher, path, drive)]
    return said


def _swum(vehicle: robot.Robot, motion: StarMotion) -> Iterator[tuple[str, str, float, _Ranges]]:
    """Name, model, largest stretch and loads of every part that can have coefficients."""
    first = 0
    for name, limb in vehicle.limb.items():
        stretch = 1.0
        for k in range(first, first + limb.copies):
            rod = motion.star.limbs[k].rod
            for q in motion.limbs[k][0]:
                stretch = max(stretch, predict_rod.largest_stretch(limb.body, rod, q))
        first += limb.copies
        torque = max((float(np.linalg.norm(curl.moment)) for curl in limb.curl), default=0.0)
        yield name, "rod", stretch, {"recruited_torque": (0.0, torque)} if torque else {}
    if vehicle.chain is not None:
        rod, shapes = motion.star.limbs[first].rod, motion.limbs[first][0]
        stretch = max(largest_stretch(vehicle.chain, rod, q) for q in shapes)
        stages = next(iter(vehicle.told(None).motion.values()))
        pressure = [0.0, *(p for stage in stages for p in stage.inflate)]
        driven = {"pressure": (min(pressure), max(pressure))} if any(pressure) else {}
        yield "joint", "joint", stretch, driven
    first = 0
    for name, bell in vehicle.bell.items():
        stretch = 1.0
        for k in range(first, first + bell.copies):
            shell = motion.star.bells[k].shell
            for q in motion.bells[k][0]:
                stretch = max(stretch, predict_shell.largest_stretch(shell, q))
        first += bell.copies
        yield name, "shell", stretch, _squeeze(shell, bell.pulse)


def _squeeze(shell: Shell, pulse: robot.Pulse | None) -> _Ranges:
    """Range of the hoop tension of a pulse."""
    if pulse is None:
        return {}
    if pulse.tension is not None:
        tension = pulse.tension
    else:
        assert pulse.cable is not None
        tension = cable_hoop_tension(shell, pulse.cable, pulse.band)
    factors = (1.0,) if pulse.history is None else pulse.history.factors
    return {"hoop_tension": (tension * min(0.0, *factors), tension * max(0.0, *factors))}


def _driven(reacher: reaching.Reacher, name: str, drive: ArmDrive) -> tuple[float, _Ranges]:
    """Largest stretch and range of loads all over an arm's workspace."""
    arm = reacher.arm[name]
    if drive.limb is not None:
        assert isinstance(arm, reaching.Segments)
        found = [pulled.largest_stretch(drive.limb, k, arm.bend) for k in range(arm.segments)]
        return max(found), {}
    stretch = 1.0
    for segment in drive.segments:
        most = chamber_grid(0.0, drive.pressure, 2)[:, : len(segment.cavities)]
        stretch = max(stretch, pressed.largest_stretch(segment, most))
    return stretch, {"pressure": (0.0, drive.pressure)}


def _along(
    path_name: str, reacher: reaching.Reacher, path: reaching.Path, drive: ArmDrive
) -> Iterator[str]:
    pressures = path_pressures(drive, follow(reacher.arm[path.arm], path)[2])
    if np.isnan(pressures).any():
        yield f"the path {path_name} needs lengths to which no pressure brings its chambers"
    elif pressures.max() > drive.pressure:
        yield (
            f"the path {path_name} needs up to {1e-3 * pressures.max():.4g} kPa, more than "
            f"the {1e-3 * drive.pressure:.4g} kPa of the arm"
        )
    if pressures.min() < -1e-6 * drive.pressure:
        yield f"the path {path_name} needs a vacuum of {-1e-3 * pressures.min():.4g} kPa"
