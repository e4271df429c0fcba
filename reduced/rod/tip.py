"""A tip that is held in a given frame, by six equations and as many multipliers.

The equations are log(g_held^-1 g_tip) = 0. The multipliers are the wrench of the support on the
tip, in the tip's own axes: a follower load whose generalised force is J_tip^T times the wrench. In
these axes both sides of the bordered system are exact, since T(x) x = x makes Newton's step on the
equations J_tip dq = -log(g_held^-1 g_tip).
"""

from dataclasses import dataclass

import numpy as np

from loligo.cases.core.frames import log_se3
from loligo.reduced.lie import Array, exp_se3, inverse
from loligo.reduced.rod.kernel import jacobians_along
from loligo.reduced.rod.model import Rod, check_frame


@dataclass(frozen=True, eq=False)
class TipPath:
    """The screw motion that takes the tip from one frame to another.

    Attributes:
        start: the frame it comes from, (4, 4).
        end: the frame it goes to, (4, 4).
    """

    start: Array
    end: Array

    def at(self, share: float) -> Array:
        """Return the frame at a share of the way, the last one exactly."""
        twist = log_se3(inverse(self.start) @ self.end)
        frame: Array = self.end if share == 1.0 else self.start @ exp_se3(share * twist)
        return frame


def tip_path(rod: Rod, q: Array, tip: Array) -> TipPath:
    """Return the way of the tip from where the coordinates q put it to a frame.

    Raises:
        ValueError: if that is no frame, or the free strains cannot move the tip in all directions.
    """
    check_frame(tip, "tip")
    start, jacobian = tip_jacobian(rod, q)
    size = np.repeat([1.0, rod.length], 3)[:, None]
    rank = int(np.linalg.matrix_rank(jacobian / size, tol=1e-9))
    if rank < 6:
        raise ValueError(
            f"the tip cannot be held: the free strains move it in only {rank} of 6 directions; "
            "give `degrees` of more strains, or more intervals"
        )
    return TipPath(start, tip)


def tip_jacobian(rod: Rod, q: Array) -> tuple[Array, Array]:
    """Return the tip's frame and its Jacobian in body axes, zeta = J dq, (6, unknowns)."""
    grid = rod.grid
    basis = rod.shapes, grid.component, grid.first
    strain = rod.strain_at_gauss(q)
    start = np.zeros((6, grid.unknowns))
    jacobian = jacobians_along(grid.steps, rod.joints_at_cells, strain, *basis, start)[0][-1]
    tip: Array = rod.frames(q, [rod.length])[0]
    return tip, jacobian


def bordered(
    rod: Rod, q: Array, held: Array, values: Array, tangent: Array
) -> tuple[Array, Array, Array]:
    """Return matrix and right side for the corrections of q and of the wrench, and a tangent.

    Args:
        rod: the rod.
        q: its coordinates.
        held: frame in which the tip is to be.
        values: the residual, with the support's wrench among the loads.
        tangent: its derivative with respect to q.

    Returns:
        The bordered matrix, (n + 6, n + 6), its right side, and the tangent in an orthonormal basis
        of the motions that leave the tip at rest, whose sign decides on stability.
    """
    tip, jacobian = tip_jacobian(rod, q)
    matrix = np.block([[tangent, -jacobian.T], [jacobian, np.zeros((6, 6))]])
    right = -np.append(values, log_se3(inverse(held) @ tip))
    kernel = np.linalg.qr(jacobian.T, mode="complete")[0][:, 6:]
    return matrix, right, kernel.T @ tangent @ kernel
