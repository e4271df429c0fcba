"""What passes between the caller and a command in the Debian tree, with a stub for bubblewrap."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

INSIDE = Path(__file__).parents[2] / "hpc" / "env" / "inside"

# Like bubblewrap it starts the command as a child and returns what that returns.
BWRAP = """\
printf '%s\\n' "$@" >"$HOME/options"
while [[ $1 != /usr/bin/env ]]; do shift; done
"$@"
exit $?
"""
PROGRAM = """
import os, signal, sys, time
got = 0
def note(number, frame):
    global got
    got += 1
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())  # print cannot interrupt print
    if got >= 2:
        signal.signal(number, signal.SIG_IGN)
        time.sleep(0.1)  # nobody ends in the instant of a signal
        sys.exit(42)
signal.signal(signal.Signals[sys.argv[1]], note)
os.write(1, b"ready\\n")
while True:
    time.sleep(60)
"""


@pytest.fixture
def outside(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "bwrap").write_text("#!/bin/bash\n" + BWRAP)
    (programs / "bwrap").chmod(0o755)
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}


def start(outside, tmp_path, name):
    """Start a program that notes a signal, and the second time ends with 42."""
    process = subprocess.Popen(
        [INSIDE, tmp_path / "tree", sys.executable, "-c", PROGRAM, name],
        env=outside,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1"])
def test_a_signal_reaches_the_command_and_its_exit_code_comes_back(outside, tmp_path, name):
    process = start(outside, tmp_path, name)
    for _ in range(2):
        process.send_signal(signal.Signals[name])
        assert process.stdout.readline() == f"got {name}\n"
    assert process.wait() == 42


def test_a_signal_to_all_processes_leaves_the_end_to_the_command(outside, tmp_path):
    process = start(outside, tmp_path, "SIGTERM")
    os.killpg(process.pid, signal.SIGTERM)
    assert process.stdout.readline() == "got SIGTERM\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 42


def run(outside, tmp_path, command, **kwargs):
    return subprocess.run(
        [INSIDE, tmp_path / "tree", "bash", "-c", command],
        env=outside,
        capture_output=True,
        text=True,
        check=False,
        **kwargs,
    )


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -SEGV $$", 128 + 11)])
def test_exit_codes_come_back(outside, tmp_path, command, code):
    assert run(outside, tmp_path, command).returncode == code


def test_standard_input_passes(outside, tmp_path):
    assert run(outside, tmp_path, "cat", input="text").stdout == "text"


def test_settings_of_the_terminal_pass_and_those_of_the_host_python_do_not(outside, tmp_path):
    passed = {
        "COLUMNS": "77",
        "TERM": "xterm-256color",
        "SLURM_JOB_ID": "3",
        "OMP_NUM_THREADS": "2",
    }
    stopped = {"PYTHONPATH": "/host", "LD_LIBRARY_PATH": "/host", "LC_ALL": "en_GB", "CC": "icx"}
    lines = run(outside | passed | stopped, tmp_path, "env").stdout.splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    assert {name: settings.get(name) for name in passed} == passed
    assert not settings.keys() & stopped.keys()
    assert settings["PATH"] == "/usr/local/bin:/usr/bin:/bin"


def test_the_users_folders_are_visible_and_the_hosts_system_is_not(outside, tmp_path):
    run(outside, tmp_path, "true", cwd=tmp_path)
    options = (tmp_path / "options").read_text().splitlines()
    binds = [options[i + 1 : i + 3] for i, option in enumerate(options) if option == "--bind"]
    assert all(here == there for here, there in binds)
    seen = [Path(here) for here, _ in binds]
    assert any(tmp_path.is_relative_to(folder) for folder in seen)
    assert not {Path(name) for name in ("/", "/usr", "/etc", "/var", "/run", "/bin")} & {*seen}
    assert options[options.index("--chdir") + 1] == str(tmp_path)
