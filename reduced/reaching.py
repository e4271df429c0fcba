"""Where a robot's arms reach, as a data set: workspaces, poses, paths, strokes through water.

Everything is in the axes of the robot's body. Every arm is a row of arcs of constant curvature; the
legs move the body while their feet stay, so that what the robot reaches is what an arm reaches from
every place the body can be at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from loligo.cases import reaching as record
from loligo.reduced import dh_chain, legs_stance, opposite_bending, pcc, stroke, three_segment
from loligo.reduced.lie import Array
from loligo.reduced.reach import chamber_grid
from loligo.reduced.trajectories import Path

STATIONS = 7
"""Section frames along every arc, its ends with them."""
_GRID = 13  # lengths to a stroke in the cloud of a workspace
_ALONG = 41  # points of a path


def arcs_of(arm: record.Segments, bends: Sequence[record.Bend]) -> Array:
    """Return the arcs (segments, 3) of bends: see `loligo.reduced.pcc`."""
    return np.array(
        [pcc.from_polar(arm.length - bend.shortening, bend.theta, bend.phi) for bend in bends]
    )


def workspace(arm: record.Arm) -> Array:
    """Return points (n, 3) all over what the tip of an arm reaches, in the arm's own axes (m)."""
    if isinstance(arm, record.OppositeBending):
        return opposite_bending.workspace(opposite(arm), _GRID)
    if isinstance(arm, record.ThreeSegments):
        # The tip is twice one segment's and once another's of the same kind.
        grid = chamber_grid(arm.chamber_length, arm.chamber_stroke, 5)
        tips = pcc.position(pcc.from_chambers(grid, arm.chamber_offset, pcc.chamber_directions(3)))
        return (2.0 * tips[:, None] + tips[None]).reshape(-1, 3)
    theta, phi, length = np.meshgrid(
        np.linspace(0.0, arm.bend, 7),
        np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False),
        [arm.length - arm.shortening, arm.length],
    )
    one = pcc.pose(pcc.from_polar(length.ravel(), theta.ravel(), phi.ravel()))
    frames = one
    for _ in range(1, arm.segments):
        frames = (frames[:, None] @ one[None]).reshape(-1, 4, 4)[:: arm.segments]
    points: Array = frames[:, :3, 3]
    return points


def extents(arm: record.Arm) -> Array:
    """Return how far the workspace extends along the arm's own axes, (3,) in m."""
    if isinstance(arm, record.ThreeSegments):
        return three_segment.workspace_size(three(arm))
    size: Array = np.ptp(workspace(arm), axis=0)
    return size


def follow(arm: record.Arm, path: record.Path) -> tuple[Array, Array, Array]:
    """Return times (s), chamber lengths (n, ...) and arcs (n, 3, 3) along a path.

    Raises:
        ValueError: where the path leaves the workspace, with the distance.
    """
    way = Path(path.start, path.end, path.axis, path.turn)
    share = np.linspace(0.0, 1.0, _ALONG)
    frame = arm.place.frame
    tips = (way.points(share) - frame[:3, 3]) @ frame[:3, :3]
    if isinstance(arm, record.OppositeBending):
        gong = opposite(arm)
        lengths = opposite_bending.inverse(gong, tips)
        arcs = opposite_bending.segments(gong, lengths)
    elif isinstance(arm, record.ThreeSegments):
        liu = three(arm)
        found = three_segment.inverse(liu, tips, np.zeros((_ALONG, 2)))
        lengths, arcs = found.reshape(_ALONG, -1), three_segment.segments(liu, found)
    else:
        raise ValueError("an arm of segments has poses, no paths")
    return share * way.length / path.speed, lengths, arcs


def backbone(arcs: Array) -> Array:
    """Return section frames along arcs in series (k, 3), ends with them, (stations, 4, 4)."""
    base, frames = np.eye(4), [np.eye(4)[None]]
    for arc in arcs:
        shares = np.linspace(0.0, 1.0, STATIONS)[1:, None]
        frames.append(base @ pcc.pose(shares * arc))
        base = frames[-1][-1]
    return np.concatenate(frames)


def data_set(robot: record.Reacher) -> xr.Dataset:
    """Return all that a robot reaches: SI, units and long names as attributes."""
    data = xr.Dataset(attrs={"kind": "reaching", "status": "complete"})
    data.attrs |= {"robot": robot.model_dump_json(), "title": robot.title, "source": robot.source}

    def add(name: str, dims: Sequence[str], values: Array, unit: str, meaning: str) -> None:
        data[name] = (tuple(dims), values, {"units": unit, "long_name": meaning})

    for name, arm in robot.arm.items():
        frame = arm.place.frame
        points = workspace(arm) @ frame[:3, :3].T + frame[:3, 3]
        add(f"workspace_{name}", (f"point_{name}", "axis"), points, "m", "what the tip reaches")
        size = np.abs(frame[:3, :3]) @ extents(arm)
        add(f"extents_{name}", ("axis",), size, "m", "of what the tip reaches, along the axes")
    for pose, arms in robot.pose.items():
        for name, bends in arms.items():
            one = robot.arm[name]
            assert isinstance(one, record.Segments)
            arcs = arcs_of(one, bends)
            frames = one.place.frame @ backbone(arcs)
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


def opposite(arm: record.OppositeBending) -> opposite_bending.OppositeBendingArm:
    """Return Gong's arm of its record."""
    return opposite_bending.OppositeBendingArm(
        arm.chamber_length,
        arm.elongation_length,
        arm.chamber_offset,
        arm.chamber_stroke,
        arm.elongation_stroke,
    )


def three(arm: record.ThreeSegments) -> three_segment.ThreeSegmentArm:
    """Return Liu's arm of its record."""
    return three_segment.ThreeSegmentArm(arm.chamber_length, arm.chamber_stroke, arm.chamber_offset)
