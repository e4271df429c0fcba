"""Where a body is at every step of a data set, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr


def summary(found: xr.Dataset) -> list[dict[str, Any]]:
    """Where the tip of an arm or the rim of a mantle is at every step, in SI."""
    steps = []
    for i in range(found.sizes["step"]):
        at = found.isel(step=i)
        row: dict[str, Any] = {"step": i + 1}
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
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in steps[0]:
        text = heading.removeprefix("load_").replace(" [m]", " [mm]").replace(" [", "\n\\[")
        table.add_column(text, justify="right", no_wrap=True)
    for row in steps:
        table.add_row(
            *(f"{1e3 * x:.3f}" if key.endswith(" [m]") else f"{x:.5g}" for key, x in row.items())
        )
    Console().print(table)
