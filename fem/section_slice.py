r"""The 6x6 stiffness and the pressure arms of an arm's section, from a short slice of the solid.

A prismatic bar that is loaded at its ends alone repeats itself. Over a slice of length h its
unknowns w (displacement, pressure) grow by something known, so that one slice stands for the bar:

- stretch, torsion and bending: w(x + h) = w(x) + a rigid motion. Its four free components are
  prescribed in turn; the nodal forces of both faces cancel;
- flexure: w(x + h) = w(x) + b(x), b a solution of pure bending whose moment is what the shear force
  adds over h. The nodal forces of both faces then leave those of b.

These are Saint-Venant's solutions, warping included, without any condition on the ends: exact but
for the elements. Frames of the two faces (the affine map of least squares, as in
:mod:`loligo.fem.observe.section_fit`) give the strains, nodal forces tested with rigid motions the
wrenches, and wrench = K strain the stiffness at rest. K need not be symmetric, since mean
displacements are not what a wrench does work on; its skew part is reported before it is dropped.

For the same reason its shear may be negative. Thread at an angle to the hoop carries the shear
force almost alone, and ties the widening of the wall to its bend. As the bend grows along the bar,
so does the widening: the mean rotation of the section then turns against the shear force. No rod
can have such a section. K is then that of the energy: with the compliance C,

    energy of a slice = int W(x) . C W(x) / 2 dx,  W' = (F x e_x, 0),

for all combinations of the six solutions, which is 21 equations for the 21 entries of C. It is
positive for every stable solid. In torsion, bending and stretch the two agree.

Pressure in a chamber acts on the slice with both faces moving alike, and on the closed ends, as the
fluid's axial force at the chamber's axis. Its arm is the wrench that drives the section,

    K strain = wrench of all other loads + sum of p * arm,

so that a blocked section pushes with p * arm, and a free one takes the strain K^-1 p * arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpi4py import MPI

import dolfinx.fem
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case, Winding
from loligo.cases.coefficients import StationLaw
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import distribute
from loligo.fem.loads.cavities import Cavity
from loligo.fem.materials.thread import windings
from loligo.fem.observe.section_fit import fit, moments
from loligo.fem.observe.section_points import FacetPoints, facet_points
from loligo.fem.problem.problem import Problem
from loligo.fem.section_stiffness import SectionLaw, compliance_of
from loligo.meshes.arms import build_slice
from loligo.meshes.bodies import Arm, Hole, Piece, pieces, soft_piece

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

FINENESS = 2.0
"""Edges on the outer surface are a third of the radius over this, unless asked otherwise."""
_ALONG = np.array([1.0, 0.0, 0.0])


def section_law(
    body: Arm,
    material: Mapping[str, Elastomer],
    winding: Winding | None,
    x: float,
    size: float | None = None,
) -> SectionLaw:
    """Return stiffness and pressure arms of an arm's section at rest. Runs on one rank.

    Args:
        body: the arm; a taper is ignored over the slice.
        material: rubber of every volume group; `body` serves the groups that are not named.
        winding: its thread, if it is wound.
        x: place along the axis (m). A plane between a soft length and a disc counts to the soft
            length.
        size: length of the edges on the outer surface (m); half of it is the length of the slice.

    Raises:
        BadInput: if x lies in a disc or beyond the body, or if the edges are too long for it.
    """
    return _law(*_cut(body, material, winding, x, size))


def _cut(
    body: Arm,
    material: Mapping[str, Elastomer],
    winding: Winding | None,
    x: float,
    size: float | None = None,
) -> tuple[_Slice, list[Hole]]:
    """Return a slice at rest and its chambers, see `section_law`."""
    piece = soft_piece(body, x)
    if size is not None and size > piece.start_radius / 2:  # its shear stiffness turns negative
        raise BadInput(
            f"size {1e3 * size:.4g} mm is too coarse for a radius of "
            f"{1e3 * piece.start_radius:.4g} mm; at most half of it"
        )
    size = size or piece.start_radius / 3 / FINENESS
    piece = replace(piece, start=0.0, end=size / 2)
    domain = distribute(build_slice(piece, size), MPI.COMM_SELF)
    chambers = [hole for hole in piece.holes if hole.name != "bore"]
    problem = Problem(
        domain,
        {group: material.get(group, material["body"]) for group in domain.cell_groups},
        supports=[],
        cavities=[Cavity(_cavity(hole), hole.name, open_along_x=True) for hole in chambers],
        windings=windings([piece], winding, domain) if winding else (),
    )
    return _Slice(problem, piece.end), chambers


def sections(
    case: Case, at: Sequence[float] = (), size: float | None = None
) -> tuple[list[StationLaw], list[str]]:
    """Return the sections of a case's arm as coefficients, and notes. Runs on one rank.

    Args:
        case: the arm, its rubber, its thread.
        at: places along the axis (m); by default the middle of every soft length, of a taper its
            two ends too. What is made alike is cut once.
        size: as for `section_law`.
    """
    body = case.body
    if not isinstance(body, TaperedArm | ChamberedArm):
        raise BadInput(f"{case.name}: only an arm has sections, not a {body.kind}")
    laws: dict[Piece, SectionLaw] = {}
    found, notes = [], []
    for x in at or _places(body):
        # Chambers are told by their places: their names are those of the piece at hand.
        piece = soft_piece(body, x)
        names = [_cavity(hole) for hole in piece.holes if hole.name != "bore"]
        alike = replace(
            piece,
            start=0.0,
            end=1.0,
            holes=tuple(replace(hole, name=str(i)) for i, hole in enumerate(piece.holes)),
        )
        law = laws.get(alike) or section_law(body, case.material, case.winding, x, size)
        laws[alike] = law
        if law.note:
            notes.append(f"at x = {1e3 * x:.4g} mm: {law.note}")
        arms = {name: law.arms[:, j].tolist() for j, name in enumerate(names)}
        given = {"x": x, "stiffness": law.stiffness.tolist(), "arms": arms}
        found.append(StationLaw.model_validate(given))
    return found, notes


def _places(body: Arm) -> list[float]:
    places = []
    for piece in pieces(body):
        if piece.region == "body":
            taper = piece.start_radius != piece.end_radius
            shares = (0.0, 0.5, 1.0) if taper else (0.5,)
            places += [piece.start + share * piece.length for share in shares]
    return places


def _cavity(hole: Hole) -> str:
    return hole.name.removeprefix("cavity_")


class _Slice:
    """A slice at rest whose unknowns on the far face are those of the near face plus a growth."""

    def __init__(self, problem: Problem, length: float) -> None:
        self.problem, self.length = problem, length
        fields = problem.fields
        at = np.empty((len(fields.function.x.array), 3))
        at[fields.node_unknowns] = fields.node_positions[:, None, :]
        space, to_unknown = fields.space.sub(1).collapse()
        at[np.asarray(to_unknown)] = space.tabulate_dof_coordinates()
        kind = np.full(len(at), 3)  # displacement component, 3 for the pressure
        kind[fields.node_unknowns] = np.arange(3)
        self._at, self._kind = at, kind
        self._near, self._far = (self._face(end) for end in (0.0, length))
        self._number()
        matrix = dolfinx.fem.assemble_matrix(problem.tangent)
        matrix.scatter_reverse()
        self._matrix = matrix.to_scipy().tocsr()
        reduced = (self._join.T @ self._matrix @ self._join)[self._free][:, self._free]
        self._factor = splu(reduced.tocsc())
        self._points = [
            facet_points(problem.domain, fields, end, _ALONG, 4) for end in ("base", "tip")
        ]

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self._at)

    def _face(self, x: float) -> Indices:
        """Unknowns of a face, in an order that both faces share."""
        on = np.flatnonzero(np.abs(self._at[:, 0] - x) < 1e-6 * self.length)
        place = np.round(self._at[on, 1:] / (1e-6 * self.length))
        return np.asarray(on[np.lexsort((place[:, 0], place[:, 1], self._kind[on]))])

    def _number(self) -> None:
        """Let the far face share the numbers of the near one; hold four unknowns against drift."""
        owner = np.arange(len(self._at))
        owner[self._far] = self._near
        kept, number = np.unique(owner, return_inverse=True)
        ones = np.ones(len(owner))
        self._join = csr_matrix((ones, (np.arange(len(owner)), number)), (len(owner), len(kept)))
        # Translations, and the rotation about x, leave every equation as it is.
        face = self._near[self._kind[self._near] == 0]
        lowest, highest = face[[np.argmin(self._at[face, 1]), np.argmax(self._at[face, 1])]]
        held = [self._mate(lowest, i) for i in range(3)] + [self._mate(highest, 2)]
        self._free = np.setdiff1d(np.arange(len(kept)), number[held])

    def _mate(self, unknown: int, component: int) -> int:
        """Displacement unknown of another component at the same node of the near face."""
        here = self._near[self._kind[self._near] == component]
        return int(here[np.argmin(np.linalg.norm(self._at[here] - self._at[unknown], axis=1))])

    def solve(self, growth: Array, force: Array) -> tuple[Array, Array]:
        """Return the unknowns, and the nodal forces that the rest of the bar exerts on the slice.

        Args:
            growth: from the near to the far face, on the near face's unknowns.
            force: on every unknown, what acts beside the rest of the bar.
        """
        shift = np.zeros(len(self._at))
        shift[self._far] = growth
        right = self._join.T @ (force - self._matrix @ shift)
        solution = np.zeros(self._join.shape[1])
        solution[self._free] = self._factor.solve(right[self._free])
        unknowns = self._join @ solution + shift
        return unknowns, self._matrix @ unknowns - force

    def rigid(self, motion: Array) -> Array:
        """Return a rigid motion (rotation; translation) on the near face's unknowns."""
        kind, at = self._kind[self._near], self._at[self._near]
        field = np.cross(motion[:3], at) + motion[3:]
        return np.where(kind < 3, field[np.arange(len(kind)), np.minimum(kind, 2)], 0.0)

    def on_near(self, values: Array) -> Array:
        """Return the part of a vector of unknowns or forces on the near face."""
        return np.asarray(values[self._near])

    def spread_near(self, values: Array) -> Array:
        """Return a vector that is zero but on the near face."""
        spread = np.zeros(len(self._at))
        spread[self._near] = values
        return spread

    def work(self, one: _Solution, other: _Solution) -> float:
        """Return the work (J) of the forces of one solution on the displacement of another."""
        return float(one.unknowns @ (self._matrix @ other.unknowns))

    def wrench(self, force: Array) -> Array:
        """Return the wrench in the near face about the axis, from the bar's forces there."""
        return np.array([-(force[self._near] @ self.rigid(mode)) for mode in np.eye(6)])

    def motions(self, unknowns: Array) -> tuple[Array, Array]:
        """Return the small motion (rotation; translation) of the near and the far face."""
        near, far = (_small_motion(points, unknowns) for points in self._points)
        return near, far


def _small_motion(points: FacetPoints, unknowns: Array) -> Array:
    """Linear part of a section frame's motion: its origin on the axis, its polar rotation."""
    moved = points.positions(unknowns) - points.rest
    map_ = fit(moments(points.rest[:, 1:], points.weight, moved))
    slope = map_.slope
    turn = [(slope[2, 0] - slope[1, 1]) / 2, slope[0, 1], -slope[0, 0]]
    return np.concatenate([turn, map_.origin])


class _Solution(NamedTuple):
    """One of Saint-Venant's solutions on a slice."""

    strain: Array
    """At the near face."""
    wrench: Array
    """At the near face."""
    unknowns: Array
    force: Array
    """Nodal forces of the rest of the bar."""


def _solutions(cut: _Slice) -> list[_Solution]:
    """Return torsion, two bends and stretch, and flexure by two shear forces."""
    none, h = np.zeros(cut.size), cut.length
    found = []
    for component in (0, 1, 2, 3):
        growth = cut.rigid(np.eye(6)[component])
        unknowns, force = cut.solve(growth, none)
        strain = _strain(cut.motions(unknowns), np.zeros(6), h)
        found.append(_Solution(strain, cut.wrench(force), unknowns, force))
    pure = np.array([one.wrench for one in found])[:, :4]
    for moment in (1, 2):
        share = np.linalg.solve(pure.T, np.eye(4)[moment])
        bent, pull, strain_growth = (
            sum(s * solution[i] for s, solution in zip(share, found[:4], strict=True))
            for i in (2, 3, 0)
        )
        # Neighbours share the nodes of a face: their forces cancel but for the growth of them.
        left_over = cut.spread_near(-cut.on_near(pull))
        unknowns, force = cut.solve(cut.on_near(bent), left_over)
        strain = _strain(cut.motions(unknowns), strain_growth / h, h)
        found.append(_Solution(strain, cut.wrench(force + left_over), unknowns, force))
    return found


def _law(cut: _Slice, chambers: list[Hole]) -> SectionLaw:
    found = _solutions(cut)
    strains, wrenches = (np.array([one[i] for one in found]).T for i in (0, 1))
    stiffness: Array = np.linalg.solve(strains.T, wrenches.T).T
    scale = np.sqrt(np.abs(np.diag(stiffness)))
    relative = stiffness / np.outer(scale, scale)
    mean_shear = None
    if np.linalg.eigvalsh((relative + relative.T) / 2)[0] <= 0.0:
        mean_shear = float(stiffness[4, 4]), float(stiffness[5, 5])
        stiffness = _with_energy(cut, found, stiffness)
    arms = [_arm(cut, hole, stiffness) for hole in chambers]
    return SectionLaw(
        (stiffness + stiffness.T) / 2,
        float(np.abs(relative - relative.T).max() / 2),
        mean_shear,
        tuple(_cavity(hole) for hole in chambers),
        np.array(arms).reshape(-1, 6).T,
    )


def _by_energy(cut: _Slice, found: Sequence[_Solution]) -> Array:
    """Return the compliance of the energy of six solutions."""
    work = np.array([[cut.work(one, other) for other in found] for one in found])
    return compliance_of(np.array([one.wrench for one in found]), work, cut.length)


def _with_energy(cut: _Slice, found: Sequence[_Solution], by_means: Array) -> Array:
    """Return a stiffness whose compliance in shear is that of the energy.

    Torsion, bending and stretch keep the compliance of mean displacements, which is exact there.
    """
    compliance = np.linalg.inv((by_means + by_means.T) / 2)
    compliance[4:] = _by_energy(cut, found)[4:]
    compliance[:, 4:] = compliance[4:].T
    stiffness: Array = np.linalg.inv(compliance)
    return stiffness


def _strain(motions: tuple[Array, Array], growth: Array, h: float) -> Array:
    """Strain at the near face of a rod whose strain grows linearly, from the motion of both faces.

    kappa' = growth, w' = kappa and u' = e + w x e_x, integrated over the slice.
    """
    (turn, place), (far_turn, far_place) = ((m[:3], m[3:]) for m in motions)
    bend = (far_turn - turn) / h - h / 2 * growth[:3]
    turned = h * turn + h**2 / 2 * bend + h**3 / 6 * growth[:3]
    stretch = (far_place - place - np.cross(turned, _ALONG)) / h - h / 2 * growth[3:]
    return np.concatenate([bend, stretch])


def _arm(cut: _Slice, hole: Hole, stiffness: Array) -> Array:
    """Wrench per pressure in a chamber that drives the section."""
    push = -cut.problem.assemble_border(_cavity(hole))[0].array_r
    unknowns, force = cut.solve(cut.on_near(np.zeros(cut.size)), push)
    solid = cut.wrench(force)
    area = np.pi * hole.radius**2
    fluid = area * np.array([0.0, -hole.z, hole.y, -1.0, 0.0, 0.0])
    strain = _strain(cut.motions(unknowns), np.zeros(6), cut.length)
    return np.asarray(stiffness @ strain - solid - fluid)
