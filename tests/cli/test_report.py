"""`loligo report`: what it says where a process of its pool does not come back."""

import os

import pytest

from loligo.cases.record import BadInput
from loligo.cli.report import _side_by_side


def test_a_killed_process_is_one_sentence(monkeypatch):
    """HDF5 can crash over a damaged file."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    with (
        pytest.raises(BadInput, match="was killed: `loligo check FILE` finds a damaged file"),
        _side_by_side(2) as each,
    ):
        list(each(os._exit, [1, 1]))
