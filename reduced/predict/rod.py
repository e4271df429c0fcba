"""A case of an arm, solved as a Cosserat rod and distilled to a data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.meshes.bodies import Arm, stations
from loligo.reduced.lie import Array
from loligo.reduced.predict.arm_loads import (
    ArmActions,
    acting_on,
    arm_rod,
    load_marks,
)
from loligo.reduced.predict.collect import collect_arm, shapes
from loligo.reduced.predict.march import NoAnswer, at_places, march
from loligo.reduced.rod.loadset import actuation
from loligo.reduced.rod.model import Rod, SectionLaw
from loligo.reduced.rod.state import RodState
from loligo.reduced.rod.statics import NotConvergedError, solve
from loligo.reduced.section.arm_law import ArmLaw, chambers, soft_pieces
from loligo.reduced.section.pressures import cavity_pressures
from loligo.reduced.section.solid_sections import PressedSections, SolidSections, beyond

_GAUSS = np.polynomial.legendre.leggauss(8)
_SECTIONS = "plane sections; weight and buoyancy act on the axis"
ASSUMPTIONS = (
    "linear section law from the geometry at rest and the rubber's initial modulus; sections keep "
    "their area, so that bores do not widen and a chamber pushes with its "
    "own area; to first order incompressible rubber has it push with all the area within stiff "
    "hoops, and without hoops not at all (loligo section gives the arm of either); "
    "windings do not strain and add no stiffness, the rubber of sleeves does; "
    f"{_SECTIONS}"
)
GIVEN_SECTIONS = (
    "section law at rest and pressure arms from coefficients, for small strains or, with a "
    f"softening, for those it was fitted to; {_SECTIONS}"
)
FROM_SOLID = (
    "section law of the solid under uniform strain: chambers, thread and rubber at finite strain; "
    "wrench of the fluid and volumes of chambers without pressure to first order beside the strain "
    "that the pressures alone give; sections of a taper as those of a prismatic body; weight and "
    "buoyancy act on the axis"
)
WITHOUT_ENDS = "a section beside a plate is as free as any other"
"""Of soft lengths whose law has no ends."""
WITH_ENDS = (
    "ends at plates from half of a soft length in three dimensions; in torsion and shear they are "
    "as stiff as the section"
)
ARC_ASSUMPTION = (
    "every soft length is one arc: its curvatures and its stretch are constant along it, in "
    "equilibrium on average; it neither twists nor shears"
)
LONG_NAMES = {
    "stable": "1 stable, 0 unstable: statically, by the symmetric part of the tangent; -1 where "
    "that tells nothing under loads without a potential",
    "max_stretch": "largest stretch of a fibre along the arm",
    "volume": "enclosed volume of each cavity, at rest and what its pressure works on: that of "
    "its arm and the strain, without what a bore widens at constant strain",
}
LONG_NAMES_OF_SOLID = {
    **LONG_NAMES,
    "max_stretch": "largest stretch of a fibre along the arm, if sections stay plane and as wide",
    "volume": "enclosed volume of each cavity between the faces of its soft length",
    "wrench_fluid": "to first order beside the strain that the pressures alone give",
}
_REACH = "reach"
"""Of the laws at a step, beside the quantities that are reported."""
_LOST = 1.0
"""Distance from the free strain, bends times the radius, where an expansion says nothing more."""
_SMALLEST = 2.0**-8
"""Of the way from one step to the next, below which a rod does not go on."""


def predict_rod(
    case: Case,
    body: Arm,
    law: ArmLaw | SolidSections,
    refine: float = 1.0,
    *,
    arcs: bool = False,
    shape_only: bool = False,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return what a rod predicts at every reported step, or up to where it stops.

    With ``arcs`` it is a chain of constant-curvature arcs, one for every soft length: the same
    virtual work, on fewer strains. With ``shape_only`` it gives its shape and the tip's reaction.
    With ``on_the_way`` the last state before a step that is not reached is kept. With sections of
    the solid the attribute `law_beyond` says where a reported state leaves their range.
    """
    sections: ArmLaw | SectionLaw
    marks, discs = load_marks(case, body), list[float]()
    if isinstance(law, SolidSections):
        sections = law.at(cavity_pressures(body, case, 0)).section_law()
        discs = law.marks
    else:
        sections = law
    rod = arm_rod(body, sections, marks, refine, arcs, discs)
    tip = None
    if case.support.tip == "blocked":
        tip = rod.frames(np.zeros(rod.grid.unknowns), [rod.length])[0]

    last: dict[RodState | None, PressedSections] = {}

    def advance(now: Case, step: int, start: RodState | None) -> tuple[RodState, dict[str, Array]]:
        if isinstance(law, SolidSections):
            before = last.get(start)
            state, acting, pressed = _under_pressure(body, now, step, law, rod, start, before, tip)
            last.clear()
            last[state] = pressed
            report = _shape(body, state)
            more = {} if shape_only else _distil_solid(body, pressed, acting, state, report)
            return state, report | more
        acting = acting_on(body, now, step, law)
        try:
            state = solve(rod, [*acting.outside, *acting.fluid, *acting.muscle], start, tip)
        except NotConvergedError as failure:
            raise _no_answer(failure) from None
        report = _shape(body, state)
        return state, report if shape_only else report | _distil(body, law, acting, state, report)

    marched = march(case, advance, on_the_way=on_the_way)
    reached = {"status": marched.status, "reached": marched.place, "size": cell_size(rod)}
    if shape_only:
        return shapes(body, marched.reports).assign_attrs(reached)
    reports = [dict(report) for report in marched.reports]
    if isinstance(law, SolidSections):
        reaches = [report.pop(_REACH) for report in reports]
        reached["law_beyond"] = "; ".join(beyond(law, reaches)) if reaches else ""
        found = collect_arm(body, reports, LONG_NAMES_OF_SOLID)
        assumptions = f"{FROM_SOLID}; {WITH_ENDS if law.ends else WITHOUT_ENDS}"
    else:
        found = collect_arm(body, reports, LONG_NAMES)
        assumptions = GIVEN_SECTIONS if law.given else ASSUMPTIONS
    assumptions = f"{ARC_ASSUMPTION}; {assumptions}" if arcs else assumptions
    return found.assign_attrs(reached, assumptions=assumptions)


def _no_answer(failure: NotConvergedError) -> NoAnswer:
    why = f"no equilibrium was found: {failure.reason}"
    return NoAnswer(f"{why}; past a limit load there may be none")


def _under_pressure(
    body: Arm,
    now: Case,
    step: int,
    law: SolidSections,
    rod: Rod,
    start: RodState | None,
    before: PressedSections | None,
    tip: Array | None,
) -> tuple[RodState, ArmActions, PressedSections]:
    """Return the equilibrium at a step with the sections at its pressures.

    Where Newton's method fails all loads go there in smaller steps from those of the step before.
    A free arm begins from the strain to which the pressures lead the strain of the step before,
    whose sections are `before`.
    """
    done, size, state = 0.0, 1.0, start
    while True:
        end = min(done + size, 1.0)
        there = now if end == 1.0 else at_places(now, [*range(1, step + 1), step + end])
        acting = acting_on(body, there, step, None)
        pressed = law.at(acting.pressure)
        rod_now = rod.with_law(pressed.section_law())
        begin = state
        if state is not None and before is not None and tip is None:
            begin = replace(state, q=_led(rod, state.q, before, pressed))
        try:
            state = solve(rod_now, [*acting.outside, *acting.muscle], begin, tip)
        except NotConvergedError as failure:
            size = 0.5 * (end - done)
            if size < _SMALLEST:
                raise _no_answer(failure) from None
            continue
        if end == 1.0:
            _check_near(rod, state, pressed)
            return state, acting, pressed
        done, size, before = end, 2.0 * (end - done), pressed


def _check_near(rod: Rod, state: RodState, sections: PressedSections) -> None:
    """Refuse a state that the expansion of the law knows nothing of."""
    soft = rod.grid.soft
    far = sections.farthest(rod.strain_at_gauss(state.q)[soft], rod.grid.gauss[soft])
    if far > _LOST:
        raise NoAnswer(
            f"the strain is {far:.2g} away from that which the pressures alone give, bends times "
            "the radius, and the section law of the solid knows nothing of it"
        )


def _led(rod: Rod, q: Array, before: PressedSections, now: PressedSections) -> Array:
    """Return coordinates of a rod whose strain has changed as the free strain of its sections."""
    grid = rod.grid
    local = grid.by_interval(q)
    middle = (grid.breaks[:-1] + grid.breaks[1:]) / 2
    for (length, _, old), (_, _, new) in zip(before.parts, now.parts, strict=True):
        here = (length.piece.start < middle) & (middle < length.piece.end)
        change = (new.free_strain - old.free_strain)[grid.component]
        local[here] += np.where(grid.degree == 0, change, 0.0)  # the constant of every interval
    return np.asarray(local[~grid.rigid].ravel())


def cell_size(rod: Rod) -> float:
    """Return the mean length (m) of a Magnus step where the rod is soft."""
    return float(rod.grid.steps[rod.grid.first >= 0].mean())


def _shape(body: Arm, state: RodState) -> dict[str, Array]:
    X = stations(body)
    frame = state.frames(X)
    return {
        "frame": frame,
        "reaction_tip": _tip_reaction(state, frame[-1]),
        "max_stretch": np.array(largest_stretch(body, state.rod, state.q)),
    }


def _distil(
    body: Arm, law: ArmLaw, acting: ArmActions, state: RodState, shape: dict[str, Array]
) -> dict[str, Array]:
    """Everything else that is reported of one step."""
    rod = state.rod
    X = stations(body)
    fluid = actuation(rod, acting.fluid, X).wrench
    muscle = actuation(rod, acting.muscle, np.append(X, 0.0)).wrench
    solid = state.wrench(np.append(X, 0.0)) + muscle
    strain = rod.strain_at_gauss(state.q)
    soft = rod.grid.soft
    excess = (strain - rod.rest_at_gauss)[soft]
    return {
        "strain": strain_between(shape["frame"], X, mean_strain(rod, state.q, X)),
        "wrench": solid[:-1],
        "wrench_fluid": fluid,
        "reaction": 0.0 - solid[-1],  # at x = 0 the section's axes are the fixed ones
        "stable": np.array(_stability(state)),
        "stored_energy": rod.grid.gauss_weights[soft] @ law.energy(excess, rod.grid.gauss[soft])
        + widening(body, law, acting, rod, strain),
        **cavities(body, law, acting, rod, strain),
    }


def _distil_solid(
    body: Arm,
    sections: PressedSections,
    acting: ArmActions,
    state: RodState,
    shape: dict[str, Array],
) -> dict[str, Array]:
    """Everything else that is reported of one step of a rod with sections of the solid.

    The rod's equilibrium has the wrench of section and fluid together; the law has the fluid's.
    """
    rod, X = state.rod, stations(body)
    muscle = actuation(rod, acting.muscle, np.append(X, 0.0)).wrench
    total = state.wrench(np.append(X, 0.0)) + muscle
    close = 1e-9 * rod.length  # the strain of a plate is not that of the section beside it
    inside = np.concatenate(
        [np.clip(p.stations, p.start + close, p.end - close) for p in soft_pieces(body)]
    )
    fluid = sections.fluid(rod.strain(state.q, inside), inside)
    soft = rod.grid.soft
    strain, points = rod.strain_at_gauss(state.q), rod.grid.gauss
    weights = rod.grid.gauss_weights
    found = {
        "strain": strain_between(shape["frame"], X, mean_strain(rod, state.q, X)),
        "wrench": total[:-1] - fluid,
        "wrench_fluid": fluid,
        "reaction": 0.0 - total[-1],
        "stable": np.array(_stability(state)),
        "stored_energy": weights[soft] @ sections.energy(strain[soft], points[soft]),
        _REACH: sections.reach(strain[soft], points[soft]),
    }
    if body.cavities:
        volumes = sections.volumes(strain[soft], points[soft])
        found["pressure"] = np.array([acting.pressure[name] for name in body.cavities])
        found["volume"] = np.array([weights[soft] @ volumes[name] for name in body.cavities])
        found["chamber_length"] = chamber_lengths(body, rod, strain)
    return found


def mean_strain(rod: Rod, q: Array, X: Array) -> Array:
    """Return the mean strain of a rod between stations, (n - 1, 6): it counts the turns there."""
    points, weights = _GAUSS
    width = np.diff(X)
    inside = X[:-1, None] + width[:, None] * 0.5 * (1.0 + points)
    strain = rod.strain(q, inside.ravel()).reshape(*inside.shape, 6)
    mean: Array = 0.5 * weights @ strain
    return mean


def _stability(state: RodState) -> int:
    """1 stable, 0 unstable, -1 not known: an indefinite tangent of loads without a potential."""
    if state.stable:
        return 1
    skew = np.abs(state.tangent - state.tangent.T).max()
    return 0 if skew <= 1e-9 * np.abs(state.tangent).max() else -1


def _tip_reaction(state: RodState, inner_face: Array) -> Array:
    """The support's wrench on a blocked tip, fixed axes, about the origin of a frame."""
    if state.tip_reaction is None:
        return np.zeros(6)
    moment, force = state.tip_reaction.reshape(2, 3) @ state.tip[:3, :3].T
    lever = state.tip_position - inner_face[:3, 3]
    return np.append(moment + np.cross(lever, force), force)


def largest_stretch(body: Arm, rod: Rod, q: Array) -> float:
    """Return the largest stretch of a fibre.

    That at (y, z) stretches by e + z bend_y - y bend_z: most and least on the surface.

    An incompressible fibre that is compressed to a stretch s widens by s^(-1/2).

    Raises:
        NoAnswer: where a fibre is compressed to nothing, which a linear section does not notice.
    """
    largest = 1.0
    for piece in soft_pieces(body):
        inside = rod.grid.gauss[_within(rod, piece.start, piece.end)]
        X = np.concatenate([[piece.start], inside, [piece.end]])
        strain = rod.strain(q, X)
        bend = piece.reach(X, strain[:, 1], strain[:, 2])
        least = strain[:, 3] - bend
        if least.min() <= 0.0:
            raise NoAnswer(
                f"the surface on the inner side of the bend is compressed to nothing at "
                f"X = {X[least.argmin()]:.4g} m: no section of a rod goes on beyond"
            )
        widest = float(least.min() ** -0.5)
        largest = max(largest, float((strain[:, 3] + bend).max()), widest)
    return largest


def widening(body: Arm, law: ArmLaw, acting: ArmActions, rod: Rod, strain: Array) -> float:
    """Return the energy (J) in walls whose bores have widened."""
    total = 0.0
    for name, piece, _ in chambers(body):
        here = _within(rod, piece.start, piece.end)
        excess = (strain - rod.rest_at_gauss)[here]
        total += rod.grid.gauss_weights[here] @ excess @ law.widening(name, acting.pressure[name])
    return total


def cavities(
    body: Arm, law: ArmLaw, acting: ArmActions, rod: Rod, strain: Array
) -> dict[str, Array]:
    """Return pressure, volume, and lengths of a line along the bore and one on the surface."""
    if not body.cavities:
        return {}
    volume = []
    for name, piece, hole in chambers(body):
        here = _within(rod, piece.start, piece.end)
        arm = law.volume_arm(name, acting.pressure[name])
        more = rod.grid.gauss_weights[here] @ (strain - rod.rest_at_gauss)[here] @ arm
        volume.append(np.pi * hole.radius**2 * piece.length + more)
    return {
        "pressure": np.array([acting.pressure[name] for name in body.cavities]),
        "volume": np.array(volume),
        "chamber_length": chamber_lengths(body, rod, strain),
    }


def chamber_lengths(body: Arm, rod: Rod, strain: Array) -> Array:
    """Return the lengths (m) of a line along every bore and of one on the surface beside it."""
    length = []
    azimuths = [a for segment in getattr(body, "segments", ()) for a in segment.azimuths]
    for (_, piece, hole), azimuth in zip(chambers(body), azimuths, strict=True):
        here = _within(rod, piece.start, piece.end)
        w, v = strain[here, :3], strain[here, 3:]
        outward = piece.start_radius * np.array([0.0, np.cos(azimuth), np.sin(azimuth)])
        lines = np.array([0.0, hole.y, hole.z]), outward
        weight = rod.grid.gauss_weights[here]
        length.append([weight @ np.linalg.norm(v + np.cross(w, d), axis=1) for d in lines])
    return np.array(length)


def _within(rod: Rod, start: float, end: float) -> Array:
    inside: Array = (rod.grid.gauss > start) & (rod.grid.gauss < end)
    return inside
