"""How a long solution goes, on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress as Bar

from loligo.cases.rubber.stability import Mode, StableRange, stable_range
from loligo.fem.core.value_text import value_text

if TYPE_CHECKING:
    from loligo.cases.rubber.elastomer import Elastomer
    from loligo.fem.march.step import StepResult
    from loligo.fem.run import Run

MODES: tuple[Mode, ...] = ("uniaxial", "biaxial", "planar")


class Progress:
    """The words of one run; rank 0 speaks."""

    def __init__(self, run: Run) -> None:
        """Say what is solved."""
        self._run = run
        self._console = Console(stderr=True, quiet=run.comm.rank > 0, highlight=False)
        mesh, size = run.mesh, run.comm.size
        self._say(
            f"{run.case.name}, level {run.level}: {mesh.unknowns} unknowns, {mesh.cells} "
            f"{mesh.element} cells of {1e3 * mesh.mean_size:.3g} mm, on {size} "
            f"rank{'s' if size > 1 else ''}"
        )
        for group, elastomer in run.case.material.items():
            ranges = ", ".join(
                f"{one.mode} {one.smallest:.4g} to {one.largest:.4g}" for one in _ranges(elastomer)
            )
            self._say(f"{group}: {elastomer.energy}, stable stretches: {ranges}")
        self._steps = len(run.setup.targets)
        self._bar = Bar(console=self._console, disable=not self._console.is_terminal)
        self._task = self._bar.add_task(run.case.name, total=self._steps)
        self._start = run.place
        """Where it began, or was taken up again."""
        self._began = time.perf_counter()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar meanwhile, if there is a terminal to show it in."""
        if self._bar.disable:
            yield
        else:
            with self._bar:
                yield

    def show(self, result: StepResult) -> None:
        """Say what a converged state took, and how long the rest may take."""
        run, place = self._run, self._run.place
        self._bar.update(self._task, completed=place)
        spent = time.perf_counter() - self._began
        here = place - self._start
        left = spent * (self._steps - place) / here if here > 0.0 else 0.0
        stable = {True: "stable", False: "unstable", None: "stability unknown"}[result.stable]
        stretch = run.most_stretched.stretch if run.most_stretched else 1.0
        cutbacks = f", {len(result.cutbacks)} cutbacks" if result.cutbacks else ""
        self._say(
            f"step {place:.4g} of {self._steps}: {result.iterations} iterations{cutbacks}, "
            f"{result.seconds:.1f} s, stretch {stretch:.3f}, {stable}, about {_clock(left)} left"
        )
        points = {
            "the path turned: a limit point": result.limit,
            "another path crossed: a bifurcation": result.bifurcation,
        }
        for text, point in points.items():
            moving = {k: v for k, v in (point or {}).items() if v != run.setup.rest.get(k)}
            values = ", ".join(
                f"{n} = {value_text(run.setup.problem.units, n, v)}" for n, v in moving.items()
            )
            if moving:
                self._say(f"before it {text} at {values}")

    def warn(self) -> None:
        """Say where a rubber was stretched further than it is known or stable; collective."""
        if (share := self._run.pushed_share()) > 0.0:
            self._say(
                f"warning: in {share:.2g} of their volume the hoops push by more than the rubber's "
                "shear modulus; they buckle in waves as short as cells allow, so that no mesh is "
                "fine enough: tension_only = true in [winding] lets them go slack",
                style="yellow",
            )
        most = self._run.most_stretched
        if most is None:
            return
        elastomer = self._run.case.material.get(most.group)
        if elastomer is None:  # the groups that are not named are made of the body's rubber
            elastomer = self._run.case.material["body"]
        place = ", ".join(f"{1e3 * x:.4g}" for x in most.position)
        for limit, why in _limits(elastomer):
            if most.stretch > limit:
                self._say(
                    f"warning: {most.group} is stretched to {most.stretch:.3f} at ({place}) mm, "
                    f"beyond {limit:.4g}, {why}",
                    style="yellow",
                )

    def _say(self, text: str, style: str | None = None) -> None:
        self._console.print(text, style=style, markup=False, soft_wrap=True)


@contextmanager
def watched(run: Run) -> Iterator[Callable[[StepResult], None]]:
    """Show how the solution of a level goes, and warn in the end; on all ranks.

    A run that was told to stop may be in the midst of Newton's method: there is nothing to judge.
    """
    progress = Progress(run)
    with progress.shown():
        yield progress.show
    progress.warn()


def _ranges(elastomer: Elastomer) -> list[StableRange]:
    return [stable_range(elastomer, mode) for mode in MODES]


def _limits(elastomer: Elastomer) -> Iterator[tuple[float, str]]:
    """Largest stretches that a rubber is known or stable to, and what ends there."""
    if elastomer.fitted_stretch is not None:
        yield elastomer.fitted_stretch[1], "where the data end that its law was fitted on"
    weakest = min(_ranges(elastomer), key=lambda one: one.largest)
    if weakest.above != "searched":
        yield weakest.largest, f"where its law fails in {weakest.mode} stretch ({weakest.above})"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
