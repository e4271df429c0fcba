"""The shipped section laws: of today's cases, small, and what the section problem gives."""

import numpy as np
import pytest

from loligo.cases.case_file import library_names, load
from loligo.cases.section_law.shipped import folder, read_manifest, shipped_law, shipped_laws
from loligo.reduced.predict.scope import models_of
from loligo.validation.data.shipped import checksum
from loligo.validation.shipping import laws

pytestmark = pytest.mark.usefixtures("with_laws")


def test_every_law_belongs_to_todays_case():
    assert set(read_manifest()) == set(laws.MADE) == {f.stem for f in folder().glob("*.nc")}
    for name, entry in read_manifest().items():
        assert laws.up_to_date(name), f"{name}: make laws"
        assert checksum(folder() / f"{name}.nc") == entry.sha256
        assert shipped_law(name).belongs_to == entry.belongs_to
    assert sum(entry.size for entry in read_manifest().values()) < 10e6


def test_every_arm_without_a_tapered_bore_has_a_law():
    without = {
        name
        for name in library_names()
        if "rod" in models_of(load(name).body) and not all(shipped_laws(load(name)))
    }
    assert without == {name for name in library_names() if name.startswith("emet_limb")} | {
        "gong_arm_stroke",
        "eth_beam",
    }


@pytest.mark.slow
def test_a_law_that_is_made_again_agrees(tmp_path):
    from loligo.cases.section_law.law import read_law

    name = "gong_elongation"
    laws.make(name, tmp_path / "again.nc")
    ((_, ours),) = shipped_law(name).sections
    ((_, again),) = read_law(tmp_path / "again.nc").sections
    for t in (np.array([0.3]), np.array([0.9])):
        assert again.free(t) == pytest.approx(ours.free(t), rel=1e-6, abs=1e-9)
        stiffness = ours.stiffness(t)
        assert again.stiffness(t) == pytest.approx(stiffness, rel=1e-6, abs=1e-6 * stiffness.max())
    assert again.reach >= ours.reach and again.error < max(2.0 * ours.error, 1e-4)
