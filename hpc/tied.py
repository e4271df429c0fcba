"""Becomes a command that is told to stop when the process that started it dies:  tied.py CMD...

Killed, a worker can hand nothing on; without this its run would go on, unseen, while the next
worker begins a second one on the same files. A script of its own, since between fork and exec
nothing but system calls is safe.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""Of Linux' prctl: the signal that a process gets when its parent dies; a new program keeps it."""

if __name__ == "__main__":
    command = sys.argv[1:]
    if sys.platform == "linux":  # elsewhere a killed worker leaves its run behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and so would the command
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"error: {command[0]}: {error.strerror}")
