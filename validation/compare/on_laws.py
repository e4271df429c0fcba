"""How far a model is off on each section law that there is, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.predict import NothingPredicted, answer
from loligo.reduced.section.law_choice import LAW_NAMES, ON_SECTIONS, LawName, choose
from loligo.validation.compare.metric import Metric
from loligo.validation.compare.metrics import relative
from loligo.validation.data.matching import match
from loligo.validation.data.quantities import Array


@dataclass(frozen=True, eq=False)
class OnLaw:
    """A model's error on one section law."""

    law: LawName
    words: str
    """The law in a sentence."""
    error: Array
    """Of the metric at every step that both have, in its unit; nan where there is no answer."""
    relative: Array | None
    """The same over the metric's scale."""


def on_laws(case: Case, model: str, reference: xr.Dataset, metric: Metric) -> tuple[OnLaw, ...]:
    """Return the error of a rod or of arcs on every section law that comes with loligo.

    Args:
        case: an arm.
        model: of the prediction; one that stands on no sections has none.
        reference: what the predictions are compared with.
        metric: by which.
    """
    if model not in ON_SECTIONS:
        return ()
    found = []
    for name in reversed(LAW_NAMES):
        try:
            choice = choose(case, model, name)
            pair = match(reference, answer(case, model, law=name))
        except (BadInput, NothingPredicted):  # there is none, or it leads nowhere
            continue
        if choice is None or pair.missed:
            continue
        error = np.asarray(metric.error(pair.reference, pair.prediction))
        found.append(
            OnLaw(choice.kind, choice.words, error, relative(metric, error, pair.reference))
        )
    return tuple(found)
