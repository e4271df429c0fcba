"""Files that are whole at every instant: written aside, then renamed over the old one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def aside(file: Path) -> Iterator[Path]:
    """Give a path to write to; what is there at the end becomes the file, in one instant.

    A kill or an exception leaves the old file. A full disk names no file, and a folder that is not
    there the one aside; here both name this one.
    """
    beside = None
    try:
        handle, name = tempfile.mkstemp(
            dir=file.parent, prefix=f".{file.name}.", suffix=f".part{file.suffix}"
        )
        beside = Path(name)
        os.close(handle)
        yield beside
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.chmod(0o666 & ~umask())
        beside.replace(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def replace(file: Path, content: str | bytes) -> None:
    """Write a file so that a kill at any instant leaves the old one or the new one."""
    with aside(file) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)


def leftovers(folder: Path, name: str) -> list[Path]:
    """Return what kills left of files that :func:`aside` wrote in a folder; the name may have *."""
    return sorted(folder.glob(f".{name}.*.part*"))


def check_writable(file: Path) -> None:
    """Make the folder of a file that is to come, and see that a file can be written there.

    Before hours of work, rather than after them. Raises OSError.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}."):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None


def umask() -> int:
    """Return the permissions that this process does not give."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
