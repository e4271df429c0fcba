"""How fine a reduced model has to be, and the numerical error that is left.

A case is answered on two grids, one with `RATIO` times the intervals of the other, and a motion on
the coarser one with steps shorter by the root of two, too. Their differences are the error bars of
the finer answer, as with mesh and time levels of a 3D solution (`loligo.cases.dataset.levels`):
3 d/(r^p - 1) of two levels that differ by d, with p = 3 in space and 2 in time. Both orders are
below those of theory, so that a bar is rather too wide. Intervals are added until the error of the
shape is below `LIMIT`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline

from loligo.cases.case import Case
from loligo.cases.dataset.levels import Convergence, mesh_convergence, time_convergence, with_bars
from loligo.reduced.predict.case_at import SHORTER, Steps
from loligo.reduced.predict.march import NothingPredicted, as_reached

LIMIT = 0.005
"""Largest error of the shape over the length that needs no finer model."""
RATIO = 1.5
"""Of the intervals of two grids."""
_FINEST = 1.5**3
"""Times the usual intervals, where the search for a fine enough grid ends."""
Levels = tuple[xr.Dataset, ...]
Judge = Callable[[xr.Dataset, Levels], dict[str, list[Convergence]]]
_COARSEST = 0.1
"""Times the usual intervals, below which there is one in every soft length."""
_SHAPE = ("frame", "profile_radius", "profile_axial")


class Predictor(Protocol):
    """A model: from a case, its fineness and its time steps to an answer."""

    def __call__(
        self, case: Case, *, refine: float, time_steps: Steps | None, on_the_way: bool
    ) -> xr.Dataset:
        """Return the answer."""


@dataclass(frozen=True, eq=False)
class Resolved:
    """An answer with its error.

    Attributes:
        data: the answer with error bars and the attributes `refinement`, `error_in_space` and
            `error_in_time`: the largest error bar of the shape over the length. An error that is
            not known is left out; a static case has no error in time, a model in closed form none
            in space.
        spaces: the answers on two grids, finest first, with the attribute `size`; empty where no
            coarser model goes as far.
        times: the same with two time steps, with the attribute `time_step`.
    """

    data: xr.Dataset
    spaces: Levels
    times: Levels

    @property
    def cautions(self) -> list[str]:
        """What to know of the error, in sentences; empty if it is below the limit."""
        said = []
        for name in ("space", "time") if _moves(self.data) else ("space",):
            error = self.data.attrs.get(f"error_in_{name}")
            if error is None:
                said.append(f"the error in {name} is not known: no coarser model goes as far")
            elif error > LIMIT:
                said.append(
                    f"under-resolved: the error in {name} is {error:.2g} of the length, more than "
                    f"{LIMIT:.2g}"
                )
        return said


def resolve(case: Case, answer: Predictor, refine: float | None, *, on_the_way: bool) -> Resolved:
    """Return the answer to a case on a grid that is fine enough, with its error.

    Args:
        case: the case.
        answer: the model.
        refine: so many times the usual intervals; None for as many as the error asks for.
        on_the_way: whether to keep the last state before a step that is not reached.
    """
    used = 1.0 if refine is None else refine
    data = answer(case, refine=used, time_steps=None, on_the_way=on_the_way)
    if "size" not in data.attrs:
        return Resolved(data.assign_attrs(error_in_space=0.0), (), ())
    case = as_reached(case, data)
    steps = Steps(data.attrs["step_tolerance"], data.attrs["longest_step"]) if case.time else None

    def again(fineness: float, time_steps: Steps | None = steps) -> xr.Dataset | None:
        try:
            found = answer(case, refine=fineness, time_steps=time_steps, on_the_way=False)
        except NothingPredicted:
            return None
        return found if found.sizes["step"] == data.sizes["step"] else None

    coarser = used / RATIO
    coarse = again(coarser)
    while coarse is not None and coarse.attrs["size"] == data.attrs["size"] and coarser > _COARSEST:
        coarser /= RATIO  # two thirds of two intervals may be two again
        coarse = again(coarser)
    spaces, times = _spaces(data, coarse), _times(again, coarser, coarse, steps)
    while refine is None and used < _FINEST and _error(data, spaces, mesh_convergence) > LIMIT:
        finer = again(RATIO * used)
        if finer is None:
            break
        used, coarse = RATIO * used, data
        data = finer.assign_attrs({name: data.attrs[name] for name in ("status", "reached")})
        spaces = _spaces(data, coarse)
    times = tuple(_at_places(level, data) for level in times)
    found = with_bars(data, spaces, times).assign_attrs(refinement=used)
    errors = {
        "error_in_space": _error(data, spaces, mesh_convergence),
        "error_in_time": _error(data, times, time_convergence),
    }
    found = found.assign_attrs({n: error for n, error in errors.items() if np.isfinite(error)})
    return Resolved(found, spaces, times)


def _spaces(fine: xr.Dataset, coarse: xr.Dataset | None) -> Levels:
    """Return answers on two grids at the places of the finer; none if they are not two."""
    if coarse is None or coarse.attrs["size"] <= fine.attrs["size"]:
        return ()
    return fine, _at_places(coarse, fine)


def _times(
    again: Callable[[float, Steps | None], xr.Dataset | None],
    fineness: float,
    coarse: xr.Dataset | None,
    steps: Steps | None,
) -> Levels:
    """Return answers with shorter steps and with those of before, on the coarser grid."""
    shorter = None if steps is None or coarse is None else again(fineness, steps.shorter())
    if shorter is None or coarse is None:
        return ()
    return shorter.assign_attrs(time_step=SHORTER), coarse.assign_attrs(time_step=1.0)


def _error(data: xr.Dataset, levels: Levels, judge: Judge) -> float:
    """Return the largest error bar of the shape over the length; nan if it is not known."""
    bars = judge(data, levels)
    widths = [one.half_width for name in _SHAPE for one in bars.get(name, ())]
    arc = data["station" if "station" in data.dims else "meridian"].values
    return max(widths) / float(arc[-1] - arc[0]) if widths else np.nan


def _moves(data: xr.Dataset) -> bool:
    return bool(np.isfinite(data["time"].values).all())


def _at_places(level: xr.Dataset, data: xr.Dataset) -> xr.Dataset:
    """Return an answer at the places of another along the meridian: a wall's nodes differ."""
    if "meridian" not in data.dims or level["meridian"].equals(data["meridian"]):
        return level
    arc = data["meridian"].values
    profiles = {
        name: (of.dims, CubicSpline(level["meridian"].values, of.values, axis=1)(arc), of.attrs)
        for name, of in level.data_vars.items()
        if of.dims == ("step", "meridian")
    }
    return level.drop_dims("meridian").assign_coords(meridian=data["meridian"]).assign(profiles)
