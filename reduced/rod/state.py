"""A rod in equilibrium: where its sections are, how they are strained, and what they carry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.rod.kernel import add_tendons
from loligo.reduced.rod.loads import Load
from loligo.reduced.rod.loadset import actuation, in_world, load_set
from loligo.reduced.rod.model import Rod


@dataclass(frozen=True, eq=False)
class RodState:
    """A rod in static equilibrium.

    Attributes:
        rod: the rod.
        loads: what acts on it.
        q: its generalised coordinates.
        tangent: derivative of the residual with respect to q, load stiffness included; of a rod
            with a held tip in an orthonormal basis of the motions that leave the tip at rest.
        corrections: size of every Newton correction, one tuple per converged load step.
        cutbacks: number of load steps that failed and were halved.
        tip_reaction: wrench (moment; force) of the support on a held tip, in the tip's axes about
            its origin; None if the tip is free.
    """

    rod: Rod
    loads: tuple[Load, ...]
    q: Array
    tangent: Array
    corrections: tuple[tuple[float, ...], ...]
    cutbacks: int
    tip_reaction: Array | None = None

    def frames(self, X: Array | Sequence[float]) -> Array:
        """Return the section frames at X, (n, 4, 4)."""
        return self.rod.frames(self.q, X)

    def strain(self, X: Array | Sequence[float]) -> Array:
        """Return the total strain at X, (n, 6); at a shared end see `Grid.interval_of`."""
        return self.rod.strain(self.q, X)

    @cached_property
    def tip(self) -> Array:
        """Frame of the tip, (4, 4)."""
        tip: Array = self.frames([self.rod.length])[0]
        return tip

    @property
    def tip_position(self) -> Array:
        """Position of the tip, (3,)."""
        position: Array = self.tip[:3, 3]
        return position

    @property
    def stable(self) -> bool:
        """Whether the symmetric part of the tangent is positive definite.

        For conservative loads that is stability; follower loads may still flutter.
        """
        return is_definite(self.tangent)

    def wrench(self, X: Array | Sequence[float]) -> Array:
        """Return the wrench in the solid at X, in section axes, (n, 6).

        It is what the loads beyond X send through the section, less what the actuation carries
        there: equilibrium, hence known for strains that are not free too, and more accurate than
        the section law. A point load at X counts as beyond it.
        """
        X = np.asarray(X, float)
        acting = actuation(self.rod, self.loads, X)
        carried = acting.wrench
        tangent = np.zeros((len(X), 6, 6))
        add_tendons(self.strain(X), acting.offset, acting.slope, acting.tension, carried, tangent)
        moment, force = np.moveaxis(self._beyond(X), 1, 0)
        frames = self.frames(X)
        moment = moment - np.cross(frames[:, :3, 3], force)
        sent = np.einsum("nji,knj->nki", frames[:, :3, :3], [moment, force])
        solid: Array = sent.reshape(-1, 6) - carried
        return solid

    def _beyond(self, X: Array) -> Array:
        """Moment about the world's origin and force of all external loads beyond X, (n, 2, 3)."""
        grid = self.rod.grid
        loads = load_set(self.rod, self.loads)
        if self.tip_reaction is not None:
            loads = loads.with_tip_wrench(self.tip_reaction)
        frames = self.frames(grid.nodes)
        density = _about_origin(loads.line, self.rod.by_interval(frames))
        point = _about_origin(loads.point, frames)
        interval = grid.interval_of(X)
        within = np.einsum("ij,ijkl->ikl", grid.integrals_beyond(X), density[interval])
        whole = np.einsum("ij,ijkl->ikl", grid.lobatto_weights, density)
        later = np.cumsum(whole[::-1], axis=0)[::-1] - whole
        at_nodes = np.einsum("ij,jkl->ikl", grid.nodes >= X[:, None], point)
        total: Array = within + later[interval] + at_nodes
        return total


def is_definite(tangent: Array) -> bool:
    """Return whether the symmetric part of a tangent is positive definite."""
    try:
        np.linalg.cholesky(tangent + tangent.T)
    except np.linalg.LinAlgError:
        return False
    return True


def _about_origin(load: Array, frames: Array) -> Array:
    """Loads of a `LoadSet`, (..., 7, 3), as moment about the origin and force, (..., 2, 3)."""
    total = in_world(load, frames[..., :3, :3])
    total[..., 0, :] += np.cross(frames[..., :3, 3], total[..., 1, :])
    return total
