"""What loading dolfinx and PETSc does to the process."""

import subprocess
import sys

READER_GONE = """
import os
import loligo.fem.core.compat
reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"x")
except BrokenPipeError:
    print("an exception")
"""


def test_a_reader_that_is_gone_does_not_end_the_process():
    done = subprocess.run([sys.executable, "-c", READER_GONE], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "an exception\n"), done.stderr
