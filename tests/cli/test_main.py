"""The command line itself: how it answers Ctrl-C."""

import subprocess
import sys

import pytest

ITSELF = "os.kill(os.getpid(), signal.SIGINT)"
CODE = """
import os, signal
from loligo.cli.main import _interrupt
signal.signal(signal.SIGINT, _interrupt)
try:
    {}
except KeyboardInterrupt:
    print("came")
"""


@pytest.mark.parametrize(
    ("step", "returncode", "said"), [("import harmed", 130, ""), (ITSELF, 0, "came\n")]
)
def test_an_interrupt_ends_an_import_and_stops_all_else(tmp_path, step, returncode, said):
    """Within an import nobody sees the exception, which compiled code could turn into a crash."""
    (tmp_path / "harmed.py").write_text(f"import os, signal\n{ITSELF}\n")
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(step)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (returncode, said, "")
