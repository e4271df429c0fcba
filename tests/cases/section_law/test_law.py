"""The potential of a section law: its derivatives against differences, its ends, its file."""

from dataclasses import replace

import numpy as np
import pytest

from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import (
    SolidLaw,
    coordinates,
    read_law,
    strain_of,
    write_law,
)
from loligo.cases.section_law.parts import EndLaw, Polynomial
from loligo.cases.section_law.shipped import turned

RNG = np.random.default_rng(3)


def symmetric(order):
    from itertools import permutations

    raw = RNG.normal(size=(6,) * order)
    return sum(raw.transpose(p) for p in permutations(range(order)))


def generic():
    """Every part depends on both pressures; values of order one."""
    exponents = np.array([[0, 0], [1, 0], [0, 1], [2, 1]])

    def of(order, size=1.0):
        return Polynomial(exponents, size * np.array([symmetric(order) for _ in exponents]))

    stiffness = of(2, 0.1)
    stiffness.coefficients[0] += 10 * np.eye(6)
    return SolidLaw(
        ("a", "b"),
        np.diag([2e4, 3e4]),
        0.01,
        0.1,
        0.02,
        1e-4,
        Polynomial(exponents, 0.1 * RNG.normal(size=(4, 6))),
        Polynomial(exponents, RNG.normal(size=4)),
        stiffness,
        of(3),
        of(4),
        *(Polynomial(exponents, RNG.normal(size=(4, *n))) for n in ((2,), (2, 6), (6,), (6, 6))),
    )


LAW, PRESSURES = generic(), np.array([0.7e4, 2.1e4])
STRAIN = strain_of(LAW.free(LAW.parameters(PRESSURES)) + 0.05 * RNG.normal(size=(3, 6)))


def with_end():
    """The same with a generic end, of other monomials."""
    exponents = np.array([[0, 0], [1, 1]])
    parts = {
        "free": 0.05 * RNG.normal(size=(2, 6)),
        "potential": RNG.normal(size=2),
        "stiffness": np.array([symmetric(2) for _ in exponents]),
        "volume": RNG.normal(size=(2, 2)),
    }
    return replace(LAW, end=EndLaw(0.02, **{n: Polynomial(exponents, v) for n, v in parts.items()}))


ENDED = with_end()


def potential(pressures, strain, law=LAW):
    local = law.at(pressures)
    return local.energy(strain) + law.potential(law.parameters(pressures))


def test_wrench_and_tangent_are_derivatives_of_the_potential():
    wrench, tangent = LAW.at(PRESSURES).wrench(STRAIN)
    h = 1e-6
    for i in range(6):
        step = h * np.eye(6)[i]
        slope = (potential(PRESSURES, STRAIN + step) - potential(PRESSURES, STRAIN - step)) / (
            2 * h
        )
        assert wrench[:, i] == pytest.approx(slope, rel=1e-6, abs=1e-7)
        ends = [LAW.at(PRESSURES).wrench(STRAIN + sign * step)[0] for sign in (1.0, -1.0)]
        assert tangent[:, :, i] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", [LAW, ENDED.at_disc(), ENDED.at_disc(towards_base=True)])
def test_volumes_are_minus_the_derivative_by_the_pressures(law):
    volumes = law.volumes(PRESSURES, STRAIN)
    for c in range(2):
        h = np.eye(2)[c]
        ends = [potential(PRESSURES + sign * h, STRAIN, law) for sign in (1.0, -1.0)]
        assert volumes[:, c] == pytest.approx(-(ends[0] - ends[1]) / 2.0, rel=1e-6)


def test_the_end_towards_the_base_is_the_mirror_image():
    """Torsion and shears turn round; the potential, bends and stretch stay."""
    tip, base = ENDED.at_disc(), ENDED.at_disc(towards_base=True)
    turned = STRAIN * [-1, 1, 1, 1, -1, -1]
    assert potential(PRESSURES, turned, base) == pytest.approx(
        potential(PRESSURES, STRAIN, tip), rel=1e-12
    )
    assert tip.free(np.array([1.0, 1.0]))[0] != 0.0
    t = tip.parameters(PRESSURES)
    assert tip.stiffness(t) == pytest.approx(LAW.stiffness(t) + ENDED.end.stiffness(t))


def test_a_stiffer_end_stores_more_at_the_same_strain():
    end, t = ENDED.end.scaled(3.0), np.array([0.4, 0.2])
    assert end.stiffness(t) == pytest.approx(3.0 * ENDED.end.stiffness(t))
    assert end.potential(t) == pytest.approx(3.0 * ENDED.end.potential(t))
    assert end.free(t) == pytest.approx(ENDED.end.free(t)) and end.length == 0.02


def test_nothing_loads_the_free_state():
    local = LAW.at(PRESSURES)
    wrench, _ = local.wrench(local.free_strain[None])
    assert np.abs(wrench).max() < 1e-12
    assert local.distance(local.free_strain[None]) == pytest.approx(0.0)


def test_distance_counts_bends_times_the_radius():
    local = LAW.at(PRESSURES)
    at = coordinates(local.free_strain)
    at[1] += 2.0
    assert local.distance(strain_of(at)[None]) == pytest.approx(2.0 * 0.01 / 0.1)


def test_a_negative_stretch_is_not_a_number():
    """So that a solver steps back."""
    local = LAW.at(PRESSURES)
    strain = local.free_strain[None].copy()
    strain[0, 3] = -0.1
    assert np.isnan(local.wrench(strain)[0]).any()


def test_a_file_gives_back_the_same_law(tmp_path):
    file = tmp_path / "arm.law.nc"
    write_law([(0.1, ENDED), (0.2, LAW)], {"body": "abc"}, file)
    laws, belongs_to = read_law(file)
    assert belongs_to == {"body": "abc"} and [x for x, _ in laws] == [0.1, 0.2]
    again = laws[1][1]
    assert again.cavities == ("a", "b") and again.error == LAW.error and again.reach == LAW.reach
    pairs = LAW.at(PRESSURES).wrench(STRAIN), again.at(PRESSURES).wrench(STRAIN)
    for ours, theirs in zip(*pairs, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(again.volumes(PRESSURES, STRAIN), LAW.volumes(PRESSURES, STRAIN))

    assert again.end is None and laws[0][1].end.length == 0.02
    pairs = [law.at_disc().volumes(PRESSURES, STRAIN) for law in (ENDED, laws[0][1])]
    assert np.array_equal(*pairs)


def test_another_file_is_refused(tmp_path):
    import xarray as xr

    from loligo.cases.dataset.io import write_whole

    file = tmp_path / "other.nc"
    write_whole({"/": xr.Dataset(attrs={"format": "something"})}, file)
    with pytest.raises(BadInput, match="is no section law"):
        read_law(file)


def test_a_turned_law_has_the_turned_wrench():
    angle = 0.7
    c, s = np.cos(angle), np.sin(angle)
    m = np.kron(np.eye(2), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))
    again = turned(LAW, angle)
    wrench, tangent = LAW.at(PRESSURES).wrench(STRAIN)
    there, slope = again.at(PRESSURES).wrench(STRAIN @ m.T)
    assert there == pytest.approx(wrench @ m.T, rel=1e-9, abs=1e-9)
    assert slope == pytest.approx(m @ tangent @ m.T, rel=1e-9, abs=1e-9)
    volumes = LAW.volumes(PRESSURES, STRAIN)
    assert again.volumes(PRESSURES, STRAIN @ m.T) == pytest.approx(volumes, rel=1e-9)
    fluid = LAW.fluid_wrench(PRESSURES, STRAIN)
    assert again.fluid_wrench(PRESSURES, STRAIN @ m.T) == pytest.approx(fluid @ m.T, rel=1e-9)
