"""Coefficients of a reduced model, fitted to data of one body."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loligo.cases import coefficients as files
from loligo.cases import identity, outputs
from loligo.cases.coefficients import Coefficients
from loligo.cases.core.record import BadInput
from loligo.reduced.section.law_choice import AnyLaw, asked
from loligo.result import Measurement, Prediction, Solution
from loligo.validation.data.references import Reference
from loligo.validation.fitting.coefficients import calibration
from loligo.validation.fitting.coefficients.calibration import Calibration

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Coefficients of a reduced model with their intervals, and how far held-out loads are off."""

    inner: Calibration
    """All that was computed."""

    @property
    def model(self) -> str:
        """Which model was fitted."""
        return self.inner.plan.search.model

    @cached_property
    def values(self) -> dict[str, float]:
        """The fitted coefficients by name, in SI."""
        found = self.inner.judged.found
        return found.search.values(found.unknowns)

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Their 95 % intervals by name: of the profile where it was walked, else the tangent's."""
        fitted = (c for c in self.coefficients.coefficient if c.name in self.values)
        return {
            c.name: (
                float("-inf") if c.low is None else c.low,
                float("inf") if c.high is None else c.high,
            )
            for c in fitted
        }

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know before the coefficients are used."""
        return self.inner.judged.cautions

    @property
    def coefficients(self) -> Coefficients:
        """What every reduced model reads."""
        return self.inner.coefficients

    @cached_property
    def record(self) -> dict[str, Any]:
        """Every number as plain data; what is not known is None."""
        return calibration.record(self.inner.judged)

    def table(self) -> pd.DataFrame:
        """Return the fitted coefficients with their intervals, in SI."""
        import pandas as pd

        ends = self.intervals
        rows = {
            name: {"value": value, "low": ends[name][0], "high": ends[name][1]}
            for name, value in self.values.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("coefficient")

    def errors(self) -> pd.DataFrame:
        """Return the errors of every case before and after, as fractions of the displacement."""
        import pandas as pd

        columns = ["case", "fitted", "steps", "before", "after"]
        return pd.DataFrame(self.record["errors"], columns=columns)

    def plot(self) -> Figure:
        """Draw the errors before and after, of fitted and of held-out loads."""
        from loligo.plotting import plot_errors

        return plot_errors(self.inner.judged.rows)

    def save(self, file: str | Path, *, force: bool = False) -> Path:
        """Write the coefficients (.toml), as `loligo reduce --coefficients` reads them."""
        path, first = Path(file), self.inner.plan.cases[0]
        outputs.check(path, outputs.coefficients(files.fingerprint(first)), force=force)
        files.write(self.coefficients, path)
        return path

    def __repr__(self) -> str:
        """Name it in a line."""
        values = ", ".join(f"{name} = {value:.4g}" for name, value in self.values.items())
        on = ", ".join(case.name for case in self.inner.plan.cases)
        return f"<Fit of the {self.model} on {on}: {values}>"

    def _repr_html_(self) -> str:
        """Show it in a notebook: its line, the table and the cautions."""
        cautions = "".join(f"<li>{escape(line)}</li>" for line in self.cautions)
        return f"<p>{escape(repr(self))}</p>{self.table().to_html()}<ul>{cautions}</ul>"


def calibrate(
    data: Sequence[Solution | Measurement | Prediction],
    *,
    model: str | None = None,
    fit: Sequence[str] = (),
    freeze: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    coefficients: Coefficients | str | Path | None = None,
    law: AnyLaw = None,
    hold_out: Collection[str] = (),
    steps: tuple[int, int] | None = None,
    starts: int = 3,
    profiles: bool = True,
    seed: int = 0,
) -> Fit:
    """Fit coefficients of a reduced model to data of one body under one or several loads.

    Args:
        data: one data set for each case; each carries its case.
        model: which model; by default the first for the body.
        fit: coefficients to seek; by default those that the loads excite.
        freeze: coefficients that were measured, in SI; they stay.
        start: where the search begins, in SI.
        coefficients: what to begin from, for example sections of `loligo section`, or its file.
        law: section law under rods and arcs, see `predict`.
        hold_out: names of cases that are predicted only.
        steps: first and last step to fit, from 1; by default the first half of each case.
        starts: from how many places the search begins.
        profiles: whether to walk along profiles for intervals, which takes most of the time.
        seed: of further starts and of the bootstrap.

    Raises:
        BadInput: if the data are of several bodies, or nothing of this can be fitted.
    """
    if not data:
        raise BadInput("nothing is given to fit to")
    given = [_reference(one) for one in data]
    if strangers := set(hold_out) - {each.case.name for each in given}:
        raise BadInput(f"hold_out {min(strangers)}: no data of this case are given")
    if isinstance(coefficients, str | Path):
        coefficients = files.read(Path(coefficients))
    plan = calibration.plan(
        given,
        hold_out,
        model=model,
        fit=fit,
        freeze=freeze,
        start=start,
        base=coefficients,
        law=asked(law),
        steps=steps,
    )
    return Fit(calibration.calibrated(plan, starts=starts, profiles=profiles, seed=seed))


def _reference(one: Solution | Measurement | Prediction) -> Reference:
    case = one.case
    if case is None:
        raise BadInput(f"{one!r} carries no case, so that nothing says which body it is of")
    return Reference(case, one.source, identity.relate(case, one.data, "data set"))
