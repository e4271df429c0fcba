"""What a restart goes on from."""

from mpi4py import MPI

import pytest

from loligo.cases.case_file import load, to_toml
from loligo.cases.core.record import BadInput
from loligo.fem.io.checkpoint import Checkpoint, write
from loligo.fem.io.keeper import CheckpointInterval, Keeper
from loligo.fem.levels import Resolution

CASE = load("cylinder")
WANTED = [Resolution(0, 0), Resolution(1, 0)]


@pytest.fixture
def keeper(tmp_path):
    """A keeper of a checkpoint of level 1."""
    kept = Keeper(MPI.COMM_SELF, tmp_path / "run.nc", CheckpointInterval(1, None), print)
    facts = {"case": to_toml(CASE), "level": 1, "mesh_hash": "made"}
    write(Checkpoint(facts), kept.folder)
    return kept


def test_a_checkpoint_of_a_mesh_that_is_made_no_more_is_left_out(keeper, capsys):
    """Before the first level, or hours later it would be refused."""
    found = keeper.newest(CASE, WANTED, {1: "made"}.__getitem__)
    assert found is not None and found.facts["level"] == 1
    assert keeper.newest(CASE, WANTED, {1: "another"}.__getitem__) is None
    said = "the checkpoint of level 1 is of another mesh; the level begins at rest"
    assert said in capsys.readouterr().out


def test_a_checkpoint_of_a_level_that_is_not_asked_for_is_refused(keeper):
    with pytest.raises(BadInput, match="is of level 1, which is not asked for"):
        keeper.newest(CASE, WANTED[:1], {1: "made"}.__getitem__)


def test_a_checkpoint_serves_its_case_under_another_title(keeper):
    renamed = CASE.model_copy(update={"name": "mine", "title": "mine", "acceptance": None})
    assert keeper.newest(renamed, WANTED, {1: "made"}.__getitem__) is not None


def test_a_checkpoint_of_another_case_is_refused_before_its_file_is_overwritten(keeper):
    """Whatever its mesh: to begin at rest would cost what the other case has reached."""
    other = load("renda_arm_tip_force")
    with pytest.raises(BadInput, match=r"as it is now: body\.length: ") as no:
        keeper.newest(other, WANTED, {1: "another"}.__getitem__)
    assert "in the checkpoint" in str(no.value)
