"""Bodies from files: STEP shapes, and meshes as users make them."""

import math
from dataclasses import replace

import gmsh
import numpy as np
import pytest

from loligo.cases.body import Solid
from loligo.meshes import integrals
from loligo.meshes.build import build_mesh, make_mesh
from loligo.meshes.check import check
from loligo.meshes.finding import MeshError
from loligo.meshes.mesh import mesh_hash
from loligo.meshes.session import read_msh, session, write_msh
from loligo.meshes.shape import seen_from_solid

AXES = 0.011, 0.012, 0.009
SOLID = Solid(
    step="pod.step",
    size=0.008,
    surfaces={
        "base": ((0, 0, 0),),
        "tip": ((0.06, 0, 0),),
        "cavity_pod": ((0.03, 0, 0.009),),
    },
    centreline=((0, 0, 0), (0.06, 0, 0)),
    stations=(0, 0.01, 0.03, 0.06),
    cavities=("pod",),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a STEP file: a cylinder around an ellipsoidal cavity, in millimetres."""
    path = tmp_path_factory.mktemp("case")
    with session():
        occ = gmsh.model.occ
        cylinder = occ.addCylinder(0, 0, 0, 60, 0, 0, 18)
        ball = occ.addSphere(30, 0, 0, 1)
        occ.dilate([(3, ball)], 30, 0, 0, *(1e3 * a for a in AXES))
        occ.cut([(3, cylinder)], [(3, ball)])
        occ.synchronize()
        gmsh.write(str(path / "pod.step"))
    return path


def enclosed(mesh, name):
    facets = seen_from_solid(mesh, mesh.facets_of(name))
    return integrals.enclosed_volume(mesh.element, mesh.points, facets)


def test_a_step_shape_is_cut_named_and_refined(folder):
    exact = 4 / 3 * math.pi * math.prod(AXES)
    errors = []
    for level in range(3):
        mesh = build_mesh(SOLID, level, case_folder=folder)
        assert check(mesh, SOLID) == ()
        assert mesh.facet_names == (
            *("base", "cavity_pod", "outer"),
            *("section_01", "section_02", "tip"),
        )
        errors.append(abs(enclosed(mesh, "cavity_pod") / exact - 1))
        # Half of the ellipsoid is cut out of the section through its centre.
        area = integrals.areas(mesh.element, mesh.points, mesh.facets_of("section_02")).sum()
        assert area == pytest.approx(math.pi * (0.018**2 - AXES[1] * AXES[2]), rel=2e-3)
    # F14: second-order elements follow an ellipsoid to 2e-4.
    assert errors[2] < 2e-4
    assert np.log(errors[0] / errors[2]) / np.log(1.4**2) > 3.0
    assert mesh_hash(mesh) == mesh_hash(build_mesh(SOLID, 2, case_folder=folder))


def test_points_that_name_no_face_or_two(folder):
    wrong = SOLID.model_copy(
        update={
            "surfaces": {**SOLID.surfaces, "bore": ((0.03, 0.015, 0),), "rim": ((0, 0.001, 0),)}
        }
    )
    with pytest.raises(MeshError) as refused:
        build_mesh(wrong, 0, case_folder=folder)
    assert 'the point (30, 15, 0) mm of surface "bore" lies 3 mm away' in str(refused.value)
    assert 'the face at (0, 1, 0) mm is named both "base" and "rim"' in str(refused.value)


def test_step_files_have_no_discs_and_must_exist(folder, tmp_path):
    with pytest.raises(MeshError, match="a STEP file has no named volumes"):
        build_mesh(SOLID.model_copy(update={"discs": ("tip",)}), 0, case_folder=folder)
    with pytest.raises(MeshError, match=r"there is no file pod\.step beside the case"):
        build_mesh(SOLID, 0, case_folder=tmp_path)


def test_a_bent_shape_is_cut_across_its_centreline(tmp_path):
    with session():
        occ = gmsh.model.occ
        parts = [(3, occ.addBox(0, -5, -5, 45, 10, 10)), (3, occ.addBox(35, -5, -5, 10, 45, 10))]
        occ.fuse(parts[:1], parts[1:])
        occ.synchronize()
        gmsh.write(str(tmp_path / "hook.step"))
    hook = Solid(
        step="hook.step",
        size=0.006,
        surfaces={"base": ((0, 0, 0),), "tip": ((0.04, 0.04, 0),)},
        centreline=((0, 0, 0), (0.04, 0, 0), (0.04, 0.04, 0)),
        stations=(0, 0.02, 0.06, 0.08),
    )
    mesh = build_mesh(hook, 0, case_folder=tmp_path)
    assert check(mesh, hook) == ()
    for name in ("section_01", "section_02"):
        area = integrals.areas(mesh.element, mesh.points, mesh.facets_of(name)).sum()
        assert area == pytest.approx(1e-4)


def as_mesh_file(body):
    return Solid.model_validate(
        body.model_dump()
        | {"step": None, "size": None, "surfaces": {}, "mesh": "pod.msh", "file_unit": "mm"}
    )


def test_a_users_mesh_in_millimetres(folder, tmp_path):
    made = build_mesh(SOLID, 0, case_folder=folder)
    write_msh(made, tmp_path / "metres.msh")
    with session():
        gmsh.open(str(tmp_path / "metres.msh"))
        gmsh.model.mesh.affineTransform([1e3, 0, 0, 0, 0, 1e3, 0, 0, 0, 0, 1e3, 0])
        gmsh.write(str(tmp_path / "pod.msh"))
    users = as_mesh_file(SOLID)
    mesh = build_mesh(users, 0, case_folder=tmp_path)
    assert check(mesh, users) == ()
    np.testing.assert_allclose(mesh.points, made.points, rtol=1e-12)
    wrong = users.model_copy(update={"file_unit": "m"})
    with pytest.raises(MeshError, match=r"the mesh is 60 m long but the body 0\.06 m"):
        make_mesh("pod", wrong, 0, tmp_path / "out", case_folder=tmp_path, picture=False)
    with pytest.raises(MeshError, match="a mesh from a file has level 0 alone"):
        build_mesh(users, 1, case_folder=tmp_path)


def test_soft_parts_of_a_users_mesh_bear_any_name_but_discs_do_not(folder):
    made = build_mesh(SOLID, 0, case_folder=folder)
    users = as_mesh_file(SOLID)
    assert check(replace(made, cell_names=("rubber",)), users) == ()
    found = check(replace(made, cell_names=("disc_tip",)), users)
    assert ["disc_tip" in finding.text for finding in found] == [True]
    found = check(made, users.model_copy(update={"discs": ("tip",)}))
    assert 'volume group "disc_tip" is missing; the mesh has body' in found[0].text


def test_a_users_mesh_of_first_order_without_groups(tmp_path):
    with session():
        gmsh.model.occ.addBox(0, -5, -5, 60, 10, 10)
        gmsh.model.occ.synchronize()
        gmsh.option.setNumber("Mesh.SaveAll", 1)
        gmsh.model.mesh.generate(3)
        gmsh.write(str(tmp_path / "pod.msh"))
    users = as_mesh_file(SOLID)
    with pytest.raises(MeshError) as refused:
        make_mesh("pod", users, 0, tmp_path, case_folder=tmp_path, picture=False)
    assert "elements are of type Tetrahedron 4" in str(refused.value)
    assert "elements are of type Triangle 3" in str(refused.value)


def test_a_users_mesh_without_a_section_and_with_a_wrong_name(folder, tmp_path):
    made = build_mesh(SOLID, 0, case_folder=folder)
    keep = made.facet_tags != made.facet_names.index("section_01") + 1
    names = tuple("cavity" if n == "cavity_pod" else n for n in made.facet_names)
    broken = replace(
        made, facets=made.facets[keep], facet_tags=made.facet_tags[keep], facet_names=names
    )
    write_msh(broken, tmp_path / "pod.msh")
    assert mesh_hash(read_msh(tmp_path / "pod.msh")) != mesh_hash(made)
    with pytest.raises(MeshError) as refused:
        make_mesh(
            "pod",
            as_mesh_file(SOLID).model_copy(update={"file_unit": "m"}),
            0,
            tmp_path,
            case_folder=tmp_path,
            picture=False,
        )
    message = str(refused.value)
    assert 'facet group "cavity_pod" is missing' in message
    assert 'facet group "cavity" is not known' in message
    assert 'station 10 mm is not a plane of facets: put them into group "section_01"' in message


def test_a_script_is_not_run(tmp_path):
    """Gmsh runs whatever is no mesh as a script, shell commands included."""
    script = f'SystemCall "touch {tmp_path / "harm"}";\n'
    users = as_mesh_file(SOLID)
    for text in (script, "", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1"):
        (tmp_path / "pod.msh").write_text(text)
        with pytest.raises(MeshError):
            build_mesh(users, 0, case_folder=tmp_path)
        (tmp_path / "pod.step").write_text(text)
        with pytest.raises(MeshError, match="cannot be read as STEP"):
            build_mesh(SOLID, 0, case_folder=tmp_path)
    (tmp_path / "pod.geo").write_text(script)
    with pytest.raises(MeshError, match=r"it is not a Gmsh mesh: a \.msh file begins with"):
        read_msh(tmp_path / "pod.geo")
    assert not (tmp_path / "harm").exists()


def test_options_beside_a_mesh_are_not_run(folder, tmp_path):
    """Gmsh runs FILE.opt beside any file that it opens as a script, shell commands included."""
    write_msh(build_mesh(SOLID, 0, case_folder=folder), tmp_path / "pod.msh")
    script = f'SystemCall "touch {tmp_path / "harm"}";\n'
    (tmp_path / "pod.msh.opt").write_text(script)
    assert len(read_msh(tmp_path / "pod.msh").cells)
    assert not (tmp_path / "harm").exists()


def test_a_mesh_cut_short_is_not_kept(folder, tmp_path, monkeypatch):
    mesh = build_mesh(SOLID, 0, case_folder=folder)
    whole = gmsh.write

    def full_disk(name):
        whole(name)
        with open(name, "r+b") as file:
            file.truncate(2000)

    monkeypatch.setattr(gmsh, "write", full_disk)
    with pytest.raises(MeshError, match="could not be written whole"):
        write_msh(mesh, tmp_path / "pod.msh")
    assert not list(tmp_path.iterdir())
