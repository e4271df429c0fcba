"""Items on disk: claimed by one, given up when lost, worked on to an outcome that says why."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loligo.cases.core.record import BadInput
from loligo.hpc import items
from loligo.hpc.claim import Claim, lock_file
from loligo.hpc.items import Outcome, claim, forget, last_lines, lay_out, outcome, release, state
from loligo.hpc.study import read_study
from loligo.hpc.worker import LAUNCHER, command, reproduction, work


@pytest.fixture
def place(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    return lay_out(tmp_path / "items", read_study(file)[1])[0]


def gone():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def claimed_by(place, **who):
    known = {"host": socket.gethostname(), "pid": os.getpid(), "job": "", "since": 0.0}
    place.claim_file.write_text(json.dumps({**known, **who}))


def test_an_item_is_taken_by_one_only(place):
    assert state(place) == "waiting"
    assert claim(place, "")
    assert state(place) == "running"
    assert not claim(place, "")
    release(place, Outcome("failed", 1, "why", 2.0))
    assert state(place) == "failed" and outcome(place).reason == "why"
    forget(place, afresh=False)
    assert claim(place, "") and outcome(place) is None
    release(place, None)
    assert state(place) == "waiting"
    assert sorted(path.name for path in place.folder.iterdir()) == ["asked.json", "cylinder.toml"]


@pytest.mark.parametrize("ended", ["done", "failed", "stopped"])
def test_what_ended_meanwhile_is_not_run_again(place, ended):
    """Of two `run`s, the slower one has listed as waiting what the faster one ends."""
    assert claim(place, "")
    place.result.touch()
    release(place, Outcome(ended, 1, "why", 2.0))
    assert not claim(place, "")
    assert state(place) == ended and outcome(place).seconds == 2.0


def test_who_died_loses_the_item(place, monkeypatch):
    claimed_by(place, pid=gone())
    assert state(place) == "lost"
    assert claim(place, "") and state(place) == "running"
    release(place, None)
    claimed_by(place, host="another machine")
    assert state(place) == "running" and not claim(place, "")
    long_ago = time.time() - 2 * items.PATIENCE
    os.utime(place.claim_file, (long_ago, long_ago))
    assert state(place) == "lost" and claim(place, "")


def test_a_requeued_job_takes_its_own_item_again(place):
    claimed_by(place, host="another machine", job="7_3", restarts=1)
    assert not claim(place, "7_4", 2)
    assert claim(place, "7_3", 2)


def test_two_runs_inside_one_job_divide_the_items(place):
    """As of `srun -N2 loligo study run`: the job's number alone does not tell who is gone."""
    claimed_by(place, host="another machine", job="7", restarts=1)
    assert not claim(place, "7", 1)
    assert not claim(place, "7")


def test_a_claim_that_changed_hands_meanwhile_is_given_back(place, monkeypatch):
    claimed_by(place, pid=gone())
    alive = items._alive

    def slow(where):
        verdict = alive(where)
        claimed_by(place, since=1.0)  # somebody else was faster
        return verdict

    monkeypatch.setattr(items, "_alive", slow)
    assert not claim(place, "")
    assert json.loads(place.claim_file.read_text())["since"] == 1.0


def test_work_to_the_end(place):
    ended = work(place)
    assert (ended.state, ended.code, ended.reason) == ("done", 0, ""), last_lines(place, 9)
    assert (ended.host, ended.job) == (socket.gethostname(), "")
    assert state(place) == "done" and place.result.exists()
    forget(place, afresh=True)
    assert state(place) == "waiting" and not place.result.exists()


def test_what_waits_again_keeps_its_checkpoints(place):
    checkpoints = place.folder / "result.checkpoints"
    checkpoints.mkdir()
    claim(place, "")
    release(place, Outcome("failed", -9, "why", 2.0))
    forget(place, afresh=False)
    assert state(place) == "waiting" and checkpoints.is_dir()
    forget(place, afresh=True)
    assert not checkpoints.exists()


def test_an_item_that_is_not_done_gets_the_ranks_that_are_asked_for_now(tmp_path):
    file = tmp_path / "mine.toml"
    text = 'cases = ["cylinder"]\nranks = {}\n[grid]\nbody.length = ["200 mm", "210 mm"]\n'
    file.write_text(text.format(2))
    done, waiting = lay_out(tmp_path / "items", read_study(file)[1])
    claim(done, "")
    done.result.touch()
    release(done, Outcome("done", 0, "", 2.0))
    file.write_text(text.format(4))
    assert lay_out(tmp_path / "items", read_study(file)[1]) == [done, waiting]
    assert (done.asked.ranks, waiting.asked.ranks) == (2, 4)


def test_a_study_that_grows_by_a_key_sets_it_of_the_items_that_are_there(tmp_path):
    """An item with the case's own length is the same item; a done one would lack the key else."""
    file = tmp_path / "mine.toml"
    file.write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    (place,) = lay_out(tmp_path / "items", read_study(file)[1])
    claim(place, "")
    place.result.touch()
    release(place, Outcome("done", 0, "", 2.0))
    length = f"{read_study(file)[1][0].case.body.length} m"
    file.write_text(f'{file.read_text()}[grid]\nbody.length = ["{length}", "9 mm"]\n')
    assert lay_out(tmp_path / "items", read_study(file)[1])[0] == place
    assert place.asked.settings == {"body.length": length} and state(place) == "done"


@pytest.mark.parametrize("damage", ["", "{", "[1]", '{"host": 1}'])
def test_damaged_files_of_an_item_cost_its_last_run_at_most(tmp_path, damage):
    """As of a full disk; nothing ends in a traceback, and the next `run` mends them."""
    file = tmp_path / "mine.toml"
    file.write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    (place,) = lay_out(tmp_path / "items", read_study(file)[1])
    asked = place.asked
    (place.folder / "outcome.json").write_text(damage)
    assert state(place) == "waiting"
    place.claim_file.write_text(damage)
    assert state(place) == "lost"
    assert claim(place, "") and state(place) == "running"
    release(place, None)
    (place.folder / "asked.json").write_text(damage)
    assert items.settings(place) == {}
    with pytest.raises(BadInput, match="writes it again"):
        _ = place.asked
    lay_out(tmp_path / "items", read_study(file)[1])
    assert place.asked == asked


def sleeping(place, tmp_path, script):
    """Start a worker on an item whose launcher is a shell script."""
    sleeper = tmp_path / "sleeper"
    sleeper.write_text(f"#!/bin/sh\n{script}\n")
    sleeper.chmod(0o755)
    asked = json.loads((place.folder / "asked.json").read_text())
    (place.folder / "asked.json").write_text(json.dumps({**asked, "ranks": 2}))
    return str(sleeper)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo step 1; kill -9 $$", "killed by SIGKILL, as for lack of memory"),
        ("echo step 1; exit 137", "killed by SIGKILL, as for lack of memory"),
        ("echo step 1; kill -SEGV $$", "killed by SIGSEGV"),
        ("echo no such node; echo -----; exit 1", "no such node"),
        ("exit 9", "ended with code 9"),
    ],
)
def test_what_killed_a_run_is_its_reason(place, tmp_path, script, reason):
    ended = work(place, sleeping(place, tmp_path, script))
    assert (ended.state, ended.reason) == ("failed", reason)


RULE = "-" * 74
FAILED = f"""{RULE}
prterun detected that one or more processes exited with non-zero status,
thus causing the job to be terminated. The first process to do so was:

   Process name: [prterun-n1-97@1,0]
   Exit code:    2
{RULE}
"""
SLOTS = f"""{RULE}
There are not enough slots available in the system to satisfy the 3
slots that were requested by the application:

  python3

Either request fewer procs for your application, or make more slots
available for use.
{RULE}
\0"""


@pytest.mark.parametrize(
    ("said", "reason", "lines"),
    [
        (
            f"step 1\nerror: mine.toml\n  body.lenght: unknown key\n{FAILED}",
            "error: mine.toml body.lenght: unknown key",
            ["error: mine.toml", "  body.lenght: unknown key"],
        ),
        (f"error: no mesh\n[n1] 2 more\n{FAILED}", "error: no mesh", ["error: no mesh"]),
        (
            SLOTS,
            "There are not enough slots available in the system to satisfy the 3 slots that were "
            "requested by the application: python3",
            ["There are not enough slots"],
        ),
        (
            FAILED,
            "prterun detected that one or more processes exited with non-zero status, thus causing "
            "the job to be terminated. The first process to do so was: Process name: "
            "[prterun-n1-97@1,0] Exit code: 2",
            ["prterun detected"],
        ),
    ],
)
def test_a_launcher_s_words_hide_no_reason(place, tmp_path, said, reason, lines):
    """The words are those of PRRTE 3.0."""
    (tmp_path / "said").write_text(said)
    ended = work(place, sleeping(place, tmp_path, f"cat {tmp_path}/said; exit 2"))
    assert (ended.state, ended.reason) == ("failed", reason)
    told = last_lines(place, 2)
    assert all(one.startswith(two) for one, two in zip(told, lines, strict=False))


def test_every_run_of_an_item_keeps_its_log(place, tmp_path, monkeypatch):
    """A job that goes on after its limit, or a retry; reasons are those of the last run alone."""
    work(place, sleeping(place, tmp_path, "echo error: disk full; exit 2"))
    forget(place, afresh=False)
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert work(place, sleeping(place, tmp_path, "exit 9")).reason == "ended with code 9"
    assert last_lines(place, 3) == []
    first, error, second = place.log.read_text().splitlines()
    host = socket.gethostname()
    assert error == "error: disk full"
    assert first.endswith(f" on {host} =====") and second.endswith(f" on {host}, job 7 =====")


@pytest.mark.parametrize("code", [3, 4])
def test_a_run_that_ended_early_and_kept_something_is_stopped(place, tmp_path, code):
    script = f"touch {place.result}; echo why; exit {code}"
    ended = work(place, sleeping(place, tmp_path, script))
    assert (ended.state, ended.code, ended.reason) == ("stopped", code, "why")


def test_who_lost_an_item_to_somebody_else_lets_it_be(place, tmp_path, monkeypatch):
    """A worker that was held up, as by a disk that hung, is told so at its next sign of life."""
    monkeypatch.setattr("loligo.hpc.worker.HEARTBEAT", 0.05)
    # Not before the worker has written down what computes for it.
    script = f"""until grep -q '"run": [1-9]' {place.claim_file}; do sleep 0.02; done
cat > {tmp_path}/other <<END
{{"host": "another machine", "pid": 1, "job": "", "since": 0.0}}
END
mv {tmp_path}/other {place.claim_file}
exec sleep 60"""
    assert work(place, sleeping(place, tmp_path, script)) is None
    assert items.claimed(place).host == "another machine" and outcome(place) is None


def test_a_failure_keeps_its_reason(place):
    text = place.case.read_text().replace("length = ", "lenght = ", 1)
    place.case.write_text(text)
    ended = work(place)
    assert (ended.state, ended.code) == ("failed", 2)
    assert "lenght" in "".join(last_lines(place, 5)) and ended.reason


def test_ranks_are_started_by_the_launcher(place):
    asked = json.loads((place.folder / "asked.json").read_text())
    (place.folder / "asked.json").write_text(json.dumps({**asked, "ranks": 3}))
    assert command(place, "start --with '{ranks} ranks'")[:3] == ["start", "--with", "3 ranks"]


def worker_of(place, launcher, **environment):
    """Start a process that works on an item."""
    code = (
        "import pathlib\nfrom loligo.hpc.items import ItemFolder\n"
        "from loligo.hpc.worker import work\n"
        f"work(ItemFolder(pathlib.Path({str(place.folder)!r})), {launcher!r})"
    )
    return subprocess.Popen([sys.executable, "-c", code], env={**os.environ, **environment})


def wait_until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_run_of_a_killed_worker_ends_and_keeps_its_item_until_then(place, tmp_path):
    """The run is told to stop, as by a signal to the worker, and may take its checkpoint."""
    script = (
        f"trap 'echo told; while [ ! -e {tmp_path}/go ]; do sleep 0.1; done; exit 3' TERM\n"
        "echo ready; while :; do sleep 0.1; done"
    )
    worker = worker_of(place, sleeping(place, tmp_path, script))
    wait_until(lambda: "ready" in last_lines(place, 1))
    wait_until(lambda: items.claimed(place).run)
    worker.kill()
    worker.wait()
    wait_until(lambda: "told" in last_lines(place, 1))
    assert state(place) == "running" and not claim(place, "")
    (tmp_path / "go").touch()
    wait_until(lambda: state(place) == "lost")


def test_a_launcher_that_is_not_there_fails_the_item(place, tmp_path):
    """Not the worker, which would leave it waiting for ever, without a reason."""
    sleeping(place, tmp_path, "")
    ended = work(place, "no_such_launcher")
    assert (ended.state, ended.reason) == (
        "failed",
        "error: no_such_launcher: No such file or directory",
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_line_that_reproduces_an_item_holds_in_any_folder(place, monkeypatch, ranks):
    asked = json.loads((place.folder / "asked.json").read_text())
    (place.folder / "asked.json").write_text(json.dumps({**asked, "ranks": ranks}))
    monkeypatch.chdir(place.folder)
    near = items.ItemFolder(Path("..") / place.folder.name)
    monkeypatch.delenv("LOLIGO_ENVIRONMENT", raising=False)
    line = reproduction(near)
    start = shlex.split(LAUNCHER.format(ranks=2)) if ranks == 2 else []
    output = f"{place.folder.name}.nc"  # not the study's own result
    assert line == [*start, "loligo", "reduce", str(place.case), "--output", output]
    monkeypatch.setenv("LOLIGO_ENVIRONMENT", "any")
    clone = Path(__file__).parents[2]
    monkeypatch.setenv("VIRTUAL_ENV", str(clone / ".venv"))
    assert reproduction(near) == [str(clone / "hpc" / "env" / "enter"), *line]


def test_ranks_of_several_items_are_not_bound_to_the_same_cores():
    """Two `mpirun`s at once, of which neither knows of the other, would both begin with core 0."""
    cores = "import os; print(len(os.sched_getaffinity(0)))"
    line = [*shlex.split(LAUNCHER.format(ranks=1)), sys.executable, "-c", cores]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert int(said) == len(os.sched_getaffinity(0))


STUCK = "trap 'exit 4' USR1; touch {result}; echo ready; while :; do sleep 0.1; done"
"""A run that finds that it cannot go on while a signal is on its way."""


@pytest.mark.parametrize(
    ("script", "number", "restarts", "requeued", "left"),
    [
        ("echo ready; exec sleep 60", signal.SIGTERM, 0, False, "waiting"),
        ("echo ready; exec sleep 60", signal.SIGUSR1, 0, True, "waiting"),
        ("echo ready; exec sleep 60", signal.SIGUSR1, 100, False, "waiting"),
        (STUCK, signal.SIGUSR1, 0, False, "stopped"),
    ],
)
def test_a_signal_ends_the_run_and_leaves_the_item_waiting_unless_it_is_stuck(
    place, tmp_path, script, number, restarts, requeued, left
):
    """At the time limit a job goes back into the queue, but not for ever; a cancelled one not."""
    sleeper = sleeping(place, tmp_path, script.format(result=place.result))
    (tmp_path / "scontrol").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/scontrol.said\n')
    (tmp_path / "scontrol").chmod(0o755)
    worker = worker_of(
        place,
        sleeper,
        PATH=f"{tmp_path}:{os.environ['PATH']}",
        SLURM_ARRAY_JOB_ID="7",
        SLURM_ARRAY_TASK_ID="3",
        SLURM_RESTART_COUNT=str(restarts),
    )
    wait_until(lambda: "ready" in last_lines(place, 1))
    wait_until(lambda: items.claimed(place).run)  # the handlers are set
    worker.send_signal(number)
    assert worker.wait(30) == 0
    assert state(place) == left
    said = tmp_path / "scontrol.said"
    assert said.exists() == requeued
    if requeued:
        assert said.read_text() == "requeue 7_3\n"


def test_a_case_that_is_gone_is_named_and_written_again(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    _, asked = read_study(file)
    (place,) = lay_out(tmp_path / "items", asked)
    text = place.case.read_text()
    place.case.unlink()
    with pytest.raises(BadInput, match=r"has no case file; `loligo study run`.*again"):
        reproduction(place)
    with pytest.raises(BadInput, match="has no case file"):
        work(place)
    assert not place.claim_file.exists()
    lay_out(tmp_path / "items", asked)
    assert place.case.read_text() == text


def test_what_the_index_names_lies_in_the_folder(tmp_path):
    root, victim = tmp_path / "items", tmp_path / "victim"
    for folder in (root, victim):
        folder.mkdir()
    (victim / "result.nc").write_text("precious")
    (root / "0123456789ab").symlink_to(victim)
    for names in (["../victim"], [str(victim)], ["."], "victim", {"a": 1}, [1], ["0123456789ab/"]):
        (root / items.INDEX).write_text(json.dumps(names))
        with pytest.raises(BadInput, match="is damaged"):
            items.read_index(root)
    (root / items.INDEX).write_text(json.dumps(["0123456789ab"]))
    with pytest.raises(BadInput, match="leads out of the study's folder"):
        items.read_index(root)
    (root / "0123456789ab").unlink()
    (root / "0123456789ab").mkdir()
    assert [place.folder for place in items.read_index(root)] == [root / "0123456789ab"]
    (tmp_path / "link").symlink_to(root)  # of the whole folder, a link is as good
    assert len(items.read_index(tmp_path / "link")) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["solve", "--level", "0", "--trust"],
        ["solve", "--level", "0", "--output", "/etc/passwd"],
        ["report"],
        ["solve --level 0"],
        [],
    ],
)
def test_no_file_of_an_item_says_what_else_to_run_or_to_trust(place, command):
    file = place.folder / "asked.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "command": command}))
    with pytest.raises(BadInput, match="is damaged or gone"):
        work(place)


def test_a_claim_on_the_result_that_a_dead_machine_left_does_not_stop_the_item(place, tmp_path):
    lock = lock_file(place.result)
    lock.write_text(json.dumps(vars(Claim(host="dead", since=0.0))))
    assert work(place).state == "done"
    assert not lock.exists()


def test_the_index_of_something_else_is_kept(tmp_path):
    (tmp_path / items.INDEX).write_text('{"pages": ["a.html"]}')
    with pytest.raises(BadInput, match="is not the index of a study"):
        items.check_index(tmp_path)
    (tmp_path / "0123456789ab").mkdir()  # a study's own, damaged
    items.check_index(tmp_path)
