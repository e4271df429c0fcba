"""Further coefficients: those that made the data are named, and no others."""

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.cli.main import main
from loligo.reduced.predict.predict import predict
from loligo.validation.fitting.coefficients.case_data import excited
from loligo.validation.fitting.coefficients.further import further
from loligo.validation.fitting.coefficients.held_out import study_of
from loligo.validation.fitting.coefficients.search import Search, calibrate

CASE = load("cylinder")
BASE = files.for_case(CASE, "geometry and rubber")


def data(noise=0.0, **values):
    found = predict(CASE, coefficients=BASE.replaced(values))
    frame = found["frame"].values.copy()
    frame[..., :3, 3] += noise * np.random.default_rng(7).normal(size=(*frame.shape[:2], 3))
    return found.assign(frame=found["frame"].copy(data=frame)).assign_attrs(kind="measurement")


def fit(of):
    study = study_of(CASE, of)
    names = excited("rod", [study])
    assert names == ("bending_stiffness",)
    return calibrate(Search("rod", BASE, names, (study,)))


def test_the_coefficient_that_made_the_data_is_named_with_what_it_gains():
    more = further(fit(data(bending_stiffness=1.2, bending_taper=0.8)))
    assert more.names == ("bending_taper",)
    assert more.values["bending_taper"] == pytest.approx(0.8, rel=1e-4)
    assert more.after < 1e-4 < 5e-3 < more.before and more.helps


def test_nothing_is_named_where_nothing_is_to_gain():
    assert further(fit(data(bending_stiffness=1.2))) is None
    assert further(fit(data(noise=1e-3, bending_stiffness=1.2))) is None


def test_what_was_measured_is_not_sought():
    found = fit(data(bending_stiffness=1.2, bending_taper=0.8))
    more = further(found, kept=("bending_taper",))
    assert more is None or "bending_taper" not in more.names


def test_the_command_gives_the_options_to_add(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    dataset.write(data(bending_stiffness=1.2, bending_taper=0.8), tmp_path / "mine.nc")
    words = ["calibrate", "cylinder", "--data", "mine.nc", "--starts", "1", "--no-profiles"]
    with pytest.raises(SystemExit):
        main(words)
    said = " ".join(capsys.readouterr().out.split())
    assert "hint: the fitted loads determine bending_taper, too" in said
    assert "add --fit bending_stiffness --fit bending_taper" in said
    with pytest.raises(SystemExit):
        main([*words, "--fit", "bending_stiffness"])
    assert "hint" not in capsys.readouterr().out
