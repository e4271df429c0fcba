"""Where a body is at every step of a data set, and how well that is known, on the screen."""

from __future__ import annotations

from typing import Any


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
