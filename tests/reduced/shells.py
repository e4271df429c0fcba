"""Shells that the benchmarks share: tubes, domes and plates of E = 1, nu = 0.3, k = 5/6."""

import numpy as np

from loligo.reduced.shell.laws import GreenLaw, LinearLaw
from loligo.reduced.shell.model import Span, make_shell
from loligo.reduced.shell.statics import solve

E, NU, SHEAR = 1.0, 0.3, 5.0 / 6.0
LINEAR = LinearLaw(E, NU, SHEAR)
LAWS = {"linear": LINEAR, "green": GreenLaw(E, NU, SHEAR)}


def linear(shell, loads):
    """Displacement and reaction per unit of a small load: the odd part of the response."""
    up, down = solve(shell, loads), solve(shell, -1.0 * loads)
    size = 2.0 * (loads.pressure or np.abs(loads.dead).sum())
    return (up.displacement - down.displacement) / size, (up.reaction - down.reaction) / size


def cylinder(law, h, spans, start, end, lids, radius=10.0):
    return make_shell(
        spans,
        law,
        thickness=h,
        radius=radius,
        angle=0.0,
        start=start,
        end=end,
        lids=lids,
    )


def dome(law, h, elements, end, radius=10.0, angle=np.pi / 2, layer=None):
    """A cap from its pole to `angle`; a layer at its edge of that width has half the elements."""
    length, bend = radius * angle, -1.0 / radius
    spans = [Span(length, elements, bend)]
    if layer is not None:
        spans = [Span(length - layer, elements // 2, bend), Span(layer, elements // 2, bend)]
    return make_shell(spans, law, thickness=h, radius=0.0, angle=np.pi / 2, start="guided", end=end)


def disc(law, h, elements, end="clamped", hole=0.0, start="guided"):
    """A flat plate of outer radius 1."""
    spans = [Span(1.0 - hole, elements)]
    return make_shell(spans, law, thickness=h, radius=hole, angle=np.pi / 2, start=start, end=end)
