"""A case whose 3D solution takes a second or two."""

_CASE = """
title = "A short cylinder on a coarse mesh"
source = "test"
steps = [{steps}]
mesh = {{ size = "{size}" }}

[body]
kind = "tapered_arm"
length = "60 mm"
base_radius = "10 mm"
tip_radius = "10 mm"
tip_disc = "2 mm"
stations = 3

[material.body]
energy = "neo_hooke"
mu = "30 kPa"
density = "1080 kg/m^3"
fitted_stretch = [0.9, {fitted}]

[load.push]
kind = "tip_force"
force = ["{force}", "40 mN", "0 N"]
"""


def short_case(
    steps: str = "0.5, 1.0", size: str = "12 mm", fitted: float = 1.5, force: str = "0 N"
) -> str:
    """Return the text of a short cylinder on a coarse mesh, pushed across at its tip."""
    return _CASE.format(steps=steps, size=size, fitted=fitted, force=force)
