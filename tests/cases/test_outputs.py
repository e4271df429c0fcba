"""What an output may replace, and what it must leave."""

import json
import os

import pytest
import xarray as xr

from loligo.cases import outputs
from loligo.cases.case_file import load, to_toml
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import write_whole

CASE = 'title = "mine"\n'


def written(file, **attrs):
    write_whole({"/": xr.Dataset({"x": ("step", [1.0])}, attrs=attrs)}, file)
    return file


def kept(file, kind, inputs=()):
    """The refusal of an output, which leaves the file as it was and which names the file."""
    before = file.read_bytes()
    with pytest.raises(BadInput) as caught:
        outputs.check(file, kind, inputs)
    assert file.read_bytes() == before
    assert str(caught.value).startswith(f"{file}: ") and "--output" in str(caught.value)
    return str(caught.value)


def test_what_is_not_there_and_what_is_of_the_same_case_may_be_written(tmp_path):
    file = tmp_path / "new" / "a.nc"
    assert outputs.check(file, outputs.prediction(CASE)) == file
    assert list(tmp_path.iterdir()) == []
    written(file, kind="prediction", case=CASE, case_name="mine")
    assert outputs.check(file, outputs.prediction(CASE)) == file
    (tmp_path / "empty.nc").touch()
    outputs.check(tmp_path / "empty.nc", outputs.prediction(CASE))


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ('title = "', 'title = "As measured in May. ', True),
        ('mu = "', 'mu = "1', False),
        ("steps = [", "steps = [0.1, ", False),
    ],
)
def test_other_words_leave_the_case_the_same(tmp_path, old, new, allowed):
    text = to_toml(load("cylinder"))
    assert text.count(old) == 1
    file = written(tmp_path / "a.nc", kind="prediction", case=text, case_name="cylinder")
    edited = outputs.prediction(text.replace(old, new))
    if allowed:
        assert outputs.check(file, edited) == file
    else:
        assert "of another case" in kept(file, edited)


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"kind": "reference", "case": CASE, "case_name": "mine"}, 'a 3D solution of "mine"'),
        ({"kind": "measurement", "case_name": "mine"}, 'a measurement of "mine"'),
        ({"kind": "prediction", "case": "another", "case_name": "mine"}, "of another case"),
        ({"kind": "prediction", "case_name": "mine"}, "a case that it does not hold"),
        ({}, "another data set"),
    ],
)
def test_another_kind_or_case_is_replaced_only_if_forced(tmp_path, attrs, words):
    file = written(tmp_path / "a.nc", **attrs)
    said = kept(file, outputs.prediction(CASE))
    assert words in said and "--force" in said
    assert outputs.check(file, outputs.prediction(CASE), force=True) == file


def test_a_file_that_is_no_data_set_is_kept(tmp_path):
    file = tmp_path / "precious.nc"
    file.write_text("my diary")
    assert "no netCDF-4 data set" in kept(file, outputs.prediction(CASE))
    file.write_bytes(b"\x89HDF\r\n\x1a\n" + b"damage" * 100)
    assert "a damaged data set" in kept(file, outputs.prediction(CASE))


def test_no_output_is_an_input_whatever_it_is_called(tmp_path):
    file = written(tmp_path / "a.nc", kind="prediction", case=CASE)
    (tmp_path / "link.nc").symlink_to(file)
    os.link(file, tmp_path / "other.nc")
    for name in ("a.nc", "link.nc", "other.nc"):
        said = kept(tmp_path / name, outputs.prediction(CASE), [tmp_path / "no.toml", file])
        assert "is an input of this command" in said
        with pytest.raises(BadInput, match="is an input"):  # that is not to be forced
            outputs.check(tmp_path / name, outputs.prediction(CASE), [file], force=True)


def test_names_folders_and_pipes_are_refused(tmp_path):
    for name in ("a.txt", "a"):
        with pytest.raises(BadInput, match=r"ends with \.nc"):
            outputs.check(tmp_path / name, outputs.prediction(CASE), force=True)
    (tmp_path / "folder.nc").mkdir()
    with pytest.raises(BadInput, match="is a folder"):
        outputs.check(tmp_path / "folder.nc", outputs.prediction(CASE))
    os.mkfifo(tmp_path / "pipe.nc")
    with pytest.raises(OSError, match="named pipe"):
        outputs.check(tmp_path / "pipe.nc", outputs.prediction(CASE), force=True)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=str(tmp_path)):
        outputs.check(tmp_path / "file" / "a.nc", outputs.prediction(CASE))
    with pytest.raises(BadInput, match="give a folder"):
        outputs.check_folder(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="Permission"):
        outputs.check(tmp_path / "a.nc", outputs.prediction(CASE))


def test_coefficients_records_and_meshes_are_told_from_other_files(tmp_path):
    mine = {"body": "1", "rubber": "2", "thread": "3"}
    file = tmp_path / "c.toml"
    file.write_text(
        'format = "loligo coefficients 1"\n[belongs_to]\n'
        + "".join(f'{key} = "{value}"\n' for key, value in mine.items())
    )
    outputs.check(file, outputs.coefficients(mine))
    assert "another body" in kept(file, outputs.coefficients({**mine, "body": "4"}))
    file.write_text(CASE)  # a case file, for instance
    assert "no file of coefficients" in kept(file, outputs.coefficients(mine))

    kind = outputs.record("a comparison", ("metrics",), case="mine")
    file = tmp_path / "r.json"
    file.write_text(json.dumps({"case": "mine", "metrics": {}}))
    outputs.check(file, kind)
    file.write_text(json.dumps({"case": "yours", "metrics": {}}))
    assert "a comparison with another case" in kept(file, kind)
    for other in ('{"name": 1}', "[1]", "text"):
        file.write_text(other)
        kept(file, kind)

    file = tmp_path / "m.msh"
    file.write_text("$MeshFormat\n")
    assert "without a report" in kept(file, outputs.MESH)
    (tmp_path / "m.json").touch()
    outputs.check(file, outputs.MESH)
    file = tmp_path / "p.png"
    file.write_text("text")
    assert "another file than a picture" in kept(file, outputs.PICTURE)


def test_a_collection_and_a_map_of_another_study_are_kept(tmp_path):
    items = xr.Dataset({"x": ("item", [1.0])}, {"item": ["0123456789ab"]})
    file = tmp_path / "c.nc"
    write_whole({"/": items}, file)
    outputs.check(file, outputs.collection(["0123456789ab", "ffffffffffff"]))
    assert "another study" in kept(file, outputs.collection(["ffffffffffff"]))
    chart = written(tmp_path / "map.nc", kind="validity map", case_name="mine")
    outputs.check(chart, outputs.validity_map(["mine"]))
    assert "a validity map" in kept(chart, outputs.validity_map(["yours"]))
