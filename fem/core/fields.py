"""The unknowns of a problem: displacement and pressure, and which rank holds which."""

from __future__ import annotations

from typing import Any, Literal

import basix.ufl
import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Function
from dolfinx.mesh import Mesh

from loligo.fem.core import compat

Array = npt.NDArray[np.float64]
Method = Literal["mixed", "displacement"]


class Fields:
    """One vector of unknowns: u and, in the mixed method, p of one degree less."""

    def __init__(self, mesh: Mesh, method: Method, degree: int) -> None:
        """Number the unknowns; all are zero."""
        cell = mesh.basix_cell()
        self.degree = degree
        """Of the displacement."""
        displacement = basix.ufl.element("Lagrange", cell, degree, shape=(3,))
        mixed = method == "mixed"
        element = (
            basix.ufl.mixed_element([displacement, basix.ufl.element("Lagrange", cell, degree - 1)])
            if mixed
            else displacement
        )
        self.space = dolfinx.fem.functionspace(mesh, element)
        self.function = Function(self.space, name="unknowns")
        self.way = Function(self.space)
        """A change of the unknowns, to be multiplied by the tangent."""
        self.test = ufl.TestFunction(self.space)
        self.trial = ufl.TrialFunction(self.space)
        self.displacement: Any = self.function
        self.virtual_displacement: Any = self.test
        self.pressure: Any = None
        self.virtual_pressure: Any = None
        if mixed:
            self.displacement, self.pressure = ufl.split(self.function)
            self.virtual_displacement, self.virtual_pressure = ufl.split(self.test)
        dofmap = self.space.dofmap
        self.owned = dofmap.index_map.size_local * dofmap.index_map_bs
        """Number of unknowns of this rank."""
        self.displacement_space = self.space.sub(0) if mixed else self.space
        self.nodal_space, self.every_node_unknowns = self._nodes(mixed)
        """Displacement alone, and the unknowns of its nodes, ghosts included, shape (nodes, 3)."""
        nodes = self.nodal_space.dofmap.index_map.size_local
        self.node_unknowns = self.every_node_unknowns[:nodes]
        """Unknowns of the displacement of this rank's nodes, shape (nodes, 3)."""
        self.node_positions = self.nodal_space.tabulate_dof_coordinates()[:nodes]
        """Reference positions of this rank's nodes, shape (nodes, 3) (m)."""
        self.by_name = {"displacement": np.sort(self.node_unknowns.ravel())}
        """This rank's unknowns by field."""
        if mixed:
            pressures = np.asarray(self.space.sub(1).collapse()[1], dtype=np.int64)
            self.by_name["pressure"] = np.sort(pressures[pressures < self.owned])
        self.pressure_count = mesh.comm.allreduce(len(self.by_name.get("pressure", ())))
        """Number of pressure unknowns on all ranks."""

    def _nodes(self, mixed: bool) -> tuple[Any, npt.NDArray[np.int64]]:
        if mixed:
            space, to_unknown = self.displacement_space.collapse()
            return space, np.asarray(to_unknown, dtype=np.int64).reshape(-1, 3)
        index_map = self.space.dofmap.index_map
        size = index_map.size_local + index_map.num_ghosts
        return self.space, np.arange(3 * size, dtype=np.int64).reshape(-1, 3)

    def own_numbers(self) -> npt.NDArray[np.int64]:
        """Return the mesh's own number of every node, ghosts included: no partition changes it.

        Raises:
            ValueError: if the displacement has nodes that the mesh has not.
        """
        mesh, space = self.space.mesh, self.nodal_space
        numbers = np.asarray(mesh.geometry.input_global_indices)[compat.geometry_dofmap(mesh)]
        if numbers.shape != space.dofmap.list.shape:
            raise ValueError(
                f"cells with {numbers.shape[1]} nodes have no numbers for "
                f"{space.dofmap.list.shape[1]}; make the mesh of the displacement's degree"
            )
        found = np.empty(len(self.every_node_unknowns), dtype=np.int64)
        found[space.dofmap.list] = numbers
        return found

    def parts(self, of: Any) -> tuple[Any, Any]:
        """Return displacement and pressure of a function of the unknowns, None for no pressure."""
        return (of, None) if self.pressure is None else ufl.split(of)

    def displacement_field(self) -> Function:
        """Return the displacement as a field of its own, to be read by a probe."""
        return self.function if self.pressure is None else self.function.sub(0)

    def wave(self, length: float, phase: float) -> Array:
        """Return a generic smooth displacement of this rank's unknowns; pressures are zero.

        A function of position alone, so that it does not depend on the partition.
        """
        unknowns = np.zeros(self.owned)
        x = self.node_positions / length
        for i, row in enumerate(((1.3, 0.7, -0.9), (-0.8, 1.1, 0.6), (0.5, -1.2, 1.4))):
            unknowns[self.node_unknowns[:, i]] = 0.02 * length * np.sin(x @ row + phase + i)
        return unknowns
