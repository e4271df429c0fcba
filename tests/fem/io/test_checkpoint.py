"""Checkpoints: what is put in comes out, on other ranks too, and damage is seen."""

import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.body import TaperedArm
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.io.checkpoint import Checkpoint, Order, newest, remove, write
from loligo.fem.problem.problem import Problem
from loligo.meshes.build import build_mesh

BODY = TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.008, tip_disc=0.002, stations=3)


def problem_on(comm: MPI.Comm, elastomer: Elastomer) -> Problem:
    mesh = build_mesh(BODY, 0, size=0.012) if comm.rank == 0 else None
    return Problem(distribute(mesh, comm), elastomer, supports=[])


def wave(problem: Problem) -> None:
    """A displacement that is a function of the node's place, a pressure that is one of x."""
    fields = problem.fields
    space, unknowns = fields.space.sub(1).collapse()
    pressure = np.sin(200.0 * space.tabulate_dof_coordinates()[:, 0])
    fields.function.x.array[unknowns] = pressure
    fields.function.x.array[: fields.owned][fields.node_unknowns] = fields.wave(0.03, 0.3)[
        fields.node_unknowns
    ]
    fields.function.x.scatter_forward()


@pytest.mark.mpi
def test_unknowns_are_in_an_order_that_no_partition_changes(laws: dict[str, Elastomer]) -> None:
    """From all ranks to one and back, ghosts included."""
    together, alone = (problem_on(comm, laws["gent"]) for comm in (MPI.COMM_WORLD, MPI.COMM_SELF))
    wave(together)
    wave(alone)
    orders = Order(together), Order(alone)
    whole = MPI.COMM_WORLD.bcast(orders[0].gather(together.save().unknowns))
    assert np.count_nonzero(whole) >= 0.9 * alone.fields.owned
    np.testing.assert_allclose(orders[1].spread(whole), alone.save().unknowns, atol=1e-12)
    own = orders[1].gather(alone.save().unknowns)
    np.testing.assert_allclose(orders[0].spread(own), together.save().unknowns, atol=1e-12)


def test_a_mesh_without_the_nodes_has_no_such_order(
    box: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    with pytest.raises(ValueError, match="4 nodes have no numbers for 10"):
        Order(Problem(box(), laws["gent"], supports=[]))


def some(number: float) -> Checkpoint:
    return Checkpoint({"number": number}, {"field": np.full(5000, number)})


def test_the_last_two_are_kept_and_the_last_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "run.checkpoints"
    assert newest(folder) is None
    files = [write(some(number), folder).name for number in range(4)]
    assert files == ["000001.npz", "000002.npz", "000003.npz", "000004.npz"]
    assert sorted(file.name for file in folder.iterdir()) == files[2:]
    found, wrong = newest(folder) or (Checkpoint(), [])
    assert (found.facts, wrong) == ({"number": 3}, [])
    np.testing.assert_array_equal(found.arrays["field"], np.full(5000, 3.0))
    remove(folder)
    assert not folder.exists()


def test_what_a_kill_left_goes_with_the_next_one_and_with_the_last(tmp_path: Path) -> None:
    folder = tmp_path / "run.checkpoints"
    write(some(1), folder)
    left = folder / ".000002.npz.abc.part.npz"
    left.write_bytes(b"half")
    write(some(2), folder)
    assert not left.exists()
    left.write_bytes(b"half")
    remove(folder)
    assert not folder.exists()


def flip(data: bytearray) -> None:
    data[len(data) // 2] ^= 1


def cut(data: bytearray) -> None:
    del data[len(data) // 2 :]


def nothing(data: bytearray) -> None:
    data.clear()


@pytest.mark.parametrize("damage", [flip, cut, nothing])
def test_a_damaged_one_is_named_and_the_one_before_serves(
    tmp_path: Path, damage: Callable[[bytearray], None]
) -> None:
    first, last = write(some(1), tmp_path), write(some(2), tmp_path)

    def spoil(file: Path) -> None:
        data = bytearray(file.read_bytes())
        damage(data)
        file.write_bytes(data)

    spoil(last)
    found, wrong = newest(tmp_path) or (Checkpoint(), [])
    assert found.facts == {"number": 1}
    assert len(wrong) == 1
    assert wrong[0].startswith(f"{last}: is damaged")
    spoil(first)
    with pytest.raises(BadInput, match="has no other checkpoint"):
        newest(tmp_path)


def test_any_flipped_bit_is_noticed_and_the_one_before_serves(tmp_path: Path) -> None:
    """In the headers of the arrays, too, in which numpy's parser stumbles in many ways."""
    write(Checkpoint({"number": 1}, {"field": np.arange(3.0)}), tmp_path)
    last = write(Checkpoint({"number": 2}, {"field": np.arange(3.0)}), tmp_path)
    whole = last.read_bytes()
    for bit in range(0, 8 * len(whole), 5):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        last.write_bytes(data)
        found, wrong = newest(tmp_path) or (Checkpoint(), [])
        assert (found.facts, len(wrong)) == ({"number": 1}, 1), f"bit {bit}"


def test_a_checkpoint_is_an_archive_that_numpy_reads(tmp_path: Path) -> None:
    with np.load(write(some(1), tmp_path)) as found:
        np.testing.assert_array_equal(found["field"], some(1).arrays["field"])


@pytest.mark.mpi
def test_a_restart_needs_the_arrays_on_rank_0_alone(laws: dict[str, Elastomer]) -> None:
    comm = MPI.COMM_WORLD
    problem = problem_on(comm, laws["gent"])
    wave(problem)
    order = Order(problem)
    whole = order.gather(problem.save().unknowns)  # empty on the other ranks
    assert (whole.size > 0) == (comm.rank == 0)
    np.testing.assert_allclose(order.spread(whole), problem.save().unknowns, atol=1e-12)


@pytest.fixture
def small_files() -> Any:
    """No file of this process may grow beyond 20 kB; the limit is soft, thus can be undone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, before)


def test_a_disk_that_is_full_costs_one_message_and_no_older_one(
    tmp_path: Path, small_files: None
) -> None:
    (tmp_path / "000001.npz").write_bytes(b"an older one")
    with pytest.raises(OSError, match="File too large") as full:
        write(some(1), tmp_path)
    assert full.value.filename == str(tmp_path / "000002.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["000001.npz"]
