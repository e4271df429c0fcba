"""Metrics of data sets whose errors are known exactly; the tolerances are rounding."""

import numpy as np
import pytest
from synthetic import STATION, arm, moved

from loligo.reduced.lie import exp_se3
from loligo.validation.compare.metrics import BY_NAME, METRICS, applicable, relative

KAPPA, L = 5.0, 0.2
BENT = [0.0, 0.0, KAPPA, 0.0, 0.0, 0.0]


def error(name, reference, prediction):
    return BY_NAME[name].error(reference, prediction)


def share(name, reference, prediction):
    return relative(BY_NAME[name], error(name, reference, prediction), reference)


def test_a_scaled_curvature():
    reference, prediction = arm(BENT), arm(np.multiply(1.1, BENT))
    tips = [np.array([np.sin(k * L) / k, (1.0 - np.cos(k * L)) / k]) for k in (KAPPA, 1.1 * KAPPA)]
    expected = {
        "tip_position": np.linalg.norm(tips[1] - tips[0]),
        "centreline_max": np.linalg.norm(tips[1] - tips[0]),
        "tip_attitude": 0.1 * KAPPA * L,
        "bend_angle": 0.1 * KAPPA * L,
        "curvature": 0.1 * KAPPA,
        "centreline_length": 0.0,
        "torsion": 0.0,
        "stretch": 0.0,
        "shear": 0.0,
    }
    for name, value in expected.items():
        assert error(name, reference, prediction) == pytest.approx([value], abs=1e-14), name
    assert share("curvature", reference, prediction) == pytest.approx([0.1])
    assert share("bend_angle", reference, prediction) == pytest.approx([0.1])
    assert share("tip_position", reference, prediction) == pytest.approx(
        [expected["tip_position"] / L]
    )
    assert np.isnan(share("torsion", reference, prediction)).all()
    assert error("bend_angle", prediction, reference) == pytest.approx([-0.1 * KAPPA * L])


def test_a_rod_turned_about_its_base_has_the_right_strains_and_the_wrong_place():
    reference = arm(BENT)
    angle = 0.3
    turned = moved(reference, exp_se3(np.array([0.0, angle, 0.0, 0.0, 0.0, 0.0])))
    tip = reference["frame"].values[0, -1, :3, 3]
    chord = 2.0 * np.sin(angle / 2.0) * np.hypot(tip[0], tip[2])
    assert error("tip_attitude", reference, turned) == pytest.approx([angle])
    assert error("tip_position", reference, turned) == pytest.approx([chord])
    for name in ("curvature", "torsion", "stretch", "shear", "bend_angle", "centreline_length"):
        assert error(name, reference, turned) == pytest.approx([0.0], abs=1e-14), name


def test_a_shift_is_the_same_everywhere():
    reference = arm(BENT)
    shifted = moved(reference, exp_se3(np.array([0.0, 0.0, 0.0, 3e-3, 0.0, 4e-3])))
    for name in ("tip_position", "centreline_l2", "centreline_max"):
        assert error(name, reference, shifted) == pytest.approx([5e-3]), name
    assert error("tip_attitude", reference, shifted) == pytest.approx([0.0], abs=1e-14)


def test_the_mean_over_the_body_is_the_integral_of_what_grows_linearly():
    reference, stretched = arm(np.zeros(6)), arm([0.0, 0.0, 0.0, 0.2, 0.0, 0.0])
    # int (0.2 X)^2 dX/L = (0.2 L)^2/3; trapezoids add h^2/6 of the second derivative.
    h = STATION[1]
    exact = 0.2 * np.sqrt(L**2 / 3.0 + h**2 / 6.0)
    assert error("centreline_l2", reference, stretched) == pytest.approx([exact])
    assert error("centreline_length", reference, stretched) == pytest.approx([0.2 * L])
    assert error("stretch", reference, stretched) == pytest.approx([0.2])
    assert np.isnan(share("stretch", reference, stretched)).all()
    assert share("stretch", stretched, reference) == pytest.approx([1.0])


def test_bends_add_up_beyond_half_a_turn_and_cancel_in_an_s():
    rolled = arm([0.0, 9.0 / L, 0.0, 0.0, 0.0, 0.0])
    assert error("bend_angle", arm(np.zeros(6)), rolled) == pytest.approx([9.0])
    s = np.zeros((10, 6))
    s[:5, 2], s[5:, 2] = KAPPA, -KAPPA
    assert error("bend_angle", arm(np.zeros(6)), arm(s)) == pytest.approx([0.0], abs=1e-14)
    assert np.isnan(share("bend_angle", arm(s), arm(BENT))).all()


def test_torsion_and_shear_have_their_own_numbers():
    reference = arm([1.0, 0.0, 0.0, 0.0, 0.02, 0.0])
    prediction = arm([1.25, 0.0, 0.0, 0.0, 0.02, 0.03])
    assert error("torsion", reference, prediction) == pytest.approx([0.25])
    assert share("torsion", reference, prediction) == pytest.approx([0.25])
    assert error("shear", reference, prediction) == pytest.approx([0.03])
    assert share("shear", reference, prediction) == pytest.approx([1.5])


def test_bodies_that_move_together_keep_their_errors():
    rng = np.random.default_rng(7)
    reference = arm(rng.normal(size=(10, 6)), wrench=wrench(rng.normal(size=(11, 6))))
    prediction = arm(rng.normal(size=(10, 6)), wrench=wrench(rng.normal(size=(11, 6))))
    g = exp_se3(rng.normal(size=6))
    both = [moved(data, g) for data in (reference, prediction)]
    found = applicable(reference, prediction)
    assert len(found) >= 12
    for metric in found:
        before, after = metric.error(reference, prediction), metric.error(*both)
        assert after == pytest.approx(before, abs=1e-12), metric.name
        assert np.all(np.abs(before) > 1e-6), metric.name


def wrench(values):
    return (("step", "station", "wrench_component"), np.reshape(values, (1, -1, 6)))


def test_wrenches():
    field = np.zeros((11, 6))
    field[:, 2], field[:, 4] = 0.3, 2.0
    more = field.copy()
    more[:, 2] += 0.04 * STATION / L
    more[:, 4] += 0.5
    reference, prediction = arm(BENT, wrench=wrench(field)), arm(BENT, wrench=wrench(more))
    assert error("solid_force", reference, prediction) == pytest.approx([0.5])
    assert share("solid_force", reference, prediction) == pytest.approx([0.25])
    mean = 0.04 * np.sqrt(1.0 / 3.0 + 0.01 / 6.0)
    assert error("solid_moment", reference, prediction) == pytest.approx([mean])
    assert share("solid_moment", reference, prediction) == pytest.approx([mean / 0.3])


def test_cavities_supports_and_energies():
    def data(factor):
        return arm(
            BENT,
            volume=(("step", "cavity"), np.array([[1e-6, 2e-6 * factor]])),
            chamber_length=(
                ("step", "cavity", "line"),
                np.array([[[0.1, 0.1], [0.1 * factor, 0.1]]]),
            ),
            reaction=(("step", "wrench_component"), np.array([[0, 0, 1, 3 * factor, 4, 0.0]])),
            stored_energy=("step", np.array([factor])),
        ).assign_coords(cavity=["a", "b"], line=["bore", "surface"])

    reference, prediction = data(1.0), data(0.9)
    assert error("volume", reference, prediction) == pytest.approx([0.2e-6])
    assert share("volume", reference, prediction) == pytest.approx([0.1])
    assert error("chamber_length", reference, prediction) == pytest.approx([0.01])
    assert share("chamber_length", reference, prediction) == pytest.approx([0.1])
    assert error("reaction_force", reference, prediction) == pytest.approx([0.3])
    assert share("reaction_force", reference, prediction) == pytest.approx([0.06])
    assert error("reaction_moment", reference, prediction) == pytest.approx([0.0], abs=1e-15)
    assert error("stored_energy", reference, prediction) == pytest.approx([-0.1])
    assert share("stored_energy", reference, prediction) == pytest.approx([-0.1])


def test_a_mantle_that_is_wider_and_longer():
    import xarray as xr

    arc = np.linspace(0.0, 0.1, 21)

    def mantle(radius, shift):
        return xr.Dataset(
            {
                "profile_radius": (("step", "meridian"), np.full((1, 21), radius)),
                "profile_axial": (("step", "meridian"), arc[None] + shift),
                "profile_thickness": (("step", "meridian"), np.full((1, 21), radius / 10.0)),
            },
            {"meridian": arc},
        )

    reference, prediction = mantle(0.03, 0.0), mantle(0.033, 0.004)
    assert error("profile_l2", reference, prediction) == pytest.approx([0.005])
    assert error("profile_max", reference, prediction) == pytest.approx([0.005])
    assert share("profile_max", reference, prediction) == pytest.approx([0.05])
    assert error("rim_radius", reference, prediction) == pytest.approx([0.003])
    assert share("rim_radius", reference, prediction) == pytest.approx([0.1])
    assert error("thickness", reference, prediction) == pytest.approx([0.0003])
    assert share("thickness", reference, prediction) == pytest.approx([0.1])


def test_points_are_enough_for_places():
    reference, other = arm(BENT), arm(np.multiply(1.1, BENT))
    at = other["frame"].values[..., :3, 3]
    only = other.drop_vars(["frame", "strain"]).assign(centreline=(("step", "station", "axis"), at))
    names = {metric.name for metric in applicable(reference, only)}
    assert names == {"tip_position", "centreline_l2", "centreline_max"}
    assert error("tip_position", reference, only) == error("tip_position", reference, other)


def test_every_metric_compares_a_body_with_itself_as_equal():
    rng = np.random.default_rng(3)
    same = arm(rng.normal(size=(10, 6)), wrench=wrench(rng.normal(size=(11, 6))))
    for metric in applicable(same):
        assert metric.error(same, same) == pytest.approx([0.0], abs=1e-12), metric.name
    assert len({metric.name for metric in METRICS}) == len(METRICS)
