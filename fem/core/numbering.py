"""Nodes that any rank marks, and numbers across all ranks of what is taken of them."""

from __future__ import annotations

from typing import Any

import dolfinx.la
import numpy as np
import numpy.typing as npt
from dolfinx.common import IndexMap

Flags = npt.NDArray[np.bool_]


def marked(nodes: IndexMap, here: npt.NDArray[np.integer[Any]]) -> Flags:
    """Return whether any rank marks a node of this rank or a ghost; collective.

    Args:
        nodes: of all ranks.
        here: what this rank marks, its own and ghosts.
    """
    found = dolfinx.la.vector(nodes, 1)
    found.array[here] = 1.0
    found.scatter_reverse(dolfinx.la.InsertMode.add)
    found.scatter_forward()
    return np.asarray(found.array > 0.0)


def numbered(nodes: IndexMap, taken: Flags) -> npt.NDArray[np.int64]:
    """Return consecutive numbers of what is taken, those of rank 0 first; -1 elsewhere; collective.

    Args:
        nodes: of all ranks.
        taken: of the nodes of this rank and ghosts, shape (nodes, components).
    """
    mine = taken[: nodes.size_local]
    count = int(mine.sum())
    first = nodes.comm.scan(count) - count
    numbers = dolfinx.la.vector(nodes, taken.shape[1])
    own = np.full(mine.shape, -1.0)
    own[mine] = first + np.arange(count)
    numbers.array[: own.size] = own.ravel()
    numbers.scatter_forward()
    return np.asarray(np.rint(numbers.array), dtype=np.int64).reshape(taken.shape)
