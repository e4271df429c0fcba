"""A fault on one rank of three ends all ranks, in time, with one message and its code."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import faulty

QUICK = [("start", "BadInput"), ("trust", "SystemExit"), ("assemble", "KeyboardInterrupt")]


@pytest.mark.parametrize(("place", "kind"), QUICK)
def test_it_ends_all_ranks(tmp_path, place, kind):
    ending = faulty.run(place, kind, tmp_path)
    assert faulty.is_good(ending, kind), ending


@pytest.mark.slow
@pytest.mark.parametrize("kind", faulty.KINDS)
@pytest.mark.parametrize("place", faulty.PLACES | faulty.OTHER_PLACES)
def test_every_kind_does_at_every_place(tmp_path, place, kind):
    ending = faulty.run(place, kind, tmp_path)
    assert faulty.is_good(ending, kind), ending


def test_an_unexpected_exception_comes_with_its_traceback_and_phase(tmp_path):
    ending = faulty.run("observe", "AssertionError", tmp_path)
    assert faulty.is_good(ending, "AssertionError"), ending
    assert ending.said.count("Traceback") == 1
    assert ending.messages == [
        "loligo: AssertionError: a fault on one rank (rank 1 of 3, while observing)"
    ]
    assert (tmp_path / "own.nc").exists()  # with the step before


def test_the_table_in_the_docs_is_of_all_places_and_has_no_failure():
    page = (Path(__file__).parents[2] / "docs" / "faults.md").read_text()
    rows = [line for line in page.splitlines() if "1 message |" in line]
    assert [row.split(" | ")[0][2:] for row in rows] == [p.words for p in faulty.PLACES.values()]
    for row in rows:
        cells = row.strip("| ").split(" | ")[2:]
        assert cells == [f"{faulty.CODES[kind]}, 1 message" for kind in faulty.TABLE]
