"""A serial robot of rigid modules and soft joints with propellers: Zhang 2022, corrected.

Modules and joints are one rod with a free base: rigid spans, and between them joints of constant
curvature and stretch. That is the paper's chain (its Eqs 1 to 13 with the tangent along x in both
Eq 4 and Eq 5) for any number of modules, with the sums of Eqs 28 to 37 over all of them, the
convective terms complete, and an added mass that is positive (the entry (5, 5) of Eq 30 is not).
Different from the paper, and stated:

- the drag is quadratic by strip theory, not the linear one of Eq 32, whose reference velocity is
  not printed and which lacks a radius; nothing resists a roll;
- a joint is three linear springs of the modulus E_m at the actuators (Table 1) with Kelvin-Voigt
  viscosity: the Yeoh constants with K = pi r_a^2 would bend it onto itself, and the fractional
  viscosity of Eq 26 has no steady state to compare with;
- modules are neutrally buoyant cylinders of 90 mm diameter: with the printed 90 mm for a radius,
  563 g could not sink.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.rod import Rod
from loligo.reduced.rod_loads import Load, PointLoad, chamber_pressure
from loligo.reduced.rod_motion import Water
from loligo.reduced.star import Limb, Star


@dataclass(frozen=True)
class Snake:
    """What a snake is made of; defaults are those of Zhang 2022 where printed.

    Attributes:
        modules: how many, from the tail; one joint fewer.
        module_length: L_R in m.
        joint_length: L_0 in m.
        radius: R of modules and joints in m; 90 mm is a diameter.
        joint_mass: m_s in kg.
        density: of the water, and of the modules in the mean (kg/m^3).
        actuator_radius: r_s, distance of the actuators from the axis (m).
        actuator_area: K of Eq 35, force over pressure (m^2); pi r_a^2.
        spring_area: area of rubber an actuator moves, V_s of Eq 21 over L_0, corrected (m^2).
        young: E_m in Pa.
        viscosity: of the springs, in Pa s; Eq 26 has 112 kPa s at a rate of 0.1/s.
        thruster_offset: chi, from the axis (m).
        drag: C in the axes of a section, see `loligo.reduced.rod_motion.Water`.
        added: B likewise, C_a (alpha, 1, 1).
    """

    modules: int = 3
    module_length: float = 0.2
    joint_length: float = 0.2
    radius: float = 0.045
    joint_mass: float = 0.158
    density: float = 1000.0
    actuator_radius: float = 0.024
    actuator_area: float = np.pi * 0.008**2
    spring_area: float = 1793.8e-6
    young: float = 2.048e5
    viscosity: float = 1.12e5
    thruster_offset: float = 0.076
    drag: Sequence[float] = (0.2, 1.0, 1.0)
    added: Sequence[float] = (0.2, 1.0, 1.0)

    def __post_init__(self) -> None:
        """Refuse a snake without a joint."""
        if self.modules < 2:
            raise ValueError(f"a snake has 2 modules or more, not {self.modules}")

    @property
    def pitch(self) -> float:
        """Length of a module and a joint (m)."""
        return self.module_length + self.joint_length

    @property
    def length(self) -> float:
        """Of the straight snake (m)."""
        return self.module(self.modules - 1)[1]

    def module(self, number: int) -> tuple[float, float]:
        """Return where a module begins and ends, numbered from 0 at the tail."""
        return number * self.pitch, number * self.pitch + self.module_length

    def joint(self, number: int) -> tuple[float, float]:
        """Return where a joint begins and ends, numbered from 1."""
        return number * self.pitch - self.joint_length, number * self.pitch


Thrusters = Mapping[tuple[int, float], Sequence[float]]
"""Force (N) in the axes of a module, of a thruster amidships at y = share times the offset, by
(module, share)."""


def star(
    snake: Snake,
    thrust: Callable[[float], Thrusters],
    pressure: Callable[[float], Sequence[Sequence[float]]],
) -> Star:
    """Return a snake as a star system whose only limb is all of it; the root is its tail.

    Args:
        snake: what it is made of.
        thrust: of the thrusters, at a time.
        pressure: u_J in Pa of the three actuators of every joint, at a time. The first sits at +y,
            the others follow by 120 deg from +y towards +z.
    """
    middles = [0.5 * sum(snake.module(k)) for k in range(snake.modules)]
    modules = [snake.module(k) for k in range(snake.modules)]
    ends = sorted({0.0, *middles, *(end for span in modules for end in span)})

    def in_module(X: Array) -> Array:
        inside: Array = X % snake.pitch < snake.module_length
        return inside

    def inertia(X: Array) -> Array:
        solid = snake.density * np.pi * snake.radius**2
        mass = np.where(in_module(X), solid, snake.joint_mass / snake.joint_length)
        slice_ = np.array([0.5, 0.25, 0.25]) * snake.radius**2  # Eq 16 with the tangent along x
        sections: Array = mass[:, None, None] * np.diag([*slice_, 1.0, 1.0, 1.0])
        return sections

    # Three springs at the actuators: 3 A along, 3/2 A r_s^2 about every axis across.
    area, across = 3.0 * snake.spring_area, 1.5 * snake.spring_area * snake.actuator_radius**2
    shape = np.diag([across, across, across, area, area, area])
    rod = Rod(
        snake.length,
        snake.young * shape,
        degrees={"bend_y": 0, "bend_z": 0, "stretch": 0},
        segments=ends,
        rigid=modules,
    )
    azimuth = 2.0 * np.pi / 3.0 * np.arange(3)
    y, z = snake.actuator_radius * np.cos(azimuth), snake.actuator_radius * np.sin(azimuth)

    def loads(time: float) -> list[Load]:
        acting: list[Load] = []
        for (number, share), force in thrust(time).items():
            arm = np.array([0.0, share * snake.thruster_offset, 0.0])
            push = np.asarray(force, float)
            acting.append(
                PointLoad(tuple(push), tuple(np.cross(arm, push)), "body", middles[number])
            )
        for number, inputs in enumerate(pressure(time), start=1):
            acting += [
                chamber_pressure(p, snake.actuator_area, y[j], z[j], snake.joint(number))
                for j, p in enumerate(inputs)
            ]
        return acting

    water = Water(
        snake.density,
        lambda X: np.where(in_module(X), snake.radius, 0.0),
        snake.drag,
        snake.added,
    )
    return Star(limbs=[Limb(rod, inertia, snake.viscosity * shape, water, loads)])


def bends(snake: Snake, robot: Star, q: Array) -> Array:
    """Return (theta cos phi, theta sin phi) of every joint, (joints, 2): Zhang 2022 Eq 3.

    The bend towards +y is about +z, the one towards +z about -y.
    """
    rod = robot.limbs[0].rod
    strain = rod.strain(q, [0.5 * sum(snake.joint(k)) for k in range(1, snake.modules)])
    bent: Array = snake.joint_length * np.stack([strain[:, 2], -strain[:, 1]], axis=-1)
    return bent
