"""Where a body is at every step of a data set, and how well that is known, as rows of tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import xarray as xr

from loligo.cases.dataset.levels import entry_unit, mesh_convergence, time_convergence


def summary(found: xr.Dataset) -> list[dict[str, Any]]:
    """Where the tip of an arm or the rim of a mantle is at every step, in SI."""
    steps = []
    for i in range(found.sizes["step"]):
        at = found.isel(step=i)
        row: dict[str, Any] = {"step": i + 1}
        if "time" in found and math.isfinite(found["time"][i]):
            row["time [s]"] = float(found["time"][i])
        for name in found.data_vars:
            if str(name).startswith("load_"):
                row[f"{name} [{found[name].attrs['units']}]"] = float(at[name])
        if "frame" in found:
            row |= {f"tip_{axis} [m]": float(at["frame"][-1, k, 3]) for k, axis in enumerate("xyz")}
        elif "profile_radius" in found:
            row["rim_radius [m]"] = float(at["profile_radius"][-1])
        if "meridian" in found.dims or "frame" not in found:
            row["volume [m^3]"] = float(at["volume"][0])
        row["stable"] = int(at["stable"])
        steps.append(row)
    return steps


def bars(
    found: xr.Dataset, meshes: Sequence[xr.Dataset], times: Sequence[xr.Dataset] = ()
) -> list[dict[str, Any]]:
    """What levels say of every variable at the last step, in the entry with the widest bar."""
    studies = {"mesh": mesh_convergence(found, meshes), "time step": time_convergence(found, times)}
    return [
        {
            "quantity": name,
            "unit": entry_unit(name, steps[-1].entry),
            "value": steps[-1].value,
            "bar": steps[-1].half_width,
            "of": study,
            "order": None if math.isnan(steps[-1].order) else steps[-1].order,
            "verdict": steps[-1].verdict.name.lower().replace("_", " "),
        }
        for study, variables in studies.items()
        for name, steps in variables.items()
        if steps[-1].value or steps[-1].half_width
    ]
