"""`loligo doctor`: what is installed, what is missing, whether the numbers come out right."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from typing import Annotated

import typer

from loligo.installation import Diagnosis, look

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Look at this installation and run a short self-test; code 1 if something is wrong.

    Example: [bold]loligo doctor[/], on a cluster [bold]srun loligo doctor[/]
    """
    rank = _rank()
    findings = []
    for finding in look():
        findings.append(finding)
        if rank == 0 and not as_json:
            _print(finding)
    if rank == 0 and as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    if any(finding.verdict == "bad" for finding in findings):
        raise typer.Exit(1)


def _print(finding: Diagnosis) -> None:
    colour = {"good": typer.colors.GREEN, "warning": typer.colors.YELLOW, "bad": typer.colors.RED}
    mark = typer.style(f"{finding.verdict:8}", fg=colour[finding.verdict])
    typer.echo(f"{mark} {finding.what:20} {finding.value}")
    if finding.advice:
        typer.echo(f"{'':30}{finding.advice}")


def _rank() -> int:
    """Rank of this process, without starting MPI where there is none."""
    if importlib.util.find_spec("mpi4py") is None:
        return 0
    from mpi4py import MPI

    return int(MPI.COMM_WORLD.rank)
