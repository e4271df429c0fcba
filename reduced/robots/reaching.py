"""Where a robot's arms reach, as a data set: workspaces, poses, paths, strokes through water.

Everything is in the axes of the robot's body. Every arm is a row of arcs of constant curvature; the
legs move the body while their feet stay, so that what the robot reaches is what an arm reaches from
every place the body can be at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.robot import reaching as record
from loligo.reduced.arcs import dh_chain, pcc
from loligo.reduced.arcs import stance as legs_stance
from loligo.reduced.lie import Array
from loligo.reduced.robots import stroke
from loligo.reduced.robots.coefficients import Given
from loligo.reduced.robots.reaching_arms import (
    ArmDrive,
    arcs_of,
    backbone,
    drive_of,
    extents,
    follow,
    opposite,
    path_pressures,
    rest,
    workspace,
)


def drives(robot: record.Reacher, given: Given) -> dict[str, ArmDrive]:
    """Return how coefficients drive the arms that have them.

    Raises:
        BadInput: for coefficients of no arm, or of another body.
    """
    if unknown := [name for name in given if name not in robot.arm]:
        known = ", ".join(robot.arm)
        raise BadInput(f'{robot.name} has no part "{unknown[0]}" for coefficients; it has {known}')
    return {
        name: drive_of(f"{robot.name}: {name}", robot.arm[name], coefficients)
        for name, coefficients in given.items()
    }


def merits(robot: record.Reacher, given: Given) -> dict[str, float]:
    """Return what the arms that are made of a case reach: numbers by name, units in the name.

    The reach is the farthest that the tip gets from where it rests; across and along are extents of
    its workspace. Of coefficients come the largest net tension for a segment's largest bend, see
    `loligo.reduced.robots.pulled_arcs`, and the highest pressure along every path, where one leads
    there.
    """
    driven, found = drives(robot, given), {}
    for name, arm in robot.arm.items():
        if arm.made_of is None:
            continue
        drive = driven.get(name)
        tips = workspace(arm, drive)
        size = extents(arm, drive)
        found[f"reach_{name}_m"] = float(np.linalg.norm(tips - rest(arm), axis=1).max())
        found[f"across_{name}_m"] = float(size[1:].max())
        found[f"along_{name}_m"] = float(size[0])
        if drive is not None and drive.limb is not None:
            assert isinstance(arm, record.Segments)
            found[f"tension_{name}_N"] = float(drive.limb.tension.max() * arm.bend)
    for name, path in robot.path.items():
        if (drive := driven.get(path.arm)) is not None:
            pressures = path_pressures(drive, follow(robot.arm[path.arm], path)[2])
            if np.isfinite(pressures).all():
                found[f"path_{name}_pressure_Pa"] = float(pressures.max())
    return found


def data_set(robot: record.Reacher, given: Given | None = None) -> xr.Dataset:
    """Return all that a robot reaches: SI, units and long names as attributes."""
    driven = drives(robot, given or {})
    data = xr.Dataset(attrs={"kind": "reaching", "status": "complete"})
    data.attrs |= {"robot": robot.model_dump_json(), "title": robot.title, "source": robot.source}

    def add(name: str, dims: Sequence[str], values: Array, unit: str, meaning: str) -> None:
        data[name] = (tuple(dims), values, {"units": unit, "long_name": meaning})

    for name, arm in robot.arm.items():
        frame = arm.place.frame
        drive = driven.get(name)
        points = workspace(arm, drive) @ frame[:3, :3].T + frame[:3, 3]
        add(f"workspace_{name}", (f"point_{name}", "axis"), points, "m", "what the tip reaches")
        size = np.abs(frame[:3, :3]) @ extents(arm, drive)
        add(f"extents_{name}", ("axis",), size, "m", "of what the tip reaches, along the axes")
    for pose, arms in robot.pose.items():
        for name, bends in arms.items():
            one = robot.arm[name]
            assert isinstance(one, record.Segments)
            arcs = arcs_of(one, bends, None)
            frames = one.place.frame @ backbone(arcs_of(one, bends, driven.get(name)))
            key = f"{pose}_{name}"
            dims = (f"station_{key}", "row", "column")
            add(f"pose_{key}", dims, frames, "1, m", "section frames")
            gap = np.linalg.norm(chain_tip(bends, one) - pcc.chain(arcs)[-1, :3, 3])
            add(
                f"chain_gap_{key}",
                (),
                np.asarray(gap),
                "m",
                "tip of the RRP chain as printed, off the arcs'",
            )
    for name, path in robot.path.items():
        time, lengths, arcs = follow(robot.arm[path.arm], path)
        frames = np.array([robot.arm[path.arm].place.frame @ backbone(a) for a in arcs])
        step, dims = f"step_{name}", (f"station_{name}", "row", "column")
        data.coords[f"time_{name}"] = (step, time, {"units": "s"})
        if (drive := driven.get(path.arm)) is not None:
            pressures = path_pressures(drive, arcs)
            dims_of = (step, f"pressed_{name}")
            meaning = "gauge pressures of the first segment's chambers, which the second has, too"
            add(f"pressures_{name}", dims_of, pressures, "Pa", f"{meaning}, then of the last's")
        add(f"path_{name}", (step, *dims), frames, "1, m", "section frames along the path")
        add(f"lengths_{name}", (step, f"chamber_{name}"), lengths, "m", "of the chambers")
    for name, one_stroke in robot.stroke.items():
        swept = robot.arm[one_stroke.arm]
        assert isinstance(swept, record.OppositeBending)
        time, wrench = stroke.reaction(opposite(swept), swept.radius, one_stroke)
        data.coords[f"time_{name}"] = (f"step_{name}", time, {"units": "s"})
        meaning = "wrench of the arm on its base, in the arm's axes, over a period"
        add(f"reaction_{name}", (f"step_{name}", "component"), wrench, "N m, N", meaning)
    if robot.legs is not None:
        moved = legs_stance.displacements(robot.legs)
        add("body", ("place", "axis"), moved, "m", "where the feet let the body be")
        span = np.ptp(moved, axis=0)
        for name in robot.arm:
            both = data[f"extents_{name}"].values + span
            add(f"combined_{name}", ("axis",), both, "m", "extents of arm and body together")
    return data


def chain_tip(bends: Sequence[record.Bend], arm: record.Segments) -> Array:
    """Return where Emet's chain of ten RRP links a segment, unclosed as printed, ends (m)."""
    chains = [
        dh_chain.chain(arm.length - bend.shortening, bend.theta, bend.phi, closed=False)
        for bend in bends
    ]
    tip: Array = dh_chain.arm_frames(chains)[-1, :3, 3]
    return tip
