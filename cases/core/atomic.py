"""Files on disk: written aside and renamed, so that they are whole at every instant; read safely.

Every file that a user names is read through :func:`read_bytes` or :func:`read_text`, or is checked
by :func:`check_regular` before a library opens it: a named pipe would wait for ever, a device would
never end.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_TEXT = 2**26
"""Bytes of the largest text file that is read: a case, a table, a record."""
MOST_DATA = 2**38
"""Bytes of the largest binary file that is opened: a data set, a mesh."""
_PART = 2**24
"""Bytes that are read at a time."""
_IRREGULAR = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
HDF5 = b"\x89HDF\r\n\x1a\n"
"""First bytes of an HDF5 file, and so of a netCDF-4 data set."""
_NETCDF = (HDF5, b"CDF\x01", b"CDF\x02", b"CDF\x05")


def check_regular(file: Path, most: int = MOST_DATA) -> None:
    """Refuse a file that cannot be read to its end; raises OSError, which names the file."""
    _refuse_irregular(os.stat(file), file, most)


def read_bytes(file: Path, most: int = MOST_DATA) -> bytes:
    """Return the content of a regular file of at most so many bytes; raises OSError."""
    check_regular(file, most)
    # What was a file a moment ago may be a pipe by now: opening that must not wait.
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as opened:
        _refuse_irregular(os.fstat(handle), file, most)
        parts, size = [], 0
        while part := opened.read(_PART):
            parts.append(part)
            size += len(part)
            if size > most:  # a file of /proc states a size of 0
                raise _too_large(file, most)
    return b"".join(parts)


def read_text(file: Path, most: int = MOST_TEXT) -> str:
    """Return the text of a regular file in UTF-8, with or without a mark; raises OSError.

    All line ends become a line feed.
    """
    content = read_bytes(file, most)
    if content.startswith(_NETCDF):
        reason = "is a netCDF data set, not a text: `loligo show` and `loligo check` read it"
        raise OSError(errno.EINVAL, reason, str(file))
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        reason = f"is not a text in UTF-8: byte {error.start + 1} belongs to no character"
        raise OSError(errno.EILSEQ, reason, str(file)) from None


def _refuse_irregular(found: os.stat_result, file: Path, most: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        what = _IRREGULAR.get(stat.S_IFMT(found.st_mode), "something else")
        raise OSError(errno.EINVAL, f"is {what}, not a regular file", str(file))
    if found.st_size > most:
        raise _too_large(file, most)


def _too_large(file: Path, most: int) -> OSError:
    limit = f"{most / 2**20:.0f} MiB" if most < 2**30 else f"{most / 2**30:.0f} GiB"
    return OSError(errno.EFBIG, f"is larger than {limit}, which is not read", str(file))


@contextmanager
def aside(file: Path) -> Iterator[Path]:
    """Give a path to write to; what is there at the end becomes the file, in one instant.

    Its folder is made. A kill or an exception leaves the old file. A full disk names no file, and a
    folder that cannot be written the one aside; here both name this one.
    """
    beside = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
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
    """See that a file can be written, where its folder is to be made, too; nothing stays there.

    Before hours of work, rather than after them. Raises OSError.
    """
    there = next(folder for folder in (file.parent, *file.parent.parents) if folder.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=f".{file.name}."):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None


def umask() -> int:
    """Return the permissions that this process does not give."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
