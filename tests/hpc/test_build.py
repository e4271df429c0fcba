"""How the Debian tree comes into being, with stubs in place of mmdebstrap and bubblewrap."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ENV = Path(__file__).parents[2] / "hpc" / "env"
PROGRAMS = "awk bash cut dirname du flock grep mkdir mv paste readlink rm sort touch true".split()

# Fills the folder that is named after the suite; "started" says that half of it is there. Nobody
# writes to the pipe: waiting for that is a pause without another process, which a signal could miss
# while it starts.
MMDEBSTRAP = """
echo "$@" >>"$STUBS/calls"
while [[ $1 != trixie ]]; do shift; done
mkdir -p "$2/usr" "$2/etc" "$2/var/lib/dpkg"
>"$2/half"
>"$STUBS/started"
read -r -t "${MMDEBSTRAP_SECONDS:-0.01}" <>"$STUBS/pipe"
mv "$2/half" "$2/whole"
"""


@pytest.fixture
def machine(tmp_path):
    """A machine where root has every program, as the environment of a subprocess."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    os.mkfifo(stubs / "pipe")
    for program in PROGRAMS:
        (stubs / program).symlink_to(shutil.which(program))
    for program, text in {
        "apt-config": "true",
        "apt-get": "true",
        "bwrap": "true",
        "id": "echo 0",
        "mmdebstrap": MMDEBSTRAP,
        "python3": "true",
    }.items():
        write(stubs / program, text)
    return {"PATH": str(stubs), "STUBS": str(stubs), "HOME": str(tmp_path)}


def write(script, text):
    script.write_text(f"#!/bin/bash\n{text}\n")
    script.chmod(0o755)


def build(machine, tree, **kwargs):
    return subprocess.Popen(
        [ENV / "build", tree],
        env=machine,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **kwargs,
    )


def calls(machine):
    return Path(machine["STUBS"], "calls").read_text().splitlines()


def wait_for(path):
    for _ in range(500):
        if path.exists():
            return
        time.sleep(0.02)
    raise TimeoutError(path)


def test_a_complete_tree_takes_its_name_and_leaves_nothing_aside(machine, tmp_path):
    process = build(machine, tmp_path / "cache" / "env-a")
    assert process.wait() == 0, process.stderr.read()
    assert (tmp_path / "cache" / "env-a" / "whole").exists()
    assert {path.name for path in (tmp_path / "cache").iterdir()} == {"env-a", "env-a.lock"}
    assert "path-exclude=/usr/include/boost/*" in calls(machine)[0]
    assert "python3-dolfinx-real,openmpi-bin," in calls(machine)[0]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_is_not_taken_for_complete(machine, tmp_path, end):
    tree = tmp_path / "env-a"
    process = build(machine | {"MMDEBSTRAP_SECONDS": "60"}, tree)
    wait_for(tmp_path / "stubs" / "started")
    os.killpg(process.pid, end)
    assert process.wait() != 0
    assert not tree.exists()

    assert build(machine, tree).wait() == 0
    assert (tree / "whole").exists()
    assert not (tree / "half").exists()
    assert not list(tmp_path.glob("*.aside"))


def test_a_failing_build_leaves_nothing(machine, tmp_path):
    write(tmp_path / "stubs" / "mmdebstrap", MMDEBSTRAP + "exit 3")
    assert build(machine, tmp_path / "env-a").wait() != 0
    assert not list(tmp_path.glob("env-a*[!k]"))  # the lock alone


def test_a_tree_that_cannot_import_is_not_taken_for_complete(machine, tmp_path):
    write(tmp_path / "stubs" / "bwrap", 'case "$*" in *probe.py*) exit 1 ;; esac')
    assert build(machine, tmp_path / "env-a").wait() == 1
    assert not (tmp_path / "env-a").exists()


def test_of_two_builds_at_once_the_second_waits_and_uses_the_first(machine, tmp_path):
    tree = tmp_path / "env-a"
    slow = machine | {"MMDEBSTRAP_SECONDS": "1"}
    first = build(slow, tree)
    wait_for(tmp_path / "stubs" / "started")
    second = build(slow, tree)
    assert (first.wait(), second.wait()) == (0, 0)
    assert "waiting" in second.stderr.read()
    assert len(calls(machine)) == 1


def test_a_build_whose_script_was_killed_alone_is_waited_for(machine, tmp_path):
    """Its mmdebstrap still writes: nobody may remove or fill that folder until it has ended."""
    tree = tmp_path / "env-a"
    first = build(machine | {"MMDEBSTRAP_SECONDS": "1"}, tree)
    wait_for(tmp_path / "stubs" / "started")
    first.kill()
    second = build(machine, tree)
    assert second.wait() == 0
    assert "waiting" in second.stderr.read()
    assert (tree / "whole").exists()
    assert not (tree / "half").exists()


def test_what_another_list_left_aside_is_removed(machine, tmp_path):
    (tmp_path / "env-old.aside" / "root").mkdir(parents=True)
    assert build(machine, tmp_path / "env-a").wait() == 0
    assert not (tmp_path / "env-old.aside").exists()


def test_a_missing_program_gives_the_line_that_installs_it(machine, tmp_path):
    (tmp_path / "stubs" / "mmdebstrap").unlink()
    write(tmp_path / "stubs" / "id", "case $1 in -u) echo 1000 ;; *) echo ada ;; esac")
    write(tmp_path / "stubs" / "newuidmap", "true")
    process = build(machine, tmp_path / "env-a")
    assert process.wait() == 2
    *_, line = process.stderr.read().splitlines()
    assert line.startswith("loligo:     sudo apt-get install mmdebstrap")


def test_root_installs_what_is_missing(machine, tmp_path):
    stubs = tmp_path / "stubs"
    (stubs / "mmdebstrap").rename(tmp_path / "package")
    install = f'mv "{tmp_path}/package" "{stubs}/mmdebstrap"'
    write(stubs / "apt-get", f'case "$*" in *install*mmdebstrap*) {install} ;; esac')
    process = build(machine, tmp_path / "env-a")
    assert process.wait() == 0, process.stderr.read()


def test_sources_are_those_of_the_host(machine, tmp_path):
    rows = [
        "bookworm mirror:/debian",
        "bookworm-updates mirror:/debian",
        "bookworm-security mirror:/debian-security",
        "bookworm-backports mirror:/debian",
    ]
    write(tmp_path / "stubs" / "apt-get", f"printf '%s\\n' {' '.join(map(repr, rows))}")
    write(tmp_path / "stubs" / "apt-config", """echo 'Acquire::http::Proxy "proxy";'""")
    process = build(machine, tmp_path / "env-a")
    assert process.wait() == 0, process.stderr.read()
    _, _, sources = calls(machine)[0].partition(" trixie ")
    assert sources.partition(" ")[2] == (
        "deb mirror:/debian trixie main deb mirror:/debian trixie-updates main "
        "deb mirror:/debian-security trixie-security main"
    )
    assert '--aptopt=Acquire::http::Proxy "proxy";' in calls(machine)[0]
