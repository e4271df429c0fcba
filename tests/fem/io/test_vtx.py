"""Fields for ParaView, read back by ADIOS2: values at points, the same from every rank."""

import resource
import signal
from collections.abc import Callable
from pathlib import Path

from mpi4py import MPI

import adios2
import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.io.vtx import FieldFiles
from loligo.fem.problem.problem import Problem

Array = np.ndarray


def read(file: Path, name: str, ranks: int) -> list[tuple[float, Array, Array]]:
    """Time, points (n, 3) and values (n, components) of every step, the ranks one by one."""
    found = []
    with adios2.FileReader(str(file)) as reader:
        for step in range(int(reader.available_variables()[name]["AvailableStepsCount"])):
            one = [step, 1]

            def of_ranks(variable: str, one: list[int] = one) -> Array:
                parts = (
                    reader.read(variable, block_id=i, step_selection=one) for i in range(ranks)
                )
                return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])

            time = float(np.ravel(reader.read("step", step_selection=one))[0])
            found.append((time, of_ranks("geometry"), of_ranks(name)))
    return found


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_what_is_written_is_what_was_there(
    box: Callable[..., Domain],
    laws: dict[str, Elastomer],
    deform: Callable[..., None],
    tmp_path: Path,
    cell: CellType,
) -> None:
    folder = MPI.COMM_WORLD.bcast(tmp_path)
    problem = Problem(box((2, 2, 2), cell=cell), laws["neo_hooke"], supports=[])
    files = FieldFiles(problem, folder, "box")
    gradient = np.array([[1.1, 0.4, 0.0], [0.0, 0.9, 0.3], [0.2, 0.0, 1.0]])
    slope = gradient - np.eye(3)
    for time in (1.0, 2.0):
        deform(problem, lambda x, time=time: time / 2 * x @ slope.T)
        unknowns = problem.fields.function.x
        unknowns.array[problem.fields.by_name["pressure"]] = 7.0 * time
        unknowns.scatter_forward()
        files.write(time)
    files.close()
    MPI.COMM_WORLD.barrier()
    names = ("displacement", "largest_stretch", "pressure")
    moved, stretch, pressure = (
        read(file, name, MPI.COMM_WORLD.size) for file, name in zip(files.files, names, strict=True)
    )
    for i, time in enumerate((1.0, 2.0)):
        largest = np.linalg.svd(np.eye(3) + time / 2 * slope, compute_uv=False)[0]
        assert moved[i][0] == stretch[i][0] == pressure[i][0] == time
        points = moved[i][1]
        assert len({tuple(p) for p in points.round(9)}) == 5**3  # of quadratic cells, 2 x 2 x 2
        np.testing.assert_allclose(moved[i][2], time / 2 * points @ slope.T, atol=1e-14)
        np.testing.assert_allclose(stretch[i][2], largest, rtol=1e-12)
        np.testing.assert_allclose(pressure[i][2], 7.0 * time, rtol=1e-14)


def test_a_disk_without_room_is_bad_input_before_anything_is_written(
    box: Callable[..., Domain], laws: dict[str, Elastomer], tmp_path: Path
) -> None:
    """ADIOS2 itself would end the process."""
    problem = Problem(box((2, 2, 2)), laws["neo_hooke"], supports=[])
    files = FieldFiles(problem, tmp_path, "whole")
    files.write(1.0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        with pytest.raises(BadInput, match=f"{tmp_path}: File too large"):
            files.write(2.0)
        with pytest.raises(BadInput, match=f"{tmp_path}: File too large"):
            FieldFiles(problem, tmp_path, "none")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    files.close()
    times = [time for time, _, _ in read(files.files[0], "displacement", 1)]
    assert times == [1.0]
    assert not list(tmp_path.glob("none*")) and not list(tmp_path.glob(".room*"))
