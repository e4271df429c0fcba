"""The fuzzer finds nothing; and it would find what it looks for."""

import os
import random
import time

import pytest
from fuzz import apart, commands, hostile, relations, run
from fuzz.found import Trial

from loligo.reduced.predict import predict as module


@pytest.mark.slow
def test_nothing_is_found(tmp_path):
    apart.warm_up()
    trials = run.all_tried(run.KINDS, 1, tmp_path)
    assert len(trials) > 1000
    assert [trial for trial in trials if trial.bad] == []


def test_half_of_the_hostile_cases_differ_and_all_are_the_same_again():
    """Otherwise the same few would be tried, or a finding could not be seen again."""
    text = "[body]\nkind = 'tapered_arm'\nlength = '2 mm'\n[load.a]\nkind = 'weight'\n"
    made = [hostile.mutated(text, random.Random(i)) for i in range(100)]
    assert made == [hostile.mutated(text, random.Random(i)) for i in range(100)]
    assert len(set(made)) >= 50


def error():
    raise RuntimeError("planted")


def sentence():
    os.write(2, b"error: planted\n")
    raise SystemExit(2)


def silent():
    raise SystemExit(2)


def busy():
    """Take four seconds of the clock, of processors less than the limit of two."""
    end = time.monotonic() + 4.0
    while time.monotonic() < end:
        time.sleep(0.02)
        sum(range(100_000))


def endless():
    while True:
        pass


def wrong():
    raise apart.Wrong("planted")


@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        (lambda: None, "answered"),
        (sentence, "refused"),
        (error, "traceback"),
        (lambda: time.sleep(60), "hang"),
        (busy, "answered"),
        (endless, "hang"),
        (os.abort, "abort"),
        (wrong, "wrong number"),
        (silent, "no sentence"),
    ],
)
def test_each_end_of_a_child_is_told(function, verdict, tmp_path):
    ended = apart.call(function, tmp_path, 2.0)
    assert ended.verdict == verdict, ended
    assert Trial("k", "n", ended.verdict).bad == (verdict not in ("answered", "refused"))


PLANTED = {
    "scaled by dimensional analysis": ("renda_arm_tip_force", "rod"),
    "mirrored": ("renda_arm_tip_force", "rod"),
    "a load in two halves": ("renda_arm_tip_force", "rod"),
    "renamed and reordered": ("emet_limb_one_tendon", "pcc"),
    "written in other units": ("emet_limb_one_tendon", "pcc"),
    "twice as stiff, twice the loads": ("renda_arm_tip_force", "pcc"),
}


@pytest.mark.parametrize("relation", PLANTED)
def test_a_relation_holds_and_notices_a_prediction_that_drifts(relation, monkeypatch):
    """The second prediction of each pair has its frames moved by 1e-4 of the length."""
    name, model = PLANTED[relation]
    relations.judge(relation, name, model, random.Random(1))
    true, calls = module.predict, []

    def drifted(case, model, law):
        found = true(case, model, law=law)
        calls.append(case)
        if len(calls) == 2:
            found["frame"][..., 1, 3] += 1e-4 * float(abs(found["frame"][..., 0, 3]).max())
        return found

    monkeypatch.setattr(module, "predict", drifted)
    with pytest.raises(apart.Wrong, match="frame is"):
        relations.judge(relation, name, model, random.Random(1))


@pytest.mark.parametrize(
    ("line", "name", "may"),
    [
        ("reduce c.toml -o d.nc", "d.nc", True),
        ("reduce c.toml -o c.toml", "c.toml", False),
        ("reduce c.toml -c k.toml -o k.toml", "k.toml", False),
        ("calibrate c.toml --data d.nc -o d.nc", "d.nc", False),
        ("calibrate c.toml --data d.nc -o k.toml", "k.toml", True),
        ("solve c.toml -o pulls.csv", "pulls.csv", False),
    ],
)
def test_which_files_a_command_may_replace(line, name, may):
    assert commands._replaceable(name, line.split()) == may
