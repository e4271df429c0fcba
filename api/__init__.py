"""How wrong is your reduced soft-robot model? The 3D finite-element companion that tells.

    import loligo as lo

    case = lo.load_case("renda_arm_tip_force")
    solid = lo.reference(case)
    check = lo.compare(solid, lo.predict(case))

`loligo.__all__` is the public surface, see docs/python.md. A name is imported when it is first
used, so that ``import loligo`` takes no time and a laptop needs neither dolfinx nor Gmsh.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loligo.boundary import displacement, march
    from loligo.cases.case import Case
    from loligo.cases.core.record import BadInput, LoligoError
    from loligo.comparing import Comparison, compare
    from loligo.errors import LoligoWarning, NotSolved
    from loligo.fem.core.domain import from_mesh
    from loligo.fem.loads.base import Pressure, Traction
    from loligo.fem.loads.supports import Fixed, Moved
    from loligo.fem.problem.problem import Problem
    from loligo.fitting import Fit, calibrate
    from loligo.given import case_names, load_case
    from loligo.meshing import mesh, plan
    from loligo.predicting import predict
    from loligo.reporting import report
    from loligo.result import Prediction, Solution, check, read, reference
    from loligo.sectioning import section
    from loligo.solving import solve

    __version__: str

__all__ = [
    "BadInput",
    "Case",
    "Comparison",
    "Fit",
    "Fixed",
    "LoligoError",
    "LoligoWarning",
    "Moved",
    "NotSolved",
    "Prediction",
    "Pressure",
    "Problem",
    "Solution",
    "Traction",
    "__version__",
    "calibrate",
    "case_names",
    "check",
    "compare",
    "displacement",
    "from_mesh",
    "load_case",
    "march",
    "mesh",
    "plan",
    "predict",
    "read",
    "reference",
    "report",
    "section",
    "solve",
]

_HOMES = {
    "boundary": ("displacement", "march"),
    "cases.case": ("Case",),
    "cases.core.record": ("BadInput", "LoligoError"),
    "comparing": ("Comparison", "compare"),
    "errors": ("LoligoWarning", "NotSolved"),
    "fem.core.domain": ("from_mesh",),
    "fem.loads.base": ("Pressure", "Traction"),
    "fem.loads.supports": ("Fixed", "Moved"),
    "fem.problem.problem": ("Problem",),
    "fitting": ("Fit", "calibrate"),
    "given": ("case_names", "load_case"),
    "meshing": ("mesh", "plan"),
    "predicting": ("predict",),
    "reporting": ("report",),
    "result": ("Prediction", "Solution", "check", "read", "reference"),
    "sectioning": ("section",),
    "solving": ("solve",),
}
"""Modules by the public names that they define."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("loligo")
    else:
        home = next((module for module, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module 'loligo' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"loligo.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public."""
    return sorted(__all__)
