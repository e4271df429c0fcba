"""Rung 0: meshes of the library converge to their bodies, and their levels are similar."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.cases.case_file import load
from loligo.meshes import bodies, integrals
from loligo.meshes.build import REFINEMENT, build_mesh
from loligo.meshes.check import check
from loligo.meshes.mesh import faces, mesh_hash, unknowns
from loligo.meshes.shape import compare_areas, compare_cavities, compare_volumes


def test_level_0_is_small_and_passes_the_gate(name, body, mesh_of):
    mesh = mesh_of(name)
    assert unknowns(mesh) < (80_000 if len(getattr(body, "segments", ())) > 1 else 30_000)
    assert set(mesh.cell_names) == set(bodies.volumes(body))
    assert set(mesh.facet_names) == set(bodies.areas(body))
    assert check(mesh, body) == ()


def assert_converges(body, coarse, fine):
    """Errors of volumes, areas and cavities fall at fourth order, and so do their tolerances."""
    ratio = np.log(REFINEMENT**2)
    for compare in (compare_volumes, compare_areas, compare_cavities):
        last = compare(fine, body)
        for group, (numeric, exact, tolerance) in compare(coarse, body).items():
            assert np.log(tolerance / last[group][2]) / ratio > 3.5, group
            error, fine_error = abs(numeric - exact), abs(last[group][0] - exact)
            # What an outer circle lacks and a bore has too much may cancel.
            if error > 0.1 * tolerance:
                assert 3.5 < np.log(error / fine_error) / ratio < 4.5, group


@pytest.mark.parametrize("case", ["emet_limb_one_tendon", "gong_elongation"])
def test_volumes_and_areas_converge(case, mesh_of):
    # Theory: order 4 for parabolas through three points of an arc.
    assert_converges(load(case).body, mesh_of(case), mesh_of(case, 2))


@pytest.mark.slow
def test_all_levels_of_the_library(name, body, mesh_of):
    for level in range(3):
        assert check(mesh_of(name, level), body) == ()
    assert_converges(body, mesh_of(name), mesh_of(name, 2))


def test_levels_are_similar(name, mesh_of):
    coarse, fine = mesh_of(name), mesh_of(name, 2)
    # 1.96^3 = 7.5 for cells; nodes of skins grow by 1.96^2 only.
    assert 6.2 < len(fine.cells) / len(coarse.cells) < 9.5
    assert 6.0 < unknowns(fine) / unknowns(coarse) < 9.5


@pytest.mark.parametrize("times", [1e-2, 1e-6, 1e3])
def test_a_body_of_any_size_has_as_good_a_mesh(times):
    """OpenCASCADE's tolerance of 1e-7 m is none of the body's affair."""
    lengths = {"length": 0.18, "base_radius": 0.012, "tip_radius": 0.004, "tip_disc": 0.002}
    body = TaperedArm(**lengths)
    scaled = TaperedArm(**{name: times * value for name, value in lengths.items()})
    mesh, other = build_mesh(body, 0), build_mesh(scaled, 0)
    assert len(other.cells) == len(mesh.cells)
    assert not [finding for finding in check(other, scaled) if finding.severity == "error"]


@pytest.mark.parametrize("processor", ["this one", "another"])
def test_the_same_input_gives_the_same_mesh(processor, mesh_of):
    """Kernels of OpenBLAS for an old processor make other last bits of most nodes."""
    code = (
        "from loligo.cases.case_file import load; from loligo.meshes.build import build_mesh; "
        "from loligo.meshes.mesh import mesh_hash; "
        "[print(mesh_hash(build_mesh(load(name).body, 0))) for name in ('gong_arm', 'cylinder')]"
    )
    kernels = {"OPENBLAS_CORETYPE": "Nehalem"} if processor == "another" else {}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **kernels},
    )
    here = [mesh_hash(mesh_of(name)) for name in ("gong_arm", "cylinder")]
    assert done.stdout.split()[-2:] == here
    assert mesh_hash(mesh_of("gong_arm", 1)) != mesh_hash(mesh_of("gong_arm"))


def test_the_hash_sees_nodes_size_cells_and_groups(mesh_of):
    mesh = mesh_of("cylinder")
    nudged, wider = mesh.points.copy(), mesh.points.copy()
    nudged[0, 0] += 1e-6 * np.ptp(mesh.points)
    wider[:, 1:] *= 1.0 + 1e-5
    others = [
        replace(mesh, points=nudged),
        replace(mesh, points=wider),
        replace(mesh, points=2.0 * mesh.points),
        replace(mesh, cells=mesh.cells[1:], cell_tags=mesh.cell_tags[1:]),
        replace(mesh, facet_tags=np.roll(mesh.facet_tags, 1)),
        replace(mesh, facet_names=tuple(reversed(mesh.facet_names))),
    ]
    assert len({mesh_hash(m) for m in [mesh, *others]}) == 7


def test_the_hash_does_not_see_last_bits(mesh_of, name):
    mesh = mesh_of(name)
    noise = np.random.default_rng(1).uniform(-1e-16, 1e-16, mesh.points.shape)
    noisy = mesh.points + noise * np.abs(mesh.points).max()
    assert np.any(noisy != mesh.points)
    assert mesh_hash(replace(mesh, points=noisy)) == mesh_hash(mesh)


def test_chambers_sit_at_their_azimuths(mesh_of):
    mesh = mesh_of("gong_arm")
    for cavity, azimuth in (("s1c1", 90), ("s1c2", 210), ("s1c3", 330), ("s2c1", 270)):
        centre = mesh.points[np.unique(mesh.facets_of(f"cavity_{cavity}"))][:, 1:].mean(axis=0)
        expected = 0.010 * np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth))])
        # Nodes crowd where the wall is thin.
        np.testing.assert_allclose(centre, expected, atol=0.5e-3)


def test_buoyancy_is_the_weight_of_the_displaced_water(name, mesh_of):
    """The pressure x on the skin lifts by the volume, along x and without a side force."""
    mesh = mesh_of(name)
    skin = faces(mesh.element, mesh.cells)
    at, weights = integrals.facet_rule(mesh.element, 5)
    place, normal = integrals.normals(mesh.element, mesh.points, skin.nodes[skin.count == 1], at)
    lift = np.einsum("q,qf,qfi->i", weights, place[:, :, 0], normal)
    volume = integrals.volumes(mesh.element, mesh.points, mesh.cells).sum()
    # Both sides are exact integrals of polynomials.
    np.testing.assert_allclose(lift, [volume, 0, 0], atol=1e-12 * volume)


def test_a_sweep_has_no_handedness(mesh_of):
    mesh = mesh_of("cylinder")
    facets = mesh.facets_of("outer")[:, :3]
    edges = np.concatenate([facets[:, [0, 1]], facets[:, [1, 2]], facets[:, [2, 0]]])
    a, b = mesh.points[edges[:, 0]], mesh.points[edges[:, 1]]
    along = b[:, 0] - a[:, 0]
    around = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    diagonal = np.minimum(abs(along), abs(around) / 0.01) > 1e-6
    turn = np.sign(along * around)[diagonal]
    assert abs(turn.mean()) < 0.1


def test_the_size_scales_the_mesh():
    arm = TaperedArm(length=0.1, base_radius=0.01, tip_radius=0.01, stations=2)
    coarse, fine = (build_mesh(arm, 0, size=size) for size in (0.006, 0.003))
    skin = [np.sqrt(bodies.areas(arm)["outer"] / len(m.facets_of("outer"))) for m in (coarse, fine)]
    assert skin[0] / skin[1] == pytest.approx(2.0, rel=0.15)


def test_cells_are_small_at_the_ends_of_chambers(mesh_of):
    mesh = mesh_of("gong_bending_one")
    planes = np.unique(np.round(mesh.points[mesh.facets_of("outer")][:, :3, 0], 9))
    steps = np.diff(planes[(planes >= 0.005 - 1e-9) & (planes <= 0.105 + 1e-9)])
    edge = 2 * np.pi * 0.005 / 8
    assert steps[0] < 2 * edge and steps[-1] < 2 * edge
    assert steps[[0, -1]].max() < 0.6 * steps.max()


def test_connectors_join_sections_of_different_fineness():
    segments = (
        Segment(length=0.03, chambers=5, chamber_radius=0.0025, chamber_offset=0.0075, turn=0.2),
        Segment(length=0.03, chambers=2, chamber_radius=0.003, chamber_offset=0.005),
        Segment(length=0.02, chambers=1, chamber_radius=0.004, chamber_offset=0.0),
    )
    arm = ChamberedArm(radius=0.0105, segments=segments, plates=(0.002, 0.003, 0.004, 0.002))
    assert check(build_mesh(arm, 0, size=0.005), arm) == ()
    # A chamber close to a winding close to the skin, of one segment alone.
    wound = Segment(
        length=0.03, chambers=1, chamber_radius=0.003, chamber_offset=0.0067, winding_radius=0.01
    )
    arm = arm.model_copy(update={"segments": (segments[1], wound, segments[2])})
    assert check(build_mesh(arm, 0), arm) == ()
