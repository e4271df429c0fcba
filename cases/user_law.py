"""A user's own energy: a Python function beside the case, called only by whom trusts it.

The function gives the isochoric energy per reference volume (Pa) at the invariants I1 and I2 of the
unimodular right Cauchy-Green tensor, from the record's parameters as keywords:

    def energy(i1, i2, math, *, a, b):
        return a / (2 * b) * (math.exp(b * (i1 - 3)) - 1)

It is called with arrays and with symbols, so that it holds arithmetic and the functions ``exp``,
``ln`` and ``sqrt`` of ``math``, and no branches.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import UserLaw
from loligo.cases.rubber.stability import ARRAYS

_ALIKE = 1e-4
"""Relative error of a stated shear modulus; numerical slopes are far better."""
_STEP = 1e-4


def trusted(case: Case, folder: Path) -> Case:
    """Return the case with the functions of its own energies loaded. This runs the user's code.

    Args:
        case: the case.
        folder: where its file lies; modules stay inside.

    Raises:
        BadInput: if a function is not there, fails, or contradicts its record.
    """
    material = dict(case.material)
    for name, law in case.material.items():
        if isinstance(law, UserLaw):
            try:
                material[name] = _checked(law.bound(_load(law.entry, folder)))
            except BadInput as error:
                raise BadInput(f"{case.name}: material.{name}: {error}") from error
    return case.model_copy(update={"material": material})


def code_file(entry: str) -> Path:
    """Return the file that `module:function` lies in, below the folder of the case."""
    module, _, _ = entry.partition(":")
    return Path(*module.split(".")).with_suffix(".py")


def _load(entry: str, folder: Path) -> Callable[..., Any]:
    module, _, function = entry.partition(":")
    file = folder / code_file(entry)
    if not file.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f'"{entry}" leaves the folder of the case')
    if not file.is_file():
        raise BadInput(f'there is no file "{file.name}" for "{entry}" beside the case')
    spec = importlib.util.spec_from_file_location(f"loligo_entry_{module}", file)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
        found: Callable[..., Any] = getattr(loaded, function)
    except (Exception, SystemExit) as error:  # whatever the user's code does wrong
        raise BadInput(f'"{entry}" cannot be loaded: {type(error).__name__}: {error}') from error
    return found


def _checked(law: UserLaw) -> UserLaw:
    """Return a law that is zero at rest and has the shear modulus that its record states."""
    i = 3.0 + np.array([0.0, _STEP, 2 * _STEP])
    try:
        rest = np.full(3, 3.0)
        along, other = (
            np.broadcast_to(law.at(i1, i2, ARRAYS), 3).astype(float)
            for i1, i2 in ((i, rest), (rest, i))
        )
    except (Exception, SystemExit) as error:  # whatever the user's code does wrong
        raise BadInput(f'"{law.entry}" fails: {type(error).__name__}: {error}') from error
    # One-sided, since I1 and I2 are never below 3: W1 + W2 = mu/2.
    slope = sum((4 * v[1] - 3 * v[0] - v[2]) / (2 * _STEP) for v in (along, other))
    if not abs(along[0]) <= _ALIKE * law.mu:
        raise BadInput(f'"{law.entry}" must be zero at rest, I1 = I2 = 3; it is {along[0]:.6g} Pa')
    if not abs(2 * slope - law.mu) <= _ALIKE * law.mu:
        raise BadInput(
            f'the shear modulus of "{law.entry}" is {2 * slope:.6g} Pa, but mu says {law.mu:.6g} Pa'
        )
    return law
