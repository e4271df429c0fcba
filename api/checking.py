"""Whether a data set can be used, and what its gaps would cost."""

from __future__ import annotations

from pathlib import Path

from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.check import Finding
from loligo.validation.compare.consistency import strain_findings
from loligo.validation.data.source import check_groups


def check(file: str | Path) -> list[Finding]:
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
