"""Bodies that meet themselves, and bodies that only come near."""

from collections.abc import Callable
from typing import Any

import gmsh
import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.contact import ContactSurface
from loligo.fem.march.standing import MarchStopped
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Box = Callable[..., Domain]
Deform = Callable[..., None]
LENGTH = 20.0


def _rolled(angle: float) -> Callable[[np.ndarray], np.ndarray]:
    """Displacement of a bar along x that is bent to an arc about z, without a change of length."""

    def displacement(x: np.ndarray) -> np.ndarray:
        turn, radius = angle * x[:, 0] / LENGTH, LENGTH / angle
        inner = radius - x[:, 1]
        return np.stack([inner * np.sin(turn), radius - inner * np.cos(turn), x[:, 2]], 1) - x

    return displacement


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_a_bar_rolled_into_a_ring_touches_when_it_closes(
    box: Box, laws: dict[str, Elastomer], deform: Deform, cell: CellType
) -> None:
    domain = box((24, 1, 1), (LENGTH, 1.0, 1.0), cell=cell)
    bar = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")])
    surface = ContactSurface(bar)
    deform(bar, _rolled(0.98 * 2 * np.pi))
    assert surface.contact() is None
    deform(bar, _rolled(1.03 * 2 * np.pi))  # by 0.6
    contact = surface.contact()
    assert contact is not None
    ends = sorted(x[0] for x in contact.rest)
    assert ends[0] < 0.1 * LENGTH
    assert ends[1] > 0.9 * LENGTH
    assert np.linalg.norm(contact.now - (0.0, 0.5, 0.5)) < 2.0
    assert "touches itself" in str(contact)


def test_a_rigid_motion_of_a_coarse_body_is_no_contact(
    cone: Callable[..., Domain], laws: dict[str, Elastomer], deform: Deform
) -> None:
    domain = cone(1.0, 1.0, 4.0, 2.0)
    body = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")])
    surface = ContactSurface(body)
    assert surface.contact() is None
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    deform(body, lambda x: x @ turn.T - x + 5.0)
    assert surface.contact() is None


def test_walls_that_pass_through_each_other_touch(
    tube: Callable[..., Domain], laws: dict[str, Elastomer], deform: Deform
) -> None:
    # A quarter of a tube; the map carries the ends of the bore past each other.
    domain = tube(1.0, 1.5, 2.0, (1, 8, 4))
    body = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")])
    surface = ContactSurface(body)
    assert surface.contact() is None

    def fold(x: np.ndarray) -> np.ndarray:
        radius, angle = np.hypot(x[:, 1], x[:, 2]), np.arctan2(x[:, 2], x[:, 1])
        angle = angle * 4.2  # a quarter becomes more than the whole
        return np.stack([x[:, 0], radius * np.cos(angle), radius * np.sin(angle)], 1) - x

    deform(body, fold)
    contact = surface.contact()
    assert contact is not None
    assert set(contact.groups) <= {"inner", "outer", "y0", "z0", "x0", "x1"}


def _pouch(model: Any) -> dict[str, list[int]]:
    """A block 3 x 2 x 0.6 around a chamber 2 x 1.4 x 0.1 in its middle; faces chamber, side, flat.

    ``flat`` are the two large outer faces, which the chamber lies between.
    """
    block = (3, model.occ.addBox(0, 0, 0, 3.0, 2.0, 0.6))
    void = (3, model.occ.addBox(0.5, 0.3, 0.25, 2.0, 1.4, 0.1))
    model.occ.cut([block], [void])
    model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
    groups: dict[str, list[int]] = {"chamber": [], "side": [], "flat": []}
    for _, tag in model.getEntities(2):
        box = np.array(model.getBoundingBox(2, tag)).reshape(2, 3)
        inside = (box[0] > 0.1).any() and (box[1] < (2.9, 1.9, 0.5)).all() and box[0][2] > 0.1
        flat = np.ptp(box[:, 2]) < 1e-6
        groups["chamber" if inside else "flat" if flat else "side"].append(tag)
    return groups


@pytest.mark.mpi
def test_the_march_stops_when_a_chamber_is_squeezed_flat(
    draw: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    body = Problem(
        draw(_pouch),
        laws["neo_hooke"],
        supports=[Fixed("side")],
        loads=[Pressure("p", "flat")],
        cavities=[Cavity("inside", "chamber")],
    )
    reached = []
    with pytest.raises(MarchStopped, match="touches itself") as stop:
        for result in march(body, [{"p": 2e4}]):
            reached.append(result)
    contact = stop.value.contact
    assert contact is not None
    assert contact.groups == ("chamber", "chamber")
    middle = np.array([1.5, 1.0, 0.3])
    assert all(np.abs(x - middle)[:2].max() < 0.7 for x in contact.rest)
    assert {bool(x[2] > 0.3) for x in contact.rest} == {True, False}  # floor and ceiling
    assert np.abs(contact.now - middle)[2] < 0.05
    assert 0.0 < reached[-1].volumes["inside"] < 0.8 * 2.0 * 1.4 * 0.1
    assert ContactSurface(body).contact() is None  # what is kept is the last state that is apart
