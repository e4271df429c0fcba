"""A picture of a robot's motion: its shape from the side and from above, its speed and turning.

``python -m loligo.validation.plot.robot motion.nc motion.png``
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from loligo.cases.core.atomic import aside
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import read
from loligo.cases.robot.reaching import Reacher
from loligo.cases.robot.swimmer import BarPart, Cone, Robot
from loligo.reduced.arcs.stance import links
from loligo.reduced.robots.swimmer import placed_frames
from loligo.validation.data.quantities import Array

SHOWN = 6
"""Instants that are drawn, evenly over the time."""
_LEAST = 1e-3  # what stays below is drawn as zero: it is rounding
_ARM, _MANTLE, _PATH, _PART = "#b35900", "#0a6ebd", "#9aa3ab", "#1b1b1b"


def figure(data: xr.Dataset) -> Figure:
    """Return the figure of a motion, or of a reach, as `loligo robot run` writes it."""
    if data.attrs.get("kind") == "reaching":
        return _reach(data)
    if data.attrs.get("kind") != "robot":
        raise BadInput("this is no data set of a robot; loligo robot run writes one")
    robot = Robot.model_validate_json(data.attrs["robot"])
    drawn = Figure(figsize=(11.0, 7.0), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(2, 2, width_ratios=(2.0, 1.0))
    instants = np.linspace(0, data.sizes["time"] - 1, SHOWN).round().astype(int)
    for panel, across in zip(panels[:, 0], (2, 1), strict=True):
        _shapes(panel, data, robot, instants, across)
    _curve(panels[0, 1], data, np.asarray(data.twist[:, 3]), "speed along the root's x (m/s)")
    rate = np.linalg.norm(data.twist[:, :3], axis=1)
    _curve(panels[1, 1], data, rate, "angular rate (rad/s)")
    drawn.suptitle(str(data.attrs["title"]))
    return drawn


def _reach(data: xr.Dataset) -> Figure:
    """Workspaces as points, poses and paths as lines, from the side and from above."""
    robot = Reacher.model_validate_json(data.attrs["robot"])
    strokes = [str(name) for name in data.data_vars if str(name).startswith("reaction_")]
    drawn = Figure(figsize=(11.0, 9.0 if strokes else 5.5), layout="constrained")
    FigureCanvasAgg(drawn)
    panels = drawn.subplots(2 if strokes else 1, 2, squeeze=False)
    if strokes:
        _strokes(panels[1], data, strokes)
    for panel, across in zip(panels[0], (2, 1), strict=True):
        for name in data.data_vars:
            kind, values = str(name).split("_")[0], np.asarray(data[name])
            if kind == "workspace":
                panel.plot(values[:, 0], values[:, across], ".", color=_PATH, ms=1.0, alpha=0.3)
            elif kind == "body":
                panel.plot(values[:, 0], values[:, across], ".", color=_MANTLE, ms=1.0, alpha=0.1)
            elif kind == "pose":
                panel.plot(values[:, 0, 3], values[:, across, 3], color=_ARM, lw=2.0)
            elif kind == "path":
                tips = values[:, -1]
                panel.plot(tips[:, 0, 3], tips[:, across, 3], color="#1b1b1b", lw=1.2)
                for frames in values[:: max(len(values) // SHOWN, 1)]:
                    panel.plot(frames[:, 0, 3], frames[:, across, 3], color=_ARM, alpha=0.6)
        if robot.legs is not None:
            for leg in links(robot.legs):
                panel.plot(leg[:, 0], leg[:, across], "o-", color=_PART, lw=1.6, ms=2.5)
        panel.set_aspect("equal")
        panel.set_xlabel("x (m)")
        panel.set_ylabel(f"{'xyz'[across]} (m)")
        told = "tips reach grey, body on its legs blue, shapes brown, paths of tips and legs black"
        panel.set_title(told, fontsize=9)
    drawn.suptitle(str(data.attrs["title"]))
    return drawn


def _strokes(panels: Array, data: xr.Dataset, names: list[str]) -> None:
    """Force and torque that the base feels, over a period of every stroke."""
    for panel, first, label in ((panels[0], 3, "force (N)"), (panels[1], 0, "torque (N m)")):
        for name in names:
            wrench = np.asarray(data[name])[:, first : first + 3]
            time = np.asarray(data[name.replace("reaction_", "time_")])
            size = np.linalg.norm(wrench, axis=1)
            panel.plot(time, size, lw=1.2, label=name.removeprefix("reaction_"))
        panel.set_xlabel("time (s)")
        panel.set_ylabel(f"{label} on the base")
        panel.grid(alpha=0.3)
    panels[0].legend(fontsize=8, ncols=2)


def _outline(part: BarPart | Cone) -> Array:
    """Lines in the plane of a part's first axis, (points, 2): along it and across."""
    if isinstance(part, BarPart):
        return np.array([[-0.5, 0.0], [0.5, 0.0]]) * part.length
    back, ahead = -0.25 * part.length, 0.75 * part.length
    return np.array([[back, -part.radius], [ahead, 0.0], [back, part.radius], [back, -part.radius]])


def _shapes(panel: Axes, data: xr.Dataset, robot: Robot, instants: Array, across: int) -> None:
    path = np.asarray(data.root[:, :3, 3])
    panel.plot(path[:, 0], path[:, across], color=_PATH, lw=1.0, label="path of the root")
    bells = [frame for bell in robot.bell.values() for frame in placed_frames(bell)]
    names = [] if "bell" not in data.coords else data.bell.values.tolist()
    for k, index in enumerate(instants):
        fade = 0.25 + 0.75 * k / max(len(instants) - 1, 1)
        root = np.asarray(data.root[index])
        if "limb_frame" in data:
            for arm in np.asarray(data.limb_frame[index, :, :, :3, 3]):
                panel.plot(arm[:, 0], arm[:, across], color=_ARM, alpha=fade, lw=1.6)
        if "chain_frame" in data and robot.chain is not None:
            # Begin, middle and end of every module and joint in turn, ends shared.
            line = np.asarray(data.chain_frame[index, :, :3, 3])
            for one in range(2 * robot.chain.modules - 1):
                piece, rigid = line[2 * one : 2 * one + 3], one % 2 == 0
                colour, width = (_MANTLE, 4.0) if rigid else (_ARM, 1.6)
                panel.plot(piece[:, 0], piece[:, across], color=colour, alpha=fade, lw=width)
        for part in robot.part.values():
            if isinstance(part, BarPart | Cone):
                x, r = _outline(part).T
                for frame in placed_frames(part):
                    line = _beside(root @ frame, x, r, across)
                    panel.plot(line[:, 0], line[:, across], color=_PART, alpha=fade, lw=1.2)
        for name, frame in zip(names, bells, strict=True):
            x, r = np.asarray(data[f"profile_{name}"][index]).T
            for sign in (-1.0, 1.0):
                wall = _beside(root @ frame, x, sign * r, across)
                panel.plot(wall[:, 0], wall[:, across], color=_MANTLE, alpha=fade, lw=1.6)
    panel.set_aspect("equal")
    panel.set_xlabel("x (m)")
    panel.set_ylabel(f"{'xyz'[across]} (m)")
    moments = ", ".join(f"{float(t):.2g}" for t in data.time[instants])
    panel.set_title(
        f"rigid parts black, mantle and modules blue, soft parts brown, at {moments} s", fontsize=9
    )


def _beside(axes: Array, x: Array, r: Array, across: int) -> Array:
    """Places at x along a body of revolution and r to the side, where the outline is, (n, 3)."""
    side = np.cross(axes[:3, 0], np.eye(3)[3 - across])
    side /= max(float(np.linalg.norm(side)), 1e-12)
    places: Array = axes[:3, 3] + np.outer(x, axes[:3, 0]) + np.outer(r, side)
    return places


def _curve(panel: Axes, data: xr.Dataset, values: Array, label: str) -> None:
    panel.plot(data.time, values, color="#1b1b1b", lw=1.2)
    panel.set_xlabel("time (s)")
    panel.set_ylabel(label)
    if np.abs(values).max() < _LEAST:  # a line at zero would lie on the edge of the panel
        panel.set_ylim(-_LEAST, _LEAST)
        words = f"stays below {_LEAST:g}"
        panel.text(0.5, 0.75, words, transform=panel.transAxes, ha="center", fontsize=9)
    panel.grid(alpha=0.3)


def main(file: Path, picture: Path) -> None:
    """Draw the motion in a file into a .png."""
    with aside(picture) as beside:
        figure(read(file)).savefig(beside, dpi=130, format="png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
