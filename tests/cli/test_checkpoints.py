"""What a restart goes on from."""

from mpi4py import MPI

import pytest

from loligo.cases.record import BadInput
from loligo.cli.checkpoints import Interval, Keeper
from loligo.cli.rungs import Rung
from loligo.fem.checkpoint import Checkpoint, write

WANTED = [Rung(0, 0), Rung(1, 0)]


@pytest.fixture
def keeper(tmp_path):
    """A keeper of a checkpoint of level 1."""
    kept = Keeper(MPI.COMM_SELF, tmp_path / "run.nc", Interval(1, None))
    write(Checkpoint({"level": 1, "mesh_hash": "made"}), kept.folder)
    return kept


def test_a_checkpoint_of_a_mesh_that_is_made_no_more_is_left_out(keeper, capsys):
    """Before the first level, or hours later it would be refused."""
    found = keeper.newest(WANTED, {1: "made"}.__getitem__)
    assert found is not None and found.facts["level"] == 1
    assert keeper.newest(WANTED, {1: "another"}.__getitem__) is None
    said = "the checkpoint of level 1 is of another mesh; the level begins at rest"
    assert said in capsys.readouterr().err


def test_a_checkpoint_of_a_level_that_is_not_asked_for_is_refused(keeper):
    with pytest.raises(BadInput, match="is of level 1, which is not asked for"):
        keeper.newest(WANTED[:1], {1: "made"}.__getitem__)
