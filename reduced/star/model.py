"""A star system ready to step: all that stays the same in a motion, and what a state amounts to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from loligo.reduced.lie import Array, adjoint, inverse
from loligo.reduced.rod.motion.equations import MovingRod as RodState
from loligo.reduced.rod.motion.midpoint_equations import RodModel, momentum_of, nodes
from loligo.reduced.star.bell import BellModel
from loligo.reduced.star.system import Star, StarState


@dataclass(frozen=True, eq=False)
class StarModel:
    """All that stays the same in a motion.

    Attributes:
        star: the robot.
        limbs: its rods, ready to step.
        bells: its shells, likewise.
    """

    star: Star
    limbs: tuple[RodModel, ...]
    bells: tuple[BellModel, ...]

    @cached_property
    def free(self) -> NDArray[np.int_]:
        """Components of the root's twist that are free."""
        return np.setdiff1d(np.arange(6), np.asarray(self.star.held, int))

    @cached_property
    def to_parts(self) -> Array:
        """Twists of the root to those of its parts, (parts, 6, 6)."""
        found = [adjoint(inverse(np.asarray(p.frame, float))) for p in self.star.parts]
        return np.array(found).reshape(-1, 6, 6)

    @cached_property
    def to_limbs(self) -> Array:
        """Twists of the root to those of the bases of its rods, (limbs, 6, 6)."""
        found = [adjoint(inverse(np.asarray(m.rod.base, float))) for m in self.limbs]
        return np.array(found).reshape(-1, 6, 6)

    @cached_property
    def part_arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Frames, masses, rotary inertias, added masses, drags and weights of the parts."""
        parts = self.star.parts
        n = len(parts)
        return (
            np.array([part.frame for part in parts], float).reshape(n, 4, 4),
            np.array([part.mass for part in parts], float),
            np.array([part.rotary for part in parts], float).reshape(n, 3, 3),
            np.array([part.added for part in parts], float).reshape(n, 3, 3),
            np.array([part.drag for part in parts], float).reshape(n, 3, 3),
            np.array([part.weight for part in parts], float).reshape(n, 3),
        )

    @cached_property
    def part_inertia(self) -> Array:
        """Inertia of the parts in their own axes, added mass with it, (parts, 6, 6)."""
        _, mass, rotary, added, _, _ = self.part_arrays
        out = np.zeros((len(mass), 6, 6))
        out[:, :3, :3] = rotary
        out[:, 3:, 3:] = added + mass[:, None, None] * np.eye(3)
        return out

    @cached_property
    def mass(self) -> float:
        """Of everything but the water around parts and rods (kg)."""
        total = sum(part.mass for part in self.star.parts)
        total += sum(limb.lumps.mass.sum() for limb in self.limbs)
        return float(total + sum(bell.along.sum() for bell in self.bells))

    @cached_property
    def size(self) -> float:
        """A length to measure ways by (m): the longest appendage, or how far the parts are off."""
        lengths = [m.rod.length for m in self.limbs]
        lengths += [bell.bell.shell.arc[-1] for bell in self.bells]
        lengths += [float(np.linalg.norm(part.frame[:3, 3])) for part in self.star.parts]
        return max([length for length in lengths if length > 0.0], default=1.0)


def rod_states(model: StarModel, state: StarState) -> list[RodState]:
    """Return the rods' states, their bases in the world."""
    return [
        RodState(q, rate, state.root @ np.asarray(m.rod.base, float), to @ state.twist)
        for m, to, (q, rate) in zip(model.limbs, model.to_limbs, state.limbs, strict=True)
    ]


def measure(model: StarModel, state: StarState) -> tuple[Array, float]:
    """Return momentum (angular about the world's origin; linear) and kinetic energy."""
    twists = model.to_parts @ state.twist
    carried = (model.part_inertia @ twists[:, :, None])[:, :, 0]
    momentum = np.zeros(6)
    energy = 0.5 * float((carried * twists).sum())
    for to, one in zip(model.to_parts, carried, strict=True):
        momentum += to.T @ one
    for bell, (q, rate) in zip(model.bells, state.bells, strict=True):
        fields = bell.velocities(bell.to_shell @ state.twist, q, rate)
        momentum += bell.to_shell.T @ bell.wrench(q, bell.carried(fields))
        energy += bell.kinetic(fields, rate[:, 2])
    total = adjoint(inverse(state.root)).T @ momentum
    for m, rod in zip(model.limbs, rod_states(model, state), strict=True):
        one, part = momentum_of(m, nodes(m, rod))
        total = total + one
        energy += part
    return total, energy
