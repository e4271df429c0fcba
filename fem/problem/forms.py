"""What a problem assembles, as forms that are compiled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ufl
from dolfinx.fem import Constant, Form, form

from loligo.fem.core.fields import Fields
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.loads.base import Load
from loligo.fem.loads.cavities import Cavity
from loligo.fem.materials.fibres import Fibres
from loligo.fem.materials.hyperelastic import Material
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.materials.viscosity import dissipated_power, viscous_work
from loligo.fem.problem.conserving import ConservingStep


@dataclass(frozen=True)
class Acting:
    """All that does work on a body, and the values that it has."""

    fields: Fields
    kinematics: Kinematics
    materials: Mapping[str, Material]
    """Of every cell group."""
    windings: Sequence[tuple[ThreadMembrane | Fibres, Constant]]
    """With their stiffness."""
    softness: Constant
    """Of thread that goes slack, as forces have it."""
    loads: Sequence[Load]
    cavities: Sequence[Cavity]
    values: Mapping[str, Constant]
    """Of loads and cavities, by name."""
    moving: bool
    """Whether viscosity acts."""


@dataclass(frozen=True)
class Forces:
    """What is assembled in every iteration."""

    internal: Form
    """Virtual work of rubber and threads."""
    external: Form | None
    """Of loads and cavities."""
    tangent: Form
    """d(internal - external)/d(unknowns)."""
    product: Form
    """The tangent times the fields' way."""
    power: Form | None
    """What viscosity dissipates (W)."""
    columns: Mapping[str, Form]
    """d(internal - external)/d(value) of every cavity."""


@dataclass(frozen=True)
class Contents:
    """What is measured of a state."""

    strain_energy: Form
    """(J)."""
    kinetic_energy: Form | None
    """(J); None if nothing can move."""
    folded: Form
    """Reference volume around points where det F is not positive (m^3)."""
    volumes: Mapping[str, Form]
    """Of every cavity (m^3)."""
    rows: Mapping[str, Form]
    """d(volume)/d(unknowns)."""


def forces(of: Acting) -> Forces:
    """Compile the forces in the current state."""
    k, w, test = of.kinematics, of.fields.function, of.fields.test
    c, j = k.gradient.T * k.gradient, ufl.det(k.gradient)
    internal = []
    for group, material in of.materials.items():
        variation = material.isochoric_variation(c, j, w, test)
        variation += ufl.derivative(_volumetric(of, material, j), w, test)
        if of.moving and material.elastomer.viscosity > 0.0:
            variation += viscous_work(k, material)
        internal.append(variation * k.cells(group))
    internal += [
        ufl.derivative(one.energy(k, stiffness, of.softness), w, test)
        for one, stiffness in of.windings
    ]
    external = [one.virtual_work(k, of.values[one.name]) for one in (*of.loads, *of.cavities)]
    one = Constant(k.domain.mesh, 1.0)
    columns = {c.name: -c.virtual_work(k, one) for c in of.cavities}
    return _compiled(of, internal, external, columns, k)


def forces_between(of: Acting, step: ConservingStep) -> Forces:
    """Compile what acts between the ends of a step in time."""
    k = of.kinematics
    internal = [step.rubber(k, m) * k.cells(group) for group, m in of.materials.items()]
    internal += [w.work(step.at(k, 0.0), k, stiffness) for w, stiffness in of.windings]
    external = []
    for one in (*of.loads, *of.cavities):
        value = step.mean(one.name, of.values[one.name])
        external.append(step.along(k, lambda at, o=one, v=value: o.virtual_work(at, v)))
    half = Constant(k.domain.mesh, 0.5)  # of the change of a value at the end
    columns = {
        c.name: step.along(k, lambda at, c=c: -c.virtual_work(at, half)) for c in of.cavities
    }
    return _compiled(of, internal, external, columns, step.at(k, 0.5))


def contents(of: Acting) -> Contents:
    """Compile what is measured of the current state."""
    k, w, test = of.kinematics, of.fields.function, of.fields.test
    c, j = k.gradient.T * k.gradient, ufl.det(k.gradient)
    energy = [
        (material.isochoric(c, j) + _volumetric(of, material, j)) * k.cells(group)
        for group, material in of.materials.items()
    ]
    energy += [one.energy(k, stiffness) for one, stiffness in of.windings]
    mass = []
    if of.moving:
        speed = ufl.inner(k.velocity, k.velocity)
        mass = [rho / 2 * speed * k.cells(group) for group, rho in k.inertia.items()]
    every = k.cells(tuple(of.materials))
    volumes = {c.name: c.volume(k) for c in of.cavities}
    return Contents(
        form(sum(energy)),
        form(sum(mass)) if mass else None,
        form(ufl.conditional(ufl.gt(j, 0.0), 0.0, 1.0) * every),
        {name: form(volume) for name, volume in volumes.items()},
        {name: form(ufl.derivative(volume, w, test)) for name, volume in volumes.items()},
    )


def _volumetric(of: Acting, material: Material, j: Any) -> Any:
    if of.fields.pressure is None:
        return material.volumetric(j)
    return material.mixed_volumetric(j, of.fields.pressure)


def _compiled(
    of: Acting,
    internal: Sequence[Any],
    external: Sequence[Any],
    columns: Mapping[str, Any],
    at: Kinematics,
) -> Forces:
    residual = sum(internal) - sum(external)
    power = [
        dissipated_power(at, material) * at.cells(group)
        for group, material in of.materials.items()
        if of.moving
    ]
    tangent, product = (
        form(ufl.derivative(residual, of.fields.function, way))
        for way in (of.fields.trial, of.fields.way)
    )
    return Forces(
        form(sum(internal)),
        form(sum(external)) if external else None,
        tangent,
        product,
        form(sum(power)) if power else None,
        {name: form(column) for name, column in columns.items()},
    )
