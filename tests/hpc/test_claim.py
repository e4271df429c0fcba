"""One writer at a time: taken, refused, taken over from the dead, given back."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from loligo.cases.core.record import BadInput
from loligo.hpc.claim import Claim, lock_file, read, sole_writer

HOLD = """
import sys, time
from pathlib import Path
from loligo.hpc.claim import sole_writer
with sole_writer(Path(sys.argv[1]), lambda sentence: None):
    print("holds", flush=True)
    time.sleep(600)
"""
RACE = """
import sys
from pathlib import Path
from loligo.cases.core.record import BadInput
from loligo.hpc.claim import sole_writer
sys.stdin.readline()
try:
    with sole_writer(Path(sys.argv[1]), lambda sentence: None):
        print("took", flush=True)
        sys.stdin.readline()
except BadInput:
    print("refused", flush=True)
"""


def python(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def output(tmp_path):
    return tmp_path / "a.nc"


def test_the_claim_is_held_and_given_back_even_after_a_failure(output):
    with sole_writer(output, print):
        assert read(lock_file(output)).mine
        assert [path.name for path in output.parent.iterdir()] == [".a.nc.lock"]
    with pytest.raises(KeyboardInterrupt), sole_writer(output, print):
        raise KeyboardInterrupt
    assert list(output.parent.iterdir()) == []


def test_a_second_writer_is_refused_and_the_claim_of_a_dead_one_is_taken(output, capsys):
    holder = python(HOLD, output)
    assert holder.stdout.readline() == "holds\n"
    year = time.strftime("%Y")
    with (
        pytest.raises(BadInput, match=rf"process {holder.pid} on .* \(since {year}-.*another --o"),
        sole_writer(output, print),
    ):
        pass
    assert lock_file(output).exists()
    holder.kill()
    holder.wait()
    with sole_writer(output, print):
        assert read(lock_file(output)).mine
    said = capsys.readouterr().out
    assert f"process {holder.pid} on" in said and "takes over" in said
    assert list(output.parent.iterdir()) == []


def test_a_process_that_has_the_number_of_a_dead_one_holds_nothing(output):
    earlier = Claim(pid=os.getppid(), began=1)
    lock_file(output).write_text(json.dumps(vars(earlier)))
    with sole_writer(output, lambda sentence: None):
        assert read(lock_file(output)).mine
    lock_file(output).write_text(json.dumps({**vars(earlier), "began": 0}))  # not known
    with pytest.raises(BadInput, match="writes it"), sole_writer(output, print):
        pass


def test_of_another_machine_nobody_is_given_up_but_it_is_said_how(output):
    lock_file(output).write_text(json.dumps(vars(Claim(host="node7", since=0.0))))
    with (
        pytest.raises(BadInput, match=rf"on node7 .*delete {lock_file(output)}"),
        sole_writer(output, print),
    ):
        pass


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', '{"since": 1e300}'])
def test_a_damaged_claim_is_nobodys(output, content):
    lock_file(output).write_text(content)
    with sole_writer(output, lambda sentence: None):
        assert read(lock_file(output)).mine
    assert not lock_file(output).exists()


def test_of_many_that_find_a_dead_claim_one_takes_it(output):
    contenders = [python(RACE, output) for _ in range(6)]
    dead = json.dumps(vars(Claim(pid=2**22 + 1, began=1)))

    def go(process):
        process.stdin.write("go\n")
        process.stdin.flush()
        return process.stdout.readline()

    lock_file(output).write_text(dead)
    with ThreadPoolExecutor(len(contenders)) as pool:
        said = list(pool.map(go, contenders))
    assert sorted(said) == ["refused\n"] * 5 + ["took\n"]
    for process in contenders:
        process.communicate("end\n")
    assert list(output.parent.iterdir()) == []
