"""A case in, a data set out: what a reduced model predicts, from the case alone.

Arms are solved as Cosserat rods or chains of constant-curvature arcs, a soft joint also as Zhang's,
mantles as shells of revolution. The data set is of the kind "prediction" in the schema of
`loligo.cases.dataset`, as a 3D reference or a measurement is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import assert_never

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from loligo.cases.advice import notes
from loligo.cases.advice.plausible import overstretched, vacuums
from loligo.cases.body import Bar, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.case_file import to_toml
from loligo.cases.coefficients import Coefficients, check_belongs
from loligo.cases.coefficients_reach import beyond, doubtful
from loligo.cases.core.provenance import git_commit, versions
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import absent, describe, load_variables
from loligo.cases.rubber.elastomer import scaled
from loligo.cases.water import Surroundings
from loligo.meshes.bodies import Arm
from loligo.reduced.checks import positive
from loligo.reduced.predict.case_at import Steps
from loligo.reduced.predict.collect import with_markers
from loligo.reduced.predict.joint import joint_values, predict_joint
from loligo.reduced.predict.lengths import length_values, predict_lengths
from loligo.reduced.predict.march import NothingPredicted as NothingPredicted
from loligo.reduced.predict.march import as_reached
from loligo.reduced.predict.resolve import Resolved, resolve
from loligo.reduced.predict.rod import predict_rod
from loligo.reduced.predict.rod_motion import move_rod
from loligo.reduced.predict.scope import check_model, check_scope, models_of
from loligo.reduced.predict.scope_table import SECTIONS, SOLID
from loligo.reduced.predict.shell import predict_shell
from loligo.reduced.predict.shell_motion import move_shell
from loligo.reduced.section.arm_law import ArmLaw, arm_law
from loligo.reduced.section.law_choice import Law, LawChoice, choose
from loligo.reduced.section.solid_sections import SolidSections, solid_sections

PACKAGES = ("loligo", "numpy", "scipy", "numba", "xarray", "h5netcdf")
"""What takes part in a prediction."""
_CLOSED = {"joint": (predict_joint, joint_values), "pcc_lengths": (predict_lengths, length_values)}
"""Models of arms that are no rods: what they predict, and the coefficients of a case's body."""


def predict(
    case: Case,
    model: str | None = None,
    *,
    refine: float | None = None,
    stiffness: ArrayLike = 1.0,
    coefficients: Coefficients | None = None,
    law: Law = None,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return the prediction of a reduced model for every reported step of a case.

    A model that finds no equilibrium at a step stops there; the steps before are kept, the
    attribute `status` says where and why, and `reached` how far along the steps. Its numerical
    error is in the error bars and in `error_in_space` and `error_in_time`, see
    `loligo.reduced.predict.resolve`. The attribute `left_out` names everything in the case that
    the model leaves out, see `loligo.reduced.predict.scope`.

    Args:
        case: the case.
        model: "rod" for arms, or "pcc" with one arc for each soft length in equilibrium;
            "pcc_lengths" with arcs through the lengths of chambers, which follow their pressures
            (Gong 2018, Liu 2020); "joint" for one segment with three sleeved chambers under
            pressure (Zhang 2022); "shell" (a rubber wall) or "shell_eq7" (Renda 2018 Eq 7 with the
            rubber's Young's modulus and Poisson ratio 0) for mantles; by default the first.
        refine: so many times finer than usual; by default as fine as the error asks for.
        stiffness: factors on a rod's torsion, bend_y, bend_z, stretch, shear_y and shear_z
            stiffness, or one for all.
        coefficients: sections and factors in place of those from geometry and rubber. The data set
            says in `coefficients_used` and `coefficients_ignored` which this model read, and in
            `coefficients_beyond` why they may not hold: outside the range of their source, at a
            bound of their fit, fitted with another model, or no property of a body.
        law: the section law of a rod or of arcs: "solid", "slice" or "geometry", or laws of the
            solid; by default the best there is, see `loligo.reduced.section.law_choice`. The data
            set says in `law` and `law_name` which it is, and in `law_beyond` where the prediction
            leaves its range.
        on_the_way: whether to keep the last state before a step that is not reached as one more.

    The attribute `cautions` says where the prediction leaves the range of a rubber's law, which
    gauge pressures are below absolute vacuum, which states are unstable, and whether the numerical
    error is large or not known.

    Raises:
        BadInput: if there is no such model of this body, if it refuses something in the case, or
            if coefficients or law are of another body.
        NothingPredicted: if there is no equilibrium at the first step.
    """
    return resolved(
        case,
        model,
        refine=refine,
        stiffness=stiffness,
        coefficients=coefficients,
        law=law,
        on_the_way=on_the_way,
    ).data


def resolved(
    case: Case,
    model: str | None = None,
    *,
    refine: float | None = None,
    stiffness: ArrayLike = 1.0,
    coefficients: Coefficients | None = None,
    law: Law = None,
    on_the_way: bool = False,
) -> Resolved:
    """Return a prediction with the levels that its error comes from; see `predict`."""
    if refine is not None:
        positive("refine", refine)
    model = chosen_model(case, model)
    choice = _choice(case, model, stiffness, coefficients, law)
    left_out = check_scope(case, model, _settled(coefficients, model, choice))
    run = partial(answer, model=model, stiffness=stiffness, coefficients=coefficients, law=law)
    levels = resolve(case, run, refine, on_the_way=on_the_way)
    found = levels.data
    stretch, reached = float(found["max_stretch"].max()), int(found.attrs["reached"])
    attrs = {
        "kind": "prediction",
        "source": f"loligo {model}",
        "model": model,
        "case_name": case.name,
        "case": to_toml(case),
        **notes.attributes(case),
        "missing": ", ".join(absent(found)),
        "cautions": "; ".join(
            (*vacuums(case), *overstretched(case, stretch), *_unstable(found), *levels.cautions)
        ),
    }
    if left_out:
        attrs["left_out"] = "; ".join(left_out)
    if coefficients is not None:
        used, ignored = coefficients.report(model)
        attrs |= {
            "coefficients": coefficients.source,
            "coefficients_used": ", ".join(used),
            "coefficients_ignored": ", ".join(ignored),
            "coefficients_beyond": "; ".join(
                (*doubtful(coefficients, model), *beyond(coefficients, case, stretch, reached))
            ),
        }
    if choice is not None:
        attrs |= {"law": choice.words, "law_name": choice.name}
    return replace(levels, data=describe(found.assign_attrs(attrs)))


def _choice(
    case: Case, model: str, stiffness: ArrayLike, coefficients: Coefficients | None, law: Law
) -> LawChoice | None:
    """Return the section law that a model stands on: a linear one under factors on stiffness."""
    scaled_by_hand = bool(np.any(np.not_equal(stiffness, 1.0)))
    if scaled_by_hand and law is None and model in ("rod", "pcc"):
        law = "slice" if coefficients is not None and coefficients.section else "geometry"
    choice = choose(case, model, law, coefficients)
    if choice is not None and choice.kind == "solid" and scaled_by_hand:
        raise ValueError("a section law of the solid has no stiffness to scale: scale its rubber")
    return choice


def _unstable(found: xr.Dataset) -> list[str]:
    """Say which states no body keeps."""
    at = [str(i + 1) for i in np.flatnonzero(found["stable"].values == 0)]
    return [f"unstable at step {', '.join(at)}: no body keeps such a state"] if at else []


def answer(
    case: Case,
    model: str,
    *,
    refine: float = 1.0,
    time_steps: Steps | None = None,
    stiffness: ArrayLike = 1.0,
    coefficients: Coefficients | None = None,
    law: Law = None,
    shape_only: bool = False,
    on_the_way: bool = False,
) -> xr.Dataset:
    """Return what a model finds on one grid, without its error and its origin; see `predict`.

    A search asks for hundreds of these. With `shape_only` an arm at rest gives its frames and the
    reaction of a blocked tip alone. A motion takes `time_steps`, by default its model's.
    """
    if coefficients is not None:
        check_belongs(coefficients, case)
    choice = _choice(case, model, stiffness, coefficients, law)
    check_scope(case, model, _settled(coefficients, model, choice))
    values = coefficients.read_by(model) if coefficients else {}
    body, altered = case.body, _altered(case, model, values)
    match body:
        case Mantle():
            if np.any(np.not_equal(stiffness, 1.0)):
                raise ValueError("a shell has no section stiffness to scale: scale its rubber")
            bending = values.get("wall_bending", 1.0)
            if case.time is None:
                found = predict_shell(altered, body, model, refine, bending, on_the_way=on_the_way)
            else:
                found = move_shell(altered, body, model, refine, bending, time_steps)
        case TaperedArm() | ChamberedArm() | Bar() if model in _CLOSED:
            if np.any(np.not_equal(stiffness, 1.0)):
                raise ValueError(f"a {model} has no section stiffness to scale: scale its rubber")
            closed = _CLOSED[model][0]  # there is nothing to refine
            found = closed(altered, values, shape_only=shape_only, on_the_way=on_the_way)
        case TaperedArm() | ChamberedArm() | Bar():
            assert choice is not None  # of a model that stands on sections
            if case.time is None:
                found = predict_rod(
                    altered,
                    body,
                    _sections(case, body, model, stiffness, coefficients, choice),
                    refine,
                    arcs=model == "pcc",
                    shape_only=shape_only,
                    on_the_way=on_the_way,
                )
            else:
                linear = _linear(case, body, model, stiffness, coefficients, choice)
                found = move_rod(altered, body, linear, refine, time_steps)
        case Solid():
            raise BadInput(f"{case.name}: there is no reduced model of a solid from a file")
        case unknown:
            assert_never(unknown)
    reached = found.sizes.get("step", 0)
    if reached == 0:
        raise NothingPredicted(f"{case.name}: the {model} {found.attrs['status']}")
    if case.time is None:
        times, loads = [np.nan] * reached, load_variables(as_reached(case, found))
    else:
        times, loads = list(case.time.times[:reached]), load_variables(case)
    acting = {name: (dim, values[:reached], attrs) for name, (dim, values, attrs) in loads.items()}
    return with_markers(case, found).assign({"time": ("step", np.array(times)), **acting})


def provenance() -> dict[str, str]:
    """Return the attributes that say which code has made a prediction, for a data set to keep."""
    return {"versions": json.dumps(versions(PACKAGES)), "git_commit": git_commit()}


def _sections(
    case: Case,
    body: Arm,
    model: str,
    stiffness: ArrayLike,
    coefficients: Coefficients | None,
    choice: LawChoice,
) -> ArmLaw | SolidSections:
    """Return the sections of an arm at rest, by the law that was chosen."""
    if choice.kind != "solid":
        return _linear(case, body, model, stiffness, coefficients, choice)
    assert choice.laws is not None
    modulus = coefficients.read_by(model).get("modulus", 1.0) if coefficients else 1.0
    return solid_sections(body, choice.laws, modulus)


def _linear(
    case: Case,
    body: Arm,
    model: str,
    stiffness: ArrayLike,
    coefficients: Coefficients | None,
    choice: LawChoice,
) -> ArmLaw:
    """Return the sections of an arm by a linear law."""
    given = choice.under(coefficients, case)
    return arm_law(body, case.material, stiffness, given, model)


def own_values(case: Case, model: str) -> dict[str, float]:
    """Return the coefficients that have no neutral value, as a case's own body gives them."""
    return _CLOSED[model][1](case) if model in _CLOSED else {}


def _settled(coefficients: Coefficients | None, model: str, choice: LawChoice | None) -> set[str]:
    """Return the coefficients that settle an entry of the table of scope."""
    kind = None if choice is None else choice.kind
    settled = {SECTIONS, SOLID} if kind == "solid" else {SECTIONS} if kind == "slice" else set()
    return settled if coefficients is None else {*coefficients.read_by(model), *settled}


def _altered(case: Case, model: str, values: Mapping[str, float]) -> Case:
    """The case with another density, viscosity and water; of shells and joints another modulus."""
    stiffer = 1.0 if model in ("rod", "pcc") else values.get("modulus", 1.0)
    factors = {name: values.get(name, 1.0) for name in ("density", "viscosity")}
    material = {}
    for name, rubber in case.material.items():
        other = {what: factor * getattr(rubber, what) for what, factor in factors.items()}
        material[name] = scaled(rubber, stiffer).model_copy(update=other)
    return case.model_copy(update={"material": material, "water": _moved_water(case, values)})


def _moved_water(case: Case, values: Mapping[str, float]) -> Surroundings | None:
    """The water of a case, of which other shares drag and move along."""
    if case.water is None or case.water.strip is None:
        return case.water
    strip = case.water.strip
    factors = {"drag": values.get("drag", 1.0), "added": values.get("added_mass", 1.0)}
    other = {n: tuple(f * c for c in getattr(strip, n)) for n, f in factors.items()}
    return case.water.model_copy(update={"strip": strip.model_copy(update=other)})


def chosen_model(case: Case, model: str | None = None) -> str:
    """Return the model that is to predict a case, the default for its body if none is named."""
    models = models_of(case.body)
    if not models:
        raise BadInput(
            f"{case.name}: there is no reduced model of a solid from a file, since its section law "
            "is not known. Measure its 6x6 section stiffness, for example on a slice of the solid, "
            "give it to loligo.reduced.rod.model.Rod along the centreline, and write the result "
            "with loligo.cases.dataset.io.write"
        )
    if case.control is not None and any(abs(b) <= abs(a) for a, b in pairwise(case.steps)):
        raise BadInput(
            f"{case.name}: some of its steps lie behind a limit point, and a reduced model is "
            "driven by its loads, which do not lead there; predict it with steps that grow"
        )
    chosen = model or models[0]
    check_model(case, chosen)
    return chosen
