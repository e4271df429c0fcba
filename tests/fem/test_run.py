"""A run as a data set: complete, stopped on the way, and the same on any number of ranks."""

import json
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.io import QUANTITIES, check
from loligo.fem.io.checkpoint import newest, write
from loligo.fem.io.ranks import on_first_rank
from loligo.fem.march.standing import StepControl
from loligo.fem.run import Run
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import mesh_hash, unknowns

SIZE = 0.012


def cylinder(force: tuple[float, float, float], steps: tuple[float, ...], **more: Any) -> Case:
    return Case.model_validate(
        {
            "name": "cylinder",
            "title": "t",
            "source": "s",
            "body": {
                "kind": "tapered_arm",
                "length": 0.12,
                "base_radius": 0.01,
                "tip_radius": 0.01,
                "tip_disc": 0.002,
                "stations": 4,
            },
            "material": {"body": {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}},
            "load": {"push": {"kind": "tip_force", "force": force}},
            "mesh": {"size": SIZE},
            "steps": steps,
            **more,
        }
    )


def run_to_end(case: Case, comm: MPI.Comm = MPI.COMM_WORLD, **more: Any) -> Run:
    run = Run(case, comm, **more)
    for _ in run.march():
        pass
    return run


def test_a_complete_run_is_a_reference_data_set(tmp_path: Any) -> None:
    case = cylinder((0.0, 0.04, 0.0), (0.5, 1.0))
    run = run_to_end(case, MPI.COMM_SELF)
    data = run.dataset()
    assert [finding for finding in check(data) if finding.verdict == "bad"] == []
    assert data.attrs["status"] == "complete"
    assert data["load_push"].values == pytest.approx([0.02, 0.04])
    mesh = build_mesh(case.body, 0, size=SIZE)
    assert data.attrs["mesh_hash"] == mesh_hash(mesh)
    assert (
        data.attrs["unknowns"] == unknowns(mesh) == run.setup.problem.fields.function.x.array.size
    )
    assert data.attrs["ranks"] == 1
    assert {"loligo", "fenics-dolfinx", "petsc"} <= set(json.loads(data.attrs["versions"]))
    # A dead force: the base pushes back with it, whatever the mesh.
    assert data["reaction"].values[:, 3:] == pytest.approx(
        np.array([[0.0, -0.02, 0.0], [0.0, -0.04, 0.0]]), abs=1e-9
    )
    # A slender rod of EI = 3 mu pi R^4/4 bends by F L^3/(3 EI) as F goes to 0; half the force
    # bends this one by 8 % of its length, where that is 4 % too much, and the clamp is stiffer.
    linear = 0.02 * 0.12**3 / (3 * 3 * 3e4 * np.pi * 0.01**4 / 4)
    assert data["frame"].values[0, -1, 1, 3] == pytest.approx(0.96 * linear, rel=0.04)
    dataset.write(data, tmp_path / "run.nc", run.groups())
    solver = dataset.read(tmp_path / "run.nc", "solver")
    assert solver["reported"].values.tolist() == [0, 1]
    # Of the wall, as the run's own; `cpu_seconds` are those of processors.
    assert 0.0 < solver["wall_seconds"].values.sum() <= data.attrs["wall_seconds"]
    assert np.nanmin(solver["residual"].sel(field="displacement").values[:, -1]) < 1e-9


def test_a_run_that_stops_keeps_its_steps_and_the_last_state_on_the_way() -> None:
    # The column buckles at pi^2 EI/(4 L^2) = 0.12 N, and nothing carries 40 N.
    case = cylinder((-40.0, 0.0, 0.0), (0.002, 1.0))
    control = StepControl(first=1.0, smallest=2.0**-5, locate=2.0**-4)
    run = run_to_end(case, MPI.COMM_SELF, control=control)
    data = run.dataset()
    assert data.attrs["status"].startswith("stopped after reported step 1: ")
    assert [finding for finding in check(data) if finding.verdict == "bad"] == []
    loads = data["load_push"].values
    assert loads[0] == pytest.approx(0.08)
    assert np.all(np.diff(loads) > 0.0)
    assert loads[-1] == pytest.approx(run.states[-1].values["load_push"])
    # How it buckles is kept: most at its tip.
    modes, skin = run.groups()["modes"], run.groups()["surface"]
    changes = [i for i, one in enumerate(run.states) if not one.stable][:1]
    assert modes["state"].values.tolist() == changes == [1]
    size = np.linalg.norm(modes["shape"].values[0], axis=1)
    assert skin["rest"].values[size.argmax(), 0] > 0.1
    # The base carries what was reached, not what was asked for.
    assert data["reaction"].values[:, 3] == pytest.approx(loads, rel=1e-6)


def test_what_the_mesh_lacks_is_bad_input() -> None:
    case = cylinder((0.0, 0.04, 0.0), (1.0,), mesh={"size": 1e-5})
    with pytest.raises(BadInput, match="unknowns"):
        Run(case, MPI.COMM_WORLD)


def tendons(load: dict[str, Any], steps: tuple[float, ...]) -> Case:
    body = cylinder((0.0, 0.0, 0.0), steps).body.model_dump()
    body["tendons"] = {"count": 4, "base_offset": 0.005, "tip_offset": 0.005}
    return cylinder((0.0, 0.0, 0.0), steps, body=body, load={"pull": {"tendons": [1], **load}})


def test_no_tendon_pushes() -> None:
    """Wound up, it holds; let out beyond its length at rest it is slack, and the run ends there."""
    run = run_to_end(tendons({"kind": "shortening", "shortening": 1e-3}, (1.0, -1.0)))
    assert run.status.startswith("stopped after reported step 1: tendon_1 is slack")
    assert run.dataset()["reaction"].values[0, 3] > 0.0  # the tension presses on the base
    with pytest.raises(BadInput, match=r"load\.pull: a tendon cannot push; its tension at step 2"):
        Run(tendons({"kind": "tendon", "tension": 0.01}, (1.0, -1.0)), MPI.COMM_WORLD)


@pytest.mark.mpi
def test_two_ranks_report_what_one_does() -> None:
    case = cylinder(
        (0.0, 0.04, 0.0), (1.0,), load={"push": {"kind": "tip_force", "force": (0.0, 0.04, 0.02)}}
    )
    alone = run_to_end(case, MPI.COMM_SELF).dataset()
    together = run_to_end(case, MPI.COMM_WORLD).dataset()
    assert together.attrs["ranks"] == MPI.COMM_WORLD.size
    assert together.attrs["mesh_hash"] == alone.attrs["mesh_hash"]
    worst = largest_difference(alone, together)
    assert max(worst.values()) < 1e-6, worst


@pytest.mark.mpi
def test_a_run_goes_on_from_a_checkpoint_on_other_ranks(tmp_path: Any) -> None:
    """All ranks, rank 0 alone, all again; once between two reported steps, once at one."""
    case = cylinder((0.0, 0.04, 0.0), (0.6, 1.0))
    control = StepControl(first=0.4)
    whole = run_to_end(case, MPI.COMM_SELF, control=control)
    comm, states = MPI.COMM_WORLD, iter((1, 2))

    def some_way(comm: MPI.Comm) -> None:
        run = Run(case, comm, control=control)
        if before := on_first_rank(comm, lambda: newest(tmp_path)):
            run.resume(before[0])
        until = next(states, None)
        for _ in run.march():
            if len(run.states) == until:
                break
        taken = run.checkpoint()
        if comm.rank == 0:
            write(taken, tmp_path)
        ended.append(run)

    ended: list[Run] = []
    some_way(comm)
    if comm.rank == 0:
        some_way(MPI.COMM_SELF)
        assert 0.0 < ended[0].place < 1.0
        assert ended[1].place == 1.0
    else:
        next(states)
    comm.barrier()
    some_way(comm)
    last = ended[-1]
    assert last.status == whole.status == "complete"
    assert [one.values for one in last.states] == [one.values for one in whole.states]
    worst = largest_difference(whole.dataset(), last.dataset())
    assert max(worst.values()) < 1e-6, worst
    if comm.rank == 0:
        one, other = whole.groups()["surface"], last.groups()["surface"]
        order = [np.lexsort(g["rest"].values.round(9).T) for g in (one, other)]
        moved = [g["displacement"].values[:, o] for g, o in zip((one, other), order, strict=True)]
        np.testing.assert_allclose(moved[0], moved[1], atol=1e-6 * np.abs(moved[0]).max())


def test_a_checkpoint_of_another_case_is_refused() -> None:
    case = cylinder((0.0, 0.04, 0.0), (1.0,))
    run = run_to_end(case, MPI.COMM_SELF)
    other = Run(cylinder((0.0, 0.05, 0.0), (1.0,)), MPI.COMM_SELF)
    with pytest.raises(BadInput, match="the checkpoint is of another case"):
        other.resume(run.checkpoint())


def largest_difference(a: xr.Dataset, b: xr.Dataset) -> dict[str, float]:
    """Largest difference of every variable over its largest magnitude."""
    assert set(a.data_vars) == set(b.data_vars)
    found = {}
    for name in QUANTITIES:
        if name in a and name != "time":
            scale = float(np.abs(a[name]).max()) or 1.0
            found[name] = float(np.abs(a[name] - b[name]).max()) / scale
    return found
