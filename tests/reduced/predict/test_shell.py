"""Predictions of shells against rings, thin cylinders and equilibrium, by hand."""

import numpy as np
import pytest
from scipy.optimize import brentq

from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import CavityPressure, HoopTension, OuterPressure, Water, Weight
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.cases.water import Surroundings
from loligo.meshes.bodies import cavity_volumes, volumes
from loligo.reduced.predict.predict import predict

R, H, E, G = 31e-3, 2e-3, 40e3, 9.81  # Renda 2018, Table 1
MIDDLE = R * np.pi / 4 + 47e-3  # arc length in the middle of the cylinder, 10 decay lengths off
CAP = R * np.sqrt(0.5)


def changed(name="renda_mantle_ring", **update):
    return load(name).model_copy(update=update)


def middle(found, name="profile_radius", step=-1):
    return float(found[name].sel(meridian=MIDDLE, method="nearest")[step])


@pytest.mark.parametrize(("tension", "radius"), [(5, 28.8425), (10, 25.9645), (15, 20.193)])
def test_eq_7_contracts_to_its_ring(tension, radius):
    """tau^3 - tau + 2 T/(E h) = 0, to the wall's own bending, (h/R)^2/6 = 7e-4 of the terms."""
    ring = {"ring": HoopTension(tension=tension)}
    found = predict(changed(load=ring, steps=(1.0,)), "shell_eq7")
    assert middle(found) == pytest.approx(radius * 1e-3, rel=3e-3)
    assert middle(found, "profile_thickness") == pytest.approx(H)  # Poisson ratio 0


def test_rubber_contracts_to_its_ring():
    """Uniaxial neo-Hooke, mu h (tau - tau^-2) = -T: 0.843 at 15 N/m; the wall thickens."""
    tau = brentq(lambda t: E / 3 * H * (t - t**-2) + 15.0, 0.5, 1.0)
    assert tau == pytest.approx(0.843, abs=5e-4)
    found = predict(load("renda_mantle_ring"))
    assert middle(found) == pytest.approx(tau * R, rel=1e-3)
    assert middle(found, "profile_thickness") == pytest.approx(H / np.sqrt(tau), rel=1e-3)


def test_band_leaves_the_rim_alone():
    found = predict(load("renda_mantle_band"))
    assert middle(found) == pytest.approx(middle(predict(load("renda_mantle_ring"))), rel=1e-3)
    assert found["profile_radius"].values[-1, -1] > R


@pytest.mark.parametrize("model", ["shell", "shell_eq7"])
def test_small_pressure_on_a_thin_open_cylinder(model):
    """u = p R^2/(E h), since an open rim leaves the axis free; inside and outside are opposite."""
    exact = 0.1 * R**2 / (E * H)
    inside = {"in": CavityPressure(cavities=("mantle",), pressure=0.1)}
    outside = {"out": OuterPressure(pressure=0.1)}
    for loads, sign in ((inside, 1.0), (outside, -1.0)):
        found = predict(changed(load=loads, steps=(1.0,)), model)
        assert middle(found) - R == pytest.approx(sign * exact, rel=2e-3)
        assert found["pressure"].item() == pytest.approx(sign * 0.1)


def test_support_carries_what_the_open_nozzle_does_not():
    """Over the closed surface pressure has no resultant: F = p pi (r_rim^2 - r_cap^2)."""
    found = predict(load("renda_mantle_inflation"))
    pressure = found["pressure"].values[:, 0]
    rim = found["profile_radius"].values[:, -1]
    reaction = found["reaction"].values
    np.testing.assert_allclose(reaction[:, 3], np.pi * pressure * (rim**2 - CAP**2), rtol=1e-6)
    np.testing.assert_array_equal(np.delete(reaction, 3, axis=1), 0)


def test_volume_is_that_of_the_inner_surface():
    """At rest the exact geometry's; its growth, less the moving nozzle's, gives the work to h/R."""
    case = load("renda_mantle_inflation")
    tiny = changed("renda_mantle_inflation", steps=(0.0, 0.001))
    found = predict(tiny)
    exact = cavity_volumes(case.body)["mantle"]
    rest, grown = found["volume"].values[:, 0]
    assert rest == pytest.approx(exact, rel=1e-9)
    nozzle = np.pi * R**2 * np.diff(found["profile_axial"].values[:, -1])[0]
    work = 0.5 * found["pressure"].values[1, 0] * (grown - rest - nozzle)
    assert found["stored_energy"].values[1] == pytest.approx(work, rel=H / R)


def test_volume_of_a_bent_wall_from_its_profile():
    """The inner surface, half a wall along the normal inside the profile, by finite differences."""
    found = predict(load("renda_mantle_band"))
    x, r, h = (found[f"profile_{name}"].values[-1] for name in ("axial", "radius", "thickness"))
    arc = found["meridian"].values
    dx, dr = np.gradient(x, arc, edge_order=2), np.gradient(r, arc, edge_order=2)
    size = np.hypot(dx, dr)
    inner_x, inner_r = x + 0.5 * h * dr / size, r - 0.5 * h * dx / size
    ends = inner_r[:-1] ** 2 + inner_r[1:] ** 2 + inner_r[:-1] * inner_r[1:]
    volume = np.pi / 3 * np.sum(ends * np.diff(inner_x))
    assert float(found["volume"][-1, 0]) == pytest.approx(volume, rel=1e-3)


def test_largest_stretch_of_a_ring_is_the_wall_growing_thicker_or_longer():
    """Compressed to tau, a ring's meridian and thickness grow by tau^-1/2; more where it bends."""
    found = predict(load("renda_mantle_ring"))
    tau = middle(found) / R
    stretch = found["max_stretch"].values[-1]
    assert tau**-0.5 < stretch < 1.4


def test_weight_and_water_on_the_wall():
    loads = {"weight": Weight(), "sea": Water()}
    water = Surroundings(density=1000.0, base_depth=0.5)
    found = predict(changed(load=loads, water=water, steps=(1.0,)))
    net = 80 * G * volumes(load("renda_mantle_ring").body)["body"]
    assert found["reaction"].values[0, 3] == pytest.approx(-net, rel=1e-3)  # (h/R)^2/12 at the cap
    with pytest.raises(BadInput, match=r"load.weight: gravity across the axis bends a mantle"):
        predict(changed(load=loads, water=water, gravity=(0.0, -1.0, 0.0)))


def test_where_a_shell_stops():
    """Eq 7 has no ring beyond 15.396 N/m."""
    ring = {"ring": HoopTension(tension=15.5)}
    found = predict(changed(load=ring, steps=(0.5, 1.0)), "shell_eq7")
    assert found.attrs["status"].startswith("stopped at step 2: ")
    assert found.sizes["step"] == 1


def test_compressible_rubber_is_no_shell_rubber():
    rubber = NeoHooke(mu=E / 3, density=1080.0, bulk_modulus=1e6)
    with pytest.raises(
        BadInput, match=r"material.body \(.*incompressible.*take the model shell_eq7"
    ):
        predict(changed(material={"body": rubber}))
    assert predict(changed(material={"body": rubber}), "shell_eq7").attrs["status"] == "complete"
