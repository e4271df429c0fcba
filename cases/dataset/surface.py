"""The group `surface` of a data set: what a report draws bodies from, without a mesh.

Triangles of the body's skin, cavities included, seen from outside of the material, and their
vertices' displacements and stretches at some of the reported steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.dataset.check import DataFinding
from loligo.cases.dataset.schema import Quantity

Array = NDArray[np.float64]

STEPS = 5
"""Most steps that a surface is kept at."""
SURFACE = {
    "rest": Quantity(("vertex", "axis"), "m", "vertices at rest", "nothing can be drawn"),
    "triangle": Quantity(
        ("triangle_number", "corner"), "1", "vertices of each triangle", "nothing can be drawn"
    ),
    "part": Quantity(
        ("triangle_number",),
        "1",
        "which of the attribute `parts` a triangle belongs to",
        "chambers cannot be told from the outside",
    ),
    "displacement": Quantity(
        ("shown", "vertex", "axis"), "m", "displacement of vertices", "only the rest can be drawn"
    ),
    "stretch": Quantity(
        ("shown", "vertex"),
        "1",
        "largest principal stretch in the cells around a vertex",
        "nobody sees where the rubber works most",
    ),
}
"""Every variable of the group; the coordinate `shown` holds numbers of reported steps from 0."""


def surface_dataset(
    rest: Array,
    triangle: NDArray[np.int64],
    part: NDArray[np.int64],
    parts: Sequence[str],
    shown: Sequence[int],
    displacement: Array,
    stretch: Array,
) -> xr.Dataset:
    """Return the group `surface`; displacements and stretches are kept in single precision."""
    values = {
        "rest": rest.astype(np.float32),
        "triangle": triangle.astype(np.int32),
        "part": part.astype(np.int32),
        "displacement": displacement.astype(np.float32),
        "stretch": stretch.astype(np.float32),
    }
    variables = {
        name: (q.dims, values[name], {"units": q.unit, "long_name": q.long_name})
        for name, q in SURFACE.items()
    }
    coords = {"shown": list(shown), "axis": ["x", "y", "z"]}
    return xr.Dataset(variables, coords, {"parts": ", ".join(parts)})


def shown_steps(count: int) -> list[int]:
    """Return which of the reported steps a surface is kept at: evenly, the last included."""
    return sorted(
        {round((i + 1) * count / min(STEPS, count)) - 1 for i in range(min(STEPS, count))}
    )


def check_surface(surface: xr.Dataset) -> Iterator[DataFinding]:
    """Yield what is wrong with a group `surface`."""
    for name, quantity in SURFACE.items():
        where = f"surface/{name}"
        if name not in surface:
            yield DataFinding("bad", where, f"is missing: without it {quantity.why}")
        elif surface[name].dims != quantity.dims:
            dims = ", ".join(map(str, surface[name].dims))
            yield DataFinding(
                "bad", where, f"has dimensions ({dims}), should be ({', '.join(quantity.dims)})"
            )
        elif surface[name].attrs.get("units") != quantity.unit:
            unit = surface[name].attrs.get("units")
            yield DataFinding("bad", where, f"has units {unit!r}, should be {quantity.unit!r}")
        elif not np.isfinite(surface[name]).all():
            yield DataFinding("bad", where, "holds values that are not finite")
    if "shown" in surface.dims and "shown" not in surface.coords:
        yield DataFinding("bad", "surface/shown", "has no coordinate: number the steps from 0")
    if surface.sizes.get("shown", 0) > STEPS:
        yield DataFinding("warning", "surface", f"is kept at more than {STEPS} steps")
    if "triangle" in surface and "rest" in surface:
        corner = surface["triangle"].values
        if corner.size and (corner.min() < 0 or corner.max() >= surface.sizes["vertex"]):
            yield DataFinding("bad", "surface/triangle", "names a vertex that is not there")
    if "part" in surface and surface["part"].size:
        names = str(surface.attrs.get("parts", "")).split(", ")
        if not 0 <= int(surface["part"].min()) <= int(surface["part"].max()) < len(names):
            yield DataFinding("bad", "surface/part", "has a number that the attribute parts lacks")


def check_modes(modes: xr.Dataset, surface: xr.Dataset | None) -> Iterator[DataFinding]:
    """Yield what is wrong with a group `modes`, whose shapes are of a surface's vertices."""
    if "shape" not in modes:
        yield DataFinding("bad", "modes/shape", "is missing: without it there is nothing to draw")
    elif modes["shape"].dims != ("mode", "vertex", "axis"):
        dims = ", ".join(map(str, modes["shape"].dims))
        yield DataFinding(
            "bad", "modes/shape", f"has dimensions ({dims}), should be (mode, vertex, axis)"
        )
    elif not np.isfinite(modes["shape"]).all():
        yield DataFinding("bad", "modes/shape", "holds values that are not finite")
    elif surface is not None and modes.sizes["vertex"] != surface.sizes.get("vertex"):
        yield DataFinding("bad", "modes/shape", "has other vertices than the group surface")
