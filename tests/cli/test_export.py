"""`loligo export`: the folder, the summary, and what it refuses."""

import json
import shutil

import pytest

from loligo.cli.main import main
from loligo.validation.data.shipped import folder

FITTED = folder() / "robots" / "gong_arm.toml"


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return ended.value.code or 0, said.out, said.err


def test_coefficients_bring_their_case_along(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copy(FITTED, "mine.toml")
    code, said, _ = run(capsys, "export", "mine.toml", "--to", "csv", "-o", "out", "--json")
    assert code == 0
    assert json.loads(said)["files"] == ["LOSSES.md", "chambers.csv", "sections.csv"]
    assert (tmp_path / "out" / "chambers.csv").read_text().count("\n") == 8  # 7 chambers
    # Again: its own files are replaced
    assert run(capsys, "export", "gong_arm", "--to", "csv", "-o", "out")[0] == 0


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("gong_arm", "--to", "matlap"), "is no target; known are c, numpy, csv"),
        (("renda_mantle_ring", "--to", "csv"), "only an arm has a section law"),
        (("mine.toml", "--to", "csv", "-c", "mine.toml"), "give coefficients once"),
        (("zhang_actuator", "--to", "csv", "-c", "mine.toml"), "belong to another"),
        (("gong_arm", "--to", "csv", "-o", "diary"), "is of no export"),
        (("gong_arm", "--to", "csv", "-o", "mine.toml"), "is a file"),
    ],
)
def test_what_is_refused_leaves_everything(tmp_path, monkeypatch, capsys, command, reason):
    monkeypatch.chdir(tmp_path)
    shutil.copy(FITTED, "mine.toml")
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "chambers.csv").write_text("my diary")
    here = () if "-o" in command else ("-o", "out")
    code, _, said = run(capsys, "export", *command, *here)
    assert code == 2 and reason in " ".join(said.split())
    assert (tmp_path / "diary" / "chambers.csv").read_text() == "my diary"
    assert not (tmp_path / "out").exists()
