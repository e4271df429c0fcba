"""What is computed or read: a Solution, a Prediction or a Measurement around one data set.

The numbers are an `xarray.Dataset`, `.data`; units and meaning stand in its variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import xarray as xr

from loligo.cases import identity, outputs
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.check import DataFinding
from loligo.cases.dataset.summary import bars, summary
from loligo.given import AnyCase, given
from loligo.validation.compare.consistency import strain_findings
from loligo.validation.data.references import reference_of
from loligo.validation.data.source import Source, check_groups, read_source, source_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class _Result:
    """A data set with the groups below it."""

    groups: Mapping[str, xr.Dataset]
    """By their paths; the data set's own is empty."""
    file: Path | None = None
    """Where it lies, if it does."""

    @property
    def data(self) -> xr.Dataset:
        """The data set, with error bars as `<name>_uncertainty`."""
        return self.groups[""]

    @cached_property
    def source(self) -> Source:
        """The data set judged, with its levels; raises BadInput if it cannot be used."""
        return source_of(self.groups, self.file)

    @cached_property
    def case(self) -> Case | None:
        """The case that it is of; None if it carries none."""
        return identity.written(self.data)

    @property
    def status(self) -> str:
        """How it ended: complete, or where and why it stopped."""
        return str(self.data.attrs.get("status", "complete"))

    @property
    def complete(self) -> bool:
        """Whether all reported steps were reached."""
        return self.status == "complete"

    def table(self) -> pd.DataFrame:
        """Return loads, tip or rim, and stability at every step, in SI."""
        import pandas as pd

        return pd.DataFrame(summary(self.data)).set_index("step")

    def bars(self) -> pd.DataFrame:
        """Return the error bar of every variable at the last step; empty without levels."""
        import pandas as pd

        source = self.source
        rows = bars(self.data, list(source.meshes.values()), list(source.times.values()))
        return pd.DataFrame(rows)

    def plot(self, beside: _Result | None = None) -> Figure:
        """Draw the shape at the last step, and how the tip or the rim gets there.

        Args:
            beside: another solution, prediction or measurement of the same case.
        """
        from loligo.plotting import plot

        given = [self] if beside is None else [beside, self]
        return plot([one.data for one in given])

    def save(self, file: str | Path, *, force: bool = False) -> Path:
        """Write it as a data set (.nc), and return the file.

        Args:
            file: where to.
            force: replace a file of another kind or another case, too.
        """
        path, kind = Path(file), str(self.data.attrs.get("kind"))
        names = {"reference": "a 3D solution", "measurement": "a measurement"}
        text = self.data.attrs.get("case")
        attributes = {} if text is None else {"case": str(text)}
        allowed = outputs.data_set(names.get(kind, "a prediction"), (kind,), **attributes)
        outputs.check(path, allowed, force=force)
        path.parent.mkdir(parents=True, exist_ok=True)
        dataset.write(self.data, path, {name: g for name, g in self.groups.items() if name})
        return path

    def __repr__(self) -> str:
        """Name it in a line."""
        return f"<{type(self).__name__} of {self._named}: {self._words}>"

    @property
    def _named(self) -> str:
        return str(self.data.attrs.get("case_name") or "an unnamed case")

    @property
    def _words(self) -> str:
        steps = self.data.sizes["step"]
        return f"{steps} step{'s' if steps > 1 else ''}, {self.status}"

    def _repr_html_(self) -> str:
        """Show it in a notebook: its line, and the table of steps."""
        return f"<p>{escape(repr(self))}</p>{self.table().to_html()}"


@dataclass(frozen=True, eq=False, repr=False)
class Solution(_Result):
    """A 3D solution of a case, on one mesh or on several with error bars."""

    ended: str = ""
    """How the last level ended, where that is not in the data."""
    ending: str = "complete"
    """One of complete, asked (it was told to stop and can go on) and stuck."""

    @property
    def levels(self) -> dict[int, xr.Dataset]:
        """The solution on every mesh, where there are several."""
        return self._below("levels")

    @property
    def time_levels(self) -> dict[int, xr.Dataset]:
        """The solution with every size of time steps, where there are several."""
        return self._below("time_levels")

    @property
    def status(self) -> str:
        """How it ended: complete, or which level stopped, where and why."""
        return self.ended or super().status

    @property
    def _words(self) -> str:
        facts = self.data.attrs
        on = ", ".join(map(str, sorted(self.levels))) or str(facts.get("level", 0))
        several = "s" if len(self.levels) > 1 else ""
        return f"level{several} {on}, {facts.get('unknowns', '?')} unknowns, {super()._words}"

    def _below(self, parent: str) -> dict[int, xr.Dataset]:
        parts = {name: name.rpartition("/") for name in self.groups}
        return {
            int(number): self.groups[name]
            for name, (above, _, number) in parts.items()
            if above == parent and number.isdigit()
        }


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(_Result):
    """What a reduced model predicts of a case."""

    @property
    def model(self) -> str:
        """Which model."""
        return str(self.data.attrs.get("model") or self.data.attrs.get("source", "a model"))

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of the case the model leaves out."""
        return tuple(part for part in str(self.data.attrs.get("left_out", "")).split("; ") if part)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Where the prediction leaves what it is known to hold for."""
        names = ("cautions", "coefficients_beyond", "law_beyond")
        parts = (part for name in names for part in str(self.data.attrs.get(name, "")).split("; "))
        return tuple(part for part in parts if part)

    @property
    def _words(self) -> str:
        return f"{self.model}, {super()._words}"


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(_Result):
    """What somebody has measured of a case."""


AnyResult = Solution | Prediction | Measurement
_KINDS: dict[str, type[AnyResult]] = {
    "reference": Solution,
    "prediction": Prediction,
    "measurement": Measurement,
}


def read(file: str | Path) -> AnyResult:
    """Read a data set: a solution, a prediction or a measurement.

    Raises:
        BadInput: if the file is none, or `loligo check` would refuse it.
    """
    path = Path(file)
    source = read_source(path)
    if source.kind not in _KINDS:
        raise BadInput(f"{path}: is no solution, prediction or measurement, but {source.kind!r}")
    return _KINDS[source.kind](with_content(dataset.read_groups(path)), path)


def with_content(groups: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Return groups without those that hold nothing but other groups."""
    return {name: group for name, group in groups.items() if group.variables or not name}


def reference(case: AnyCase) -> AnyResult:
    """Return the data to hold a model of a case against, without solving anything.

    NAME.nc in the current folder serves if it is of this case, else the one that loligo brings
    along.

    Raises:
        BadInput: if there is none.
    """
    what = given(case)
    file = reference_of(what.case, what.word).source.file
    assert file is not None  # it was found on the disk
    return read(file)


def check(file: str | Path) -> list[DataFinding]:
    """Return all that is wrong with a data set or missing in it, and why that matters.

    One finding with the verdict "bad" and the data set cannot be used.

    Raises:
        BadInput: if the file cannot be read.
    """
    groups = dataset.read_groups(Path(file))
    findings = check_groups(groups)
    if not any(finding.verdict == "bad" for finding in findings):
        findings += strain_findings(groups[""])
    return findings
