"""Tables on a terminal: a number is never cut, rather is the table wider than the window."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def of_numbers(*headings: str) -> Table:
    """Return a table whose first column names what stands in the others."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold")
    for place, heading in enumerate(headings):
        made.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return made


def show(table: Table) -> None:
    """Print a table as wide as it is."""
    from rich.console import Console

    # Launchers of ranks lend these a terminal of their own, whatever their output goes to.
    launched = bool({"PMIX_RANK", "PMI_RANK"} & set(os.environ))
    console = Console(force_terminal=False if launched else None)
    wide = console.options.update(width=10_000)
    console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(table)
