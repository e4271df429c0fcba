r"""A case with data of it, and what parts a model's prediction from them.

Of an arm the points of the axis over its length L and the turns of its sections (rad) are compared,
at a blocked tip the reaction too, of a mantle the meridian over its length M. Data without a shape
may give the lengths of chambers on the surface: each is compared over the longest.

Steps that the data call unstable take no part, nor do places that a measurement has no value of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.schema import ARC_LENGTHS
from loligo.cases.load.kinds import CavityPressure
from loligo.cases.section_law.law import ArmLaws
from loligo.meshes.bodies import length as body_length
from loligo.reduced.predict.predict import NothingPredicted, answer, resolved
from loligo.validation.data.matching import SAME_PLACE, match
from loligo.validation.data.quantities import Array, excess, length, points, unit_length

KINDS = ("axis", "turn", "reaction", "meridian", "length", "marker", "angle")
"""What is compared."""
PER_PLACE = {"axis": 3, "turn": 3, "meridian": 2, "marker": 3}
"""Numbers at each place along the body, of the kinds that have places."""
SHAPES = {"frame", "centreline", "profile_radius", "marker_position", "angle"}
"""Variables of data sets that are fitted to."""
_LOOKED_AT = ("marker_position", "angle")
"""Those that an experiment gives; where they are there, nothing else of the shape is."""
_LENGTHS = "chamber_length"
"""What is, without them."""
_COMPARED = {"time", "frame", "centreline", "reaction_tip", "profile_radius", "profile_axial"}
_COMPARED |= {"marker_position", "marker_rest", "angle"}
NORMAL = 1.96
"""Half-width of a bar over the standard deviation."""
EXCITED = 0.05
"""Share of all strain that a strain must have for its coefficients to be sought."""


@dataclass(frozen=True, eq=False)
class CaseData:
    """A case with data of it.

    Attributes:
        case: the case.
        data: a reference or a measurement.
        fitted: steps of the data that are fitted, from 1; the others are held out.
        file_hash: of the data's file, if it has one.
    """

    case: Case
    data: xr.Dataset
    fitted: tuple[int, ...]
    file_hash: str = ""
    _fineness: dict[str, float] = field(default_factory=dict, repr=False)

    def fineness(self, model: str, coefficients: Coefficients, law: ArmLaws | None = None) -> float:
        """Return how many times the usual intervals a prediction of the case takes by itself.

        Found once for a model: a search compares like with like, and its coefficients make up for
        no error of the discretisation.
        """
        if model not in self._fineness:
            try:
                found = resolved(self.case, model, coefficients=coefficients, law=law).data.attrs
            except NothingPredicted:
                found = {}
            self._fineness[model] = float(found.get("refinement", 1.0))
        return self._fineness[model]

    @cached_property
    def compared(self) -> xr.Dataset:
        """The data without what is not compared."""
        names = [name for name in self.data.data_vars if str(name) in _COMPARED]
        names += [name for name in self.data.data_vars if str(name).startswith("load_")]
        if _LENGTHS in self.data and not SHAPES & set(names):
            return self.data[[*names, _LENGTHS]].sel(line="surface", drop=True)
        kept = (*ARC_LENGTHS, "marker", "tag")
        labels = [name for name in self.data.coords if name not in kept]
        return self.data[names].drop_vars(labels, errors="ignore")

    @cached_property
    def seen(self) -> dict[str, NDArray[np.bool_]]:
        """Which residuals of the fitted steps have data, by kind: rows of a vector together."""
        parts = difference(self, self.data, self.fitted)
        known = {kind: np.isfinite(part) for kind, part in parts.items()}
        for kind, there in known.items():
            if kind != "length":  # chambers are measured one by one
                there &= there.all(axis=-1, keepdims=True)
        return known

    @property
    def held_out(self) -> tuple[int, ...]:
        """Stable steps that are not fitted, from 1."""
        return tuple(s for s in stable_steps(self.data) if s not in self.fitted)


def excited(
    model: str, studies: Sequence[CaseData], base: Coefficients | None = None
) -> tuple[str, ...]:
    """Return what a model is calibrated in unless asked otherwise: what the fitted loads excite.

    On a section law of the solid, which `base` names, that is the rubber's modulus alone.

    Of a pressed body a tip that is held tells the force per pressure, a free one the stiffness; a
    motion tells the viscosity, one through water its drag and the mass that it moves.
    """
    fitted = [study for study in studies if study.fitted]
    moving = any(study.case.time is not None for study in fitted)
    viscous = any(r.viscosity > 0.0 for s in fitted for r in s.case.material.values())
    if model in ("shell", "shell_eq7"):
        return ("modulus", "viscosity") if moving and viscous else ("modulus",)
    if base is not None and (base.law or "").startswith("solid"):
        return ("modulus",)
    pressed = [s for s in fitted if any(load.kind == "pressure" for load in s.case.load.values())]
    held = any(study.case.support.tip == "blocked" for study in pressed)
    free = any(study.case.support.tip != "blocked" for study in pressed)
    if model == "pcc_lengths":
        return _excited_lengths(fitted)
    if model == "joint":
        names = {"actuator_area": held, "modulus": free}
        return tuple(name for name, sought in names.items() if sought)
    share = _strain_shares(fitted)
    if share is None:
        return ("bending_stiffness",)
    bent, stretched = share[1:3].max() > EXCITED, share[3] > EXCITED
    waters = [study.case.water for study in fitted]
    strips = [water.strip for water in waters if water is not None and water.strip is not None]
    names = {
        "bending_stiffness": bent,
        "stretch_stiffness": stretched,
        "torsion_stiffness": share[0] > EXCITED,
        "softening": stretched and free,
        "chamber_growth": bent and free,
        "chamber_area": held,
        "viscosity": moving and viscous,
        "drag": moving and any(max(strip.drag) > 0.0 for strip in strips),
        "added_mass": moving and any(max(strip.added) > 0.0 for strip in strips),
    }
    return tuple(name for name, sought in names.items() if sought and model in KNOWN[name].models)


def _excited_lengths(studies: Sequence[CaseData]) -> tuple[str, ...]:
    """Return which lengths of chambers loads excite.

    A chamber alone takes others along, segments differ, and what is no pressure stretches them.
    """
    alone = several = hung = False
    for study in studies:
        loads = [x for x in study.case.load.values() if isinstance(x, CavityPressure)]
        hung |= len(loads) < len(study.case.load)
        pressed = {name for load in loads for name in load.cavities}
        segments = {name.partition("c")[0] for name in pressed}
        several |= "s1" in segments and len(segments) > 1
        cavities = study.case.body.cavities
        alone |= any(name.partition("c")[0] in segments for name in set(cavities) - pressed)
    others = ("length_coupling",) if alone else ()
    hanging = ("length_at_rest",) if hung else ()
    offset = ("offset_slope", "offset_pressure") if several else ()
    return ("length_gain", "length_growth", *others, *hanging, *offset)


def _strain_shares(studies: Sequence[CaseData]) -> Array | None:
    """Parts (6,) of all strain, turns times the length; None where the data give no strain."""
    strain = [
        excess(study.data)[_places(study.fitted)] * unit_length(length(study.data))
        for study in studies
        if {"strain", "strain_rest"} <= set(study.data.variables)
    ]
    if not strain:
        return None
    square = sum(np.nansum(s**2, axis=(0, 1)) for s in strain)
    return np.asarray(np.sqrt(square / max(float(np.sum(square)), 1e-300)))


def stable_steps(data: xr.Dataset) -> tuple[int, ...]:
    """Return the steps of a data set, from 1, that are not known to be unstable."""
    if "stable" not in data:
        return tuple(range(1, data.sizes["step"] + 1))
    return tuple(i for i, stable in enumerate(data["stable"].values, 1) if stable != 0)


def difference(study: CaseData, found: xr.Dataset, steps: Sequence[int]) -> dict[str, Array]:
    """Return model less data at steps of the data, from 1, by kind: (step, ...)."""
    seen = study.compared.isel(step=_places(steps))
    if not (SHAPES | {_LENGTHS}) & set(seen.variables):
        raise BadInput(
            f"{study.case.name}: coefficients are fitted to shapes, and the data have none of "
            f"{', '.join(sorted(SHAPES))}, nor {_LENGTHS}"
        )
    if _LENGTHS in seen:
        if _LENGTHS not in found:
            raise BadInput(
                f"{study.case.name}: the data have {_LENGTHS} and no shape, and coefficients of "
                "pcc_lengths alone are fitted to that"
            )
        found = found.sel(line="surface", drop=True)
    if _step_by_step(study, found) and max(steps) <= found.sizes["step"]:
        mine, theirs = found.isel(step=_places(steps)), seen
    else:
        pair = match(seen, found)
        if pair.missed:
            step = pair.missed[0]
            raise NothingPredicted(f"{study.case.name}: the model does not reach step {step}")
        mine, theirs = pair.prediction, pair.reference
    if _LENGTHS in theirs:
        off = mine[_LENGTHS].values - theirs[_LENGTHS].values
        return {"length": np.asarray(off / longest(study))}
    if "profile_radius" in theirs:
        meridian = [
            (mine[f"profile_{way}"].values - theirs[f"profile_{way}"].values)
            for way in ("axial", "radius")
        ]
        whole = float(theirs["meridian"].values[-1])
        return {"meridian": np.asarray(np.stack(meridian, axis=-1) / whole)}
    if any(name in theirs for name in _LOOKED_AT):
        return _looked_at(study, mine, theirs)
    parts: dict[str, Array] = {"axis": np.asarray((points(mine) - points(theirs)) / length(theirs))}
    if "frame" in theirs:
        turns = np.swapaxes(theirs["frame"].values[..., :3, :3], -1, -2)
        turns = (turns @ mine["frame"].values[..., :3, :3]).reshape(-1, 3, 3)
        known = np.isfinite(turns).all(axis=(1, 2))
        turned = np.full((len(turns), 3), np.nan)
        if known.any():
            turned[known] = Rotation.from_matrix(turns[known]).as_rotvec()
        parts["turn"] = turned.reshape(*mine["frame"].shape[:2], 3)
    if study.case.support.tip == "blocked" and "reaction_tip" in theirs:
        scale = np.repeat([length(theirs), 1.0], 3) * blocked_force(study)
        parts["reaction"] = (mine["reaction_tip"].values - theirs["reaction_tip"].values) / scale
    return parts


def _looked_at(study: CaseData, mine: xr.Dataset, theirs: xr.Dataset) -> dict[str, Array]:
    """Return the differences of markers over the body's length, and of angles."""
    parts: dict[str, Array] = {}
    for name, kind in (("marker_position", "marker"), ("angle", "angle")):
        if name not in theirs:
            continue
        if name not in mine:
            raise BadInput(
                f"{study.case.name}: the data have {name} and the case does not say where: give "
                "its markers and angles"
            )
        off = mine[name].values - theirs[name].values
        parts[kind] = np.asarray(off / (body_length(study.case.body) if kind == "marker" else 1.0))
    return parts


def blocked_force(study: CaseData) -> float:
    """Return the largest force (N) on a blocked tip that is fitted; where none is, of all."""
    force = np.linalg.norm(study.data["reaction_tip"].values[:, 3:], axis=1)
    return float(np.nanmax(force[_places(study.fitted)] if study.fitted else force))


def longest(study: CaseData) -> float:
    """Return the longest chamber (m) that was measured at the fitted steps, else at any."""
    lengths = np.abs(study.compared[_LENGTHS].values)
    return float(np.nanmax(lengths[_places(study.fitted)] if study.fitted else lengths))


def scatter(study: CaseData, steps: Sequence[int]) -> dict[str, Array]:
    """Return standard deviations of residuals by kind, each broadcast to (step, ...), from 1.

    The bar of a measurement is a half-width that covers 95 % of a normal law, u = 1.96 sigma, for
    every entry of a step alike. A bar of the reaction in N is that of its force; a moment has as
    much over the length. What no bar is stated of is left out, and so are solutions: what a mesh
    leaves is no scatter.
    """
    data = study.data
    if data.attrs.get("kind") != "measurement":
        return {}
    at = _places(steps)

    def bar(name: str, scale: float, unit: str = "m") -> Array | None:
        stated = data.get(f"{name}_uncertainty")
        if stated is None or stated.attrs.get("units") != unit:
            return None
        return np.asarray(stated.values.astype(float)[at] / (NORMAL * scale))

    found: dict[str, Array] = {}
    if {"frame", "centreline"} & set(data.data_vars):
        origin = bar("frame", length(data))
        origin = bar("centreline", length(data)) if origin is None else origin
        if origin is not None:
            found["axis"] = origin[:, None, None]
    size = body_length(study.case.body)
    if "marker_position_parts" in data:
        square = np.sum(np.nan_to_num(data["marker_position_parts"].values[:, at]) ** 2, axis=0)
        found["marker"] = np.sqrt(square) / (NORMAL * size)
    elif (place := bar("marker_position", size)) is not None:
        found["marker"] = place[:, None, None]
    if (angle := bar("angle", 1.0, "rad")) is not None:
        found["angle"] = angle[:, None]
    if "reaction_tip" in data:
        force = bar("reaction_tip", blocked_force(study), "N")
        if force is not None:
            found["reaction"] = force[:, None]
    if _LENGTHS in study.compared:
        lengths = bar(_LENGTHS, longest(study))
        if lengths is not None:
            found["length"] = lengths[:, None]
    if "profile_radius" in data:
        whole = float(data["meridian"].values[-1])
        axial, radius = (bar(f"profile_{way}", whole) for way in ("axial", "radius"))
        if axial is not None and radius is not None:
            found["meridian"] = np.stack([axial, radius], axis=-1)[:, None, :]
    # No scatter at all is no statement; a step that nobody measured may have no bar.
    return {kind: sigma for kind, sigma in found.items() if not np.any(sigma <= 0.0)}


def _places(steps: Sequence[int]) -> list[int]:
    """Where steps, from 1, stand in a data set."""
    return [step - 1 for step in steps]


def _step_by_step(study: CaseData, found: xr.Dataset) -> bool:
    """Whether a static arm's prediction has the data's stations, and its steps from the first on.

    That is how searches ask, and then nothing has to be matched.
    """
    data, count = study.compared, found.sizes["step"]
    names = [name for name in map(str, data.data_vars) if name.startswith("load_")]
    if study.case.time is not None or not names or _LENGTHS in data:
        return False
    if "station" not in data.dims or "station" not in found.dims:
        return False
    pairs = [(data[name].values[:count], found[name].values) for name in names if name in found]
    pairs.append((data["station"].values, found["station"].values))
    return len(pairs) == len(names) + 1 and all(_alike(*pair) for pair in pairs)


def _alike(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(
        np.abs(one - other).max() <= SAME_PLACE * np.abs(one).max()
    )


def predicted(
    study: CaseData,
    model: str,
    coefficients: Coefficients,
    steps: int = 0,
    refine: float = 1.0,
    law: ArmLaws | None = None,
) -> xr.Dataset:
    """Return what the model finds of a study, of its first steps or of all: its shape at least.

    Its grid is `refine` times as fine as that of a prediction.
    """
    case = study.case if steps == 0 else first_steps(study.case, steps)
    shape_only = _LENGTHS not in study.data or bool(SHAPES & set(study.data.variables))
    refine *= study.fineness(model, coefficients, law)
    return answer(
        case, model, refine=refine, coefficients=coefficients, law=law, shape_only=shape_only
    )


def first_steps(case: Case, count: int) -> Case:
    """Return a case with its first reported steps only, of a motion with two at least."""
    if case.time is not None:
        end = case.time.times[max(count, 2) - 1]
        return case.model_copy(update={"time": case.time.model_copy(update={"duration": end})})
    loads = {
        name: load if load.path is None else load.model_copy(update={"path": load.path[:count]})
        for name, load in case.load.items()
    }
    return case.model_copy(update={"steps": case.steps[:count], "load": loads})
