"""Marks and numbers of nodes: all ranks agree on them."""

from mpi4py import MPI

import dolfinx.mesh
import numpy as np
import pytest
from dolfinx.fem import functionspace

from loligo.fem.core.numbering import marked, numbered

COMM = MPI.COMM_WORLD


@pytest.mark.mpi
@pytest.mark.mpi3
def test_all_ranks_agree_on_marks_and_numbers() -> None:
    mesh = dolfinx.mesh.create_unit_cube(COMM, 5, 5, 5)
    space = functionspace(mesh, ("Lagrange", 2))
    nodes = space.dofmap.index_map
    at = [tuple(x) for x in space.tabulate_dof_coordinates().round(9).tolist()]

    own_cells = space.dofmap.list[: mesh.topology.index_map(3).size_local]
    here = own_cells[::3].ravel()  # some of its neighbours' nodes are among them
    found = marked(nodes, here)
    anywhere = set().union(*COMM.allgather({at[node] for node in here}))
    assert found.tolist() == [place in anywhere for place in at]

    taken = np.array([[True, x > 0.3, y + z < 1.0] for x, y, z in at]) & found[:, None]
    numbers = numbered(nodes, taken)
    own = numbers[: nodes.size_local][taken[: nodes.size_local]].tolist()
    every = [number for mine in COMM.allgather(own) for number in mine]
    assert every == list(range(len(every)))
    assert (numbers[~taken] == -1).all()
    said = dict(zip(at, numbers.tolist(), strict=True))
    for others in COMM.allgather(said):
        assert all(said[place] == value for place, value in others.items() if place in said)
