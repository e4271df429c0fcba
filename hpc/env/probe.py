"""Says whether this Python can run loligo as it is: imports every module of the package list.

Usage: probe.py PACKAGE_LIST. Prints the path of this Python and ends with 0 if it can; otherwise it
prints one line that says why not and ends with 1.
"""

import importlib
import importlib.util
import sys
from pathlib import Path


def missing(package_list: str) -> str | None:
    """Return what this Python lacks, or None."""
    rows = [line.split() for line in Path(package_list).read_text().splitlines()]
    modules = [row[0] for row in rows if row and row[0] not in ("#", "-")]
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    if "dolfinx" in absent:
        return "it has no dolfinx"
    if absent:
        return "it lacks " + ", ".join(absent)
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # whatever a broken installation raises
            return f"it cannot import {name}: {error}"
    version = sys.modules["dolfinx"].__version__
    if not (0, 9) <= tuple(int(part) for part in version.split(".")[:2]) < (0, 12):
        return f"its dolfinx is {version}, not 0.9 to 0.11"
    return None


if __name__ == "__main__":
    lack = missing(sys.argv[1])
    print(f"{sys.executable} cannot run loligo: {lack}" if lack else sys.executable)
    sys.exit(lack is not None)
