"""Check a case against the scope of a reduced model: carried, left out, or refused.

`predict` refuses a case by the table of `loligo.reduced.predict.scope_table` and names everything
that is left out, so that no change of a case changes nothing without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import assert_never

from loligo.cases.body import Bar, Body, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.scope_table import FEATURES, SECTIONS, Model, ScopeEntry, of_load


def models_of(body: Body) -> tuple[Model, ...]:
    """Return the models of a body, the default first; none of a solid from a file."""
    match body:
        case TaperedArm() | Bar():
            return "rod", "pcc"
        case ChamberedArm():
            return "rod", "pcc", "pcc_lengths", "joint"
        case Mantle():
            return "shell", "shell_eq7"
        case Solid():
            return ()
        case unknown:
            assert_never(unknown)


def check_model(case: Case, model: str) -> None:
    """Refuse a model that the body of a case does not have."""
    models = models_of(case.body)
    if model not in models:
        raise BadInput(
            f'{case.name}: there is no model "{model}" of a {case.body.kind}; '
            f"there is {', '.join(models) or 'none'}"
        )


def check_scope(case: Case, model: str, settled: Collection[str] = ()) -> tuple[str, ...]:
    """Return what a model leaves out of a case, a sentence each.

    Args:
        case: the case.
        model: one of the models of its body.
        settled: names of the coefficients that the model is given, with `SECTIONS` for sections.

    Raises:
        BadInput: if the body has no such model, or if the model refuses a load or a feature; names
            the models that do not.
    """
    check_model(case, model)
    left, refused = [], []
    for key, words, entry in _entries(case, model):
        if entry.state == "carried" or entry.settled_by in settled:
            continue
        if entry.state == "refused":
            refused.append((f"{key} ({words}): {entry.why}", entry.settled_by))
        else:
            left.append(f"{key}: {model} leaves out {words}: {entry.why}")
    if refused:
        reasons = [reason for reason, _ in refused]
        advice = _advice(case, settled, {settled_by for _, settled_by in refused})
        raise BadInput(f"{case.name}: the model {model} refuses {'; '.join([*reasons, *advice])}")
    return tuple(left)


def _entries(case: Case, model: str) -> Iterator[tuple[str, str, ScopeEntry]]:
    """Yield key, words and entry of everything in a case that the table has an entry for."""
    for name, load in case.load.items():
        for of, entry in of_load(load).items():
            if of == model:
                yield f"load.{name}", f"a load of kind {load.kind}", entry
    for feature in FEATURES:
        for of, entry in feature.entries.items():
            if of == model and feature.present(case):
                yield feature.key, feature.words, entry


def _advice(case: Case, settled: Collection[str], wanted: Collection[str]) -> Iterator[str]:
    """Yield where to go from a refusal: other models, or the coefficient that settles all of it."""
    others = [
        model
        for model in models_of(case.body)
        if all(
            entry.state != "refused" or entry.settled_by in settled
            for _, _, entry in _entries(case, model)
        )
    ]
    if others:
        yield f"take the model {' or '.join(others)}"
    if SECTIONS in wanted and len(wanted) == 1:
        yield (
            "cut its sections from the solid, loligo section CASE -o sections.toml, and give them "
            "as --coefficients"
        )
    elif "" not in wanted:
        yield f"give it {' and '.join(sorted(wanted))} as --coefficients"
