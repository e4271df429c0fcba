"""Pictures are drawn in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DRAWING_SECONDS = 300


def draw_apart(module: str, source: Path, picture: Path, *options: str) -> str | None:
    """Run a module that draws a file, and return what went wrong, if anything.

    A renderer without a screen or driver ends its process, which must not end the command.
    """
    environment = {"VTK_DEFAULT_OPENGL_WINDOW": "vtkEGLRenderWindow", **os.environ}
    aside = picture.with_name(f".part.{picture.name}")
    command = [sys.executable, "-m", module, str(source), str(aside), *options]
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=DRAWING_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"drawing took longer than {DRAWING_SECONDS} s"
    if done.returncode == 0:
        aside.replace(picture)
        return None
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return last or f"the renderer ended with code {done.returncode}"
