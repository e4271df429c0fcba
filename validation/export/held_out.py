"""One step of the 3D data that other codes repeat with an exported law.

It is the largest step within the law's range that was not fitted. The step has two answers: where
the tip is in the 3D solution, and where loligo's rod puts it with the law as it is exported. A
target that holds the whole law repeats the second; the first says what the law is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.meshes.bodies import stations
from loligo.reduced.lie import Array
from loligo.reduced.predict.arm_loads import acting_on, arm_rod
from loligo.reduced.predict.rod import largest_stretch
from loligo.reduced.rod.loads import LineLoad, PointLoad
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.state import RodState
from loligo.reduced.rod.statics import NotConvergedError, solve
from loligo.validation.data.references import reference_of
from loligo.validation.export.arm import ExportedArm

_ROUNDING = 1e-6
_CARRIED = (LineLoad, PointLoad)
"""Loads that every target can be given: forces along the arm, a wrench at the tip."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A step with its loads and its answers."""

    step: int
    """Of the 3D data, from 1."""
    fitted: bool
    """Whether the law was fitted to it: then nothing that is not would be in its range."""
    beyond: bool
    """Whether it is outside the range of the law, as every step of the data is."""
    pressure: dict[str, float]
    """Of every chamber (Pa)."""
    force: Array
    """At the tip (N), (3,)."""
    moment: Array
    """At the tip (N m), (3,)."""
    follower: bool
    """Whether force and moment turn with the tip; otherwise they are fixed in space."""
    line: Callable[[Array], Array]
    """Force per length (N/m) along the arm, fixed in space, (n,) to (n, 3)."""
    tip: Array
    """Where the soft part ends in the 3D solution (m), (3,)."""
    repeated: Array
    """Where loligo's rod puts it with the exported law (m), (3,)."""
    rest: Array
    """Where it is at rest (m), (3,)."""

    @property
    def moved(self) -> float:
        """How far the tip of the 3D solution has moved (m)."""
        return float(np.linalg.norm(self.tip - self.rest))

    @property
    def error(self) -> float:
        """Distance of loligo's rod from the 3D solution over how far the latter has moved."""
        return float(np.linalg.norm(self.repeated - self.tip)) / self.moved


def held_out(arm: ExportedArm, file: Path | None = None, *, arcs: bool = False) -> HeldOut | None:
    """Return the step that targets repeat.

    None if there are no 3D data of the case, or if its loads are none that targets can be given.

    Args:
        arm: what is exported.
        file: 3D data; by default those that loligo finds or brings along.
        arcs: whether loligo's answer is that of arcs, not of a rod.

    Raises:
        BadInput: if the file is of another case.
    """
    case = arm.case
    try:
        data = reference_of(case, case.name, file).source.data
    except BadInput:
        if file is not None:
            raise
        return None
    if case.time is not None or case.support.tip == "blocked":
        return None
    found: list[HeldOut] = []
    for step in range(min(data.sizes["step"], len(case.steps))):
        there = data["frame"].values[step, -1, :3, 3]
        one = _repeat(arm, step, there, arcs)
        if one is None:
            break
        found.append(one)
    for wanted in (
        [one for one in found if not one.fitted and not one.beyond],
        [one for one in found if not one.fitted][:1],
        [one for one in found if not one.beyond],
        found[:1],
    ):
        moved = [one for one in wanted if one.moved > 0.0]
        if moved:
            return moved[-1]
    return None


def _repeat(arm: ExportedArm, step: int, tip: Array, arcs: bool) -> HeldOut | None:
    """Return a step as loligo's rod has it; None where it has none, or loads that targets lack."""
    body, case = arm.body, arm.case
    try:
        acting = acting_on(body, case, step, None)
    except BadInput:
        return None
    if not all(isinstance(load, _CARRIED) for load in acting.outside) or acting.muscle:
        return None
    if any(p and name not in arm.law.arms for name, p in acting.pressure.items()):
        return None
    points = [load for load in acting.outside if isinstance(load, PointLoad)]
    if len({load.axes for load in points}) > 1:
        return None
    lines = [load for load in acting.outside if isinstance(load, LineLoad)]
    state = _equilibrium(arm, step, arcs)
    if state is None:
        return None
    at = stations(body)[-1]
    stretch = largest_stretch(body, state.rod, state.q)
    spans = {chamber.name: chamber.pressure for chamber in arm.chambers}
    pressed = any(not low <= acting.pressure[name] <= high for name, (low, high) in spans.items())
    return HeldOut(
        step + 1,
        step + 1 in arm.fitted,
        stretch > arm.max_stretch * (1.0 + _ROUNDING) or pressed,
        {name: p for name, p in acting.pressure.items() if name in arm.law.arms},
        sum((np.asarray(load.force, float) for load in points), start=np.zeros(3)),
        sum((np.asarray(load.moment, float) for load in points), start=np.zeros(3)),
        bool(points) and points[0].axes == "body",
        lambda X: _line(lines, X),
        np.asarray(tip, float),
        state.frames([at])[0, :3, 3],
        np.array([at, 0.0, 0.0]),
    )


def _line(lines: list[LineLoad], X: Array) -> Array:
    """Return the force per length of line loads, (n, 3)."""
    total = np.zeros((len(X), 3))
    for load in lines:
        assert callable(load.force) and load.span is not None
        here = (load.span[0] <= X) & (load.span[1] > X)
        total[here] += load.force(X[here])
    return total


def _equilibrium(arm: ExportedArm, last: int, arcs: bool) -> RodState | None:
    """Return the rod's state at a step with the exported law, by all steps before it."""
    unknown = {name: np.zeros(6) for name in arm.body.cavities}  # without pressure, see above
    law = replace(arm.law, arms={**unknown, **arm.law.arms})
    rod: Rod | None = None
    state: RodState | None = None
    for step in range(last + 1):
        acting = acting_on(arm.body, arm.case, step, None if arm.solid else law)
        if arm.solid is not None:
            pressed = arm.solid.at(acting.pressure).section_law()
            rod = rod.with_law(pressed) if rod else arm_rod(arm.body, pressed, arcs=arcs)
        elif rod is None:
            rod = arm_rod(arm.body, law, arcs=arcs)
        try:
            state = solve(rod, [*acting.outside, *acting.fluid, *acting.muscle], state)
        except NotConvergedError:
            return None
    return state
