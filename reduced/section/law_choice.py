"""Which section law an arm's model stands on: one decision for predictions, fits, maps and robots.

From the best on: the law of the solid at finite strain, the solid's law at rest (`slice`), and the
linear law from the geometry. A law of the solid is taken if it belongs to the arm's sections and
covers the pressures of all steps. A fit stands on the law that its coefficients were fitted with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from loligo.cases.body import Bar, ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.coefficients import OF_LINEAR_LAWS, Coefficients, StationLaw
from loligo.cases.coefficients import for_case as bare
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws, SolidLaw, read_law
from loligo.cases.section_law.shipped import identity, others, shipped_laws
from loligo.meshes.bodies import Arm
from loligo.reduced.section.arm_law import soft_pieces
from loligo.reduced.section.pressures import cavity_pressures
from loligo.reduced.section.solid_sections import covers, solid_sections

LawName = Literal["geometry", "slice", "solid"]
LAW_NAMES: tuple[LawName, ...] = get_args(LawName)
Law = LawName | ArmLaws | None
"""A law that is asked for by name, one that is given, or None for the best there is."""
AnyLaw = Law | str | Path
"""The same, or a file that holds one."""
ON_SECTIONS = ("rod", "pcc")
"""Models that stand on sections."""


def asked(law: AnyLaw) -> Law:
    """Return a law by its name, or from its file."""
    match law:
        case None | "geometry" | "slice" | "solid" | ArmLaws():
            return law
    if not (file := Path(law)).exists():
        raise BadInput(
            f"law {law}: it is none of {', '.join(LAW_NAMES)}, and there is no such file"
        )
    return read_law(file)


@dataclass(frozen=True, eq=False)
class LawChoice:
    """The section law that a prediction stands on.

    Attributes:
        kind: which of the three.
        laws: of the solid: at finite strain, or for what they say at rest; None where the sections
            are those of the geometry or of coefficients.
        origin: where these laws come from, in words.
        passed: why no better law was taken; empty if there is none or it was asked for.
    """

    kind: LawName
    laws: ArmLaws | None = None
    origin: str = ""
    passed: str = ""

    @property
    def name(self) -> str:
        """The law as a file of coefficients names it."""
        if self.kind == "solid":
            assert self.laws is not None
            return f"solid {self.laws.digest}"
        return self.kind

    @property
    def words(self) -> str:
        """The law in a sentence."""
        if self.laws is None:
            what = "section law from the geometry at rest"
            what = what if self.kind == "geometry" else "section law at rest, of the coefficients"
        else:
            places = ", ".join(f"{1e3 * x:.4g}" for x, _ in self.laws.sections)
            error = max(law.error for _, law in self.laws.sections)
            rest = "" if self.kind == "solid" else " at rest"
            what = (
                f"section law of the solid{rest} at x = {places} mm, {self.origin}, "
                f"error {error:.1e}"
            )
        return f"{what}; {self.passed}" if self.passed else what

    def under(self, coefficients: Coefficients | None, case: Case) -> Coefficients | None:
        """Return coefficients with the sections of the solid at rest, where these are taken."""
        if self.kind != "slice" or self.laws is None:
            return coefficients
        base = coefficients or bare(case, "sections of the solid at rest")
        return base.model_copy(update={"section": at_rest(self.laws)})


def choose(
    case: Case, model: str, law: Law = None, coefficients: Coefficients | None = None
) -> LawChoice | None:
    """Return the section law that a model of a case stands on; None for a model without sections.

    Args:
        case: an arm and its loads.
        model: who asks.
        law: what is asked for: a law by its name, or laws of the solid.
        coefficients: what the model reads. Those that were fitted on a law ask for it.

    Raises:
        BadInput: if the law does not belong to the arm, is not there, or is another than that of
            the coefficients.
    """
    body = case.body
    if model not in ON_SECTIONS or not isinstance(body, TaperedArm | ChamberedArm | Bar):
        if law is not None:
            raise BadInput(f"{case.name}: the model {model} takes no section law; rod and pcc do")
        return None
    chosen = _chosen(case, body, model, law, coefficients)
    if coefficients is not None:
        _check_agree(case, model, chosen, coefficients)
    return chosen


def common(cases: Sequence[Case], model: str, law: Law, base: Coefficients) -> LawChoice | None:
    """Return the one law on which a model can answer several cases of one body."""
    found = [choice for case in cases if (choice := choose(case, model, law, base)) is not None]
    if not found:
        return None
    worst = min(found, key=lambda choice: LAW_NAMES.index(choice.kind))
    if worst.kind == "solid" and len({choice.name for choice in found}) > 1:
        return choose(cases[0], model, "slice", base)
    return worst


def at_rest(laws: ArmLaws) -> tuple[StationLaw, ...]:
    """Return what laws of the solid say at rest: the stiffness, and the arms of the pressures.

    The wrench that a pressure drives a section with is the volume's derivative by the strain.
    """
    sections = []
    for x, law in laws.sections:
        rest = np.zeros(law.directions.shape[1])
        stiffness = law.stiffness(rest)
        slopes = law.volume_slope(rest)
        arms = {name: [float(a) for a in slopes[i]] for i, name in enumerate(law.cavities)}
        values = {"x": x, "stiffness": ((stiffness + stiffness.T) / 2).tolist(), "arms": arms}
        sections.append(StationLaw.model_validate(values))
    return tuple(sections)


def _chosen(
    case: Case, body: Arm, model: str, law: Law, coefficients: Coefficients | None
) -> LawChoice:
    given = coefficients is not None and bool(coefficients.section)
    if isinstance(law, ArmLaws):
        _check_belongs(case, law)
        _check_serves(case)
        solid_sections(body, law)
        return LawChoice("solid", law, "given")
    if law is None and coefficients is not None:
        law = _asked_for(coefficients)
        if law == "solid":
            return _fitted_on(case, body, coefficients)
    match law:
        case "geometry":
            return LawChoice("geometry")
        case "slice" if given:
            return LawChoice("slice")
        case "slice":
            return _shipped_at_rest(case, body) or _refused(case, body, "slice")
        case "solid":
            _check_serves(case)
            return _shipped(case, body) or _refused(case, body, "solid")
        case None:
            return _best(case, body)


def _best(case: Case, body: Arm) -> LawChoice:
    at_rest_too = _shipped_at_rest(case, body)
    if at_rest_too is None:
        why = "none of the solid is shipped for it: loligo section --law makes one"
        return LawChoice("geometry", passed=why)
    if case.time is not None:
        why = "a motion takes no law at finite strain"
    elif case.support.tip == "blocked":
        why = (
            "a blocked tip holds the strain away from that under pressure, about which laws expand"
        )
    elif (chosen := _shipped(case, body)) is not None:
        return chosen
    elif _is_slack(case, _pressures(case, body)):
        why = "thread that slackens has no law at finite strain without pressure"
    else:
        why = "no law of the solid covers these pressures: loligo section --law makes one"
    if isinstance(body, TaperedArm):  # at rest the geometry of a solid round section is exact
        return LawChoice("geometry", passed=why)
    return replace(at_rest_too, passed=why)


def _shipped(case: Case, body: Arm) -> LawChoice | None:
    """Return shipped laws that cover the pressures of a case."""
    steps = _pressures(case, body)
    if steps is None or _is_slack(case, steps):
        return None
    return _composed(case, body, "solid", steps)


def _pressures(case: Case, body: Arm) -> list[dict[str, float]] | None:
    """Return the pressures of all steps; None if they are part of the answer."""
    try:
        return [cavity_pressures(body, case, step) for step in range(len(case.steps))]
    except BadInput:
        return None


def _is_slack(case: Case, steps: Sequence[Mapping[str, float]] | None) -> bool:
    """Whether thread is neither taut nor slack: an expansion knows one of the two."""
    slackens = case.winding is not None and case.winding.tension_only
    return slackens and steps is not None and not any(any(at.values()) for at in steps)


def _shipped_at_rest(case: Case, body: Arm) -> LawChoice | None:
    return _composed(case, body, "slice", ())


def _composed(
    case: Case, body: Arm, kind: LawName, steps: Sequence[Mapping[str, float]]
) -> LawChoice | None:
    """Return the law with the smallest error for every soft length; None if one has none."""
    sections, names = [], []
    for piece, known in zip(soft_pieces(body), shipped_laws(case), strict=True):
        able = {n: law for n, law in known.items() if all(covers(law, at) for at in steps)}
        if not able:
            return None
        name = min(able, key=lambda n: (_strained(able[n], steps), able[n].error))
        sections.append(((piece.start + piece.end) / 2, able[name]))
        names.append(name)
    origin = f"shipped as {', '.join(dict.fromkeys(names))}"
    return LawChoice(kind, ArmLaws(tuple(sections), identity(case)), origin)


def _strained(law: SolidLaw, steps: Sequence[Mapping[str, float]]) -> bool:
    """Whether pressures are beyond those that a law has seen."""
    given = [[at[name] for name in law.cavities] for at in steps]
    return any((law.parameters(pressures) > 1.0 + 1e-9).any() for pressures in given)


def _refused(case: Case, body: Arm, kind: str) -> LawChoice:
    why = (
        "none is shipped for its sections"
        if _shipped_at_rest(case, body) is None
        else "none that is shipped covers its pressures"
    )
    make = (
        "loligo section CASE --law -o FILE"
        if kind == "solid"
        else "loligo section CASE -o FILE and give them as coefficients"
    )
    raise BadInput(f"{case.name}: there is no law {kind}: {why}; make one with {make}")


def _asked_for(coefficients: Coefficients) -> LawName | None:
    """Return the law that coefficients stand on; None if they stand on any."""
    if coefficients.section:
        return "slice"
    if (law := coefficients.stands_on) is not None:
        return "solid" if law.startswith("solid") else "geometry"
    return "geometry" if OF_LINEAR_LAWS & coefficients.values.keys() else None


def _fitted_on(case: Case, body: Arm, coefficients: Coefficients) -> LawChoice:
    _check_serves(case)
    chosen = _shipped(case, body)
    if chosen is None or chosen.name != coefficients.law:
        raise BadInput(
            f"{case.name}: these coefficients ({coefficients.source}) were fitted on a section law "
            "of the solid that loligo does not bring along for this case: give its file with --law"
        )
    return chosen


def _check_belongs(case: Case, law: ArmLaws) -> None:
    if other := others(law.belongs_to, case):
        raise BadInput(
            f"{case.name}: this section law belongs to other {' and other '.join(other)}; "
            f"make it anew: loligo section {case.name} --law"
        )


def _check_serves(case: Case) -> None:
    if case.time is not None:
        raise BadInput(
            f"{case.name}: a motion takes no section law of the solid, which is static: leave the "
            "law or the time out"
        )


def _check_agree(case: Case, model: str, chosen: LawChoice, coefficients: Coefficients) -> None:
    """Refuse coefficients that were fitted on another law, or correct what a law has no more."""
    source = coefficients.source
    if coefficients.section and chosen.kind != "slice":
        raise BadInput(
            f"{case.name}: the coefficients ({source}) bring sections of their own, and cannot be "
            f"used with the law {chosen.kind}: leave one of them out"
        )
    if coefficients.stands_on not in (None, chosen.name):
        raise BadInput(
            f"{case.name}: these coefficients ({source}) were fitted on the law "
            f'"{coefficients.stands_on}" and cannot be used with "{chosen.name}": calibrate anew'
        )
    linear = sorted(OF_LINEAR_LAWS & coefficients.read_by(model).keys())
    if chosen.kind == "solid" and linear:
        raise BadInput(
            f"{case.name}: {', '.join(linear)} correct a linear section law, and the law of the "
            "solid has no such error: its coefficient is modulus; or give --law geometry"
        )
