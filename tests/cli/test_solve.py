"""`loligo solve`: files, messages and codes, alone and on two ranks."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

from mpi4py import MPI

import h5py
import numpy as np
import pytest
from short import short_case

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cli import solve as cli
from loligo.fem.io import checkpoint
from loligo.fem.solve import Refinement, Solved
from loligo.hpc import launcher
from loligo.progress import watched
from loligo.validation.data.shipped import shipped


@pytest.fixture
def write(tmp_path):
    """Write a case and return its path."""

    def of(steps="0.5, 1.0", size="12 mm", fitted=1.5, force="0 N"):
        file = tmp_path / "short.toml"
        file.write_text(short_case(steps, size, fitted, force))
        return file

    return of


def start(*arguments, cwd, ranks=1, **more):
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    command = [*launcher, sys.executable, "-m", "loligo.cli.main", *map(str, arguments)]
    env = {
        **os.environ,
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env=env, **more
    )


def loligo(*arguments, cwd, ranks=1):
    process = start(*arguments, cwd=cwd, ranks=ranks)
    out, err = process.communicate(timeout=900)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@pytest.mark.slow
def test_it_writes_a_data_set_and_says_what_it_does(write, tmp_path):
    done = loligo("solve", write(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("short.nc\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["short.nc", "short.toml"]
    data = dataset.read(tmp_path / "short.nc")
    assert data.attrs["status"] == "complete"
    assert data["load_push"].values == pytest.approx([0.02, 0.04])
    tip = data["frame"].values[-1, -1, :3, 3]
    assert f"{1e3 * tip[1]:.3f}" in done.stdout
    said = done.stderr.splitlines()
    assert said[0].startswith(f"short, level 0: {data.attrs['unknowns']} unknowns")
    assert said[1].startswith("body: neo_hooke, stable stretches: uniaxial 0.1 to 10")
    assert [line.split(":")[0] for line in said[2:]] == ["step 1 of 2", "step 2 of 2"]
    checked = loligo("check", "short.nc", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout

    other = loligo("solve", "short.toml", "-o", "new/two.nc", "--json", cwd=tmp_path, ranks=2)
    assert other.returncode == 0, other.stderr
    told = json.loads(other.stdout)
    assert (told["ranks"], told["status"], told["file"]) == (2, "complete", "new/two.nc")
    two = dataset.read(tmp_path / "new" / "two.nc")
    for name in ("frame", "reaction", "stored_energy", "max_stretch"):
        scale = float(np.abs(data[name]).max())
        np.testing.assert_allclose(two[name], data[name], rtol=0.0, atol=1e-6 * scale)


@pytest.mark.slow
def test_three_levels_give_every_quantity_a_bar(write, tmp_path):
    short = write(steps="1.0", fitted=1.001)
    done = loligo("solve", short, "--levels", "2,0,1", "--fields", "a/b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning: body is stretched to" in done.stderr
    assert "beyond 1.001, where the data end that its law was fitted on" in done.stderr
    top = dataset.read(tmp_path / "short.nc")
    levels = [dataset.read(tmp_path / "short.nc", f"levels/{n}") for n in (0, 1, 2)]
    assert [int(level.attrs["level"]) for level in levels] == [0, 1, 2]
    sizes = [level.attrs["size"] for level in levels]
    assert sizes[0] > sizes[1] > sizes[2]
    np.testing.assert_array_equal(top["frame"], levels[2]["frame"])
    for name in ("frame", "strain", "reaction", "stored_energy", "external_work", "max_stretch"):
        assert top[f"{name}_uncertainty"].dims == ("step",)
        assert int(top[f"{name}_uncertainty_flag"].item()) in range(5)
    # A bar is no smaller than 1.25/(1.4^3.3 - 1) of the step from the last level but one.
    move = np.abs(levels[2]["frame"] - levels[1]["frame"]).values[..., :3, 3].max()
    assert float(top["frame_uncertainty"].item()) > 0.5 * move
    assert top["frame_uncertainty"].attrs["units"] == "m"
    assert loligo("check", "short.nc", cwd=tmp_path).stdout == "short.nc: a valid data set\n"
    # On the screen stand the same bars; show prints them from the file.
    row = f"{float(top['stored_energy_uncertainty'].item()):.2g}"
    shown = loligo("show", "short.nc", cwd=tmp_path).stdout
    for screen in (done.stdout, shown):
        (line,) = (
            words
            for words in map(str.split, screen.splitlines())
            if words[:1] == ["stored_energy"] and "mesh" in words
        )
        assert line[3] == row
    fields = {path.name for path in (tmp_path / "a" / "b").iterdir()}
    assert {f"short_level{n}_displacement.bp" for n in (0, 1, 2)} < fields


@pytest.mark.slow
def test_a_run_that_cannot_go_on_ends_with_code_4_and_what_it_reached(write, tmp_path):
    done = loligo("solve", write(steps="0.001, 1.0", force="-40 N"), cwd=tmp_path)
    assert done.returncode == 4
    assert "short: level 0: stopped after reported step 1: " in done.stderr
    assert re.search(r"beyond load_push = [\d.]+ N on the way to 40 N", done.stderr)
    data = dataset.read(tmp_path / "short.nc")
    assert data.attrs["status"].startswith("stopped after reported step 1: ")
    assert data["load_push"].values[0] == pytest.approx(0.04)


STEPS = ", ".join(f"{i / 24}" for i in range(1, 25))


def wait_for(there, process):
    end = time.monotonic() + 240
    while not there() and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def goes_on_as_if_nothing_happened(tmp_path, ranks):
    """Restart, and compare with a run in one go."""
    again = loligo("solve", "short.toml", "--restart", cwd=tmp_path, ranks=ranks)
    assert again.returncode == 0, again.stderr
    assert "no checkpoint" not in again.stderr
    assert not (tmp_path / "short.checkpoints").exists()
    whole = loligo("solve", "short.toml", "-o", "whole.nc", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    one, other = (dataset.read(tmp_path / name) for name in ("short.nc", "whole.nc"))
    assert (one.attrs["status"], one.attrs["ranks"]) == ("complete", ranks)
    for name in ("frame", "reaction", "stored_energy", "external_work", "max_stretch"):
        scale = float(np.abs(other[name]).max())
        np.testing.assert_allclose(one[name], other[name], rtol=0.0, atol=1e-6 * scale)
    histories = [dataset.read(tmp_path / n, "solver") for n in ("short.nc", "whole.nc")]
    assert histories[0]["reported"].values.tolist() == histories[1]["reported"].values.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "ranks"), [(signal.SIGTERM, 1), (signal.SIGUSR1, 2)])
def test_a_signal_keeps_what_was_reached(write, tmp_path, number, ranks):
    process = start("solve", write(steps=STEPS), cwd=tmp_path, ranks=ranks)
    file = tmp_path / "short.nc"
    wait_for(file.exists, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    data = dataset.read(file)
    assert 1 <= data.sizes["step"] < 24
    assert data.attrs["status"].endswith(f"{number.name} asked it to")
    assert f"short: level 0: {data.attrs['status']}" in err
    goes_on_as_if_nothing_happened(tmp_path, 3 - ranks)


@pytest.mark.parametrize("variable", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_serial_copies_of_one_run_are_refused(write, tmp_path, monkeypatch, variable):
    """A launcher of another MPI starts them: all would write one file."""
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "4")
    with pytest.raises(BadInput, match=f"{variable} is 4, but this process sees 1 rank: .* 4 seri"):
        cli.solve(str(write()), output=tmp_path / "short.nc")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")  # the launcher of this process, within a job
    assert launcher.serial_copies(1) == ""


@pytest.mark.slow
def test_after_a_rank_was_killed_the_last_whole_checkpoint_serves(write, tmp_path):
    file, folder = write(steps=STEPS), tmp_path / "short.checkpoints"
    process = start("solve", file, "--checkpoint-every", "1", cwd=tmp_path, ranks=2)
    wait_for(lambda: (folder / "000003.npz").exists(), process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode not in (0, 3, 4)
    assert "killed" in err.lower()  # the launcher's words
    last = max(folder.glob("*.npz"))
    last.write_bytes(last.read_bytes()[:-1000])
    goes_on_as_if_nothing_happened(tmp_path, 3)


@pytest.mark.slow
def test_a_disk_that_is_full_is_one_message_and_nothing_is_lost(write, tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    write()
    process = start("solve", "short.toml", "--checkpoint-every", "1", cwd=tmp_path)
    assert process.wait(timeout=900) == 0
    before = (tmp_path / "short.nc").read_bytes()
    process = start("solve", "short.toml", cwd=tmp_path, preexec_fn=small_files)
    _, err = process.communicate(timeout=900)
    assert process.returncode == 2
    assert [line for line in err.splitlines() if line.startswith("error")] == [
        "error: short.nc: File too large"
    ]
    assert (tmp_path / "short.nc").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["short.nc", "short.toml"]


@pytest.mark.slow
def test_fields_that_find_no_room_cost_one_message(write, tmp_path):
    """ADIOS2 itself would abort with code 134."""

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    write()
    process = start("solve", "short.toml", "--fields", "f", cwd=tmp_path, preexec_fn=small_files)
    _, err = process.communicate(timeout=900)
    assert process.returncode == 2
    # Open MPI complains of the limit, too, which is none of a disk.
    said = [line for line in err.splitlines() if line.startswith("error")]
    assert said == ["error: f: File too large"]


FAULT = """
import sys
from mpi4py import MPI
from loligo.fem.run import Run

keep = Run._keep

def broken(run, result):
    keep(run, result)
    if MPI.COMM_WORLD.rank == 1 and len(run.states) == 3:
        raise RuntimeError("a fault on one rank")

Run._keep = broken
from loligo.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_an_exception_on_one_rank_ends_all_and_loses_nothing(write, tmp_path):
    write(steps=STEPS)
    arguments = ["solve", "short.toml", "--checkpoint-every", "1"]
    command = ["mpirun", "-n", "2", "--oversubscribe", sys.executable, "-c", FAULT, *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("loligo: ") == 1
    said = "loligo: RuntimeError: a fault on one rank (rank 1 of 2, while solving)"
    assert said in done.stderr
    assert done.stderr.count("Traceback") == 1
    # Rank 0 may have written the third state before it is ended.
    assert dataset.read(tmp_path / "short.nc").sizes["step"] in (2, 3)
    goes_on_as_if_nothing_happened(tmp_path, 1)


@pytest.mark.slow
def test_meshes_through_files_give_the_same_numbers(write, tmp_path):
    """On two ranks that read a mesh, on one that finds it, and on one that makes its own."""
    write(steps="1.0")
    found = {}
    for name, ranks, more in (("two", 2, True), ("one", 1, True), ("own", 1, False)):
        meshes = ("--meshes", "m") if more else ()
        done = loligo("solve", "short.toml", "-o", f"{name}.nc", *meshes, cwd=tmp_path, ranks=ranks)
        assert done.returncode == 0, done.stderr
        assert len(list(tmp_path.glob("m/*.xdmf"))) == 1
        found[name] = dataset.read(tmp_path / f"{name}.nc")
    for name in ("two", "one"):
        assert found[name].attrs["mesh_hash"] == found["own"].attrs["mesh_hash"]
        for variable in ("frame", "wrench", "reaction", "stored_energy", "max_stretch"):
            wanted = found["own"][variable].values
            scale = float(np.nanmax(np.abs(wanted)))
            np.testing.assert_allclose(found[name][variable], wanted, rtol=0.0, atol=1e-6 * scale)


@pytest.mark.parametrize("kept", [True, False])
def test_a_complete_run_removes_its_own_meshes_alone(write, tmp_path, monkeypatch, kept):
    """Never those of --meshes, whatever its name, nor what somebody else laid there."""
    folder = tmp_path / "short.meshes"
    folder.mkdir()
    made = [f"{16 * 'a'}.xdmf", f"{16 * 'a'}.h5", f".{16 * 'a'}.h5.x1.part.h5"]
    for name in (*made, "measured.h5"):
        (folder / name).write_text("")
    reached = Solved("complete", "complete", {"": dataset.read(shipped()["cylinder"])})
    monkeypatch.setattr(Refinement, "solve", lambda *_, **__: reached)
    cli.solve(str(write()), output=tmp_path / "short.nc", meshes=folder if kept else None)
    there = {file.name for file in folder.iterdir()}
    assert there == {"measured.h5", *(made if kept else [])}
    if not kept:
        (folder / "measured.h5").unlink()
        cli.solve(str(write()), output=tmp_path / "short.nc")
        assert not folder.exists()


@pytest.mark.slow
def test_a_checkpoint_of_another_version_is_one_sentence(write, tmp_path):
    process = start("solve", write(steps=STEPS), "--checkpoint-every", "1", cwd=tmp_path)
    folder = tmp_path / "short.checkpoints"
    wait_for(lambda: (folder / "000002.npz").exists(), process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    taken, _ = checkpoint.newest(folder)
    del taken.facts["observed"]["load_push"]
    checkpoint.write(taken, folder)
    done = loligo("solve", "short.toml", "--restart", cwd=tmp_path)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "rror" in line]
    assert "the checkpoint lacks 'load_push', as of another version of loligo" in line


@pytest.mark.parametrize("signal_of", ["", "SIGTERM"])
def test_no_state_in_the_midst_of_newtons_method_is_judged(monkeypatch, signal_of):
    """A signal comes there; what the march ends with by itself is converged."""
    calls = []

    def march(watch):
        watch()
        yield from ()

    run = SimpleNamespace(march=march, states=(), stopped="", comm=MPI.COMM_SELF)
    progress = SimpleNamespace(shown=nullcontext, show=None, warn=lambda: calls.append("warned"))
    monkeypatch.setattr("loligo.progress.Progress", lambda _: progress)
    solving = Refinement(None, MPI.COMM_SELF, (), lambda: signal_of, watched)
    told = solving._march(run)
    assert (told, calls) == (bool(signal_of), [] if signal_of else ["warned"])


def test_an_interrupt_while_it_starts_leaves_no_traceback(tmp_path):
    process = start("solve", "cylinder", cwd=tmp_path)
    time.sleep(0.15)  # in the midst of the imports
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGINT, 130)
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_complete_run_is_not_repeated(write, tmp_path):
    write(steps="1.0")
    assert loligo("solve", "short.toml", cwd=tmp_path).returncode == 0
    before = (tmp_path / "short.nc").stat().st_mtime_ns
    again = loligo("solve", "short.toml", "--restart", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "short.nc").stat().st_mtime_ns == before
    # A level of a mesh that is made no more is, since no bar could be drawn from both.
    with h5py.File(tmp_path / "short.nc", "a") as found:
        mesh, found.attrs["mesh_hash"] = found.attrs["mesh_hash"], "another"
    anew = loligo("solve", "short.toml", "--restart", cwd=tmp_path)
    assert anew.returncode == 0, anew.stderr
    assert "short.nc: level 0 is of another mesh and is solved again" in anew.stderr
    assert dataset.read(tmp_path / "short.nc").attrs["mesh_hash"] == mesh


TOLD = """
import os, signal, sys
from loligo.fem.run import Run

march = Run.march

def told(run, watch):
    if run.level == 1:
        os.kill(os.getpid(), signal.SIGUSR1)
    yield from march(run, watch)

Run.march = told
from loligo.cli.main import main
main(sys.argv[1:])
"""


COMPARING = """
import os, signal, sys
from loligo.fem.io import mesh_file

hash_now = mesh_file.hash_now

def told(*arguments):
    os.kill(os.getpid(), signal.SIGUSR1)
    return hash_now(*arguments)

mesh_file.hash_now = told
from loligo.cli.main import main
main(sys.argv[1:])
"""


def test_a_checkpoint_of_a_complete_level_does_not_keep_the_next_from_its_start(write, tmp_path):
    """The signal came between two levels, so that the newest checkpoint is of the first one."""
    arguments = ["solve", str(write()), "--levels", "0,1", "--checkpoint-every", "1"]
    command = [sys.executable, "-c", TOLD, *arguments]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 3, told.stderr
    unwritten = "level 1 stopped before its first converged state: SIGUSR1 asked it to; nothing"
    assert unwritten in told.stderr
    assert list(tmp_path.glob("short.checkpoints/*.npz"))
    before = dataset.read(tmp_path / "short.nc", "levels/0")
    # A signal while a restart compares meshes waits for the first state, too.
    command = [sys.executable, "-c", COMPARING, *arguments, "--restart"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 3 and unwritten in told.stderr, told.stderr
    again = loligo(*arguments, "--restart", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "short, level 1: " in again.stderr and "short, level 0: " not in again.stderr
    assert dataset.read(tmp_path / "short.nc", "levels/0").identical(before)
    top = dataset.read(tmp_path / "short.nc")
    assert (int(top.attrs["level"]), top.attrs["status"]) == (1, "complete")
    assert top.sizes["step"] == 2
    assert not (tmp_path / "short.checkpoints").exists()


def test_the_solver_is_the_one_that_is_asked_for(write, tmp_path):
    write(steps="1.0")
    done = loligo("solve", "short.toml", "--solver", "krylov", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "two levels" in dataset.read(tmp_path / "short.nc", "solver").attrs["factor"]
    # Without a factor nothing is known about stability.
    assert dataset.read(tmp_path / "short.nc")["stable"].values.tolist() == [-1]


@pytest.mark.parametrize("ranks", [1, 2])
def test_bad_input_is_one_message_and_code_2(write, tmp_path, ranks):
    file = write(steps="0.5,")
    file.write_text(file.read_text().replace("60 mm", "60"))
    done = loligo("solve", file, cwd=tmp_path, ranks=ranks)
    assert done.returncode == 2
    assert done.stderr.count("error: ") == 1
    assert "body.length" in done.stderr
    assert "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["short.toml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cylindre",), 'did you mean "cylinder"?'),
        (("cylinder", "--levels", "0;1"), "write levels from 0 to 6"),
        (("cylinder", "--levels", "0,9"), "write levels from 0 to 6"),
        (("cylinder", "--checkpoint-every", "often"), 'write for example "10 min", or a number'),
        (("cylinder", "--solver", "magic"), "choose from auto, direct, krylov"),
        (("cylinder", "-o", "/proc/no/file.nc"), "/proc/no"),
    ],
)
def test_what_it_cannot_use_it_names(tmp_path, arguments, said):
    done = loligo("solve", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
