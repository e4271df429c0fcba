"""Section wrenches of a problem's current state, told apart by who carries them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from loligo.cases.case import Case
from loligo.cases.load.kinds import OuterPressure, Water
from loligo.fem.core.measure import Probe
from loligo.fem.loads import base as loads
from loligo.fem.loads.tendons import Tendon
from loligo.fem.observe.sections import StationPlanes
from loligo.fem.observe.wrench import SlabLoads, Slabs, beyond, in_section, wrench_of
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies

Array = npt.NDArray[np.float64]

_NEAR = 1e-4
"""Distance over which a tendon's direction at a section is taken, over the body's length."""


class SectionWrenches:
    """The wrenches through the sections of a case's body."""

    def __init__(self, problem: Problem, case: Case, sections: StationPlanes) -> None:
        """Compile the loads' resultants and find where tendons cross the sections."""
        self._problem, self._sections = problem, sections
        planes = bodies.station_planes(case.body)
        slabs = Slabs(problem.domain, bodies.centreline(case.body), planes)
        self._loads = SlabLoads(problem, slabs, problem.loads)
        self._fluids = SlabLoads(problem, slabs, problem.cavities)
        self._ambient = [
            load
            for load in problem.loads
            if isinstance(load, loads.Pressure | loads.WaterPressure)
            and isinstance(case.load.get(load.name.removeprefix("load_")), OuterPressure | Water)
        ]
        self._groups = bodies.station_groups(case.body)
        near = _NEAR * bodies.length(case.body)
        self._tendons = [_Crossings(problem, t, planes, near) for t in problem.tendons]
        base = np.eye(3)[0]
        self._roots = [
            _Crossings(problem, t, [(np.array(t.path[0]), base)], near) for t in problem.tendons
        ]

    def measure(self, frame: Array, tip: Array) -> tuple[Array, Array, Array]:
        """Return `wrench`, `wrench_fluid` and `wrench_tendon`, each (stations, 6) (N m, N).

        They are in the sections' frames.

        Args:
            frame: section frames, shape (stations, 4, 4).
            tip: wrench of a support beyond all sections, fixed axes, about the origin.
        """
        cavities = beyond(self._fluids.resultants())
        solid = beyond(self._loads.resultants()) + cavities + tip
        if self._problem.water:
            solid += beyond(self._problem.water.resultants())
        solid += self._without_ambient()
        tendons = sum((one.wrenches() for one in self._tendons), start=np.zeros_like(solid))
        solid -= tendons
        return in_section(solid, frame), in_section(-cavities, frame), in_section(tendons, frame)

    def pulled_at_base(self) -> Array:
        """Return what tendons do to who pulls them from beyond the base, shape (6,).

        Fixed axes, about the origin (N m, N).
        """
        return sum((root.wrenches()[0] for root in self._roots), start=np.zeros(6))

    def _without_ambient(self) -> Array:
        """What the surroundings' pressure on the cut faces would add, fixed axes, origin."""
        mine = np.zeros((len(self._groups), 6))
        for load in self._ambient:
            pressure = _pressure_field(load, self._problem.values[load.name])
            for i, group in enumerate(self._groups):
                # On an end of the body the load itself acts, if that face is among its facets.
                if group.startswith("section_") or group not in load.facets:
                    mine[i] += self._sections.pressed(i, pressure)
        return np.asarray(self._problem.comm.allreduce(mine))


def _pressure_field(
    load: loads.Pressure | loads.WaterPressure, value: float
) -> Callable[[Array], Array]:
    """Return the pressure (Pa) of a load as a function of deformed positions."""
    if isinstance(load, loads.WaterPressure):
        depth, down = load.depth, np.array(load.down)
        return lambda x: value * np.maximum(depth + x @ down, 0.0)
    return lambda x: np.full(len(x), value)


class _Crossings:
    """Where one tendon crosses the section planes, with its direction there."""

    def __init__(
        self,
        problem: Problem,
        tendon: Tendon,
        planes: list[tuple[Array, Array]],
        near: float,
    ) -> None:
        """Find the crossings; a tendon that ends in a plane crosses it."""
        self._problem, self._name = problem, tendon.name
        corners = np.array(tendon.path)
        self._sections = len(planes)
        self._stations: list[int] = []
        points = []
        for i, (origin, normal) in enumerate(planes):
            for start, end in pairwise(corners):
                along = end - start
                slope = along @ normal
                share = (origin - start) @ normal / slope if slope else np.inf
                if -1e-9 <= share <= 1.0 + 1e-9:
                    reach = near / float(np.linalg.norm(along))
                    shares = np.array([max(share - reach, 0.0), share, min(share + reach, 1.0)])
                    points.append(start + np.clip(shares, 0.0, 1.0)[:, None] * along)
                    self._stations.append(i)
                    break  # a corner in the plane belongs to the piece before it
        self._points = np.array(points).reshape(-1, 3)
        self._probe = Probe(problem.domain.mesh, self._points) if len(points) else None

    def wrenches(self) -> Array:
        """Return what the distal part of the tendon does to the proximal one at every section.

        Shape (stations, 6), fixed axes, about the origin (N m, N).
        """
        wrenches = np.zeros((self._sections, 6))
        if self._probe is None:
            return wrenches
        moved = self._points + self._probe.read(self._problem.fields.displacement_field())
        tension = self._problem.values[self._name]
        for i, (before, here, after) in zip(self._stations, moved.reshape(-1, 3, 3), strict=True):
            pull = tension * (after - before) / np.linalg.norm(after - before)
            wrenches[i] += wrench_of(here[None], pull[None])
        return wrenches
