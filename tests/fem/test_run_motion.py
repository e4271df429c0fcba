"""A case in motion as a data set: released, shaken, stopped and taken up again."""

from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr
from slender import slender_arm

from loligo.cases.case import Case
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.io import QUANTITIES, check
from loligo.fem.run import Run

LENGTH, RADIUS, DENSITY = 0.1, 0.012, 1080.0


def arm(load: dict[str, Any], mu: float = 3e4, viscosity: float = 100.0, **time: Any) -> Case:
    return slender_arm(
        LENGTH,
        RADIUS,
        {"mu": mu, "density": DENSITY, "viscosity": viscosity},
        gravity=(0.0, -1.0, 0.0),
        load=load,
        mesh={"size": 0.02},
        time=time,
    )


RELEASE = {"weight": {"kind": "weight", "history": {"kind": "step", "before": 1.0, "after": 0.0}}}


def run_to_end(run: Run, most: int = 1000) -> Run:
    for i, _ in enumerate(run.march(), 1):
        if i == most:
            break
    return run


@pytest.fixture(scope="module")
def released() -> xr.Dataset:
    """An arm that sagged under its weight, which is switched off."""
    case = arm(RELEASE, duration=0.2, every=0.02, tolerance=1e-4)
    return run_to_end(Run(case, MPI.COMM_WORLD)).dataset()


def test_it_swings_as_its_vibrations_say() -> None:
    """From a sag of a hundredth of its length, through two thirds of a period."""
    history = {"kind": "step", "before": 0.03, "after": 0.0}
    slight = {"weight": {"kind": "weight", "history": history}}
    run = run_to_end(Run(arm(slight, duration=0.2, every=0.02, tolerance=1e-4), MPI.COMM_WORLD))
    told, data = run.groups()["vibrations"], run.dataset()
    frequency, damping = told["frequency"].values, told["damping"].values
    # Of one rubber zeta is eta omega/(2 mu) at rest. J = 1 in the mean of large cells alone: d has
    # a trace there that adds to it.
    exact = 100.0 * 2.0 * np.pi * frequency / (2.0 * 3e4)
    assert (damping > exact).all()
    assert damping == pytest.approx(exact, rel=0.1)
    turn = 2.0 * np.pi * frequency[:2].mean()
    tip, time = data["frame"].values[:, -1, 1, 3], data["time"].values
    share, root = damping[0], np.sqrt(1.0 - damping[0] ** 2)
    wave = np.cos(root * turn * time) + share / root * np.sin(root * turn * time)
    swing = tip[0] * np.exp(-share * turn * time) * wave
    assert tip == pytest.approx(swing, abs=0.06 * np.abs(tip).max())


def test_a_motion_is_a_reference_data_set(released: xr.Dataset) -> None:
    assert released.attrs["status"] == "complete"
    assert [finding for finding in check(released) if finding.verdict == "bad"] == []
    assert released["time"].values == pytest.approx(np.arange(11) * 0.02)
    # The state at 0 s is that before the release: the base carries the weight.
    weight = DENSITY * np.pi * RADIUS**2 * LENGTH * 9.81
    assert released["reaction"].values[0, 4] == pytest.approx(weight, rel=0.02)  # a coarse polygon
    assert released["load_weight"].values.tolist() == [9.81, *[0.0] * 10]
    tip = released["frame"].values[:, -1, 1, 3]
    assert tip[0] < 0.0 < tip.max()  # it swings through


def test_energy_goes_where_it_says(released: xr.Dataset) -> None:
    """What the rubber gives up moves the arm or is dissipated; the scheme itself takes little."""
    stored, kinetic, dissipated, work = (
        released[name].values
        for name in ("stored_energy", "kinetic_energy", "dissipated_energy", "external_work")
    )
    lost = work - stored - kinetic - dissipated
    assert kinetic[0] == 0.0
    assert kinetic.max() > 0.2 * stored[0]
    assert np.all(np.diff(dissipated) > 0.0)
    assert dissipated[-1] > 0.05 * stored[0]
    assert np.abs(np.diff(lost)).max() < 0.01 * stored[0]


def test_a_conserving_motion_accounts_for_all_its_energy() -> None:
    """Released from its weight, at a tolerance at which the other scheme loses a hundredth."""
    time = {"duration": 0.1, "every": 0.02, "tolerance": 1e-3, "scheme": "conserving"}
    data = run_to_end(Run(arm(RELEASE, **time), MPI.COMM_WORLD)).dataset()
    assert data.attrs["status"] == "complete"
    stored, kinetic, dissipated = (
        data[f"{name}_energy"].values for name in ("stored", "kinetic", "dissipated")
    )
    assert kinetic.max() > 0.2 * stored[0]
    assert dissipated[-1] > 0.02 * stored[0]
    # From the release on nothing works; the sag before it is a static march.
    assert stored + kinetic + dissipated == pytest.approx(stored[0], rel=1e-9)


def test_a_frames_velocity_is_the_rate_of_its_place(released: xr.Dataset) -> None:
    frame, twist = released["frame"].values[:, -1], released["frame_velocity"].values[:, -1]
    velocity = np.einsum("tij,tj->ti", frame[:, :3, :3], twist[:, 3:])
    # Through three output times, exact for a parabola; the sway bends on the scale of its period.
    rate = np.gradient(frame[:, 1, 3], released["time"].values)
    assert velocity[3:-1, 1] == pytest.approx(rate[3:-1], abs=0.05 * np.abs(rate).max())


def test_a_carried_base_drives_the_arm_by_its_reaction() -> None:
    """In a stroke of 1 Hz, far below its own frequency and well damped, it follows as one mass."""
    amplitude, frequency = 0.02, 1.0
    stroke = {
        "kind": "base_motion",
        "displacement": (0.0, amplitude, 0.0),
        "history": {"kind": "sine", "frequency": frequency, "phase": np.pi / 2},
    }
    case = arm({"stroke": stroke}, 3e5, 5e3, duration=1.0, every=0.125, tolerance=1e-3)
    data = run_to_end(Run(case, MPI.COMM_WORLD)).dataset()
    assert data["load_stroke"].values[[0, 4, 8]] == pytest.approx(amplitude * np.array([1, -1, 1]))
    mass = DENSITY * np.pi * RADIUS**2 * LENGTH
    driven = mass * amplitude * (2.0 * np.pi * frequency) ** 2
    force = data["reaction"].values[:, 4]
    # At the turning points; its own sway adds about (1 Hz over 15 Hz)^2, the mesh is a polygon.
    assert force[[4, 8]] == pytest.approx([driven, -driven], rel=0.03)
    balance = data["external_work"] - data["stored_energy"] - data["kinetic_energy"]
    balance = balance - data["dissipated_energy"]
    assert float(np.abs(balance[1:]).max()) < 0.05 * float(data["kinetic_energy"].max())


def test_a_motion_goes_on_from_a_checkpoint(released: xr.Dataset) -> None:
    case = arm(RELEASE, duration=0.2, every=0.02, tolerance=1e-4)
    first = run_to_end(Run(case, MPI.COMM_WORLD), most=9)
    assert first.stopped
    again = Run(case, MPI.COMM_WORLD)
    again.resume(first.checkpoint())
    found = run_to_end(again).dataset()
    assert found.attrs["status"] == "complete"
    assert set(again.groups()) == {"solver", "surface", "vibrations"}
    assert max(largest_difference(released, found).values()) < 1e-6


def stream() -> Case:
    """An arm along whose sections water drags and moves, whose current rises over two steps."""
    rises = {"kind": "table", "times": (0.0, 0.03), "factors": (0.0, 1.0)}
    current = {"kind": "current", "velocity": (0.0, 0.18, 0.24), "history": rises}
    return slender_arm(
        0.25,
        0.01,
        {"mu": 1e5, "density": 1070.0, "viscosity": 300.0},
        stations=5,
        water={
            "density": 1000.0,
            "base_depth": 1.0,
            "strip": {"drag": (0.3, 1.1, 1.1), "added": (0.2, 1.2, 1.2)},
        },
        load={"stream": current},
        mesh={"size": 0.03},
        time={"duration": 0.06, "every": 0.03, "tolerance": 1e-3},
    )


def conserving() -> Case:
    return arm(RELEASE, duration=0.04, every=0.02, tolerance=1e-3, scheme="conserving")


@pytest.mark.parametrize("case", [stream(), conserving()], ids=["stream", "conserving"])
def test_water_and_conserving_steps_go_on_from_every_state(case: Case) -> None:
    """What the current worked and the water took is in the data; Newton's tolerance is 1e-9."""
    whole, taken = Run(case, MPI.COMM_SELF), []
    for _ in whole.march():
        taken.append(whole.checkpoint())
    assert whole.status == "complete" and len(taken) > 4
    for checkpoint in taken[:-1]:
        again = Run(case, MPI.COMM_SELF)
        again.resume(checkpoint)
        found = run_to_end(again)
        assert len(found.states) == len(taken)
        assert max(largest_difference(whole.dataset(), found.dataset()).values()) < 1e-8


def test_a_checkpoint_where_a_load_jumps_knows_it() -> None:
    """The arm is released at 0 s, where the run was stopped: nothing works on it from there on."""
    case = arm(RELEASE, duration=0.04, every=0.02, tolerance=1e-3)
    first = run_to_end(Run(case, MPI.COMM_WORLD), most=1)
    again = Run(case, MPI.COMM_WORLD)
    again.resume(first.checkpoint())
    work = run_to_end(again).dataset()["external_work"].values
    assert len(work) == 3
    assert work[1:] == pytest.approx(work[0], rel=1e-9)


@pytest.mark.mpi
def test_two_ranks_move_what_one_does() -> None:
    case = arm(RELEASE, duration=0.04, every=0.02, tolerance=1e-3)
    alone = run_to_end(Run(case, MPI.COMM_SELF)).dataset()
    together = run_to_end(Run(case, MPI.COMM_WORLD)).dataset()
    worst = largest_difference(alone, together)
    assert max(worst.values()) < 1e-6, worst


def largest_difference(a: xr.Dataset, b: xr.Dataset) -> dict[str, float]:
    """Largest difference of every variable over its largest magnitude."""
    found = {}
    for name in set(QUANTITIES) & set(a.data_vars):
        scale = float(np.abs(a[name]).max()) or 1.0
        found[name] = float(np.abs(a[name] - b[name]).max()) / scale
    return found


def test_what_it_writes_can_be_read(released: xr.Dataset, tmp_path: Any) -> None:
    dataset.write(released, tmp_path / "arm.nc")
    assert dataset.read(tmp_path / "arm.nc")["time"].values[-1] == pytest.approx(0.2)
