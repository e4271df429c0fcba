r"""The law of a body's end at a disc, from a piece in three dimensions and its section's law.

The end is described as a stretch of rod, ``length`` long from the disc on, with a law of its own.
That rod and the section's law beyond it move the disc as the solid does, at every pressure:

.. math:: g = \exp(\ell - d)\hat\xi_s \, \exp d\hat\xi_e,

with g the motion from the mirror of :class:`~loligo.fem.cross_section.end_piece.EndPiece` to its
disc, depth l, the free strain :math:`\xi_s` of the section and :math:`\xi_e` of the end, d long.
How long the end is described has no influence on anything beyond it. Volume and potential follow
alike: what the piece has beyond l - d of the section's. The compliance of the end follows from that
of the piece under axial forces, which stretch it and bend it:

.. math:: A = \int_0^\ell Ad_h^{-1} C\, Ad_h^{-T} dX,    h = g(X)^{-1} g(\ell) .

Torsion and shear of the end are as compliant as the section's. Section and piece have the same mesh
in (y, z), so that its error cancels; the law has the differences between end and section.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.linalg

from loligo.cases.case import Case
from loligo.cases.core.frames import log_se3
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import coordinates
from loligo.cases.section_law.parts import EndLaw, Polynomial
from loligo.fem.cross_section.end_piece import EndPiece, EndState
from loligo.fem.cross_section.from_case import section_of
from loligo.fem.cross_section.images import Image, one_of_each, turns_of
from loligo.fem.cross_section.law import expansion, least_squares, lowest
from loligo.fem.cross_section.path import follow, free_targets
from loligo.fem.cross_section.solve import Array, SectionState
from loligo.meshes.bodies import Piece

LENGTH = 1.0
"""Of the end over the section's radius."""
DEPTH = 3.0
"""Of the piece over the section's radius: with 2 the lost length changes by less than 1 %."""
FINENESS = 1.0
"""Edges on the outer surface are a third of the radius over this; see `from_case.FINENESS`."""
_EVEN, _ODD = np.array([1, 2, 3]), np.array([0, 4, 5])
"""Bends and stretch keep the mirror image of a length; torsion and shears turn round."""
_GAUSS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class _EndNode:
    """End less section at one set of pressures, per length of the end."""

    t: Array
    free: Array
    potential: float
    stiffness: Array
    volume: Array


def make_end(
    case: Case,
    piece: Piece,
    directions: Array,
    images: Sequence[Image] = (),
    say: Callable[[str], None] = lambda _: None,
) -> EndLaw:
    """Return the law of the end of a soft length at a disc towards the tip.

    Args:
        case: the arm, its rubber, its thread.
        piece: the soft length, which does not taper.
        directions: pressures (Pa) at 1 of every parameter, shape (cavities, parameters).
        images: symmetries of the section, see `loligo.fem.cross_section.law.make_law`.
        say: takes a line on how far the work is.

    Raises:
        BadInput: if the end has no equilibrium at a pressure, or none that is stable.
        PathEnded: if the section has none.
    """
    radius = piece.start_radius
    size = radius / 3.0 / FINENESS
    section = section_of(case, (piece.start + piece.end) / 2.0, size)
    solid = EndPiece(case, piece, DEPTH * radius, size)
    count = directions.shape[1]
    turns = turns_of(images, directions)
    places = _places(count, lowest(section))
    chosen = one_of_each(places, {tuple(order) for _, order in turns})
    say(f"{len(chosen)} states of the end")
    pressures = [directions @ t for t in chosen]
    states = zip(follow(section, free_targets(pressures)), solid.states(pressures), strict=True)
    length, nodes = LENGTH * radius, []
    for t, (uniform, end) in zip(chosen, states, strict=True):
        node = _node(t, uniform, end, solid.depth, length)
        nodes += [_image(node, one, order) for one, order in turns]
    return _fitted(nodes, directions, length)


def _places(count: int, taut: float) -> list[Array]:
    """Parameters at which the end is solved for: five along one, three along each of several."""
    along = np.linspace(taut, 1.0, 5 if count == 1 else 3)
    return [np.array(t, dtype=float) for t in product(along, repeat=count)]


def _node(t: Array, uniform: SectionState, end: EndState, depth: float, length: float) -> _EndNode:
    rest = depth - length
    beyond = scipy.linalg.expm(rest * _hat(uniform.strain))
    strain = np.asarray(log_se3(np.linalg.inv(beyond) @ end.frame) / length, dtype=np.float64)
    stiffness = _stiffness(uniform, end, strain, rest, length)
    rate = np.ones(6)
    rate[3] = strain[3]
    work = uniform.energy - uniform.pressures @ uniform.volumes
    return _EndNode(
        t,
        coordinates(strain) - coordinates(uniform.strain),
        float(end.energy - end.pressures @ end.volumes - depth * work) / length,
        rate[:, None] * stiffness * rate - expansion(uniform)[1],
        np.asarray((end.volumes - depth * uniform.volumes) / length, dtype=np.float64),
    )


def _stiffness(
    uniform: SectionState, end: EndState, strain: Array, rest: float, length: float
) -> Array:
    """Return the tangent of the end's wrench by its strain, shape (6, 6)."""
    section: Array = np.asarray(np.linalg.inv(uniform.tangent[:6, :6]), dtype=np.float64)
    outer: Array = scipy.linalg.expm(length * _hat(strain))
    normal = end.frame[0, :3]
    arms = np.column_stack([np.zeros(3), end.arms])
    loads = np.hstack([np.cross(arms, normal), np.tile(normal, (3, 1))])

    def answer(compliance: Array, twist: Array, span: float, after: Array) -> Array:
        """Displacements of the three points by a stretch of rod, before a motion to the disc."""
        total = np.zeros((6, 6))
        for point, weight in zip(*_GAUSS, strict=True):
            h = scipy.linalg.expm(span * (1.0 + point) / 2.0 * _hat(twist)) @ after
            back = np.linalg.inv(_adjoint(h))
            total += weight * span / 2.0 * back @ compliance @ back.T
        return np.asarray(loads @ total @ loads.T)

    compliance = np.zeros((6, 6))
    compliance[np.ix_(_ODD, _ODD)] = section[np.ix_(_ODD, _ODD)]
    known = answer(section, uniform.strain, rest, outer)
    known += answer(compliance, strain, length, np.eye(4))
    left = np.subtract(end.compliance, known)
    upper = np.triu_indices(3)
    parts = []
    for i, j in zip(*upper, strict=True):
        part = np.zeros((6, 6))
        part[_EVEN[i], _EVEN[j]] = part[_EVEN[j], _EVEN[i]] = 1.0
        parts.append(part)
    columns = np.array([answer(part, strain, length, np.eye(4))[upper] for part in parts])
    share = np.linalg.solve(columns.T, left[upper])
    compliance += np.tensordot(share, np.array(parts), 1)
    if np.linalg.eigvalsh(compliance).min() <= 0.0:
        raise BadInput(
            f"the body's end at a disc is not stable at {end.pressures} Pa; leave the ends out, "
            "--no-ends"
        )
    return np.asarray(np.linalg.inv(compliance))


def _image(node: _EndNode, image: Image, order: list[int]) -> _EndNode:
    m = image.matrix
    return _EndNode(
        node.t[order],
        m @ node.free,
        node.potential,
        m @ node.stiffness @ m.T,
        node.volume[list(image.order)],
    )


def _fitted(nodes: Sequence[_EndNode], directions: Array, length: float) -> EndLaw:
    """Interpolate; the potential by its values and by its slopes, which are minus the volumes."""
    count = directions.shape[1]
    most = 5 if count == 1 else 3
    exponents, higher = (
        np.array(list(product(range(n), repeat=count)), dtype=np.int64).reshape(n**count, count)
        for n in (most, most + 1)
    )
    probe = Polynomial(exponents, np.eye(len(exponents)))
    basis = np.array([probe(node.t) for node in nodes])
    parts = {
        name: Polynomial(
            exponents, least_squares(basis, np.array([getattr(node, name) for node in nodes]))
        )
        for name in ("free", "stiffness", "volume")
    }
    probe = Polynomial(higher, np.eye(len(higher)))
    basis = np.concatenate([np.vstack([probe(node.t), probe.slope(node.t)]) for node in nodes])
    values = np.concatenate([[node.potential, *(-node.volume @ directions)] for node in nodes])
    return EndLaw(length, potential=Polynomial(higher, least_squares(basis, values)), **parts)


def _hat(twist: Array) -> Array:
    """Return the matrix x^ of a twist (angular; linear), shape (4, 4)."""
    a, b, c = twist[:3]
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = [[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]]
    matrix[:3, 3] = twist[3:]
    return matrix


def _adjoint(g: Array) -> Array:
    """Return Ad_g of a frame on twists (angular; linear), shape (6, 6)."""
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = matrix[3:, 3:] = g[:3, :3]
    matrix[3:, :3] = np.cross(g[:3, 3], g[:3, :3], axisb=0).T
    return matrix
