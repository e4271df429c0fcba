"""Files that are whole at every instant."""

import pytest

from loligo.cases.files import replace


def test_what_cannot_be_written_is_called_by_its_name(tmp_path):
    with pytest.raises(OSError) as caught:
        replace(tmp_path / "nowhere" / "a.json", "{}")
    assert caught.value.filename == str(tmp_path / "nowhere" / "a.json")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "a.json"
    replace(file, "{}")
    with pytest.raises(TypeError):
        replace(file, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"] and file.read_text() == "{}"
