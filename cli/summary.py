"""Where a body is at every step of a data set, and how well that is known: tables or JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr


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


def print_summary(steps: list[dict[str, Any]]) -> None:
    """Print a table, lengths in mm."""
    from rich.table import Table

    from loligo.cli.tables import show

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in steps[0]:
        text = heading.removeprefix("load_").replace(" [m]", " [mm]").replace(" [", "\n\\[")
        table.add_column(text, justify="right", no_wrap=True)
    for row in steps:
        table.add_row(
            *(f"{1e3 * x:.3f}" if key.endswith(" [m]") else f"{x:.5g}" for key, x in row.items())
        )
    show(table)


def bars(
    found: xr.Dataset, meshes: Sequence[xr.Dataset], times: Sequence[xr.Dataset] = ()
) -> list[dict[str, Any]]:
    """What levels say of every variable at the last step, in the entry with the widest bar."""
    from loligo.cases.dataset.levels import entry_unit, mesh_convergence, time_convergence

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


def print_bars(rows: list[dict[str, Any]]) -> None:
    """Print the table of error bars, if there are any."""
    from rich.table import Table
    from rich.text import Text

    from loligo.cli.tables import show

    if not rows:
        return
    table = Table(
        title="error bars at the last step, each of the entry where it is widest",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for heading in rows[0]:
        number = heading in ("value", "bar", "order")
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        order = "" if row["order"] is None else f"{row['order']:.2f}"
        numbers = {"value": f"{row['value']:.5g}", "bar": f"{row['bar']:.2g}", "order": order}
        table.add_row(*(Text(str({**row, **numbers}[key])) for key in row))
    show(table)
