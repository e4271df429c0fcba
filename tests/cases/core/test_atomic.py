"""Files that are whole at every instant."""

import os
from pathlib import Path

import pytest

from loligo.cases.core.atomic import MOST_TEXT, check_writable, read_bytes, read_text, replace


def test_what_cannot_be_written_is_called_by_its_name(tmp_path):
    (tmp_path / "file").touch()
    for name in ("file/a.json", "file/below/a.json", "/proc/nowhere/a.json"):
        with pytest.raises(OSError) as caught:
            replace(tmp_path / name, "{}")
        assert caught.value.filename == str(tmp_path / name)
        with pytest.raises(OSError):
            check_writable(tmp_path / name)


def test_the_folder_is_made_when_the_file_is_written(tmp_path):
    file = tmp_path / "new" / "newer" / "a.json"
    check_writable(file)
    assert list(tmp_path.iterdir()) == []
    replace(file, "{}")
    assert file.read_text() == "{}"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "a.json"
    replace(file, "{}")
    with pytest.raises(TypeError):
        replace(file, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"] and file.read_text() == "{}"


def test_what_has_no_end_is_not_read(tmp_path):
    """A pipe without a writer would block its reader, a device would fill the memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    large = tmp_path / "large"
    with large.open("wb") as made:
        made.truncate(MOST_TEXT + 1)  # without a byte on the disk
    said = {"pipe": "named pipe", "zero": "device", "large": "larger than 64 MiB", ".": "folder"}
    for name, words in said.items():
        with pytest.raises(OSError, match=words) as caught:
            read_text(tmp_path / name)
        assert caught.value.filename == str(tmp_path / name)
    with pytest.raises(OSError, match="larger than 0 MiB"):
        read_bytes(Path("/proc/self/maps"), 10)  # which states a size of 0


def test_text_is_read_as_editors_of_all_systems_write_it(tmp_path):
    file = tmp_path / "text"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\rc = '\xc3\xa4'\n")
    assert read_text(file) == "a = 1\nb = 2\nc = 'ä'\n"
    file.write_bytes(b"ab\xff")
    with pytest.raises(OSError, match="byte 3 belongs to no character"):
        read_text(file)
    for head in (b"\x89HDF\r\n\x1a\n", b"CDF\x01"):
        file.write_bytes(head + b"rest")
        with pytest.raises(OSError, match=r"netCDF data set.*`loligo show`"):
            read_text(file)
