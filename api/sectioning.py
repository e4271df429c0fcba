"""The section laws of an arm, from slices of the solid at rest or at finite strain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loligo.cases import coefficients as files
from loligo.cases.body import ChamberedArm
from loligo.cases.case import Case
from loligo.cases.coefficients import Coefficients, Reach
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws
from loligo.cases.section_law.shipped import identity
from loligo.fem.cross_section.arm import arm_laws, independent
from loligo.fem.section_slice import sections
from loligo.given import AnyCase, given
from loligo.reduced.section.pressures import cavity_pressures

SMALL = 1.05
"""Stretch up to which a section law at rest is taken to hold."""


def section(case: AnyCase, *, at: Sequence[float] = (), size: float | None = None) -> Coefficients:
    """Return sections of an arm at rest, cut out of the solid, as coefficients for `predict`.

    Args:
        case: a case, its name or its file.
        at: places along the axis (m); by default every soft length.
        size: edges of a slice's outer surface (m); by default a sixth of the radius.

    Raises:
        BadInput: if the body is no arm.
    """
    what = given(case).case
    cut, notes = sections(what, at, size)
    linear = (
        "a linear law at rest: the stiffness of neo-Hookean rubber itself has changed by "
        f"{SMALL - 1.0:.0%} at a stretch of {SMALL:g}"
    )
    return files.for_case(what, "slices of the solid at rest").model_copy(
        update={
            "section": tuple(cut),
            "reach": Reach(max_stretch=SMALL),
            "notes": (linear, *notes),
        }
    )


def section_law(
    case: AnyCase,
    *,
    pressure: float | None = None,
    size: float | None = None,
    ends: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> ArmLaws:
    """Return the law of every soft length of an arm at finite strain, as a law for `predict`.

    Args:
        case: a case, its name or its file.
        pressure: up to which every chamber goes, alone or with others (Pa); by default the
            pressures that the case's loads span. Chambers in proportion at all steps stay so.
        size: edges of a section's outer surface (m); by default a sixth of the radius.
        ends: whether chambered arms have a law of their ends at the discs, too.
        say: takes a line on how far the work is.

    Raises:
        BadInput: if the body is no arm, or a section has no equilibrium within the range.
    """
    what = given(case).case
    spans = _pressures(what) if pressure is None else independent(what, pressure)
    laws = arm_laws(what, spans, size, say, ends=ends)
    return ArmLaws(tuple(laws), identity(what))


def _pressures(case: Case) -> dict[str, list[float]]:
    """Return the pressure of every cavity along the steps of a case (Pa)."""
    body = case.body
    if not isinstance(body, ChamberedArm):
        return {}
    if case.time is not None:
        raise BadInput(
            f"{case.name}: the pressures of a motion span no range of a section law: give it as "
            "--pressure"
        )
    steps = [cavity_pressures(body, case, step) for step in range(len(case.steps))]
    return {name: [at[name] for at in steps] for name in body.cavities}
