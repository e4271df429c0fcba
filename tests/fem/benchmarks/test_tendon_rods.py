"""Tendons in slender bodies: a squeezed bar in closed form, a tapered arm by rod theory."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import Probe
from loligo.fem.loads.supports import Fixed
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Build = Callable[..., Domain]
Check = Callable[..., None]


def test_a_central_tendon_squeezes_a_block(
    box: Build, laws: dict[str, Elastomer], check: Check
) -> None:
    law, tension = laws["neo_hooke"], 3e4
    stretch = brentq(lambda s: law.shear_modulus * (s**-2 - s) - tension, 0.5, 1.0)
    assert stretch == pytest.approx(0.9, abs=0.015)
    length = 12.0
    domain = box((24, 2, 2), (length, 1.0, 1.0))
    tendon = Tendon("t", ((0.0, 0.5, 0.5), (length, 0.5, 0.5)))
    problem = Problem(domain, law, supports=[Fixed("x0")], tendons=[tendon])
    *_, last = march(problem, [{"t": tension}])
    assert last.stable  # a tendon in the body does not buckle it
    points = np.array([(4.0, 0.5, 0.0), (8.0, 0.5, 0.0), (6.0, 0.5, 0.0), (6.0, 0.5, 1.0)])
    moved = points + Probe(domain.mesh, points).read(problem.fields.displacement_field())
    along, across = (moved[1] - moved[0])[0] / 4.0, (moved[3] - moved[2])[2]
    # The ends die out within a width; the middle is four of them away.
    check("tendon", "squeezed block: axial stretch", along, stretch, 1e-3)
    check("tendon", "squeezed block: lateral stretch", across, stretch**-0.5, 1e-3)


@pytest.mark.parametrize(("slenderness", "accept"), [(10.0, 5e-3), (20.0, 2e-3)])
def test_a_tapered_arm_bends_as_a_rod(
    cone: Build, laws: dict[str, Elastomer], check: Check, slenderness: float, accept: float
) -> None:
    base, tip, share = 1.0, 0.5, 0.7  # the tendon stays at this share of the radius
    law, length = laws["neo_hooke"], slenderness * base
    path = ((0.0, 0.0, share * base), (length, 0.0, share * tip))
    problem = Problem(
        cone(base, tip, length, 0.5),
        law,
        supports=[Fixed("x0")],
        tendons=[Tendon("t", path)],
    )
    tension = 600.0  # 0.02 rad: small
    list(march(problem, [{"t": tension}]))
    stations, lever = (0.25 * length, 0.7 * length), 0.3
    points = [(x, 0.0, z) for x in stations for z in (-lever, lever)]
    moved = points + Probe(problem.domain.mesh, points).read(problem.fields.displacement_field())
    low, high = moved[0::2], moved[1::2]
    angles = np.arctan2(-(high - low)[:, 0], (high - low)[:, 2])

    def curvature(x: float) -> float:
        radius = base + (tip - base) * x / length
        return tension * share * radius / (law.young_modulus * np.pi / 4 * radius**4)

    exact = quad(curvature, *stations)[0]
    # Twice the square of the taper, 2.5e-3 and 6e-4, and 1e-3 of the section's I.
    check("tendon", f"tapered arm, L/R = {slenderness:g}: turn", np.diff(angles), exact, accept)
