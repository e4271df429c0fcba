"""Cavities on compliant supplies, and tendons whose shortening is prescribed."""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.from_case import Setup, set_up
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.meshes.build import build_mesh
from loligo.reduced.predict.predict import predict

SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))
MU = 1e5


def _ball(octant: Callable[..., Domain], compliance: float) -> Problem:
    """An octant of a thick shell with radii 1 and 1.5 around a cavity on a supply."""
    return Problem(
        octant(1.0, 1.5, 0.5),
        NeoHooke(mu=MU, density=1000),
        supports=SYMMETRY,
        cavities=[Cavity("inside", "inner", compliance=compliance)],
    )


def _supply(problem: Problem, delivered: float) -> tuple[float, float]:
    """Pressure and volume when the supply has delivered so much more than at rest."""
    rest = problem.cavity_volume("inside")
    *_, last = march(problem, [{"inside": rest + delivered}], volume_controlled=("inside",))
    assert last.stable
    return last.pressures["inside"], last.volumes["inside"] - rest


@pytest.mark.mpi
def test_what_a_supply_delivers_is_in_the_cavity_or_swallowed(
    octant: Callable[..., Domain],
) -> None:
    compliance, delivered = 0.1 / MU, 0.2
    pressure, grown = _supply(_ball(octant, compliance), delivered)
    volume = np.pi / 6
    assert grown + compliance * pressure == pytest.approx(delivered, abs=1e-9 * volume)
    assert compliance * pressure > 0.1 * delivered  # it does swallow
    # The same pressure holds the same volume without a supply.
    alone = _ball(octant, 0.0)
    rest = alone.cavity_volume("inside")
    *_, last = march(alone, [{"inside": pressure}])
    assert last.volumes["inside"] - rest == pytest.approx(grown, rel=1e-7)


@pytest.mark.mpi
def test_a_stiff_supply_prescribes_the_volume_and_a_soft_one_the_pressure(
    octant: Callable[..., Domain],
) -> None:
    _, grown = _supply(_ball(octant, 0.0), 0.2)
    assert grown == pytest.approx(0.2, abs=1e-9)
    soft, wanted = 1e4 / MU, 0.4 * MU
    pressure, grown = _supply(_ball(octant, soft), soft * wanted)
    # p = (delivered - V)/C exactly; the volume takes a share of 1e-4 or so.
    assert pressure == pytest.approx(wanted - grown / soft, rel=1e-9)
    assert pressure == pytest.approx(wanted, rel=1e-3)


@pytest.mark.slow
def test_several_supplies_at_once() -> None:
    body = ChamberedArm.model_validate(
        {
            "radius": 0.017,
            "plates": [0.004, 0.004],
            "stations": 2,
            "segments": [
                {"length": 0.03, "chambers": 3, "chamber_radius": 0.005, "chamber_offset": 0.010}
            ],
        }
    )
    comm = MPI.COMM_WORLD
    domain = distribute(build_mesh(body, 0, size=0.012) if comm.rank == 0 else None, comm)
    compliances = {"s1c1": 0.0, "s1c2": 2e-11, "s1c3": 5e-11}
    problem = Problem(
        domain,
        NeoHooke(mu=1e4, density=1000),
        supports=[Fixed("base")],
        cavities=[Cavity(name, f"cavity_{name}", compliance=c) for name, c in compliances.items()],
    )
    rest = {name: problem.cavity_volume(name) for name in compliances}
    given = {"s1c1": 2e-7, "s1c2": 1e-7, "s1c3": 3e-7}
    target = {name: rest[name] + given[name] for name in rest}
    *_, last = march(problem, [target], volume_controlled=tuple(rest))
    for name, c in compliances.items():
        held = last.volumes[name] - rest[name] + c * last.pressures[name]
        assert held == pytest.approx(given[name], abs=1e-9 * rest[name])
    assert last.stable


def test_a_supply_that_pushes_back_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Cavity("inside", "inner", compliance=-1e-9)


# Tendons ------------------------------------------------------------------------------------------


@pytest.fixture
def pulled(box: Callable[..., Domain], laws: dict[str, Elastomer]) -> Problem:
    """A block with a tendon beside its axis."""
    return Problem(
        box((6, 2, 2), (3.0, 1.0, 1.0)),
        laws["neo_hooke"],
        supports=[Fixed("x0")],
        tendons=[Tendon("t", ((0.0, 0.5, 0.8), (3.0, 0.5, 0.7)))],
    )


@pytest.mark.mpi
def test_the_tension_found_makes_the_shortening(pulled: Problem) -> None:
    rest, long = pulled.save(), pulled.tendon_length("t")
    *_, _ = march(pulled, [{"t": 4e3}])
    shortening = long - pulled.tendon_length("t")
    assert shortening > 0.01 * long
    pulled.restore(rest)
    *_, last = march(pulled, [{"t": shortening}], volume_controlled=("t",))
    assert last.stable
    assert last.values["t"] == shortening
    # Tolerance of the shortening 1e-10 of the length, a hundredth of which it is.
    assert pulled.values["t"] == pytest.approx(4e3, rel=1e-6)
    assert pulled.tendon_length("t") == pytest.approx(long - shortening, rel=1e-9)


@pytest.mark.mpi
def test_stored_energy_grows_by_tension_times_shortening(pulled: Problem) -> None:
    middle, h = 0.1, 1e-4
    energies, tensions = [], []
    targets = [{"t": middle + s * h} for s in (-1, 0, 1)]
    for result in march(pulled, targets, volume_controlled=("t",)):
        if result.target is not None:
            energies.append(pulled.strain_energy())
            tensions.append(pulled.values["t"])
    # The curvature of T over 1e-3 of the way: 1e-6; rounding of energies 1e-9 / 1e-3.
    assert (energies[2] - energies[0]) / (2 * h) == pytest.approx(tensions[1], rel=1e-5)


# From the case ------------------------------------------------------------------------------------


def _set_up(body: dict[str, object], load: dict[str, object]) -> tuple[Case, Setup]:
    given = {"name": "test", "title": "t", "source": "s", "steps": (0.5, 1.0), "body": body}
    rubber = {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}
    case = Case.model_validate({**given, "material": {"body": rubber}, "load": {"drive": load}})
    comm = MPI.COMM_WORLD
    mesh = build_mesh(case.body, 0, size=0.012) if comm.rank == 0 else None
    return case, set_up(case, distribute(mesh, comm))


def test_a_case_pumps_a_volume_through_a_line_that_yields() -> None:
    body = {
        "kind": "chambered_arm",
        "radius": 0.02,
        "plates": [0.005, 0.004],
        "segments": [
            {"length": 0.03, "chambers": 1, "chamber_radius": 0.008, "chamber_offset": 0.0}
        ],
        "stations": 2,
    }
    load = {"kind": "supply", "cavities": ["s1c1"], "volume": 4e-7, "compliance": 1e-10}
    case, setup = _set_up(body, load)
    rest = setup.problem.cavity_volume("s1c1")
    assert setup.volume_controlled == ("s1c1",)
    assert [t["s1c1"] - rest for t in setup.targets] == pytest.approx([2e-7, 4e-7], rel=1e-9)
    *_, last = march(setup.problem, setup.targets, volume_controlled=setup.volume_controlled)
    held = last.volumes["s1c1"] - rest + 1e-10 * last.pressures["s1c1"]
    assert held == pytest.approx(4e-7, abs=1e-9 * rest)
    with pytest.raises(BadInput, match="reduced models take pressures"):
        predict(case)


def test_a_case_winds_up_a_tendon() -> None:
    body = {
        "kind": "tapered_arm",
        "length": 0.05,
        "base_radius": 0.012,
        "tip_radius": 0.01,
        "tip_disc": 0.002,
        "tendons": {"count": 3, "base_offset": 0.008, "tip_offset": 0.006},
        "stations": 3,
    }
    load = {"kind": "shortening", "tendons": [2], "shortening": 1e-3}
    _, setup = _set_up(body, load)
    long = setup.problem.tendon_length("tendon_2")
    list(march(setup.problem, setup.targets, volume_controlled=setup.volume_controlled))
    assert setup.problem.tendon_length("tendon_2") == pytest.approx(long - 1e-3, rel=1e-9)
    assert setup.problem.values["tendon_2"] > 0.0
