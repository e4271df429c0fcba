"""A case predicted by a reduced model."""

from __future__ import annotations

from pathlib import Path

from loligo.cases import coefficients as files
from loligo.cases.advice.magnitudes import implausible
from loligo.cases.coefficients import Coefficients
from loligo.errors import warn
from loligo.fitting import Fit
from loligo.given import AnyCase, given
from loligo.reduced.predict import predict as models
from loligo.reduced.section.law_choice import AnyLaw, asked
from loligo.result import Prediction


def predict(
    case: AnyCase,
    *,
    model: str | None = None,
    coefficients: Fit | Coefficients | str | Path | None = None,
    law: AnyLaw = None,
) -> Prediction:
    """Predict a case with a reduced model.

    Args:
        case: a case, its name or its file.
        model: "rod", "pcc" or "pcc_lengths" for arms, "joint" for a soft joint; "shell" or
            "shell_eq7" for mantles; by default the first for the body, with coefficients the model
            that they were fitted with.
        coefficients: from `calibrate` or `loligo section`, or their file.
        law: section law under rods and arcs: "solid", "slice", "geometry", one of `loligo section
            --law` or its file; by default the best there is.

    A model that finds no equilibrium at a step stops there, with a warning: `.status` says why.
    `.left_out` says what it leaves out of the case, `.cautions` what to be careful with.

    Raises:
        BadInput: if there is no such model of this body, or it refuses something in the case.
        LoligoError: if there is no equilibrium at the first step.
    """
    what = given(case).case
    if isinstance(coefficients, Fit):
        coefficients = coefficients.coefficients
    elif isinstance(coefficients, str | Path):
        coefficients = files.read(Path(coefficients))
    if model is None and coefficients is not None:
        model = coefficients.model
    for sentence in implausible(what):
        warn(f"{what.name}: {sentence}")
    data = models.predict(what, model, coefficients=coefficients, law=asked(law), on_the_way=True)
    prediction = Prediction({"": data.assign_attrs(models.provenance())})
    if not prediction.complete:
        warn(f"{what.name}: the {prediction.model} {prediction.status}")
    return prediction
