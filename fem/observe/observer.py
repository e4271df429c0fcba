"""From a 3D state to the variables of the data set: what a reduced model speaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from dolfinx.fem import Constant, form, locate_dofs_topological

from loligo.cases.body import ChamberedArm, Mantle
from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.cases.load.kinds import nature
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.tendons import Strand, tendon
from loligo.fem.march.step import StepResult
from loligo.fem.observe.chamber_lines import ChamberLines
from loligo.fem.observe.mantle_profile import MODES, WallPoints
from loligo.fem.observe.markers import Markers
from loligo.fem.observe.sections import StationPlanes
from loligo.fem.observe.skin import Skin
from loligo.fem.observe.stretch import LargestStretch, Stretches
from loligo.fem.observe.work import Balance
from loligo.fem.observe.wrench import wrench_of
from loligo.fem.observe.wrenches import SectionWrenches
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies

Array = npt.NDArray[np.float64]


class _Passed(NamedTuple):
    """A state of a motion, to go on from in summing powers."""

    time: float
    power: float
    """What viscosity and drag dissipate (W)."""
    driving: float
    """What a jet gives, or the drag of a current (W)."""
    flow: Array
    """Velocity of a current."""
    momentum: Array
    """Of water that moves along."""


class Observer:
    """Distils the states of a case's problem; everything is compiled and located once."""

    def __init__(self, problem: Problem, case: Case) -> None:
        """Take the problem's current state as rest, from which work is counted, too."""
        self._problem, self._case = problem, case
        body = case.body
        self._station = bodies.stations(body)
        self._sections = None if isinstance(body, Mantle) else StationPlanes(problem, body)
        self._wrenches = self._sections and SectionWrenches(problem, case, self._sections)
        self._direction = Constant(problem.domain.mesh, np.zeros(3))
        k = problem.kinematics
        of = {c.name: c.first_moment(k, self._direction) for c in problem.cavities}
        self._moments = [form(of[name]) for name in body.cavities]
        self._lines = ChamberLines(problem, body) if isinstance(body, ChamberedArm) else None
        self._wall = WallPoints(problem, body) if isinstance(body, Mantle) else None
        self._tendons = range(1, body.tendon_count + 1)
        # Those that nobody pulls, too: an antagonist pays out what its path grows by.
        self._strands = [Strand(problem.fields, tendon(body, number)) for number in self._tendons]
        self.balance = Balance(problem)
        """The work of the loads."""
        self._potential = all(nature(load).potential for load in case.load.values())
        self._stretches = Stretches(problem)
        self.surface = Skin(problem, self._stretches)
        """The skin, to be drawn."""
        self._base = _nodes(problem, "base")
        self._tip = _nodes(problem, cells="disc_tip") if case.support.tip == "blocked" else None
        self.most_stretched: LargestStretch | None = None
        """Where the last observed state is stretched most."""
        looks = case.marker or case.angle
        self._markers = Markers(problem, case, self._sections) if looks else None
        self._rest = self._at_rest()
        self.dissipated = 0.0
        """By viscosity, since the motion began (J)."""
        self._last: _Passed | None = None
        self._flowed = self._flowing()

    @property
    def missing(self) -> tuple[str, ...]:
        """Variables of the schema that this body has and a 3D solution does not give."""
        has_chambers = bool(self._case.body.cavities) and self._lines is None
        return ("chamber_length",) if has_chambers else ()

    def coordinates(self) -> dict[str, object]:
        """Return the coordinates of the data set beside those whose labels the schema fixes."""
        metres = {"units": "m"}
        found: dict[str, object] = {}
        if self._sections:
            x = self._station
            found["station"] = ("station", x, metres)
            found["station_mid"] = ("station_mid", (x[1:] + x[:-1]) / 2, metres)
        if self._wall:
            found["meridian"] = ("meridian", self._wall.meridian, metres)
            found["mode"] = list(MODES)
        if self._case.body.cavities:
            found["cavity"] = list(self._case.body.cavities)
        if self._strands:
            found["tendon"] = list(self._tendons)
        return found | (self._markers.coordinates() if self._markers else {})

    def at_rest(self) -> dict[str, Array]:
        """Return the variables of the schema that have no steps."""
        return self._rest

    def _at_rest(self) -> dict[str, Array]:
        found = {f"{name}_rest": value for name, value in self._lengths_and_volumes().items()}
        if self._sections:
            found["frame_rest"] = self._sections.rest
            found["strain_rest"] = strain_between(self._sections.rest, self._station)
        if self._markers and self._case.marker:
            found["marker_rest"] = self._markers.rest
        if self._wall:
            wall = self._wall.measure()
            found["profile_radius_rest"], found["profile_axial_rest"] = wall.radius, wall.axial
        return found

    def _lengths_and_volumes(self) -> dict[str, Array]:
        """What is measured of cavities and tendons in the problem's current state."""
        problem, found = self._problem, {}
        if names := self._case.body.cavities:
            found["volume"] = np.array([problem.cavity_volume(name) for name in names])
            found["volume_centroid"] = self._moment_of_volumes() / found["volume"][:, None]
        if self._lines:
            found["chamber_length"] = self._lines.lengths()
        if self._strands:
            unknowns = problem.fields.function.x.array
            found["tendon_length"] = np.array([one.length(unknowns) for one in self._strands])
        return found

    def _moment_of_volumes(self) -> Array:
        """Return int x dv of every cavity (m^4), shape (cavity, 3)."""
        moments = np.empty((len(self._moments), 3))
        for axis, direction in enumerate(np.eye(3)):
            self._direction.value[:] = direction
            moments[:, axis] = [global_sum(moment) for moment in self._moments]
        return moments

    def observe(self, result: StepResult) -> dict[str, Array]:
        """Return the variables of the problem's current state, the same on all ranks.

        To be called at every converged state: the work of the loads is summed over them.
        """
        problem = self._problem
        residual = problem.assemble_residual()[1].array_r
        tip = np.zeros(6) if self._tip is None else self._reaction(residual, self._tip)
        self.balance.add(residual)
        self._drain(result)
        self.most_stretched = self._stretches.largest()
        found = {
            "time": np.array(np.nan if result.time is None else result.time),
            "external_work": np.array(sum(self.balance.work.values())),
            "stored_energy": np.array(problem.strain_energy()),
            "dissipated_energy": np.array(self.dissipated),
            "kinetic_energy": np.array(problem.kinetic_energy()),
            "reaction": self._reaction(residual, self._base) + self._pulled_at_base(),
            "reaction_tip": self._about_tip(tip),
            "max_stretch": np.array(self.most_stretched.stretch),
            "max_stretch_position": np.array(self.most_stretched.position),
            "stable": np.array(self._stability(result)),
            **self._lengths_and_volumes(),
        }
        if names := self._case.body.cavities:
            found["pressure"] = np.array([problem.values[name] for name in names])
        if self._strands:
            tensions = [problem.values.get(f"tendon_{n}", 0.0) for n in self._tendons]
            found["tendon_tension"] = np.array(tensions)
        if self._wall:
            wall = self._wall.measure()
            found["profile_radius"], found["profile_axial"] = wall.radius, wall.axial
            found["profile_thickness"], found["lobes"] = wall.thickness, wall.lobes
        if self._sections and self._wrenches:
            state = self._sections.measure()
            found["frame"] = state.frame
            found["strain"] = strain_between(state.frame, self._station)
            found["section_residual"] = state.residual
            if problem.motion:
                found["frame_velocity"] = self._sections.velocity()
            solid, fluid, tendons = self._wrenches.measure(state.frame, tip)
            found["wrench"], found["wrench_fluid"] = solid, fluid
            if self._strands:
                found["wrench_tendon"] = tendons
        if self._markers:
            found |= self._markers.measure(found.get("frame"))
        return found

    def resume(self, work: Mapping[str, float], time: float, dissipated: float) -> None:
        """Go on from the problem's current state, which this much work has led to."""
        self.balance.resume(work)
        self.dissipated = dissipated
        self._last = None if np.isnan(time) else self._passing(time)
        self._flowed = self._flowing()

    def _drain(self, result: StepResult) -> None:
        """Add what was dissipated since the last state, and what water worked: trapezoidal rule.

        Where the step says what it dissipated itself, by its own word. A current that has risen
        slowly around a body at rest has given its own energy, too.
        """
        time, work = result.time, self.balance.work
        here = None if time is None else self._passing(time)
        if self._last is None:
            (pushed, placed, had), self._flowed = self._flowed, self._flowing()
            push, place, has = self._flowed
            mine = float((push + pushed) @ (place - placed)) / 2
            gained = self._problem.comm.allreduce(mine) + has - had
            work["water"] = work.get("water", 0.0) + gained
        elif here is not None:
            last = self._last
            half = (here.time - last.time) / 2
            if result.dissipated is None:
                self.dissipated += half * (here.power + last.power)
            # The force of added mass jumps with the acceleration of a current, its momentum not.
            pulled = -float((here.flow + last.flow) @ (here.momentum - last.momentum)) / 2
            work["water"] = work.get("water", 0.0) + half * (here.driving + last.driving) + pulled
        if result.dissipated is not None:
            self.dissipated += result.dissipated
        self._last = here

    def _flowing(self) -> tuple[Array, Array, float]:
        """Force of a current on this rank's unknowns, these unknowns, and its energy (J)."""
        problem, water = self._problem, self._problem.water
        force = np.zeros(problem.fields.owned)
        if water:
            water.add_force(1.0, force)
        here = problem.fields.function.x.array[: len(force)].copy()
        return force, here, water.kinetic_energy() if water else 0.0

    def _passing(self, time: float) -> _Passed:
        problem, water = self._problem, self._problem.water
        nothing = np.zeros(3)
        return _Passed(
            time,
            problem.dissipated_power(),
            water.driving_power() if water else 0.0,
            water.velocity if water else nothing,
            water.momentum() if water else nothing,
        )

    def _stability(self, result: StepResult) -> int:
        """1 stable, 0 unstable; -1 not known.

        Where a follower force or a moment acts, a state that is not shown to be stable need not be
        unstable: a column under a follower force is stable to eight times Euler's load, where the
        symmetric part of its tangent is indefinite from about half of that on.
        """
        if result.stable is None or not (result.stable or self._potential):
            return -1
        return int(result.stable)

    def _reaction(self, residual: Array, nodes: npt.NDArray[np.int64]) -> Array:
        """Wrench of the supports of nodes on the body, fixed axes, about the origin."""
        fields = self._problem.fields
        unknowns = fields.node_unknowns[nodes]
        position = fields.node_positions[nodes] + fields.function.x.array[unknowns]
        return np.asarray(self._problem.comm.allreduce(wrench_of(position, residual[unknowns])))

    def _pulled_at_base(self) -> Array:
        """What a base without winches must bear beside what the residual says.

        In the residual a tendon balances itself: it pulls the base face as well as its anchor. By
        convention it is pulled from beyond that face, and the support bears its tension.
        """
        return self._wrenches.pulled_at_base() if self._wrenches else np.zeros(6)

    def _about_tip(self, wrench: Array) -> Array:
        """Take a wrench about the centre of the tip disc's inner face at rest, the last station."""
        if self._sections is None:
            return wrench
        centre = self._sections.rest[-1, :3, 3]
        return np.concatenate([wrench[:3] - np.cross(centre, wrench[3:]), wrench[3:]])


def _nodes(problem: Problem, facets: str = "", cells: str = "") -> npt.NDArray[np.int64]:
    """This rank's nodes of a group of facets or of cells."""
    domain, fields = problem.domain, problem.fields
    dim = domain.mesh.topology.dim
    entities = (dim - 1, domain.facets(facets)) if facets else (dim, domain.cells(cells))
    found = locate_dofs_topological(fields.nodal_space, *entities)
    return np.asarray(found[found < len(fields.node_unknowns)], dtype=np.int64)
