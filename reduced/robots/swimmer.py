"""A robot's record as a star system, and its motion as a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import xarray as xr

from loligo.cases.case import GRAVITY
from loligo.cases.fluid import Jet
from loligo.cases.robot import swimmer as record
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.checks import positive
from loligo.reduced.lie import Array, exp_so3
from loligo.reduced.robots import snake
from loligo.reduced.rod.loads import Load, net_weight, recruited_torque
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.equations import RodWater, circular_inertia
from loligo.reduced.section.arm_law import section_field, soft_pieces
from loligo.reduced.section.stiffness import Isotropic, section_stiffness
from loligo.reduced.shell.inertia import mass_matrix
from loligo.reduced.shell.laws import GreenLaw, RubberLaw, ShellLaw
from loligo.reduced.shell.loads import TimedLoads, cable_load, hoop_tension_load, triangular
from loligo.reduced.shell.model import mantle_shell
from loligo.reduced.shell.motion import MantleWater as ShellWater
from loligo.reduced.star.dynamics import simulate
from loligo.reduced.star.system import Part, RodLimb, ShellBell, Star, StarMotion
from loligo.reduced.stepping import MotionLost

STATIONS = 11
"""Sections of every arm whose frames are kept."""
_SOONEST = 1e-3  # share of an arm that is recruited at once: none at all has no slope


def star(robot: record.Robot) -> Star:
    """Return the star system of a robot's record."""
    gravity = _gravity(robot)
    bells = [
        (bell, _bell(bell, frame, robot.water))
        for bell in robot.bell.values()
        for frame in placed_frames(bell)
    ]
    walls = [] if gravity is None else [_wall(*pair, robot.water, gravity) for pair in bells]
    return Star(
        parts=[
            _part(part, frame, robot.water, gravity)
            for part in robot.part.values()
            for frame in placed_frames(part)
        ]
        + walls,
        limbs=[
            _limb(limb, frame, robot.water, gravity)
            for limb in robot.limb.values()
            for frame in placed_frames(limb)
        ]
        + _chain(robot, gravity),
        bells=[bell for _, bell in bells],
        held=(0, 1, 2, 4, 5) if robot.guided else (),
    )


def _gravity(robot: record.Robot) -> Array | None:
    """Acceleration in the world (m/s^2), None where everything is trimmed."""
    if robot.down is None:
        return None
    down = np.array(robot.down)
    gravity: Array = GRAVITY * down / np.linalg.norm(down)
    return gravity


def times(robot: record.Robot) -> Array:
    """Return the output times (s): evenly, and wherever a load jumps or a measured one kinks."""
    course = robot.course
    count = max(1, round(course.end / course.every))
    marks = {
        mark
        for limb in robot.limb.values()
        for curl in limb.curl
        for mark in (curl.start, curl.start + curl.recruit)
        if 0.0 < mark < course.end
    }
    marks |= {
        mark
        for stages in robot.told(None).motion.values()
        for stage in stages
        for mark in (stage.start, stage.start + stage.ramp)
        if 0.0 < mark < course.end
    }
    for bell in robot.bell.values():
        if bell.pulse is not None and bell.pulse.history is not None:
            marks |= {mark for mark in bell.pulse.history.times if 0.0 < mark < course.end}
    clock = np.union1d(np.linspace(0.0, course.end, count + 1), list(marks))
    kept = np.concatenate([np.diff(clock) > 1e-9 * course.end, [True]])
    kept_times: Array = clock[kept]
    return kept_times


def swim(
    robot: record.Robot, report: Callable[[float], None] | None = None
) -> tuple[StarMotion, str]:
    """Return the motion of a robot from rest, and how it ended."""
    try:
        return simulate(star(robot), times(robot), robot.course.step, report=report), "complete"
    except MotionLost as failure:
        return failure.reached, f"stopped at t = {failure.reached.time[-1]:.4g} s: {failure}"


def data_set(robot: record.Robot, motion: StarMotion, status: str) -> xr.Dataset:
    """Return a motion as a data set: SI, units and long names as attributes."""
    data = xr.Dataset(attrs={"kind": "robot", "status": status})
    data.attrs |= {"robot": robot.model_dump_json(), "title": robot.title, "source": robot.source}
    data.coords["time"] = ("time", motion.time, {"units": "s"})

    def add(name: str, dims: Sequence[str], values: Array, unit: str, meaning: str) -> None:
        data[name] = (("time", *dims), values, {"units": unit, "long_name": meaning})

    add("root", ("row", "column"), motion.root, "1, m", "frame of the root")
    twist = "velocity of the root in its own axes (angular; linear)"
    add("twist", ("component",), motion.twist, "rad/s, m/s", twist)
    add("momentum", ("component",), motion.momentum, "N m s, N s", "about the world's origin")
    radius, rate = screw(motion, robot.length)
    meaning = "turning radius over the robot's length, infinite where it does not turn (Eq 29)"
    add("turning_radius", (), radius, "1", meaning)
    add("turning_rate", (), rate, "rad/s", "angular rate of the root (Eq 29)")
    arms = list(_names(robot.limb))
    if arms:
        rods = [limb.rod for limb in motion.star.limbs[: len(arms)]]
        frames = [
            motion.frames(k, np.linspace(0.0, rod.length, STATIONS)) for k, rod in enumerate(rods)
        ]
        dims = ("limb", "station", "row", "column")
        add("limb_frame", dims, np.stack(frames, axis=1), "1, m", "section frames of the arms")
        meaning = "wrench of each arm on the root, in the root's axes, mean since the time before"
        wrench = motion.limb_wrench[:, : len(arms)]
        add("limb_wrench", ("limb", "component"), wrench, "N m, N", meaning)
        data.coords["limb"] = arms
    if robot.chain is not None:
        at, last = snake.stations(robot.chain), len(arms)
        axes = ("chain_station", "row", "column")
        add("chain_frame", axes, motion.frames(last, at), "1, m", "section frames of the chain")
        rod, shapes = motion.star.limbs[last].rod, motion.limbs[last][0]
        bent = np.array([snake.bends(robot.chain, rod, q) for q in shapes])
        meaning = "bend of every joint towards +y and towards +z"
        add("bend", ("joint", "direction"), bent, "rad", meaning)
        data.coords["chain_station"] = ("chain_station", at, {"units": "m"})
        data.attrs["motion"] = next(iter(robot.told(None).motion))
    if motion.bells:
        add("volume", ("bell",), motion.volume, "m^3", "inside the middle surface of each mantle")
        meaning = "wrench of each mantle on the root, jet and drag with it, likewise"
        add("bell_wrench", ("bell", "component"), motion.bell_wrench, "N m, N", meaning)
        for name, bell, (q, _) in zip(
            _names(robot.bell), motion.star.bells, motion.bells, strict=True
        ):
            profile = bell.shell.rest + q[:, :, :2]
            add(f"profile_{name}", (f"node_{name}", "axis"), profile, "m", "(x, r) of the wall")
        data.coords["bell"] = list(_names(robot.bell))
    for name in ("kinetic", "stored", "dissipated", "drained", "lost", "driven", "jet"):
        add(name, (), getattr(motion, name), "J", f"energy, {name}")
    return data


def screw(motion: StarMotion, length: float) -> tuple[Array, Array]:
    """Return turning radius over a length and angular rate (rad/s): Renda 2018 Eq 29."""
    positive("length", length)
    w, v = motion.twist[:, :3], motion.twist[:, 3:]
    rate = np.linalg.norm(w, axis=1)
    across = np.linalg.norm(np.cross(w, v), axis=1)
    radius = np.divide(across, rate**2, out=np.full_like(rate, np.inf), where=rate > 0.0)
    return radius / length, rate


def cycle_means(motion: StarMotion, period: float) -> tuple[float, float]:
    """Return speed along the root's x (m/s) and quasi-propulsive efficiency of the last period.

    The efficiency is Renda 2018 Eqs 26 and 27 over a whole period: what drag takes over what the
    mantle's muscle gives. The power of Eq 27 changes its sign in every period; the sum counts.
    """
    positive("period", period)
    end = motion.time[-1]
    if end - motion.time[0] < period:
        raise ValueError(f"the motion is shorter than its period of {period} s")

    def gained(values: Array) -> float:
        return float(values[-1] - np.interp(end - period, motion.time, values))

    speed = np.concatenate(
        [
            [0.0],
            np.cumsum(0.5 * (motion.twist[1:, 3] + motion.twist[:-1, 3]) * np.diff(motion.time)),
        ]
    )
    return gained(speed) / period, gained(motion.drained) / gained(motion.driven)


def efficiency_at_mean_speed(motion: StarMotion, period: float) -> float:
    """Return the efficiency of the last period with the drag's power at its mean speed.

    Renda 2018 means by the useful power the one "at the terminal speed" (above Eq 26). Drag costs
    |v|^3 and the speed swings, so that the mean of Eq 26 over a period is more than that, by the
    mean of |v|^3 over |mean v|^3.
    """
    speed, efficiency = cycle_means(motion, period)
    last = motion.time >= motion.time[-1] - period * (1.0 + 1e-9)
    cubes = np.abs(motion.twist[last, 3]) ** 3
    mean = np.trapezoid(cubes, motion.time[last]) / np.ptp(motion.time[last])
    return float(efficiency * abs(speed) ** 3 / mean)


def _names(appendages: dict[str, record.Limb] | dict[str, record.Bell]) -> Iterator[str]:
    for name, one in appendages.items():
        yield from ([name] if one.copies == 1 else [f"{name}{k + 1}" for k in range(one.copies)])


def placed_frames(placed: record.Part | record.Limb | record.Bell) -> Iterator[Array]:
    """Yield the frames of all copies of a part, an arm or a mantle, as seen from the root."""
    axis = np.eye(3)["xyz".index(placed.around)]
    for k in range(placed.copies):
        turn = np.eye(4)
        turn[:3, :3] = exp_so3(2.0 * np.pi * k / placed.copies * axis)
        yield turn @ placed.place.frame


def _chain(robot: record.Robot, gravity: Array | None) -> list[RodLimb]:
    if robot.chain is None:
        return []
    stages = next(iter(robot.motion.values()))
    return [snake.limb(robot.chain, robot.water, stages, gravity)]


def _part(part: record.Part, frame: Array, water: float, gravity: Array | None) -> Part:
    if isinstance(part, record.Drag):
        return Part(frame=frame, drag=0.5 * water * part.area * np.eye(3))
    if isinstance(part, record.Cone):
        axial = 0.3 * part.radius**2
        across = 0.15 * part.radius**2 + 3.0 / 80.0 * part.length**2
    else:
        axial = part.thickness**2 / 6.0
        across = (part.thickness**2 + part.length**2) / 12.0
    weight = np.zeros(3) if gravity is None else (part.mass - water * part.volume) * gravity
    return Part(
        part.mass,
        part.mass * np.diag([axial, across, across]),
        frame,
        added=part.added * part.mass * np.eye(3),
        weight=weight,
    )


def _wall(given: record.Bell, bell: ShellBell, water: float, gravity: Array) -> Part:
    """Weight less buoyancy of a wall, on the root where it is at rest: Renda 2018 Eq 22."""
    along = np.asarray(bell.mass[::3, ::3].sum(axis=1))
    centre = np.eye(4)
    centre[0, 3] = along @ bell.shell.rest[:, 0] / along.sum()
    volume = float((bell.shell.area * bell.shell.thickness).sum())
    weight = (given.density - water) * volume * gravity
    return Part(frame=bell.frame @ centre, weight=weight)


def _limb(limb: record.Limb, frame: Array, water: float, gravity: Array | None) -> RodLimb:
    body = limb.body
    (soft,) = soft_pieces(body)
    k = limb.shear_factor
    elastic = {"body": Isotropic(limb.young, limb.poisson)}
    damping = None
    if limb.viscosity > 0.0:
        viscous = {"body": Isotropic(3.0 * limb.viscosity, 0.5)}
        damping = partial(section_stiffness, body, viscous, shear_factor=k)

    def weight(gravity: Array) -> Load:
        return net_weight(lambda X: np.pi * soft.radius(X) ** 2, limb.density, water, gravity)

    return RodLimb(
        Rod(
            body.length,
            section_field(body, elastic, limb.factor.values, shear_factor=k),
            degrees=limb.degree,
            scaled_by="compliance",
            cells=limb.degree + 1,
            base=frame,
        ),
        lambda X: circular_inertia(soft.radius(X), limb.density),
        damping,
        RodWater(water, soft.radius, limb.drag, limb.added),
        _limb_loads(limb, [] if gravity is None else [weight(gravity)]),
    )


def _limb_loads(
    limb: record.Limb, always: Sequence[Load]
) -> Sequence[Load] | Callable[[float], list[Load]]:
    if not limb.curl:
        return always

    def loads(time: float) -> list[Load]:
        acting = list(always)
        for curl in limb.curl:
            share = (time - curl.start) / curl.recruit
            if 0.0 < share < 1.0:
                recruited = limb.body.length * max(share, _SOONEST)
                acting += [
                    recruited_torque(moment, recruited, strain)
                    for moment, strain in zip(curl.moment, ("bend_y", "bend_z"), strict=True)
                    if moment != 0.0
                ]
        return acting

    return loads


def _bell(bell: record.Bell, frame: Array, water: float) -> ShellBell:
    law: ShellLaw = GreenLaw(
        bell.young, bell.poisson, viscosity=bell.viscosity, bending=bell.wall_bending
    )
    if bell.law == "rubber":
        rubber = NeoHooke(mu=bell.young / 3.0, density=bell.density, viscosity=bell.viscosity)
        law = RubberLaw(rubber, bending=bell.wall_bending)
    pulse = bell.pulse
    band = () if pulse is None or pulse.band is None else pulse.band
    shell = mantle_shell(bell.body, law, bell.element, band)
    drives = []
    if pulse is not None:
        if pulse.tension is not None:
            squeeze = hoop_tension_load(shell, pulse.tension, pulse.band)
        else:
            assert pulse.cable is not None
            squeeze = cable_load(shell, pulse.cable, pulse.band)
        if pulse.history is not None:
            drives.append(TimedLoads(squeeze, pulse.history.factor))
        else:
            assert pulse.frequency is not None
            drives.append(TimedLoads(squeeze, triangular(pulse.frequency)))
    return ShellBell(
        shell,
        mass_matrix(shell, bell.density, bell.added),
        frame,
        drives,
        ShellWater(Jet(water, bell.outflow, bell.inflow, bell.loss), bell.drag),
    )
