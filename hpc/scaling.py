"""The page of what 3D solutions took, and of what larger ones are estimated to take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from loligo.hpc.cost import LARGEST, Solver, cost, divided_share, law, sensible_ranks, speed_up
from loligo.hpc.measurement import Measured

_LARGE = (1_000_000, 3_000_000, 10_000_000, 30_000_000)
"""Unknowns that the page gives estimates for."""
_HEAD = """\
# What 3D solutions take

Written by `python tests/bench/bench_scaling.py`, which measures all of it anew. The machine:
{machine}.
CPU seconds are those of the slowest rank, without meshing, set-up, observation and compilation;
how many others shared the machine changes them by some tens of per cent. What to do with it:
[large runs](large.md).
"""


def page(rows: Sequence[Measured], machine: str) -> str:
    """Return the page."""
    growth = [one for one in rows if not one.quiet]
    quiet = [one for one in rows if one.quiet]
    parts = [[_HEAD.format(machine=machine)], _growth(growth), _ranks(quiet), _estimate()]
    return "\n".join(line for part in parts for line in part)


def _growth(rows: Sequence[Measured]) -> Iterator[str]:
    yield "## Iterations and memory by unknowns\n"
    yield "Loaded solves with `krylov` on one rank, from rest by way of the loads that stand in the"
    yield "table; each of the many linear systems of a state is solved to 1e-2. Where more than one"
    yield "state leads to a load, steps were cut: the systems of refused attempts count, too.\n"
    yield (
        "| body | unknowns | load | states | systems | iterations a system | CPU s | GB "
        "| kB an unknown |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in rows:
        yield (
            f"| {one.body} | {one.unknowns} | {one.load:g} | {one.states} | {one.systems} "
            f"| {one.iterations / one.systems:.1f} | {one.seconds:.0f} | {one.gigabytes:.2f} "
            f"| {1e6 * (one.gigabytes - 0.3) / one.unknowns:.1f} |"
        )
    yield "\nMemory an unknown is what is beyond the 0.3 GB of the libraries. Iterations a system"
    yield "over those of the coarsest mesh under the same load, and over those of the smallest load"
    yield "on the same mesh, at most:\n"
    yield "| body | unknowns from, to | by the mesh | by the load |"
    yield "|---|---|---|---|"
    for body in dict.fromkeys(one.body for one in rows):
        of = {
            (one.unknowns, one.load): one.iterations / one.systems
            for one in rows
            if one.body == body
        }
        sizes, loads = sorted({size for size, _ in of}), sorted({load for _, load in of})
        by_mesh = max(of[size, load] / of[sizes[0], load] for size, load in of)
        by_load = max(of[size, load] / of[size, loads[0]] for size, load in of)
        yield f"| {body} | {sizes[0]}, {sizes[-1]} | {by_mesh:.2f} | {by_load:.2f} |"
    yield ""


def _ranks(rows: Sequence[Measured]) -> Iterator[str]:
    yield "## One rank and two\n"
    yield "The first state of gong_bending_one, 6 kPa, on a machine that does nothing else. Strong"
    yield "scaling is the time of one rank over that of two on the same mesh; weak scaling compares"
    yield "one rank on the mesh before, of about half as many unknowns: its time per unknown over"
    yield "that of two ranks per unknown of a rank.\n"
    yield "| solver | unknowns | 1 rank: CPU s, GB | 2 ranks: CPU s, GB a rank | strong | weak |"
    yield "|---|---|---|---|---|---|"
    for solver in get_args(Solver):
        half = None
        for level in sorted({one.level for one in rows if one.solver == solver}):
            here = {one.ranks: one for one in rows if (one.solver, one.level) == (solver, level)}
            one, two = here[1], here[2]
            strong = one.seconds / two.seconds
            weak = "-"
            if half is not None:
                shares = half.seconds / half.unknowns, 2.0 * two.seconds / two.unknowns
                weak = f"{shares[0] / shares[1]:.2f}"
            yield (
                f"| {solver} | {one.unknowns} | {one.seconds:.1f}, {one.gigabytes:.2f} "
                f"| {two.seconds:.1f}, {two.gigabytes:.2f} | {strong:.2f} | {weak} |"
            )
            half = one
    yield ""


def _estimate() -> Iterator[str]:
    yield "## The model, and what it says of larger runs\n"
    yield "A state of N unknowns on R ranks takes c N^p (1 - f + f/R) of wall time and, beyond 0.3"
    yield "GB a rank for the libraries, m N^q of memory.\n"
    yield "| solver | c N^p, s | m N^q, GB | two ranks over one | f | bodies lie around it within |"
    yield "|---|---|---|---|---|---|"
    for solver in get_args(Solver):
        time, memory = law(solver, "seconds"), law(solver, "gigabytes")
        yield (
            f"| {solver} | {time.factor:.2g} N^{time.exponent:.2f} "
            f"| {memory.factor:.2g} N^{memory.exponent:.2f} | {speed_up(solver):.2f} "
            f"| {divided_share(solver):.2f} | a factor of {time.spread:.1f} |"
        )
    yield f"\nBeyond {LARGEST} unknowns or two ranks nothing was measured. **What follows is an"
    yield "estimate** by this model, for the solver and the ranks that `loligo plan` takes:\n"
    yield "| unknowns | solver | ranks | minutes a state | GB on all ranks |"
    yield "|---|---|---|---|---|"
    for unknowns in _LARGE:
        found = cost(unknowns, sensible_ranks(unknowns))
        yield (
            f"| {unknowns} | {found.solver} | {found.ranks} | {found.seconds / 60:.2g} "
            f"| {found.gigabytes:.0f} |"
        )
    yield ""
