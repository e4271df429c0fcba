"""What the solver did, and how the body vibrates, as data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import xarray as xr

from loligo.fem.march.step import StepResult


def solver_history(states: Sequence[StepResult]) -> xr.Dataset:
    """Return what was done for every converged state, reported or on the way to one."""
    steps = [-1 if one.target is None else one.target for one in states]
    per_state = {
        "reported": (steps, "reported step, from 0; -1 on the way to one"),
        "iterations": ([one.iterations for one in states], "iterations of Newton's method"),
        "cutbacks": ([len(one.cutbacks) for one in states], "failed attempts before this state"),
        "why": (np.array(["; ".join(one.cutbacks) for one in states], object), "why they failed"),
        "wall_seconds": ([one.seconds for one in states], "wall time since the state before (s)"),
    }
    driven = list(states[0].values)
    values = [[one.values[name] for name in driven] for one in states]
    fields, residual = _residuals(states)
    long_name = "over the scale of its field, before the first and after every iteration"
    points = {
        "limit": ([one.limit for one in states], "values at the limit point"),
        "bifurcation": ([one.bifurcation for one in states], "values at the bifurcation"),
    }
    critical = {
        name: (
            ("state", "driven"),
            [[(one or {}).get(each, np.nan) for each in driven] for one in column],
            {"long_name": f"{text} since the state before, in SI; not a number: there is none"},
        )
        for name, (column, text) in points.items()
        if any(column)
    }
    columns = {
        name: ("state", np.asarray(column), {"long_name": text})
        for name, (column, text) in per_state.items()
    }
    return xr.Dataset(
        {
            **columns,
            **critical,
            "value": (("state", "driven"), values, {"long_name": "of what drives it, in SI"}),
            "residual": (("state", "iteration", "field"), residual, {"long_name": long_name}),
        },
        {"driven": driven, "field": fields},
        dict(states[-1].solver),
    )


def vibration_table(found: Sequence[Sequence[float]]) -> xr.Dataset:
    """Return frequencies (Hz) and shares of critical damping of small vibrations, slowest first.

    A state that is unstable has a frequency that is not a number; so has a power law of viscosity
    its damping.
    """
    frequency, damping = np.array(found).T
    return xr.Dataset(
        {
            "frequency": (
                "vibration",
                frequency,
                {"units": "Hz", "long_name": "natural frequency where the motion begins"},
            ),
            "damping": (
                "vibration",
                damping,
                {"units": "1", "long_name": "share of critical damping"},
            ),
        }
    )


def _residuals(states: Sequence[StepResult]) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the fields and their residuals; not a number after the last iteration."""
    fields = sorted({name for one in states for norms in one.history for name in norms})
    longest = max(len(one.history) for one in states)
    residual = np.full((len(states), longest, len(fields)), np.nan)
    for i, one in enumerate(states):
        for j, norms in enumerate(one.history):
            residual[i, j] = [norms.get(name, np.nan) for name in fields]
    return fields, residual
