"""What a check has to say about a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loligo.cases.core.record import BadInput
from loligo.meshes.mesh import Array


@dataclass(frozen=True)
class Finding:
    """A sentence that says what is wrong, where, and what to do; warnings refuse nothing."""

    text: str
    severity: Literal["error", "warning"] = "error"


class MeshError(BadInput):
    """A body cannot be meshed, or its mesh cannot be used; ``findings`` has every reason."""

    def __init__(self, name: str, findings: Sequence[Finding]) -> None:
        """Put all findings into the message."""
        self.findings = tuple(findings)
        reasons = "\n".join(f"- {finding.text}" for finding in findings)
        super().__init__(f"the mesh of {name} is refused:\n{reasons}")


def near(point: Array) -> str:
    """Return a place for a message, in millimetres."""
    x, y, z = (f"{1e3 * c + 0.0:.4g}" for c in point)
    return f"({x}, {y}, {z}) mm"
