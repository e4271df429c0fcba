"""`loligo report`: what it says where a process of its pool does not come back."""

import os

import pytest

from loligo.cases.core.record import BadInput
from loligo.hpc.items import ItemFolder, write_index
from loligo.reporting import _side_by_side, data_files


def test_a_killed_process_is_one_sentence():
    """HDF5 can crash over a damaged file."""
    with (
        pytest.raises(BadInput, match="was killed: `loligo check FILE` finds a damaged file"),
        _side_by_side(2) as each,
    ):
        list(each(os._exit, [1, 1]))


def test_a_study_s_folder_stands_for_the_items_that_it_has_now(tmp_path):
    """Not for those of an earlier version of its file, nor for what was collected."""
    now, earlier, waiting = "0123456789ab", "ba9876543210", "aaaaaaaaaaaa"
    for name in (now, earlier, waiting):
        (tmp_path / name).mkdir()
    results = {name: tmp_path / name / "result.nc" for name in (now, earlier)}
    for file in (*results.values(), tmp_path / "collected.nc"):
        file.touch()
    write_index(tmp_path, [ItemFolder(tmp_path / now), ItemFolder(tmp_path / waiting)])
    assert data_files([str(tmp_path)]) == [results[now]]
    (tmp_path / "index.json").unlink()
    assert data_files([str(tmp_path)]) == [tmp_path / "collected.nc"]
