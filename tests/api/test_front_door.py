"""The package loligo itself: fast to import, small, documented, one family of errors."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import loligo as lo

ROOT = Path(__file__).parents[2]


def test_it_is_imported_in_an_instant_and_brings_nothing_along():
    code = (
        "import sys, time; began = time.perf_counter(); import loligo as lo; dir(lo);"
        "print(time.perf_counter() - began);"
        "print(sorted({'numpy', 'xarray', 'pydantic', 'dolfinx', 'matplotlib', 'pandas'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, heavy = done.stdout.splitlines()
    assert float(seconds) < 0.3
    assert heavy == "[]"


def test_what_is_public_is_stated():
    assert dir(lo) == sorted(lo.__all__)
    assert 20 <= len(set(lo.__all__) - {"__version__"}) <= 30
    page = (ROOT / "docs" / "python.md").read_text()
    table = page[page.index("## Names") : page.index("All results are frozen")]
    assert set(re.findall(r"`(\w+)`", table)) == set(lo.__all__)
    for name in lo.__all__:
        value = getattr(lo, name)
        if name != "__version__":
            assert inspect.getdoc(value), name
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        lo.slove


@pytest.mark.parametrize("page", ["python.md", "boundary-value-problem.md"])
def test_what_the_pages_name_is_there(page):
    named = set(re.findall(r"`(loligo(?:\.\w+)+)`", (ROOT / "docs" / page).read_text()))
    assert len(named) > 3
    for path in named:
        pkgutil.resolve_name(path)


def errors():
    """Yield every exception class that a room of loligo defines for others to see."""
    for world in ("cases", "fem", "meshes", "reduced", "validation", "hpc"):
        package = importlib.import_module(f"loligo.{world}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.startswith(("loligo.hpc.env", "loligo.hpc.checks", "loligo.hpc.tied")):
                continue  # programs
            for name, value in vars(importlib.import_module(module.name)).items():
                exception = isinstance(value, type) and issubclass(value, Exception)
                if exception and value.__module__ == module.name and not name.startswith("_"):
                    yield value


def test_all_errors_are_of_one_family():
    found = set(errors())
    assert lo.BadInput in found and len(found) > 15
    assert {error.__name__ for error in found if not issubclass(error, lo.LoligoError)} == set()
    assert issubclass(lo.NotSolved, lo.LoligoError)
