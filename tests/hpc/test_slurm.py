"""Jobs of Slurm: the scripts, and a study through a real Slurm with faults."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from short import short_case
from typer.testing import CliRunner

from loligo.cases.case_file import CaseError
from loligo.cases.core.record import BadInput
from loligo.cli.main import app
from loligo.hpc.items import forget, lay_out, read_index, state
from loligo.hpc.slurm import OWN, Cluster, read_cluster, scripts, submit, write
from loligo.hpc.study import read_study

FACTS = """
options = { partition = "main", account = "squid", time = "01:00:00" }
setup = ["module load mpi"]
launcher = "srun -n {ranks}"
at_once = 7
"""


@pytest.fixture
def places(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'cases = ["cylinder"]\nranks = 2\n[grid]\nbody.length = ["200 mm", "210 mm", "220 mm"]\n'
    )
    return lay_out(tmp_path / "items", read_study(file)[1])


def test_scripts_ask_for_what_the_cluster_wants(places, tmp_path):
    (tmp_path / "ours.toml").write_text(FACTS)
    *jobs, start = scripts(tmp_path / "items", places, read_cluster(tmp_path / "ours.toml"))
    assert [job.file.stem for job in jobs] == ["mesh", "first", "array", "collect", "report"]
    mesh, first, array, collect, report = jobs
    subprocess.run(["bash", "-n"], input=start.text, text=True, check=True)
    for job in jobs:
        assert "#SBATCH --partition=main\n" in job.text and "\nmodule load mpi\n" in job.text
        assert "#SBATCH --open-mode=append\n" in job.text
        subprocess.run(["bash", "-n"], input=job.text, text=True, check=True)
    for job in (mesh, collect, report):
        assert "#SBATCH --ntasks=1\n" in job.text and "--signal" not in job.text
    for job in (first, array):
        for line in ("partition=main", "account=squid", "ntasks=2", "signal=B:USR1@300", "requeue"):
            assert f"#SBATCH --{line}\n" in job.text
        assert "--launcher 'srun -n {ranks}'" in job.text
        assert f"--meshes {tmp_path / 'items' / 'cache' / 'meshes'}" in job.text
        assert "XDG_CACHE_HOME" not in job.text
    assert "#SBATCH --array=0-1%7\n" in array.text
    assert str(places[0].folder) in first.text
    assert f"\nitems=({places[1].folder.name} {places[2].folder.name})\n" in array.text
    assert not (tmp_path / "items" / "slurm").exists()  # they may be for reading alone
    assert f"study mesh {tmp_path / 'items'}" in mesh.text
    assert f"study collect {tmp_path / 'items'}" in collect.text
    assert f"report {tmp_path / 'items'} -o {tmp_path / 'items'}/report" in report.text


def test_caches_on_the_node_are_copies_of_the_study_s_own(places, tmp_path):
    """The lines that a job runs before its work, with a stand-in for srun."""
    (tmp_path / "ours.toml").write_text('node_cache = "$NODE/loligo"\n')
    root = tmp_path / "items"
    jobs = scripts(root, places, read_cluster(tmp_path / "ours.toml"))
    texts = {job.file.stem: job.text for job in jobs}
    for name in ("mesh", "first"):
        assert f"export XDG_CACHE_HOME={root}/cache\n" in texts[name]
    for name in ("collect", "report"):  # need neither forms nor meshes
        assert 'export XDG_CACHE_HOME="$NODE/loligo"\n' in texts[name]
        assert "cp -ru" not in texts[name]
    assert '--meshes "$XDG_CACHE_HOME/meshes"' in texts["array"]
    (root / "cache" / "meshes").mkdir(parents=True)
    (root / "cache" / "meshes" / "one.h5").write_text("arrays")
    (tmp_path / "srun").write_text('#!/bin/bash\nshift 2\nexec "$@"\n')
    (tmp_path / "srun").chmod(0o755)
    before, _, _ = texts["array"].partition("# `exec`")
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": "/home/me",
        "NODE": str(tmp_path / "a node"),
        "SLURM_NNODES": "1",
    }
    trees = subprocess.run(
        ["bash", "-c", f'{before}\necho "$LOLIGO_TREES"'],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert trees == "/home/me/.cache/loligo\n"  # not on the node, where it would be made anew
    copied = tmp_path / "a node" / "loligo" / "meshes" / "one.h5"
    assert copied.read_text() == "arrays"


def on_the_path(folder, **programs):
    """Variables of a shell that finds stand-ins for programs in a folder."""
    for name, does in programs.items():
        (folder / name).write_text(f"#!/bin/bash\n{does}\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)}


SBATCH = """
printf '%s\\n' "$@" >>"$HOME/asked"
[[ ${*: -1} != */$REFUSED.sh ]] || { echo "sbatch: error: Invalid job array" >&2; exit 1; }
echo "$(wc -l <"$HOME/asked");cluster"
"""
"""A stand-in that refuses a job, and gives numbers that grow."""


def test_every_task_of_an_array_keeps_its_item(places, tmp_path):
    """Slurm keeps a job's script, nothing else: what is submitted later must not change a task."""
    root = tmp_path / "items"
    cluster = Cluster(loligo="echo")
    *_, array, _, _, _ = scripts(root, places, cluster)
    write(scripts(root, places, cluster))
    write(scripts(root, places[:2], cluster))

    def task(number):
        environment = on_the_path(tmp_path) | {"SLURM_ARRAY_TASK_ID": str(number)}
        return subprocess.run(
            ["bash", "-c", array.text], env=environment, capture_output=True, text=True
        )

    for number, place in enumerate(places[1:]):
        assert task(number).stdout.split()[-1] == str(place.folder)
    assert task(2).returncode != 0 and "unbound variable" in task(2).stderr


def test_more_items_than_an_array_may_have_are_several_arrays(places, tmp_path):
    jobs = scripts(tmp_path / "items", places, Cluster(max_array=1, at_once=7))
    arrays = [job for job in jobs if job.file.stem.startswith("array")]
    assert [job.file.stem for job in arrays] == ["array", "array-2"]
    for job, place in zip(arrays, places[1:], strict=True):
        assert "#SBATCH --array=0-0%3\n" in job.text  # together no more than 7 at once
        assert f"\nitems=({place.folder.name})\n" in job.text


def test_jobs_follow_one_another_under_the_names_of_their_folder(places, tmp_path):
    """Names are arguments of sbatch: in a line of #SBATCH a blank, a quote or # would end them."""
    root = tmp_path / "it's 5% #1"
    (tmp_path / "items").rename(root)
    files = scripts(root, read_places(root, places), Cluster())
    environment = on_the_path(tmp_path, sbatch=SBATCH)
    said = subprocess.run(
        ["bash", write(files)], env=environment, capture_output=True, text=True, check=True
    )
    lines = [line.partition(" ") for line in said.stdout.splitlines()]
    assert [file for _, _, file in lines] == [str(job.file) for job in files[:-1]]
    asked = (tmp_path / "asked").read_text().splitlines()
    numbers = [number for number, _, _ in lines]
    assert [line for line in asked if line.startswith("--dependency")] == [
        f"--dependency=afterany:{number}" for number in numbers[:-1]
    ]
    assert f"--job-name={root.name}-first" in asked
    assert f"--output={tmp_path}/it's 5%% #1/slurm/%x-%j.log" in asked
    assert f"--output={tmp_path}/it's 5%% #1/slurm/%x-%A_%a.log" in asked
    assert not any(str(root.name) in line for job in files for line in directives(job.text))


def test_what_is_written_only_is_submitted_by_the_line_that_is_printed(tmp_path, monkeypatch):
    """From within a tree or a container, where there is no Slurm."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    arguments = ["study", "submit", "mine.toml", "-o", "the items", "--write-only"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) == 1
    environment = on_the_path(tmp_path, sbatch=SBATCH)
    assert not (tmp_path / "asked").exists()
    said = subprocess.run(
        ["bash", "-c", done.stdout], env=environment, capture_output=True, text=True, check=True
    )
    folder = tmp_path / "the items" / "slurm"
    files = [line.partition(" ")[2] for line in said.stdout.splitlines()]
    assert files == [str(folder / "first.sh"), str(folder / "collect.sh")]


def test_arrays_wait_for_the_first_item_and_not_for_one_another(places, tmp_path):
    """Else the slowest item of an array would keep all items of the next one waiting."""
    files = scripts(tmp_path / "items", places, Cluster(max_array=1))
    said = subprocess.run(
        ["bash", write(files)],
        env=on_the_path(tmp_path, sbatch=SBATCH),
        capture_output=True,
        text=True,
        check=True,
    )
    number = {Path(line.split()[1]).stem: line.split()[0] for line in said.stdout.splitlines()}
    asked = (tmp_path / "asked").read_text().splitlines()
    after = [line.partition(":")[2] for line in asked if line.startswith("--dependency")]
    arrays = f"{number['array']}:{number['array-2']}"
    first = number["first"]
    assert after == [number["mesh"], first, first, arrays, number["collect"]]


def test_arrays_never_run_more_items_at_once_than_is_wanted(places, tmp_path):
    files = scripts(tmp_path / "items", places, Cluster(max_array=1, at_once=1))
    assert sum("%1\n" in job.text for job in files) == 2
    assert len(re.findall("^follow$", files[-1].text, re.MULTILINE)) == len(files) - 1


@pytest.mark.parametrize(
    "facts",
    [
        'options = { comment = "a\\nrm -rf x" }',
        'options = { "comment\\nrm" = "a" }',
        'options = { "a b" = "a" }',
        'options = { comment = "a\\rb" }',
        'setup = ["module load a\\u0000"]',
        'node_cache = "$TMPDIR\\n"',
        'loligo = "loligo\\n"',
        'launcher = "srun\\n-n {ranks}"',
    ],
)
def test_nothing_of_a_clusters_file_begins_a_line_of_its_own(tmp_path, facts):
    (tmp_path / "ours.toml").write_text(facts)
    with pytest.raises(CaseError, match=r"control character|no long name"):
        read_cluster(tmp_path / "ours.toml")


def test_trust_is_in_the_scripts_only_if_the_person_gives_it(places, tmp_path):
    for trust in (False, True):
        files = scripts(tmp_path / "items", places, Cluster(), trust=trust)
        trusting = [job.file.stem for job in files if "--trust" in job.text]
        assert trusting == (["first", "array"] if trust else [])


def test_jobs_of_a_clone_enter_its_environment(places, tmp_path, monkeypatch):
    """The Python of the tree, outside of it, finds neither itself nor loligo."""
    clone = Path(__file__).parents[2]
    monkeypatch.setenv("VIRTUAL_ENV", str(clone / ".venv"))
    monkeypatch.setenv("LOLIGO_ENVIRONMENT", "any")
    for job in scripts(tmp_path / "items", places, Cluster())[:-1]:
        assert f"exec {clone / 'hpc' / 'env' / 'enter'} loligo " in job.text
    monkeypatch.delenv("LOLIGO_ENVIRONMENT")
    for job in scripts(tmp_path / "items", places, Cluster())[:-1]:
        assert f"exec {sys.executable} -m loligo.cli.main " in job.text


@pytest.mark.parametrize("name", ["two\nlines", "back\\slash", "re\rturn"])
def test_a_folder_that_no_log_can_have_is_refused_in_a_sentence(places, tmp_path, name):
    with pytest.raises(BadInput, match="a backslash; choose another folder"):
        scripts(tmp_path / name, places, Cluster())


def read_places(root, places):
    return [type(place)(root / place.folder.name) for place in places]


def directives(text):
    return [line for line in text.splitlines() if line.startswith("#SBATCH")]


def test_what_was_queued_before_a_job_that_is_refused_is_cancelled(
    places, tmp_path, monkeypatch, capfd
):
    environment = on_the_path(tmp_path, sbatch=SBATCH, scancel='echo "$@" >"$HOME/cancelled"')
    for name, value in {**environment, "REFUSED": "array"}.items():
        monkeypatch.setenv(name, value)
    start = write(scripts(tmp_path / "items", places, Cluster()))
    with pytest.raises(
        BadInput, match=r"job array\n.*refused .*/array.sh\n.*max_array = 1000.*\ncanc"
    ):
        submit(start)
    numbers = [line.split()[0] for line in capfd.readouterr().out.splitlines()]
    assert len(numbers) == 2
    assert (tmp_path / "cancelled").read_text().split() == numbers


def test_a_study_of_reduced_models_has_no_meshes_and_no_report(tmp_path):
    (tmp_path / "mine.toml").write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    places = lay_out(tmp_path / "items", read_study(tmp_path / "mine.toml")[1])
    jobs = scripts(tmp_path / "items", places, read_cluster(None))
    assert [job.file.stem for job in jobs] == ["first", "collect", "submit"]


def test_a_study_that_is_done_is_not_submitted(places, tmp_path):
    for place in places:
        place.result.touch()
        (place.folder / "outcome.json").write_text(
            '{"state": "done", "code": 0, "reason": "", "seconds": 1.0}'
        )
    with pytest.raises(BadInput, match="no item waits"):
        scripts(tmp_path / "items", places, read_cluster(None))


def test_what_a_cluster_sets_up_may_read_variables_that_nobody_has_set(places, tmp_path):
    """As the scripts of modules and environments do; an unset folder of the node is an error."""
    (tmp_path / "ours.toml").write_text(
        'setup = [\'test -z "$NOBODY_HAS_SET_ME"\']\nnode_cache = "$NEITHER_THIS"\n'
    )
    *_, array, _, _, _ = scripts(tmp_path / "items", places, read_cluster(tmp_path / "ours.toml"))
    before, _, _ = array.text.partition("# `exec`")
    said = subprocess.run(
        ["bash", "-c", before],
        env={"PATH": os.environ["PATH"], "HOME": "/home/me"},
        capture_output=True,
        text=True,
    )
    assert said.returncode != 0
    assert "NEITHER_THIS: unbound" in said.stderr and "NOBODY_HAS_SET_ME" not in said.stderr


@pytest.mark.parametrize("option", OWN)
def test_an_option_that_follows_from_the_study_is_refused(tmp_path, option):
    (tmp_path / "ours.toml").write_text(f'options = {{ {option} = "9" }}\n')
    with pytest.raises(CaseError, match=f"options: {option}: follows from the study"):
        read_cluster(tmp_path / "ours.toml")


def test_a_wrong_cluster_file_is_refused(tmp_path):
    (tmp_path / "ours.toml").write_text('launchr = "srun"')
    with pytest.raises(CaseError, match='did you mean "launcher"'):
        read_cluster(tmp_path / "ours.toml")


@pytest.mark.parametrize("launcher", ["srun -n {tasks}", "srun {}", "srun {ranks.x}", "srun {"])
def test_a_launcher_with_other_braces_is_refused(tmp_path, launcher):
    """Before it fails in every job."""
    (tmp_path / "ours.toml").write_text(f'launcher = "{launcher}"')
    with pytest.raises(CaseError, match=r"may hold \{ranks\} alone"):
        read_cluster(tmp_path / "ours.toml")


def scripts_of_the_docs():
    """The jobs that docs/large.md shows: with loligo on the nodes, and in a container."""
    page = (Path(__file__).parents[2] / "docs" / "large.md").read_text()
    return re.findall(r"^```sh\n(#!/bin/bash\n#SBATCH.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 137])
def test_the_scripts_of_the_docs_go_on_after_code_3_alone_and_hide_no_code(tmp_path, code):
    """With stand-ins for srun and scontrol. What ended otherwise would end so for ever."""
    for name, does in (("srun", f"exit {code}"), ("scontrol", 'echo "$@"')):
        (tmp_path / name).write_text(f"#!/bin/bash\n{does}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    scripts = scripts_of_the_docs()
    assert len(scripts) == 2
    for script in scripts:
        said = subprocess.run(
            ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        assert said.stdout == ("requeue 7\n" if code == 3 else "")
        assert said.returncode == code


CONFIGURATION = """
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=17000
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=30
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=17001 CPUs=1 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=4000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


class Lab:
    """A Slurm of two nodes on this machine."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("state", "spool.n1", "spool.n2"):
            (folder / name).mkdir()
        host = socket.gethostname()
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=host, folder=folder, user=user)
        )
        (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
        }
        options = ("key", "socket", "pid", "log", "seed")
        names = ("munge.key", "munge.sock", "munge.pid", "munge.log", "munge.seed")
        files = [f"--{o}-file={folder / n}" for o, n in zip(options, names, strict=True)]
        files[1] = f"--socket={folder / 'munge.sock'}"
        self.daemons = {
            "munged": self.start("munged", "--force", "--foreground", "--origin=127.0.0.1", *files),
            "slurmctld": self.start("slurmctld", "-D", "-c"),
            "n1": self.start("slurmd", "-D", "-N", "n1"),
            "n2": self.start("slurmd", "-D", "-N", "n2"),
        }

    def start(self, *arguments):
        with (self.folder / f"{arguments[0]}.out").open("ab") as out:
            return subprocess.Popen(arguments, env=self.environment, stdout=out, stderr=out)

    def run(self, *arguments):
        return subprocess.run(
            arguments, env=self.environment, capture_output=True, text=True, check=True
        ).stdout

    def wait(self, until, seconds=600.0):
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, self.report()
            time.sleep(0.3)

    def report(self):
        queue = subprocess.run(
            ["squeue", "-a"], env=self.environment, capture_output=True, text=True, check=False
        ).stdout
        logs = [f"{p.name}\n{p.read_text()[-1500:]}" for p in self.folder.glob("*.log")]
        return "\n".join([queue, *logs])

    def stop(self):
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            daemon.wait(30)


@pytest.fixture
def lab():
    # Sockets have short names.
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True).stdout.strip())
    made = Lab(folder)
    try:

        def answers():
            try:
                return "idle" in made.run("sinfo", "-h", "-o", "%T")
            except subprocess.CalledProcessError:
                return False

        made.wait(answers, 60)
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


CASE = short_case(size="15 mm")
STUDY = """
cases = ["short.toml"]
[grid]
body.length = ["60 mm", "65 mm", "70 mm"]
material.body.mu = ["30 kPa", "40 kPa"]
"load.push.force.1" = ["10 mN", "20 mN", "30 mN", "40 mN"]
"""


@pytest.mark.slow
def test_a_study_through_slurm_with_faults_equals_an_undisturbed_one(lab, tmp_path):
    """A job is cancelled, one is requeued, a node dies; at the end all is there, and the same.

    The items are 3D solutions. What was interrupted and goes on differs by the tolerance of
    Newton's method.
    """
    (tmp_path / "short.toml").write_text(CASE)
    (tmp_path / "mine.toml").write_text(STUDY)
    (tmp_path / "ours.toml").write_text('options = { partition = "main" }\n')
    base = [sys.executable, "-m", "loligo.cli.main", "study"]

    def study(*arguments):
        return subprocess.run(
            [*base, *arguments],
            env=lab.environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )

    def submit():
        said = study("submit", "mine.toml", "-o", "there", "--cluster", "ours.toml")
        assert said.returncode == 0, said.stderr
        return [line.split()[0] for line in said.stdout.splitlines()]

    _, _, array, *_ = submit()
    there = read_index(tmp_path / "there")
    assert len(there) == 24

    def count(*states):
        return sum(state(place) in states for place in there)

    lab.wait(lambda: count("done") >= 2)
    lab.run("scancel", f"{array}_5")
    lab.wait(lambda: count("running") >= 1)
    running = lab.run("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()
    subprocess.run(["scontrol", "requeue", *running[:1]], env=lab.environment, check=False)
    lab.wait(lambda: count("done") >= 6)
    lab.daemons["n2"].kill()
    lab.daemons["n2"].wait()
    lab.wait(lambda: count("done") >= 10)
    lab.daemons["n2"] = lab.start("slurmd", "-D", "-N", "n2")
    lab.wait(lambda: not lab.run("squeue", "-h").strip())
    # What a fault took waits, and the next submission takes it.
    for place in there:
        if state(place) == "failed":
            forget(place, afresh=False)
    if count("waiting", "lost"):
        submit()
        lab.wait(lambda: not lab.run("squeue", "-h").strip())
    assert count("done") == 24, lab.report()
    assert study("collect", "there").returncode == 0
    local = study("run", "mine.toml", "-o", "here", "--at-once", "2")
    assert local.returncode == 0, local.stderr
    assert study("collect", "here").returncode == 0
    with (
        xr.open_dataset(tmp_path / "there" / "collected.nc", engine="h5netcdf") as disturbed,
        xr.open_dataset(tmp_path / "here" / "collected.nc", engine="h5netcdf") as calm,
    ):
        assert list(disturbed["item"].values) == list(calm["item"].values)
        for name in calm.data_vars:
            scale = float(np.nan_to_num(abs(calm[name])).max())
            np.testing.assert_allclose(
                disturbed[name], calm[name], rtol=0.0, atol=1e-6 * scale, err_msg=str(name)
            )


@pytest.mark.slow
def test_the_script_of_the_docs_goes_on_after_its_time_limit(lab, tmp_path):
    """Two ranks on two nodes get the signal of the limit, and the job goes on by itself.

    The signal is sent by hand, the way that Slurm sends it, so that the test need not wait for the
    limit.
    """
    steps = ", ".join(f"{i / 60}" for i in range(1, 61))
    (tmp_path / "mine.toml").write_text(short_case(steps))
    script, _ = scripts_of_the_docs()
    loligo = f"{sys.executable} -m loligo.cli.main solve"
    for old, new in (
        ("--ntasks=4", "--ntasks=2"),
        ("--mem-per-cpu=4G", "--mem-per-cpu=1G"),
        ("loligo solve", loligo),
        ("--level 3", "--checkpoint-every 10 -o mine.nc"),
    ):
        assert old in script
        script = script.replace(old, new)
    (tmp_path / "job.sh").write_text(script)
    lab.environment |= {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}
    out = tmp_path / "job.log"
    job = lab.run("sbatch", "--parsable", f"-D{tmp_path}", f"-o{out}", str(tmp_path / "job.sh"))
    job = job.strip()
    lab.wait((tmp_path / "mine.nc").exists)
    lab.run("scancel", "--signal=USR1", job)
    lab.wait(lambda: "PENDING" in lab.run("squeue", "-h", "-o", "%T", "-j", job))
    assert "USR1 asked it to" in out.read_text()
    assert list(tmp_path.glob("mine.checkpoints/*.npz"))
    # It goes on when Slurm lets it, after the lifetime of a credential (`cred_expire`). A start by
    # hand may fall into the second of the requeue: the node takes it for the start that has ended,
    # and Slurm kills the job.
    lab.wait(lambda: not lab.run("squeue", "-h").strip())
    assert "USR1 asked it to" in out.read_text()  # the log goes on, too
    subprocess.run(
        [*loligo.split(), "mine.toml", "-o", "whole.nc"],
        check=True,
        cwd=tmp_path,
        capture_output=True,
    )
    with (
        xr.open_dataset(tmp_path / "mine.nc", engine="h5netcdf") as one,
        xr.open_dataset(tmp_path / "whole.nc", engine="h5netcdf") as other,
    ):
        assert (one.attrs["status"], one.attrs["ranks"]) == ("complete", 2)
        for name in ("frame", "reaction", "stored_energy", "external_work"):
            scale = float(np.nan_to_num(abs(other[name])).max())
            np.testing.assert_allclose(one[name], other[name], rtol=0.0, atol=1e-6 * scale)
