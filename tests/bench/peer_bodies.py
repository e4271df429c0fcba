"""The two bodies that all solvers are given, as tetrahedra and as hexahedra of second order.

Both are of one rubber. The segment has three chambers, closed by plates of the same rubber, and one
of them is under pressure; the end of the arm, a cylinder, moves sideways.
"""

from __future__ import annotations

import numpy as np

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import Mesh

SEGMENT = ChamberedArm(
    radius=0.017,
    plates=(0.005, 0.005),
    segments=(Segment(length=0.12, chambers=3, chamber_radius=0.005, chamber_offset=0.01),),
    stations=2,
)
ARM = TaperedArm(length=0.12, base_radius=0.01, tip_radius=0.01, stations=2)
BODIES = {"segment": SEGMENT, "arm": ARM}
PRESSED = "cavity_s1c1"


def mesh_of(name: str, cell: str, size: float) -> Mesh:
    """Return a mesh of a body with edges of a size on its outer surface (m)."""
    return build_mesh(BODIES[name], 0, element=cell, size=size)


def at_axis(rest: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return the displacement of the axis in the tip face: of the linear field that fits best."""
    plane = np.column_stack([np.ones(len(rest)), rest[:, 1:]])
    return np.linalg.lstsq(plane, moved, rcond=None)[0][0]
