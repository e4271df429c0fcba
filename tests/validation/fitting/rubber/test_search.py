"""Fits to Treloar's table against an independent calculation, and recovery from synthetic pulls."""

import numpy as np
import pytest
from scipy import optimize, stats

from loligo.validation.fitting.rubber.coupon import MODES, Coupon, points
from loligo.validation.fitting.rubber.identify import identify, standard_error, stress_error
from loligo.validation.fitting.rubber.intervals import bootstrap, profile, wald
from loligo.validation.fitting.rubber.laws import Law
from loligo.validation.fitting.rubber.search import fit
from loligo.validation.fitting.rubber.treloar import treloar

MPA = 1e6
ALL = treloar()
SHORT = (ALL[0].up_to(4.1),)
# I_1, and the stress of a neo-Hooke rubber with mu = 1.
RIVLIN = {
    "uniaxial": lambda x: (x**2 + 2 / x, x - x**-2.0),
    "equibiaxial": lambda x: (2 * x**2 + x**-4.0, x - x**-5.0),
    "pure_shear": lambda x: (1 + x**2 + x**-2.0, x - x**-3.0),
}


def confidence_of(quantile, freedom):
    """Return the confidence whose Student quantile is this."""
    return 1.0 - 2.0 * stats.t.sf(quantile, freedom)


@pytest.mark.parametrize(
    ("law", "curves", "values", "squares"),
    [
        (Law("neo_hooke"), ALL, [0.5279e6], 21.17),
        (Law("yeoh"), ALL, [0.1847e6, -1.465e3, 40.22], 1.009),
        (Law("gent"), ALL, [0.2745e6, 84.30], 1.003),
        (
            Law("ogden"),
            ALL,
            [0.3681e6, 1.06, -4.90e3, 1.892, 8.448, -2.262],
            0.2085,
        ),
        (Law("mooney_rivlin"), SHORT, [0.1414e6, 0.0339e6], None),
        (
            Law("mooney_rivlin"),
            tuple(c.up_to(4.1) for c in ALL),
            [0.1583e6, 0.00507e6],
            None,
        ),
    ],
)
def test_treloar(law, curves, values, squares):
    """Coefficients and sums of squares as printed, to their last digit."""
    found = fit(law, points(curves))
    for value, printed in zip(found.values, values, strict=True):
        digits = len(f"{abs(printed):g}".split("e")[0].replace(".", "").strip("0"))
        unit = 10.0 ** (np.floor(np.log10(abs(printed))) - digits + 1)
        assert value == pytest.approx(printed, abs=0.51 * unit)
    if squares is not None:
        assert found.sum_of_squares / MPA**2 == pytest.approx(squares, rel=5e-4)
    assert not found.at_bound.any()


def test_weights_and_relative_residuals_are_those_of_the_normal_equations():
    """Neo-Hooke: mu = sum(w^2 g P)/sum(w^2 g^2), g the stress for mu = 1."""
    g = np.concatenate([RIVLIN[c.mode](c.stretch)[1] for c in ALL])
    stress = np.concatenate([c.stress for c in ALL])
    weight = np.concatenate([np.full(c.stretch.size, 1.0 + i) for i, c in enumerate(ALL)])
    given = dict(zip(MODES, (1.0, 2.0, 3.0), strict=True))
    for residual, w in (("absolute", weight), ("relative", weight / stress)):
        found = fit(Law("neo_hooke"), points(ALL, residual, given))
        assert found.values[0] == pytest.approx(np.sum(w**2 * g * stress) / np.sum(w**2 * g**2))
        misfit = np.sum((w * (found.values[0] * g - stress)) ** 2)
        assert found.sum_of_squares == pytest.approx(misfit)


def test_intervals_of_a_linear_law_are_the_same_both_ways():
    """Yeoh: the covariance s^2 (A^T A)^-1 of columns written out here."""
    columns = []
    for c in ALL:
        i1, slope = RIVLIN[c.mode](c.stretch)
        columns.append(np.stack([2 * slope * k * (i1 - 3) ** (k - 1) for k in (1, 2, 3)], axis=-1))
    a, stress = np.concatenate(columns), np.concatenate([c.stress for c in ALL])
    best, squares, *_ = np.linalg.lstsq(a, stress)
    freedom = stress.size - 3
    covariance = squares[0] / freedom * np.linalg.inv(a.T @ a)
    error = np.sqrt(np.diag(covariance))

    found = fit(Law("yeoh"), points(ALL))
    np.testing.assert_allclose(found.values, best, rtol=1e-8)
    np.testing.assert_allclose(standard_error(found), error, rtol=1e-6)
    np.testing.assert_allclose(
        identify(found, ALL).correlation, covariance / np.outer(error, error), rtol=1e-6
    )
    half = stats.t.ppf(0.975, freedom) * error
    for i in range(3):
        expected = pytest.approx((best[i] - half[i], best[i] + half[i]), rel=1e-5)
        assert wald(found)[i] == expected
        assert profile(found, i) == expected
    stretch = ALL[0].stretch
    band = np.sqrt(np.einsum("ij,jk,ik->i", columns[0], covariance, columns[0]))
    np.testing.assert_allclose(stress_error(found, "uniaxial", stretch), band, rtol=1e-6)


def test_profile_intervals_of_treloar_as_printed():
    """The printed intervals take 1.96 for Student's quantile; so do these, by their confidence."""
    yeoh = fit(Law("yeoh"), points(ALL))
    printed = pytest.approx((32.94, 47.49), abs=0.006)
    assert profile(yeoh, 2, confidence_of(1.96, 50)) == printed
    gent = fit(Law("gent"), points(ALL))
    printed = pytest.approx((81.61, 87.37), abs=0.006)
    assert profile(gent, 1, confidence_of(1.96, 51)) == printed
    mooney = fit(Law("mooney_rivlin"), points(ALL))
    printed = pytest.approx((-0.0062e6, 0.0026e6), abs=50.0)
    assert profile(mooney, 1, confidence_of(1.96, 51)) == printed


def test_profile_of_gent_by_eliminating_mu():
    """For a given limit the best mu is a quotient of sums."""
    stress = np.concatenate([c.stress for c in ALL])

    def squares(limit):
        pairs = [RIVLIN[c.mode](c.stretch) for c in ALL]
        g = np.concatenate([slope / (1 - (i1 - 3) / limit) for i1, slope in pairs])
        return np.sum((g * (g @ stress) / (g @ g) - stress) ** 2)

    best = optimize.minimize_scalar(squares, bounds=(70.0, 100.0), method="bounded").fun
    threshold = best * (1.0 + stats.f.ppf(0.95, 1, 51) / 51)
    ends = [
        optimize.brentq(lambda limit: squares(limit) - threshold, *side)
        for side in ((75.0, 84.0), (85.0, 100.0))
    ]
    assert profile(fit(Law("gent"), points(ALL)), 1) == pytest.approx(ends, rel=1e-5)


def test_gent_has_no_limit_in_short_pulls():
    found = fit(Law("gent"), points(SHORT))
    assert found.at_bound.tolist() == [False, True]
    low, high = profile(found, 1)
    assert np.isinf(high)
    reach = 4.03**2 + 2 / 4.03 - 3  # I_1 - 3 of the last point
    assert low > reach
    assert found.values[1] == pytest.approx(100.0 * reach)
    assert np.isnan(wald(found)[1]).all()


def test_fisher_matrix_of_ogden():
    """Short uniaxial pulls carry two terms, not three; all modes carry three, just."""
    three = fit(Law("ogden"), points(SHORT))
    two = fit(Law("ogden", 2), points(SHORT))
    assert three.sum_of_squares == pytest.approx(two.sum_of_squares, rel=1e-6)
    known = identify(three, SHORT)
    assert known.eigenvalues[0] < 1e-16
    idle = three.law.names[3 + int(np.argmin(np.abs(three.values[:3])))]
    assert idle in known.unfelt
    everything = identify(fit(Law("ogden"), points(ALL)), ALL)
    assert everything.eigenvalues[0] == pytest.approx(6.6e-5, rel=0.01)
    assert everything.eigenvalues.sum() == pytest.approx(6.0)
    assert not everything.unfelt


def test_the_mode_that_helps():
    """I_2 of a Mooney-Rivlin rubber is seen in equibiaxial tension; the promise is kept."""
    found = fit(Law("mooney_rivlin"), points(SHORT))
    known = identify(found, SHORT)
    assert set(known.worst_error_with) == {"equibiaxial", "pure_shear"}
    assert known.worst_error_with["equibiaxial"] < 0.2 * known.worst_error_with["pure_shear"]
    assert known.worst_error_with["pure_shear"] < 0.5 * known.worst_error
    # Make the planned curve, without scatter, so that only the scatter of the first curve counts.
    reach = 0.99 * (4.03**2 + 2 / 4.03 - 3)
    last = optimize.brentq(lambda x: RIVLIN["equibiaxial"](x)[0] - 3 - reach, 1.0, 5.0)
    stretch = np.linspace(1.0, last, SHORT[0].stretch.size + 1)[1:]
    c10, c01 = found.values
    made = Coupon(
        "equibiaxial", stretch, 2 * RIVLIN["equibiaxial"](stretch)[1] * (c10 + c01 * stretch**2)
    )
    again = fit(Law("mooney_rivlin"), points((*SHORT, made)))
    error = standard_error(again) * np.sqrt(found.variance / again.variance)
    promised = known.worst_error_with["equibiaxial"]
    assert np.max(error / np.abs(again.values)) == pytest.approx(promised, rel=1e-5)


STRETCHES = {
    "uniaxial": np.linspace(1.1, 5.0, 14),
    "equibiaxial": np.linspace(1.1, 3.0, 10),
    "pure_shear": np.linspace(1.1, 4.0, 12),
}
ENERGY = {
    "yeoh": lambda i1: 0.2 * (i1 - 3) - 2e-3 * (i1 - 3) ** 2 + 8e-5 * (i1 - 3) ** 3,
    "gent": lambda i1: -0.5 * 0.4 * 60.0 * np.log(1 - (i1 - 3) / 60.0),
}
TRUTH = {"yeoh": [0.2e6, -2e3, 80.0], "gent": [0.4e6, 60.0]}


def synthetic(energy, random, dense=1):
    """Return pulls as a testing machine sees them: work done between two readings, with noise."""
    curves = []
    for mode, few in STRETCHES.items():
        stretch = np.linspace(few[0], few[-1], few.size * dense)
        half, axes = 0.005, 2 if mode == "equibiaxial" else 1
        after, before = (ENERGY[energy](RIVLIN[mode](stretch + way)[0]) for way in (half, -half))
        noise = random.normal(0.0, 0.02, stretch.size)
        stress = (after - before) / (2 * half * axes) + noise
        curves.append(Coupon(mode, stretch, stress * MPA))
    return tuple(curves)


def likely(found):
    return [profile(found, i) for i in range(found.values.size)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("intervals", "trials", "least", "most"),
    [(wald, 2000, 0.93, 0.97), (wald, 200, 0.905, 0.985), (likely, 200, 0.905, 0.985)],
)
@pytest.mark.parametrize("energy", ["yeoh", "gent"])
def test_intervals_cover_the_truth(energy, intervals, trials, least, most):
    random = np.random.default_rng(19440101)
    hits = np.zeros(len(TRUTH[energy]))
    for _ in range(trials):
        found = fit(Law(energy), points(synthetic(energy, random)))
        pairs = zip(TRUTH[energy], intervals(found), strict=True)
        hits += [low <= truth <= high for truth, (low, high) in pairs]
    assert (hits >= least * trials).all(), hits
    assert (hits <= most * trials).all(), hits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("energy", "dense", "seed"),
    [("yeoh", 3, 19440102), ("yeoh", 1, 19440103), ("gent", 1, 19440104)],
)
def test_the_bootstrap_of_a_law_covers_the_truth(energy, dense, seed):
    """Of 36 points as of three times as many."""
    random = np.random.default_rng(seed)
    hits = np.zeros(len(TRUTH[energy]))
    for trial in range(200):
        curves = synthetic(energy, random, dense)
        found = fit(Law(energy), points(curves))
        drawn = bootstrap(found, curves, seed=trial, replicates=200 if dense > 1 else 100)
        pairs = zip(TRUTH[energy], drawn, strict=True)
        hits += [low <= truth <= high for truth, (low, high) in pairs]
    assert (hits >= 0.905 * 200).all(), hits
    assert (hits <= 0.985 * 200).all(), hits


def test_bootstrap_agrees_with_wald_on_independent_noise():
    """Of many points. (Of few, the last of each curve weigh most: 1.2 times wider on average.)"""
    curves = synthetic("gent", np.random.default_rng(7), dense=30)
    found = fit(Law("gent"), points(curves))
    drawn = bootstrap(found, curves, seed=3, replicates=400)
    for block, tangent in zip(drawn, wald(found), strict=True):
        ratio = (block.high - block.low) / (tangent.high - tangent.low)
        assert ratio == pytest.approx(1.0, abs=0.25)  # 400 draws of some 40 blocks a curve
    assert bootstrap(found, curves, seed=3, replicates=20) == bootstrap(
        found, curves, seed=3, replicates=20
    )


def test_bootstrap_by_mode_draws_whole_curves():
    """The extreme draws are one curve three times, each in 1/27 of all: the interval's end."""
    found = fit(Law("neo_hooke"), points(ALL))
    alone = [fit(Law("neo_hooke"), points((c,))).values[0] for c in ALL]
    (drawn,) = bootstrap(found, ALL, seed=1, replicates=400, by="mode")
    assert min(alone) * (1 - 1e-6) <= drawn.low < drawn.high <= max(alone) * (1 + 1e-6)
    assert drawn.low == pytest.approx(min(alone), rel=1e-6)
    with pytest.raises(ValueError, match="too few to draw from"):
        bootstrap(found, ALL[:2], seed=1, by="mode")


def test_impossible_fits_are_refused():
    short = Coupon("uniaxial", np.array([1.1, 1.2]), np.array([1e4, 2e4]))
    with pytest.raises(ValueError, match="2 points cannot tell the 2 coefficients of gent"):
        fit(Law("gent"), points((short,)))
    with pytest.raises(ValueError, match="known are neo_hooke"):
        Law("arruda_boyce")
    with pytest.raises(ValueError, match="1 to 4 terms"):
        Law("ogden", 5)
