"""Parts whose displacement is prescribed: fixed, or moved by one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from dolfinx.fem import DirichletBC, Function, dirichletbc, locate_dofs_topological

from loligo.fem.core.domain import Domain, Names
from loligo.fem.core.fields import Fields

Array = npt.NDArray[np.float64]
Motion = Callable[[Array, float], Array]
"""Maps reference positions, shape (3, points), and a value to displacements of the same shape."""


@dataclass(frozen=True)
class Fixed:
    """Displacement components held at zero on facets, or throughout groups of cells.

    Cells without a free node need a bulk modulus: no displacement is left that their pressure could
    respond to.
    """

    facets: Names = ()
    components: tuple[int, ...] = (0, 1, 2)
    cells: Names = ()


@dataclass(frozen=True)
class Moved:
    """Displacement components on facets that follow a motion, which one named value drives.

    Several motions of one name are driven by the same value.
    """

    name: str
    facets: Names
    motion: Motion
    components: tuple[int, ...] = (0, 1, 2)


@dataclass(frozen=True)
class Pinned:
    """Displacement components held at zero at the node nearest to a point, on a mesh of one rank.

    It takes a rigid motion from a body that no load moves that way, so that it carries nothing.
    """

    point: tuple[float, float, float]
    """In the reference (m)."""
    components: tuple[int, ...]


Support = Fixed | Moved | Pinned


class Supports:
    """The prescribed unknowns of a problem."""

    def __init__(self, domain: Domain, fields: Fields, supports: Sequence[Support]) -> None:
        """Locate the unknowns; motions start with value zero."""
        dim = domain.mesh.topology.dim
        self.conditions: list[DirichletBC] = []
        self._driven: dict[str, list[tuple[Motion, int, Function]]] = {}
        for support in supports:
            if isinstance(support, Pinned):
                self.conditions += _pins(fields, support)
                continue
            facets = domain.facets(support.facets)
            for i in support.components:
                space = fields.displacement_space.sub(i)
                if isinstance(support, Fixed):
                    for d, entities in ((dim - 1, facets), (dim, domain.cells(support.cells))):
                        dofs = locate_dofs_topological(space, d, entities)
                        self.conditions.append(dirichletbc(0.0, dofs, space))
                else:
                    component = space.collapse()[0]
                    value = Function(component)
                    pair = locate_dofs_topological((space, component), dim - 1, facets)
                    self.conditions.append(dirichletbc(value, pair, space))
                    part = (support.motion, i, value)
                    self._driven.setdefault(support.name, []).append(part)
        held = [dofs[:owned] for dofs, owned in (bc.dof_indices() for bc in self.conditions)]
        self.held = np.unique(np.concatenate([np.zeros(0, np.int32), *held]))
        """This rank's unknowns that are prescribed."""
        self.held_here = np.zeros(len(fields.function.x.array), dtype=np.bool_)
        """Which unknowns of this rank and its ghosts are prescribed."""
        for bc in self.conditions:
            self.held_here[bc.dof_indices()[0]] = True
        for name in self._driven:
            self.move(name, 0.0)

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the motions."""
        return tuple(self._driven)

    def move(self, name: str, value: float) -> None:
        """Prescribe the displacements of all motions of this name at a value."""
        for motion, component, target in self._driven[name]:
            target.interpolate(lambda x, m=motion, i=component: m(x, value)[i])

    def impose(self, unknowns: Array) -> None:
        """Set what is prescribed among the unknowns of this rank and its ghosts."""
        for condition in self.conditions:
            condition.set(unknowns)


def _pins(fields: Fields, support: Pinned) -> list[DirichletBC]:
    node = np.linalg.norm(fields.node_positions - support.point, axis=1).argmin()
    space = fields.displacement_space
    return [
        dirichletbc(0.0, fields.node_unknowns[node, [i]].astype(np.int32), space.sub(i))
        for i in support.components
    ]
