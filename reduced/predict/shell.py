"""A case of a mantle, solved as an axisymmetric shell and distilled to a data set."""

from __future__ import annotations

from typing import assert_never

import numpy as np
import xarray as xr

from loligo.cases.body import Mantle
from loligo.cases.case import GRAVITY, Case
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import (
    CavityPressure,
    HoopTension,
    OuterPressure,
    Water,
    Weight,
)
from loligo.reduced.lie import Array
from loligo.reduced.predict.collect import collect
from loligo.reduced.predict.march import NoAnswer, march
from loligo.reduced.shell.assembly import strains, wall_thickness
from loligo.reduced.shell.laws import GreenLaw, RubberLaw, ShellLaw
from loligo.reduced.shell.loads import Loads, hoop_tension_load, pressure_load, surface_load
from loligo.reduced.shell.model import DEGREE, PLACE, SHARE, Shell, mantle_shell, shape_functions
from loligo.reduced.shell.statics import Equilibrium, NoEquilibrium, solve

WallLoad = CavityPressure | OuterPressure | HoopTension | Weight | Water
"""Loads that a shell at rest carries."""
_MIDDLE = (
    "pressure acts on the mid-surface of radius R, by about h/R more force along the axis than on "
    "the inner surface of a wall of thickness h"
)
ASSUMPTIONS = {
    "shell": "axisymmetric; Reissner's kinematics with the rubber's energy in plane stress; "
    f"{_MIDDLE}",
    "shell_eq7": "axisymmetric; Renda 2018 Eq 7, linear in Green's strains, with the rubber's "
    f"initial Young's modulus and Poisson ratio 0; {_MIDDLE}",
}
LONG_NAMES = {
    "stable": "1 stable, 0 unstable: against axisymmetric motions; lobes are not seen",
    "volume": "volume within the wall's inner surface, closed by flat discs over its two edges",
    "max_stretch": "largest principal stretch, on mid-surface and faces",
}


def predict_shell(
    case: Case,
    body: Mantle,
    model: str,
    refine: float = 1.0,
    bending: float = 1.0,
    *,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return what a shell predicts at every reported step, or up to where it stops.

    `bending` is a factor on the wall's stiffness in bending. With ``on_the_way`` the last state
    before a step that is not reached is kept.
    """
    shell = case_shell(case, body, model, refine, bending)

    def advance(
        now: Case, step: int, start: Equilibrium | None
    ) -> tuple[Equilibrium, dict[str, Array]]:
        loads, pressure = acting_on_wall(shell, body, now, step)
        try:
            state = solve(shell, loads, start)
        except NoEquilibrium as failure:
            why = f"no equilibrium was found: {failure.__cause__ or failure}"
            raise NoAnswer(f"{why}; past a limit load there may be none") from None
        return state, _distil(shell, body, state, pressure)

    marched = march(case, advance, on_the_way=on_the_way)
    coords = {"meridian": ("meridian", shell.arc, {"units": "m"}), "cavity": list(body.cavities)}
    found = collect(marched.reports, LONG_NAMES, coords)
    return found.assign_attrs(
        status=marched.status,
        reached=marched.place,
        size=float(np.diff(shell.arc).mean()),
        assumptions=ASSUMPTIONS[model],
    )


def case_shell(
    case: Case, body: Mantle, model: str, refine: float = 1.0, bending: float = 1.0
) -> Shell:
    """Return the shell of a case at rest; see `predict_shell`."""
    bands = [load.band for load in case.load.values() if isinstance(load, HoopTension)]
    breaks = [mark for band in bands if band for mark in band]
    # A quarter of the length over which an edge is felt
    size = 0.25 * float(np.sqrt(body.radius * body.thickness)) / refine
    return mantle_shell(body, _law(case, model, bending), size, breaks)


def _law(case: Case, model: str, bending: float) -> ShellLaw:
    rubber = case.material["body"]
    if model == "shell_eq7":
        eta = rubber.viscosity
        return GreenLaw(rubber.young_modulus, poisson=0.0, viscosity=eta, bending=bending)
    try:
        return RubberLaw(rubber, bending=bending)
    except ValueError as error:
        raise BadInput(f"{case.name}: material.body: {error}, or use shell_eq7") from None


def acting_on_wall(shell: Shell, body: Mantle, case: Case, step: int) -> tuple[Loads, float]:
    """Return the loads of a reported step, counted from 0, and the pressure inside less outside."""
    loads = pressure_load(shell, 0.0)
    pressure = 0.0
    for name, load in case.load.items():
        factor = (load.path or case.steps)[step]
        if not isinstance(load, WallLoad):
            raise BadInput(f"{case.name}: load.{name}: a shell at rest carries no {load.kind}")
        match load:
            case CavityPressure():
                pressure += factor * load.pressure
            case OuterPressure():
                pressure -= factor * load.pressure
            case HoopTension():
                loads += hoop_tension_load(shell, factor * load.tension, load.band)
            case Weight():
                density = factor * case.material["body"].density
                loads += _gravity(shell, body, case, density, name)
            case Water():
                assert case.water is not None  # the case has been checked
                loads += _gravity(shell, body, case, -factor * case.water.density, name)
            case unknown:
                assert_never(unknown)
    return loads + pressure_load(shell, pressure), pressure


def _gravity(shell: Shell, body: Mantle, case: Case, density: float, name: str) -> Loads:
    """Weight or buoyancy of the wall, which is wet on both sides."""
    along, *across = case.gravity
    if np.linalg.norm(across) > 1e-9:
        raise BadInput(
            f"{case.name}: load.{name}: gravity across the axis bends a mantle, which no "
            "axisymmetric shell can follow; make gravity [1, 0, 0] or [-1, 0, 0]"
        )
    return surface_load(shell, axial=density * body.thickness * GRAVITY * along)


def _distil(shell: Shell, body: Mantle, state: Equilibrium, pressure: float) -> dict[str, Array]:
    """Everything that is reported of one step."""
    reaction = np.zeros(6)
    reaction[3] = state.reaction[0, 0]  # round the axis all else cancels
    return {
        **wall_shape(shell, body, state.displacement, pressure),
        "reaction": reaction,
        "reaction_tip": np.zeros(6),
        "stable": np.array(_stable(state, pressure)),
        "stored_energy": np.array(state.energy),
    }


def wall_shape(
    shell: Shell, body: Mantle, displacement: Array, pressure: float
) -> dict[str, Array]:
    """Return what a displacement (n, 3) of the nodes tells of a wall, at rest or not."""
    axial, radius = (shell.rest + displacement[:, :2]).T
    thickness = _at_nodes(wall_thickness(shell, displacement))
    return {
        "profile_radius": radius,
        "profile_axial": axial,
        "profile_thickness": thickness,
        "pressure": np.array([pressure]),
        "volume": np.array([_inner_volume(shell, body, displacement, thickness)]),
        "max_stretch": np.array(largest_stretch(shell, displacement)),
    }


def _stable(state: Equilibrium, pressure: float) -> int:
    """1 stable, 0 unstable; -1 under outer pressure, where lobes come first and are not seen."""
    if state.unstable_at_load > 0:
        return 0
    return -1 if pressure < 0.0 else 1


def _at_nodes(by_point: Array) -> Array:
    """Carry values at the Gauss points of the elements on to the nodes; at shared nodes the mean.

    The polynomial through an element's points is taken at its nodes.
    """
    nodes = np.linspace(-1.0, 1.0, DEGREE + 1)
    carry = np.vander(nodes, DEGREE) @ np.linalg.inv(np.vander(PLACE, DEGREE))
    first = DEGREE * np.arange(len(by_point))
    numbers = np.add.outer(first, np.arange(DEGREE + 1)).ravel()
    total = np.bincount(numbers, (by_point @ carry.T).ravel())
    mean: Array = total / np.bincount(numbers)
    return mean


def _inner_volume(shell: Shell, body: Mantle, displacement: Array, thickness: Array) -> float:
    """Integral of pi r^2 dx along the inner surface, half a wall inside along the director."""
    rest = body.truncation - np.minimum(shell.arc / body.radius, body.truncation)
    angle = rest + displacement[:, 2]
    axial, radius = (shell.rest + displacement[:, :2]).T
    first = DEGREE * np.arange(len(shell.weight))
    elements = np.add.outer(first, np.arange(DEGREE + 1))
    value, slope = shape_functions(PLACE)
    r = (radius - 0.5 * thickness * np.cos(angle))[elements] @ value.T
    dx = (axial + 0.5 * thickness * np.sin(angle))[elements] @ slope.T
    return float(np.pi * (SHARE * r**2 * dx).sum())


def largest_stretch(shell: Shell, displacement: Array) -> float:
    """Return the largest stretch of layers as in `RubberLaw`, mid-surface and both faces."""
    strain = strains(shell, displacement)
    lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
    g = shell.law.thickness_stretch(strain)
    largest = g.max()
    for z in (-0.5 * shell.thickness, 0.0 * shell.thickness, 0.5 * shell.thickness):
        meridian = (np.hypot(lam, beta) - z * g * mu) / (1.0 - z * shell.rest_strain[..., 2])
        hoop = (tau + z * g * c) / (1.0 + z * shell.rest_strain[..., 4])
        largest = max(largest, meridian.max(), hoop.max())
    return float(largest)
