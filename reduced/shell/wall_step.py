"""Mean forces of a wall over a time step, that do exactly the work they should.

From the state 0 to the state 1 of a step dt, with the differences D, the forces are a discrete
gradient of the energy: their product with the displacement of the step is the change of energy, and
by a shift along the axis they do no work. Three exact differences in a chain:

- strains by point values: D strain = B D point, where means and sinc(D phi/2) take the place of the
  sines and cosines of `loligo.reduced.shell.assembly`;
- energy by strains: the mean of the resultants along the straight line between both strains,
  by two Gauss points. Exact for Green and linear walls, whose resultants are cubic in the strains;
  for rubber the energy is off by the fifth power of the strain increment;
- enclosed volume by point values, a cubic.

The viscous resultants are those of the strain halfway at the rate D strain/dt: what they dissipate
is positive. All this is symmetric in time, hence of second order.
"""

from dataclasses import dataclass

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.shell.assembly import (
    Inadmissible,
    band,
    gather,
    point_strains,
    point_values,
    rims,
    strain_derivatives,
)
from loligo.reduced.shell.model import BAND, Shell
from loligo.reduced.shell.viscosity import viscosity, viscous

# Gauss points along the step, on [0, 1], of weight 1/2 each.
ALONG = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)


@dataclass(frozen=True, eq=False)
class Begin:
    """The state at the beginning of a step: displacement (n, 3), point values and strains."""

    displacement: Array
    point: Array
    strain: Array


@dataclass(frozen=True, eq=False)
class WallStep:
    """What wall and pressure do in a step, forces conjugate to (u, w, psi) of the nodes, (n, 3).

    Attributes:
        force: mean of the wall's internal forces (N, N, N m).
        push: mean of the forces of the pressure on the wall (N, N, N m).
        dissipated: by the wall's viscosity (J).
        bend: derivative of force - push by the point values at the end of the step, (e, g, 5, 5).
        rims: where the pressure's lid is missing, the node and what its axial force adds to that
            derivative by its radial displacement.
    """

    force: Array
    push: Array
    dissipated: float
    bend: Array
    rims: tuple[tuple[int, float], ...]


def begin(shell: Shell, displacement: Array) -> Begin:
    """Return what a step needs of the state it begins at."""
    point = point_values(shell, displacement)
    return Begin(displacement, point, point_strains(shell, point))


def wall_step(
    shell: Shell, start: Begin, displacement: Array, duration: float, pressure: float
) -> WallStep:
    """Return the mean forces of a step that ends at a displacement of shape (n, 3).

    Raises:
        Inadmissible: if the wall is turned inside out or beyond its law on the way.
    """
    point = point_values(shell, displacement)
    strain = point_strains(shell, point)
    if not (strain[..., [0, 3]] > 0.0).all():
        raise Inadmissible("the meridian or the hoop is turned inside out")
    change = strain - start.strain
    way = start.strain + np.multiply.outer(ALONG, change)
    rest = np.broadcast_to(shell.rest_strain, way.shape)
    thickness = np.broadcast_to(shell.thickness, way.shape[:-1])
    energy, resultants, stiffness = shell.law.response(way, rest, thickness)
    if not np.isfinite(energy).all():
        raise Inadmissible("a stretch is beyond what the wall's law can take")
    resultant = resultants.mean(0)
    by_end = 0.5 * np.tensordot(ALONG, stiffness, 1)
    dissipated = 0.0
    if viscosity(shell.law) > 0.0:
        middle, rate = start.strain + 0.5 * change, change / duration
        drag, by_strain, by_rate = viscous(
            shell.law, middle, rate, shell.rest_strain, shell.thickness
        )
        resultant = resultant + drag
        by_end += 0.5 * by_strain + by_rate / duration
        dissipated = float((shell.area * (drag * change).sum(-1)).sum())

    slope, bend = _differences(shell, start.point, point, resultant)
    by_point, _ = strain_derivatives(shell, point, strain, resultant)
    flip = np.swapaxes(slope, -1, -2)
    bend += flip @ by_end @ by_point
    bend *= shell.area[..., None, None]
    force = gather(shell, shell.area[..., None] * (flip @ resultant[..., None])[..., 0])
    push, slopes = _pressure(shell, start, displacement, point, bend, pressure)
    return WallStep(force, push, dissipated, bend, slopes)


def tangent(shell: Shell, step: WallStep) -> Array:
    """Return the banded derivative of force - push by the displacement at the step's end."""
    out = band(shell, step.bend)
    for node, slope in step.rims:
        # row u, column w of this node: one below the diagonal of the column
        out[BAND - 1, 3 * node + 1] += slope
    return out


def _differences(shell: Shell, start: Array, end: Array, resultant: Array) -> tuple[Array, Array]:
    """Return B of D strain = B D point, and resultants times its derivative by the end's point.

    Shapes (e, g, 5, 5), strains in rows; the second is not symmetric.
    """
    middle, turn = 0.5 * (start + end), (end - start)[..., 2]
    along, out, angle = middle[..., 0], middle[..., 1], middle[..., 2]
    half = 0.5 * turn
    sine, cosine = np.sin(angle), np.cos(angle)
    # Means of cos and sin at both ends, and their differences over the turn, -s and c.
    shrink = np.cos(half)
    mean_c, mean_s = cosine * shrink, sine * shrink
    sinc = np.sinc(half / np.pi)
    s, c = sine * sinc, cosine * sinc
    rest_radius = shell.point_rest[..., 4]
    first = np.zeros((*along.shape, 5, 5))
    first[..., 0, 0] = first[..., 1, 1] = mean_c
    first[..., 0, 1], first[..., 1, 0] = mean_s, -mean_s
    first[..., 0, 2] = out * c - along * s
    first[..., 1, 2] = -out * s - along * c
    first[..., 2, 3] = 1.0
    first[..., 3, 4] = 1.0 / rest_radius
    first[..., 4, 2] = -s / rest_radius

    n, h, m = resultant[..., 0], resultant[..., 1], resultant[..., 4]
    end_s, end_c = np.sin(end[..., 2]), np.cos(end[..., 2])
    # The slope of sinc by the turn, good to 2e-4 of itself at 1 rad: it serves the tangent only.
    fall = -turn / 12.0 * (1.0 - turn**2 / 40.0)
    s_turn, c_turn = 0.5 * c + sine * fall, -0.5 * s + cosine * fall
    second = np.zeros_like(first)
    second[..., 0, 2] = -0.5 * (n * end_s + h * end_c)
    second[..., 1, 2] = 0.5 * (n * end_c - h * end_s)
    second[..., 2, 0] = -0.5 * (n * s + h * c)
    second[..., 2, 1] = 0.5 * (n * c - h * s)
    second[..., 2, 2] = (
        n * (out * c_turn - along * s_turn)
        - h * (out * s_turn + along * c_turn)
        - m * s_turn / rest_radius
    )
    return first, second


def _pressure(
    shell: Shell, start: Begin, displacement: Array, end: Array, bend: Array, pressure: float
) -> tuple[Array, tuple[tuple[int, float], ...]]:
    """Return the mean force of a pressure and its rims' slopes; subtract its bend in place."""
    hoop = 2.0 * np.pi * pressure * shell.weight
    middle, change = 0.5 * (start.point + end), end - start.point
    along, radius = middle[..., 0], middle[..., 4]
    by_point = np.zeros_like(end)
    by_point[..., 0] = 0.5 * hoop * (radius**2 + change[..., 4] ** 2 / 12.0)
    by_point[..., 4] = hoop * (radius * along + change[..., 0] * change[..., 4] / 12.0)
    across = hoop * (0.5 * radius + change[..., 4] / 12.0)
    bend[..., 0, 4] -= across
    bend[..., 4, 0] -= across
    bend[..., 4, 4] -= hoop * (0.5 * along + change[..., 0] / 12.0)
    force = gather(shell, by_point)
    slopes = []
    if not shell.lids:
        for node, outwards in rims(shell):
            r0 = shell.rest[node, 1] + start.displacement[node, 1]
            r1 = shell.rest[node, 1] + displacement[node, 1]
            force[node, 0] -= outwards * pressure * np.pi * (r0 * r0 + r0 * r1 + r1 * r1) / 3.0
            slopes.append((node, outwards * pressure * np.pi * (r0 + 2.0 * r1) / 3.0))
    return force, tuple(slopes)
