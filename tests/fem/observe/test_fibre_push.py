"""Fibres that push: the load at which rubber between them buckles, and the word about it."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import compute_midpoints, meshtags

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.supports import Fixed
from loligo.fem.materials.fibres import Fibres
from loligo.fem.observe.fibre_push import pushed_share
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

RATIO = 1e3
"""Modulus of the fibres over the shear modulus of the rubber."""


@pytest.mark.mpi
@pytest.mark.parametrize(("push", "holds"), [(0.98, True), (1.02, False)])
def test_rubber_shears_away_where_fibres_push_by_its_shear_modulus(
    box: Callable[..., Domain],
    deform: Callable[..., None],
    laws: dict[str, Elastomer],
    push: float,
    holds: bool,
) -> None:
    """Faces that move along z alone admit motions w(x) along z, which only ellipticity resists."""
    law = laws["neo_hooke"]
    stiffness = RATIO * law.shear_modulus
    sides = [Fixed(side, (0, 1)) for side in ("y0", "y1", "z0", "z1")]
    problem = Problem(
        box((4, 2, 2)),
        law,
        supports=[Fixed("x0"), Fixed("x1"), *sides],
        windings=[Fibres("body", lambda _: (1.0, 0.0, 0.0), stiffness)],
    )
    stretch = 1.0 / (1.0 + push / RATIO)
    shape = np.array([stretch, stretch**-0.5, stretch**-0.5])
    deform(problem, lambda x: x * shape - x)
    _, inertia = Newton(problem, solver="direct").settle()
    assert inertia is not None
    assert inertia.stable == holds
    assert pushed_share(problem) == pytest.approx(0.0 if holds else 1.0)


@pytest.mark.mpi
def test_fibres_are_judged_by_the_rubber_between_them(
    box: Callable[..., Domain], deform: Callable[..., None], laws: dict[str, Elastomer]
) -> None:
    """Fibres across two rubbers, of which the push is too much for the softer one alone."""
    whole, law = box((4, 1, 1)), laws["neo_hooke"]
    tags = whole.cell_tags
    beyond = compute_midpoints(whole.mesh, 3, tags.indices)[:, 0] > 0.25
    cells = meshtags(whole.mesh, 3, tags.indices, beyond.astype(np.int32) + 1)
    groups = {"soft": 1, "stiff": 2}
    stiffness = RATIO * law.shear_modulus
    problem = Problem(
        Domain(whole.mesh, cells, whole.facet_tags, groups, whole.facet_groups),
        {"soft": law, "stiff": law.model_copy(update={"mu": 2.0 * law.shear_modulus})},
        supports=[],
        windings=[Fibres(("soft", "stiff"), lambda _: (1.0, 0.0, 0.0), stiffness)],
    )
    stretch = 1.0 - 1.5 / RATIO
    deform(problem, lambda x: x * np.array([stretch, 1.0, 1.0]) - x)
    assert pushed_share(problem) == pytest.approx(0.25)


@pytest.mark.mpi
def test_slack_fibres_never_push(
    box: Callable[..., Domain], deform: Callable[..., None], laws: dict[str, Elastomer]
) -> None:
    fibres = Fibres("body", lambda _: (1.0, 0.0, 0.0), 1e9, tension_only=True)
    problem = Problem(box(), laws["neo_hooke"], supports=[], windings=[fibres])
    deform(problem, lambda x: x * np.array([0.9, 1.05, 1.05]) - x)
    assert pushed_share(problem) == 0.0
