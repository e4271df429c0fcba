"""The page of what 3D solutions took, and of what larger ones are estimated to take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import get_args

from loligo.hpc.cost import (
    LIBRARIES,
    Solver,
    cost,
    divided_share,
    largest,
    law,
    memory_growth,
    sensible_ranks,
    speed_up,
    strong,
)
from loligo.hpc.measurement import Element, Measured

_LARGE = (1_000_000, 3_000_000, 10_000_000, 30_000_000)
"""Unknowns that the page gives estimates for."""
_HEAD = """\
# What 3D solutions take

Written by `python tests/bench/bench_scaling.py`: with `make bench` it measures meshes of up to
200 000 unknowns anew, in less than an hour, with the words `growth 2e6` the others, too, in many.
The last column says when a line was made, and by which commit; of lines from before 6f3080a, which
commit brought it, after the one that made it. The machine of the newest:
{machine}.
CPU seconds are those of the slowest rank, without meshing, set-up, observation and compilation;
how many others shared the machine changes them by some tens of per cent, and machines of this
name differed by a factor of 2: compare seconds of one commit. What to do with it: [large
runs](large.md).
"""
_GROWTH = """\
Cases of the library under their loads, from rest in two steps, with `krylov`, on one rank unless
a line says otherwise. A state takes several linear systems, each solved as far as Newton's method
asks, and again to 1e-2 where the norms differ. What refused attempts took, after which a step is
cut, stands apart. A line with a share below 1 ends where its run did. GB are those of all ranks;
kB an unknown is memory beyond the 0.3 GB that libraries take on each.
"""
_RANKS = """\
The first step, with nothing else on the machine or at a priority that nothing else had: two ranks
had both cores to themselves, beside one rank the other core may have worked, which flatters two.
Strong scaling is the time of one rank over that of two on the same mesh, with krylov of an
iteration; weak scaling compares one rank on the mesh before, where it has a third of the unknowns
or more: its time per unknown over that of two per unknown of a rank.
"""
_MODEL = """\
A state of N unknowns on R ranks takes c N^p (1 - f + f/R) of wall time and, beyond 0.3 GB a rank
for the libraries, m N^q of memory on one rank, g m N^q on several. f is at most 1 and follows from
the median of strong scaling. g is the largest that two ranks were measured to take over m N^q,
where that is more than the libraries: memory that is asked for in vain costs less than a run that
is killed. How memory grows beyond two ranks was not measured: g is kept there. Lines of earlier
commits count as they are: what loligo has become faster by since the largest were made is in p.
"""


def page(rows: Sequence[Measured], machine: str) -> str:
    """Return the page."""
    growth = [one for one in rows if not one.quiet]
    quiet = [one for one in rows if one.quiet]
    parts = [[_HEAD.format(machine=machine)], _growth(growth), _ranks(quiet), _estimate()]
    return "\n".join(line for part in parts for line in part)


def _growth(rows: Sequence[Measured]) -> Iterator[str]:
    yield "## Iterations and memory by unknowns\n"
    yield _GROWTH
    yield (
        "| body | unknowns | share of the load | states | systems | iterations | a system: mean, "
        "most | refused: systems, iterations | CPU s | GB | kB an unknown | made |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    solves = _solves(rows)
    for (body, unknowns), of in solves.items():
        systems, iterations = sum(one.systems for one in of), sum(one.iterations for one in of)
        refused = [sum(one.refused[i] for one in of) for i in (0, 1)]
        ranks = of[0].ranks
        memory = ranks * max(one.gigabytes for one in of)
        yield (
            f"| {body} | {unknowns} | {of[-1].load:g} | {sum(one.states for one in of)} "
            f"| {systems} | {iterations} | {iterations / systems:.1f}, "
            f"{max(one.most for one in of)} | {refused[0]}, {refused[1]} "
            f"| {sum(one.seconds for one in of):.0f} | {memory:.2f} "
            f"| {1e6 * (memory - ranks * LIBRARIES) / unknowns:.1f} "
            f"| {', '.join(dict.fromkeys(one.made for one in of))} |"
        )
    yield "\nThe mean over that of the coarsest mesh under the same loads, at most:\n"
    yield "| body | unknowns from, to | of all loads so far | of one load |"
    yield "|---|---|---|---|"
    for body in dict.fromkeys(body for body, _ in solves):
        meshes = {size: of for (name, size), of in solves.items() if name == body}
        coarse, *finer = meshes.values()
        if not finer:
            continue
        whole = max(_mean(of) / _mean(coarse[: len(of)]) for of in finer)
        single = max(
            _mean([a]) / _mean([b]) for of in finer for a, b in zip(of, coarse, strict=False)
        )
        yield f"| {body} | {min(meshes)}, {max(meshes)} | {whole:.2f} | {single:.2f} |"
    yield ""


def _solves(rows: Sequence[Measured]) -> dict[tuple[str, int], list[Measured]]:
    """Rows of every march, its loads in their order; by body and ranks, and by unknowns."""
    found: dict[tuple[str, int], list[Measured]] = {}
    for one in rows:
        where = "" if one.ranks == 1 else f", {one.ranks} ranks"
        found.setdefault((one.subject + where, one.unknowns), []).append(one)
    return found


def _mean(rows: Sequence[Measured]) -> float:
    """Iterations a system."""
    return sum(one.iterations for one in rows) / sum(one.systems for one in rows)


def _ranks(rows: Sequence[Measured]) -> Iterator[str]:
    yield "## One rank and two\n"
    yield _RANKS
    yield (
        "| solver | body | unknowns | 1 rank: CPU s, GB | 2 ranks: CPU s, GB a rank | strong "
        "| weak | made |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for solver, body in product(get_args(Solver), dict.fromkeys(one.subject for one in rows)):
        half = None
        mine = [one for one in rows if (one.solver, one.subject) == (solver, body)]
        for level in sorted({one.level for one in mine}):
            here = {one.ranks: one for one in mine if one.level == level}
            if set(here) != {1, 2}:
                continue
            one, two = here[1], here[2]
            weak = "-"
            if half is not None and one.unknowns < 3 * half.unknowns:
                shares = half.seconds / half.unknowns, 2.0 * two.seconds / two.unknowns
                weak = f"{shares[0] / shares[1]:.2f}"
            yield (
                f"| {solver} | {body} | {one.unknowns} | {one.seconds:.1f}, {one.gigabytes:.2f} "
                f"| {two.seconds:.1f}, {two.gigabytes:.2f} | {strong(one, two):.2f} | {weak} "
                f"| {', '.join(dict.fromkeys((one.made, two.made)))} |"
            )
            half = one
    yield ""


def _estimate() -> Iterator[str]:
    yield "## The model, and what it says of larger runs\n"
    yield _MODEL
    yield (
        "| solver | element | c N^p, s | m N^q, GB | two ranks' speed-up | f | g | bodies lie "
        "around it within | measured to, on one rank and on two |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for solver, element in product(get_args(Solver), get_args(Element)):
        time, memory = law(solver, element, "seconds"), law(solver, element, "gigabytes")
        yield (
            f"| {solver} | {element} | {time.factor:.2g} N^{time.exponent:.2f} "
            f"| {memory.factor:.2g} N^{memory.exponent:.2f} | {speed_up(solver):.2f} "
            f"| {divided_share(solver):.2f} | {memory_growth(solver):.2f} "
            f"| a factor of {time.spread:.1f} "
            f"| {largest(solver, 1, element)}, {largest(solver, 2, element)} |"
        )
    yield "\nBeyond these unknowns, or two ranks, nothing was measured. **What follows is an"
    yield "estimate** by this model, for the solver and the ranks that `loligo plan` takes:\n"
    yield "| unknowns | element | solver | ranks | minutes a state | GB on all ranks |"
    yield "|---|---|---|---|---|---|"
    for unknowns, element in product(_LARGE, get_args(Element)):
        found = cost(unknowns, sensible_ranks(unknowns), element)
        yield (
            f"| {unknowns} | {element} | {found.solver} | {found.ranks} | {found.seconds / 60:.2g} "
            f"| {found.gigabytes:.0f} |"
        )
    yield ""
