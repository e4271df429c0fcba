"""From a body to files."""

import json
import shutil

import meshio
import numpy as np
import pytest

from loligo.cases.body import Mantle, TaperedArm
from loligo.meshes import integrals
from loligo.meshes.build import BUDGET, build_mesh, default_size, make_mesh, mesh_files
from loligo.meshes.export import export_mesh
from loligo.meshes.finding import Finding, MeshError
from loligo.meshes.mesh import mesh_hash, unknowns
from loligo.meshes.page import draw, write_page
from loligo.meshes.session import read_msh

ARM = TaperedArm(length=0.1, base_radius=0.01, tip_radius=0.006, base_disc=0.003, stations=3)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "new"
    report = make_mesh("my_arm", ARM, 0, folder, size=0.008, picture=False)
    return report, mesh_files(folder, "my_arm", 0)


def test_files_agree_with_the_report(made):
    report, files = made
    mesh = read_msh(files.mesh)
    assert mesh_hash(mesh) == report.hash
    data = json.loads(files.report.read_text())
    assert data["hash"] == report.hash
    assert [group["name"] for group in data["areas"]] == list(mesh.facet_names)
    assert data["unknowns"] == 3 * len(mesh.points) + len(np.unique(mesh.cells[:, :4]))
    for measure in report.volumes:
        # The tag in the report is the physical tag in the file.
        cells = mesh.cells[mesh.cell_tags == measure.tag]
        volume = integrals.volumes(mesh.element, mesh.points, cells).sum()
        assert volume == pytest.approx(measure.value, rel=1e-12)
        assert abs(measure.error) < 1e-3
    assert not list(files.mesh.parent.glob(".*"))


def test_the_same_input_gives_the_same_files(made, tmp_path):
    _, files = made
    make_mesh("my_arm", ARM, 0, tmp_path, size=0.008, picture=False)
    again = mesh_files(tmp_path, "my_arm", 0)
    assert again.report.read_bytes() == files.report.read_bytes()
    assert again.mesh.read_bytes() == files.mesh.read_bytes()
    assert again.page.read_bytes() == files.page.read_bytes()


def test_the_page_stands_alone_and_escapes(made, tmp_path):
    report, _ = made
    evil = type(report)(
        **{**vars(report), "case": "<script>", "findings": (Finding("a < b", "warning"),)}
    )
    picture = tmp_path / "p.png"
    picture.write_bytes(b"pixels")
    write_page(evil, tmp_path / "page.html", picture, None)
    text = (tmp_path / "page.html").read_text()
    assert "&lt;script&gt;" in text and "<script>" not in text
    assert "a &lt; b" in text
    assert 'src="data:image/png;base64,cGl4ZWxz"' in text
    assert "http" not in text
    write_page(evil, tmp_path / "page.html", picture, "the renderer ended with code -11")
    assert "There is no picture: the renderer ended with code -11." in (
        (tmp_path / "page.html").read_text()
    )


def test_a_renderer_that_fails_is_told_not_raised(tmp_path):
    picture = tmp_path / "p.png"
    picture.write_bytes(b"of an older mesh")
    (tmp_path / "no.msh").write_text("no mesh")
    assert draw(tmp_path / "no.msh", picture)
    assert not picture.exists()


def test_the_picture_shows_the_groups(made, tmp_path):
    _, files = made
    shutil.copy(files.mesh, tmp_path / "arm.msh")
    assert draw(tmp_path / "arm.msh", tmp_path / "arm.png") is None
    from matplotlib.image import imread

    pixels = imread(tmp_path / "arm.png")[:, :, :3].reshape(-1, 3)
    for colour in ("f0e4cf", "a9b2ba", "c0392b"):  # body, disc, section
        rgb = np.array([int(colour[i : i + 2], 16) for i in (0, 2, 4)]) / 255
        assert (np.abs(pixels - rgb).max(axis=1) < 0.02).sum() > 200, colour
    assert (pixels.min(axis=1) > 0.99).mean() > 0.3


def test_what_cannot_be_meshed_is_refused(tmp_path):
    with pytest.raises(MeshError, match='element "brick" is not known; there are tetrahedron'):
        make_mesh("arm", ARM, 0, tmp_path, element="brick")
    with pytest.raises(MeshError, match="level -1 is below 0"):
        make_mesh("arm", ARM, -1, tmp_path)
    with pytest.raises(MeshError, match=r"elements of 1e-06 mm at level 0 would make about"):
        make_mesh("arm", ARM, 0, tmp_path, size=1e-9)
    paper = ARM.model_copy(update={"bore_radius": 0.006 - 1e-9})
    with pytest.raises(MeshError, match="too thin somewhere"):
        make_mesh("arm", paper, 0, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "body", [ARM, Mantle(radius=0.031, thickness=0.002, cylinder_length=3.0)], ids=lambda b: b.kind
)
def test_the_default_size_spends_the_budget(body):
    spent = unknowns(build_mesh(body, 0, size=default_size(body)))
    assert BUDGET / 2 < spent < 2 * BUDGET  # whole numbers of layers, where they are few


@pytest.mark.parametrize("form", ["vtu", "xdmf"])
def test_exported_meshes_keep_nodes_cells_and_groups(made, form, tmp_path):
    report, files = made
    shutil.copy(files.mesh, tmp_path / "arm.msh")
    exported = meshio.read(export_mesh(tmp_path / "arm.msh", form))
    mesh = read_msh(files.mesh)
    np.testing.assert_allclose(exported.points, mesh.points, rtol=1e-15)
    counts = {}
    for block, tags in zip(exported.cells, exported.cell_data["group"], strict=True):
        for tag in np.unique(tags):
            key = block.type, int(tag)
            counts[key] = counts.get(key, 0) + int((tags == tag).sum())
    wanted = {("tetra10", m.tag): m.elements for m in report.volumes}
    if form == "vtu":
        wanted |= {("triangle6", m.tag): m.elements for m in report.areas}
    assert counts == wanted


def test_unknown_formats_are_refused(made):
    with pytest.raises(ValueError, match='format "stl" is not known; there are vtu, xdmf'):
        export_mesh(made[1].mesh, "stl")
