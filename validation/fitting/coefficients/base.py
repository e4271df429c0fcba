"""Where a fit begins: the section law that a model stands on, and the coefficients of before."""

from __future__ import annotations

from collections.abc import Sequence

from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, OF_LINEAR_LAWS, Coefficients, for_case
from loligo.cases.section_law.law import ArmLaws
from loligo.reduced.section.law_choice import Law, common

SOURCES = {
    "geometry": "geometry and rubber",
    "slice": "sections of the solid at rest",
    "solid": "the section law of the solid",
}
"""In words, by the law's kind."""


def base_on(
    cases: Sequence[Case],
    model: str,
    law: Law = None,
    base: Coefficients | None = None,
    names: Sequence[str] = (),
) -> tuple[Coefficients, ArmLaws | None]:
    """Return coefficients that name the law a fit stands on, and that law if it was given.

    All cases stand on one law. Names of coefficients that correct a linear law ask for one.

    Args:
        cases: of one body.
        model: what is fitted.
        law: what is asked for; by default the best law that serves all cases.
        base: coefficients to begin from.
        names: of the coefficients that are sought.
    """
    begin = base or for_case(cases[0], SOURCES["geometry"])
    linear = {n: KNOWN[n].neutral or 0.0 for n in OF_LINEAR_LAWS.intersection(names)}
    choice = common(cases, model, law, begin.replaced(linear))
    if choice is None:
        return begin, None
    on = choice.under(begin, cases[0]) or begin
    source = on.source if base is not None else SOURCES[choice.kind]
    named = on.model_copy(update={"law": choice.name, "source": source})
    return named, law if isinstance(law, ArmLaws) else None
