"""The Observer as a whole: a data set that passes its check, the same on any number of ranks."""

from dataclasses import replace

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.body import Bar, ChamberedArm, Mantle, Segment
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import LABELS, QUANTITIES, check, describe, load_variables
from loligo.cases.load.kinds import CavityPressure, HoopTension, TipForce, Weight
from loligo.cases.markers import Distance, Marker, Turn
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import distribute
from loligo.fem.from_case import set_up
from loligo.fem.march.static import march
from loligo.fem.observe.observer import Observer
from loligo.meshes.build import build_mesh

ARM = ChamberedArm(
    radius=0.017,
    plates=(0.005, 0.005),
    segments=(Segment(length=0.04, chambers=3, chamber_radius=0.004, chamber_offset=0.01),),
    stations=4,
)
MANTLE = Mantle(radius=0.03, thickness=0.003, truncation=0.8, cylinder_length=0.03)
PULL = CavityPressure(cavities=("s1c1",), pressure=5e3)


def study(body, load, **more) -> Case:
    return Case(
        name="study",
        title="a test",
        source="none",
        body=body,
        material={"body": NeoHooke(mu=20e3, density=1200.0)},
        load=load,
        steps=(0.5, 1.0),
        **more,
    )


LOOKS = {
    "marker": {
        "plate": Marker(at=(0.047, 0.0, 0.01), offset=(0.004, 0.01, 0.002)),
        "skin": Marker(at=(0.03, 0.015, 0.0)),
        "foot": Marker(at=(0.0, 0.0, 0.01)),
    },
    "angle": {"tip": Turn(at=0.045)},
    "distance": {"long": Distance(between=("foot", "plate"))},
}
ON_WALL = {"marker": {"wall": Marker(at=(0.04, 0.0302, 0.0))}}
CASES = {
    "arm": (study(ARM, {"air": PULL, "weight": Weight()}, **LOOKS), 0.014),
    "mantle": (study(MANTLE, {"ring": HoopTension(tension=5.0)}, **ON_WALL), 0.012),
}


def observed(name: str, comm: MPI.Comm = MPI.COMM_WORLD) -> tuple[Observer, list[dict]]:
    case, size = CASES[name]
    mesh = build_mesh(case.body, 0, size=size) if comm.rank == 0 else None
    setup = set_up(case, distribute(mesh, comm))
    observer = Observer(setup.problem, case)
    states = [(r, observer.observe(r)) for r in march(setup.problem, setup.targets)]
    return observer, [found for result, found in states if result.target is not None]


@pytest.mark.mpi
@pytest.mark.parametrize("name", CASES)
def test_all_quantities_in_a_data_set_without_findings(name: str) -> None:
    observer, states = observed(name)
    variables = {n: (QUANTITIES[n].dims, np.array([s[n] for s in states])) for n in states[0]}
    variables |= {n: (QUANTITIES[n].dims, v) for n, v in observer.at_rest().items()}
    variables["time"] = "step", np.full(len(states), np.nan)
    variables |= load_variables(CASES[name][0])
    attributes = {"kind": "reference", "source": "fem", "status": "complete"}
    attributes["missing"] = ", ".join(observer.missing)
    data = xr.Dataset(variables, observer.coordinates(), attributes)
    data = data.assign_coords({d: list(of) for d, of in LABELS.items() if d in data.dims})
    assert not check(describe(data))
    work, stored = data["external_work"].values, data["stored_energy"].values
    np.testing.assert_allclose(work, stored, rtol=0.05)  # two steps
    assert np.all(data["stable"].values != 0) and np.all(data["max_stretch"].values > 1.0)


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("name", CASES)
def test_the_same_on_every_number_of_ranks(name: str) -> None:
    """Every rank says the same, and the ranks together what each says alone."""
    comm = MPI.COMM_WORLD
    _, states = observed(name)
    here = {n: np.asarray(v) for n, v in states[-1].items()}
    for quantity, value in here.items():
        np.testing.assert_array_equal(comm.bcast(value), value, err_msg=quantity)
    alone = observed(name, MPI.COMM_SELF)[1] if comm.size > 1 else states
    for quantity, value in alone[-1].items():
        scale = np.abs(value).max() if quantity != "section_residual" else 1.0
        if quantity == "lobes":  # there are none: they are measured against the radius
            scale = MANTLE.radius
        if quantity in ("reaction", "reaction_tip"):
            scale = 1.0
        close = 1e-7 * scale
        np.testing.assert_allclose(here[quantity], value, atol=close, err_msg=quantity)


def test_markers_go_with_what_they_sit_on() -> None:
    """On the rigid plate with its frame; at rest nothing has turned; the foot is clamped."""
    case = CASES["arm"][0]
    observer, states = observed("arm", MPI.COMM_SELF)
    last, rest = states[-1], observer.at_rest()
    place = dict(zip(case.marker, last["marker_position"], strict=True))
    frame, before = last["frame"][-1], rest["frame_rest"][-1]
    carried = frame @ np.linalg.inv(before) @ np.append(case.marker["plate"].rest, 1.0)
    np.testing.assert_allclose(place["plate"], carried[:3], atol=2e-6)
    np.testing.assert_allclose(place["foot"], case.marker["foot"].at, atol=1e-9)
    np.testing.assert_allclose(last["distance"], [np.linalg.norm(place["plate"] - place["foot"])])
    relative = last["frame"][0, :3, :3].T @ frame[:3, :3]
    turned = np.arccos((np.trace(relative) - 1.0) / 2.0)
    np.testing.assert_allclose(last["angle"], [turned], rtol=1e-9)
    assert turned > 0.01 and np.linalg.norm(place["skin"] - case.marker["skin"].at) > 1e-4


def test_a_marker_beside_the_body_is_refused() -> None:
    case = study(ARM, {"air": PULL}, marker={"off": Marker(at=(0.03, 0.03, 0.0))})
    setup = set_up(case, distribute(build_mesh(ARM, 0, size=0.014), MPI.COMM_SELF))
    with pytest.raises(BadInput, match=r"outside the mesh.*has its place in offset"):
        Observer(setup.problem, case)


@pytest.mark.parametrize(("follower", "said"), [(False, 0), (True, -1)])
def test_what_is_not_shown_to_be_stable_need_not_be_unstable(follower: bool, said: int) -> None:
    """Under a follower force an indefinite symmetric part says nothing; Beck's column is stable."""
    case = study(ARM, {"push": TipForce(force=(-1e-3, 0.0, 0.0), follower=follower)})
    setup = set_up(case, distribute(build_mesh(ARM, 0, size=0.014), MPI.COMM_SELF))
    observer = Observer(setup.problem, case)
    *_, last = march(setup.problem, setup.targets[:1])
    assert last.inertia is not None and observer.observe(last)["stable"] == 1
    more = replace(last.inertia, negative=last.inertia.negative + 1)
    assert observer.observe(replace(last, inertia=more))["stable"] == said


@pytest.mark.mpi
def test_a_bend_by_its_signs() -> None:
    """The chamber at +z pulls its side long: the tip turns about +y, towards -z."""
    _, states = observed("arm")
    light = states[-1]
    assert light["strain"][1, 1] > 0.0  # curvature about y
    assert light["pressure"] == pytest.approx([5e3, 0.0, 0.0])
    assert light["volume"][0] > light["volume"][1] > 0.0
    assert light["chamber_length"][0, 0] > light["chamber_length"][1, 0]
    assert light["wrench_fluid"][1, 3] < -5e3 * np.pi * 0.004**2 * 0.9


def test_a_force_at_a_point_of_a_bar_turns_about_where_that_point_went() -> None:
    """The base bears the moment of the force about the origin, at the point in the bent state."""
    bar = Bar(length=0.06, width=0.012, height=0.01, tip_disc=0.004, stations=3)
    force = TipForce(force=(0.0, 0.0, -0.05), offset=(0.002, 0.004, 0.003))
    marker = {"hook": Marker(at=(0.062, 0.004, 0.003))}
    case = study(bar, {"hang": force}, marker=marker)
    setup = set_up(case, distribute(build_mesh(bar, 0, size=0.006), MPI.COMM_SELF))
    observer = Observer(setup.problem, case)
    *_, last = march(setup.problem, setup.targets)
    found = observer.observe(last)
    point = found["marker_position"][0]
    moment = np.cross(point, force.force)
    np.testing.assert_allclose(found["reaction"][:3], -moment, rtol=2e-4, atol=1e-8)
    assert abs(point[2] - 0.003) > 0.005
