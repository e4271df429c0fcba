"""What the tip of an arm reaches: from the lengths of its record, or as coefficients drive it.

Without coefficients every chamber may have each length within its stroke, and every segment of a
limb is one arc. With those of the body that the arm is made of, chambers have the lengths to which
pressures up to the record's make them, all acting at once, and a limb bends where it is thin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.coefficients import Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.robot import reaching as record
from loligo.reduced.arcs import opposite_bending, pcc, three_segment
from loligo.reduced.arcs.tip_paths import HelicalPath
from loligo.reduced.arcs.workspace import chamber_grid
from loligo.reduced.lie import Array
from loligo.reduced.robots import pressed_arcs as pressed
from loligo.reduced.robots import pulled_arcs as pulled
from loligo.reduced.robots.coefficients import case_of
from loligo.reduced.robots.pressed_arcs import PressedSegment
from loligo.reduced.robots.pulled_arcs import PulledLimb

STATIONS = 7
"""Section frames along every arc, its ends with them."""
_GRID = 13  # lengths or pressures to a stroke in the cloud of a workspace
_COARSE = 5  # the same where two segments are combined
_ALONG = 41  # points of a path


@dataclass(frozen=True, eq=False)
class ArmDrive:
    """How coefficients drive an arm.

    Attributes:
        segments: of an arm with chambers: one that bends, then what lies farthest out.
        pressure: the largest one (Pa).
        limb: of an arm with tendons.
    """

    segments: tuple[PressedSegment, ...] = ()
    pressure: float = 0.0
    limb: PulledLimb | None = None


def drive_of(part: str, arm: record.Arm, coefficients: Coefficients) -> ArmDrive:
    """Return how coefficients drive an arm.

    Raises:
        BadInput: if they are of another body, or the body has not the arm's segments.
    """
    case = case_of(part, arm.made_of, coefficients)
    if isinstance(arm, record.Segments):
        if not isinstance(case.body, TaperedArm):
            raise BadInput(f"{part}: {case.name} is no limb with tendons")
        return ArmDrive(
            limb=pulled.pulled_limb(case.body, case.material, arm.segments, coefficients)
        )
    if not isinstance(case.body, ChamberedArm):
        raise BadInput(f"{part}: {case.name} has no segments with chambers")
    assert arm.pressure is not None  # the record has been checked
    found = pressed.pressed_segments(case.body, case.material, coefficients)
    chosen = (found[0], found[-1])
    wanted = (3, 1) if isinstance(arm, record.OppositeBending) else (3, 3)
    if tuple(len(segment.cavities) for segment in chosen) != wanted:
        raise BadInput(
            f"{part}: the first and the last segment of {case.name} need {wanted[0]} and "
            f"{wanted[1]} chambers"
        )
    return ArmDrive(chosen, arm.pressure)


def arcs_of(arm: record.Segments, bends: Sequence[record.Bend], drive: ArmDrive | None) -> Array:
    """Return the arcs (n, 3) of bends, from base to tip; see `loligo.reduced.arcs.pcc`."""
    if drive is None or drive.limb is None:
        return np.array(
            [pcc.from_polar(arm.length - bend.shortening, bend.theta, bend.phi) for bend in bends]
        )
    return np.concatenate(
        [pulled.arcs(drive.limb, k, bend.theta, bend.phi) for k, bend in enumerate(bends)]
    )


def workspace(arm: record.Arm, drive: ArmDrive | None = None) -> Array:
    """Return points (n, 3) all over what the tip of an arm reaches, in the arm's own axes (m)."""
    if isinstance(arm, record.OppositeBending):
        if drive is None:
            return opposite_bending.workspace(opposite(arm), _GRID)
        grid = chamber_grid(0.0, drive.pressure, _GRID)
        bent = _tips(drive, 0, grid[(grid == 0.0).any(axis=-1)])
        straight = _tips(drive, -1, np.linspace(0.0, drive.pressure, _GRID)[:, None])
        return (2.0 * bent[:, None] + straight[None]).reshape(-1, 3)
    if isinstance(arm, record.ThreeSegments):
        # The tip is twice one segment's and once another's of the same kind.
        tips = _segment_tips(arm, drive, _COARSE)
        return (2.0 * tips[:, None] + tips[None]).reshape(-1, 3)
    theta, phi = np.meshgrid(
        np.linspace(0.0, arm.bend, 7), np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    )
    frames = np.eye(4)[None]
    for k in range(arm.segments):
        thinned = slice(None) if k == 0 else slice(None, None, arm.segments)
        one = _segment_frames(arm, drive, k, theta.ravel(), phi.ravel())
        frames = (frames[:, None] @ one[None]).reshape(-1, 4, 4)[thinned]
    points: Array = frames[:, :3, 3]
    return points


def extents(arm: record.Arm, drive: ArmDrive | None = None) -> Array:
    """Return how far the workspace extends along the arm's own axes, (3,) in m."""
    if isinstance(arm, record.ThreeSegments):
        if drive is None:
            return three_segment.workspace_size(three(arm))
        sum_of_three: Array = 3.0 * np.ptp(_segment_tips(arm, drive, _GRID), axis=0)
        return sum_of_three
    size: Array = np.ptp(workspace(arm, drive), axis=0)
    return size


def rest(arm: record.Arm) -> Array:
    """Return where the tip is as the arm rests, in its own axes (m)."""
    if isinstance(arm, record.OppositeBending):
        length = 2.0 * arm.chamber_length + arm.elongation_length
    elif isinstance(arm, record.ThreeSegments):
        length = 3.0 * arm.chamber_length
    else:
        length = arm.segments * arm.length
    return np.array([length, 0.0, 0.0])


def follow(arm: record.Arm, path: record.Path) -> tuple[Array, Array, Array]:
    """Return times (s), chamber lengths (n, ...) and arcs (n, 3, 3) along a path.

    Raises:
        ValueError: where the path leaves the workspace, with the distance.
    """
    way = HelicalPath(path.start, path.end, path.axis, path.turn)
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


def path_pressures(drive: ArmDrive, arcs: Array) -> Array:
    """Return the pressures (n, chambers) in Pa along a path: of the first segment, of the last.

    The second segment has those of the first. NaN where none would do.
    """
    first = pressed.pressures(drive.segments[0], arcs[:, 0])
    return np.concatenate([first, pressed.pressures(drive.segments[-1], arcs[:, -1])], axis=1)


def backbone(arcs: Array) -> Array:
    """Return section frames along arcs in series (k, 3), ends with them, (stations, 4, 4)."""
    base, frames = np.eye(4), [np.eye(4)[None]]
    for arc in arcs:
        shares = np.linspace(0.0, 1.0, STATIONS)[1:, None]
        frames.append(base @ pcc.pose(shares * arc))
        base = frames[-1][-1]
    return np.concatenate(frames)


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


def _segment_tips(arm: record.ThreeSegments, drive: ArmDrive | None, count: int) -> Array:
    if drive is not None:
        return _tips(drive, 0, chamber_grid(0.0, drive.pressure, count))
    lengths = chamber_grid(arm.chamber_length, arm.chamber_stroke, count)
    return pcc.position(pcc.from_chambers(lengths, arm.chamber_offset, pcc.chamber_directions(3)))


def _tips(drive: ArmDrive, segment: int, pressures: Array) -> Array:
    found = pressed.arcs(drive.segments[segment], pressures)
    if np.isnan(found).any():
        worst = pressures[np.isnan(found).any(axis=1)].max()
        raise BadInput(
            f"with these coefficients no arc balances a pressure of {worst:.4g} Pa: lower the "
            "arm's pressure"
        )
    return pcc.position(found)


def _segment_frames(
    arm: record.Segments, drive: ArmDrive | None, segment: int, theta: Array, phi: Array
) -> Array:
    """Frames of the end of a segment as seen from its base, (n, 4, 4)."""
    if drive is not None and drive.limb is not None:
        return pcc.chain(pulled.arcs(drive.limb, segment, theta, phi))[:, -1]
    lengths = [arm.length - arm.shortening, arm.length]
    return np.concatenate([pcc.pose(pcc.from_polar(length, theta, phi)) for length in lengths])
