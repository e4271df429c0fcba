"""The data that loligo brings along: whole, of today's cases, small; some are made again."""

import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case_file import library_names, load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.gci import two_levels
from loligo.meshes.build import build_mesh, default_size
from loligo.meshes.mesh import mesh_hash, unknowns
from loligo.validation.data import shipped as module
from loligo.validation.data.regress import regress
from loligo.validation.data.shipped import checksum, read_manifest, shipped
from loligo.validation.data.source import read_source
from loligo.validation.shipping import reference as shipping
from loligo.validation.shipping.reference import same_study

CASES = sorted(shipped())
LARGEST, ALTOGETHER = 1.5e6, 30e6
"""Bytes."""


def test_manifest_and_files_are_the_same_cases() -> None:
    assert CASES and set(CASES) == set(read_manifest()) <= set(library_names())
    sizes = [file.stat().st_size for file in shipped().values()]
    assert max(sizes) < LARGEST and sum(sizes) < ALTOGETHER


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_whole_and_of_the_library_case_with_bars(case: str) -> None:
    file, entry = shipped()[case], read_manifest()[case]
    source = read_source(file)  # verifies the checksum
    assert checksum(file) == entry.sha256 and file.stat().st_size == entry.size
    assert dataset.check(source.data) == []
    assert same_study(source.data, load(case)), f"{case} has changed: make data"
    assert len(source.meshes) == len(entry.levels) >= 2
    assert source.surface is not None
    if source.data.attrs["status"] == "complete":
        name = "frame" if "frame" in source.data else "profile_radius"
        assert np.all(source.data[f"{name}_uncertainty"] > 0.0)
    assert entry.command == f"loligo solve {case} --levels {','.join(map(str, entry.levels))}"


def test_a_motion_is_made_with_levels_of_its_steps_when_it_is_named() -> None:
    words = ["solve", "renda_mantle_pulse", "--levels", "0,1", "--time-levels", "0,1"]
    assert shipping.asked(load("renda_mantle_pulse"), (0, 1)) == words
    assert "renda_mantle_pulse" not in shipping.static_cases()


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped data with one good file in it."""
    case = CASES[0]
    entry = read_manifest()[case]
    (tmp_path / f"{case}.nc").write_bytes(shipped()[case].read_bytes())
    monkeypatch.setattr(module, "folder", lambda: tmp_path)
    module.write_manifest({case: entry})
    return tmp_path


def test_a_changed_file_is_refused_with_what_to_do(own_folder: Path) -> None:
    file = own_folder / f"{CASES[0]}.nc"
    read_source(file)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(BadInput, match=r"SHA-256 is another: install loligo anew"):
        read_source(file)


def test_a_file_that_nobody_listed_is_refused(own_folder: Path) -> None:
    stranger = own_folder / "stranger.nc"
    stranger.write_bytes((own_folder / f"{CASES[0]}.nc").read_bytes())
    with pytest.raises(BadInput, match=r"is not in manifest\.toml"):
        read_source(stranger)


def test_another_study_of_the_same_name_is_noticed() -> None:
    case = load(CASES[0])
    data = dataset.read(shipped()[CASES[0]])
    assert same_study(data, case.model_copy(update={"title": "other words"}))
    # Where nothing has weight, gravity changes nothing.
    assert same_study(data, case.model_copy(update={"gravity": (0.0, 1.0, 0.0)}))
    assert not same_study(data, case.model_copy(update={"steps": (0.5, 1.0)}))


def test_what_is_up_to_date_is_not_made_again_and_the_rest_is(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case, other = CASES[:2]
    content = shipped()[case].read_bytes()
    asked = []

    def solve(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command[3:6])
        Path(command[-1]).write_bytes(content)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(shipping, "subprocess", SimpleNamespace(run=solve, DEVNULL=None))
    monkeypatch.setattr(shipping, "folder", lambda: own_folder)
    monkeypatch.setattr(shipping, "BUDGET", 0.0)  # no third level
    shipping.main([case], tmp_path / "workshop")
    assert asked == []
    published = read_manifest()[case]
    module.write_manifest({case: replace(published, levels=(0,))})
    shipping.main([case], tmp_path / "workshop")
    assert asked == [["solve", case, "--levels"]]
    entry = read_manifest()[case]
    assert entry.levels == published.levels and entry.sha256 == checksum(own_folder / f"{case}.nc")
    assert shipping.third_level_seconds(case) > entry.cpu_seconds / 2
    assert shipping.third_level_seconds(other) == float("inf")  # not made yet


@pytest.mark.parametrize("case", [c for c in CASES if c in ("cylinder", "renda_arm_tip_force")])
def test_bending_stiffness_is_that_of_theory_within_its_bar(case: str) -> None:
    """E I of round rubber, by regression on the smallest load: what the fit and the mesh leave."""
    source = read_source(shipped()[case])
    meshes = {size: data.isel(step=slice(0, 1)) for size, data in source.meshes.items()}
    ratio = {size: regress(load(case), [data], ("kz",)) for size, data in meshes.items()}
    sizes = sorted(ratio)[:2]
    values = np.array([ratio[size].ratio[0, 0] for size in sizes])
    bar = ratio[sizes[0]].ratio_bar[0, 0] + float(two_levels(values, sizes, 3.0).half_width)
    assert bar < 2e-3
    # A finite bend is no linear one: rubber's law changes by the square of the outer strain.
    outer = float(np.abs(meshes[sizes[0]]["strain"][..., 2]).max()) * load(case).body.base_radius
    assert outer < 0.03
    assert values[0] == pytest.approx(1.0, abs=bar + outer**2)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_made_again_the_cheapest_are_the_same(rank: int, tmp_path: Path) -> None:
    """On the same mesh to what tolerances leave; another gmsh makes another mesh of that size."""
    case = sorted(CASES, key=lambda name: read_manifest()[name].cpu_seconds)[rank]
    file = tmp_path / "again.nc"
    command = [sys.executable, "-m", "loligo.cli.main", "solve", case, "--level", "0", "-o", file]
    subprocess.run(command, check=True, capture_output=True)
    again = dataset.read(file)
    source = read_source(shipped()[case])
    before = source.meshes[max(source.meshes)]
    same_mesh = again.attrs["mesh_hash"] == before.attrs["mesh_hash"]
    for name in ("frame", "profile_radius", "stored_energy", "volume", "chamber_length"):
        if name in before:
            allowed = 1e-6 * float(np.abs(before[name]).max())
            if not same_mesh:
                allowed += float(_spread(before, source.data, name))
            assert float(np.abs(again[name] - before[name]).max()) <= allowed, name


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_level_is_of_todays_mesh(case: str) -> None:
    """What a restart found of an older mesh is no level of this one."""
    source, study = read_source(shipped()[case]), load(case)
    body, element = study.body, study.mesh.element
    same_mesher = read_manifest()[case].versions["gmsh"] == version("gmsh")
    for data in source.meshes.values():
        size = default_size(body, element)
        mesh = build_mesh(body, int(data.attrs["level"]), element=element, size=size)
        assert unknowns(mesh) == pytest.approx(data.attrs["unknowns"], rel=0.05)
        assert not same_mesher or mesh_hash(mesh) == data.attrs["mesh_hash"], "make data"


def _spread(coarse: xr.Dataset, fine: xr.Dataset, name: str) -> float:
    """How far two levels are apart: meshes of one size differ by less."""
    return float(np.abs(coarse[name] - fine[name]).max())
