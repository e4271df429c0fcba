r"""The section law of a solid as data: one potential over strain and pressures, and its file.

A section problem gives, at the pressures p of the chambers, the strain :math:`\epsilon_f(p)` that
nothing else loads, and how the potential grows beside it. With the coordinates

.. math:: \epsilon = (k_1, k_2, k_3, \ln v_1, v_2, v_3), \qquad \delta = \epsilon - \epsilon_f(p)

of the strain (torsion, bend_y, bend_z; stretch, shear_y, shear_z), the law is

.. math:: \Pi(\epsilon, p) = \Pi_0(p) + \tfrac12 K_{ij}(p)\,\delta_i\delta_j
          + \tfrac16 T_{ijk}(p)\,\delta_i\delta_j\delta_k
          + \tfrac1{24} Q_{ijkl}(p)\,\delta_i\delta_j\delta_k\delta_l .

Its gradient is the wrench of section and fluid together; minus its derivative by a pressure is the
volume of that chamber per reference length. The logarithm of the stretch makes a long stretch a
polynomial of low order. Coefficients are polynomials of parameters that scale the pressures.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import read, write_whole
from loligo.cases.section_law.parts import OF_END, Array, EndLaw, Polynomial

FORMAT = "loligo section law 1"
KIND = "section law"
"""Attribute `kind` of its file."""


_MIRROR = np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
"""Signs of the coordinates in the mirror image of a length."""
_MIRRORED = {
    "free": (1,),
    "stiffness": (1, 2),
    "cubic": (1, 2, 3),
    "quartic": (1, 2, 3, 4),
    "volume_slope": (2,),
    "fluid": (1,),
    "fluid_slope": (1, 2),
}
"""Parts of a law with indices of the coordinates, and where these are."""


@dataclass(frozen=True)
class SolidLaw:
    """The law of one section, and of all that are similar to it.

    Its range is spanned by parameters t from 0 to 1, each of which scales the pressures of one or
    several chambers: chambers whose pressures are always in proportion share a parameter.
    """

    cavities: tuple[str, ...]
    """Chambers of the section, in the order of the pressures."""
    directions: Array
    """Pressure of every chamber (Pa) at 1 of every parameter, shape (cavities, parameters)."""
    radius: float
    """sqrt(A/pi) of the solid section (m), which makes bends and stretches comparable."""
    reach: float
    """Largest |delta| that the expansion holds for, bends times the radius."""
    reach_error: float
    """Error of the strain at a given wrench there, over |delta|."""
    error: float
    """Largest relative error of strain, volume and stiffness at pressures that were not fitted."""
    free: Polynomial
    """epsilon_f, shape (6,)."""
    potential: Polynomial
    """Pi_0 (J/m)."""
    stiffness: Polynomial
    """K, shape (6, 6)."""
    cubic: Polynomial
    """T, shape (6, 6, 6)."""
    quartic: Polynomial
    """Q, shape (6, 6, 6, 6)."""
    volume: Polynomial
    """Of the chambers in the free state, per reference length (m^2), shape (cavities,)."""
    volume_slope: Polynomial
    """Its derivative by the coordinates, shape (cavities, 6)."""
    fluid: Polynomial
    """Wrench of the fluid in the free state (N m, N), shape (6,)."""
    fluid_slope: Polynomial
    """Its derivative by the coordinates, shape (6, 6)."""
    end: EndLaw | None = None
    """Of the soft length at its discs; without it the section is as free there as elsewhere."""

    turned_from: str = ""
    """Name of the law that this one was turned from, and by how much: it rounds otherwise."""

    @cached_property
    def name(self) -> str:
        """A hash of the numbers, wherever the file lies."""
        if self.turned_from:
            return self.turned_from
        hashed = hashlib.sha256(self.directions.tobytes())
        for name in _PARTS:
            part: Polynomial = getattr(self, name)
            hashed.update(part.exponents.tobytes() + part.coefficients.tobytes())
        if self.end is not None:
            hashed.update(np.float64(self.end.length).tobytes())
            for name in OF_END:
                part = getattr(self.end, name)
                hashed.update(part.exponents.tobytes() + part.coefficients.tobytes())
        return hashed.hexdigest()

    def at_disc(self, *, towards_base: bool = False) -> SolidLaw:
        """Return the law of the stretch beside a disc: third and fourth order are the section's."""
        assert self.end is not None
        end = self.end
        changed = {name: getattr(self, name).plus(getattr(end, name)) for name in OF_END}
        law = replace(self, end=None, **changed)
        return law._mirrored() if towards_base else law

    def _mirrored(self) -> SolidLaw:
        """Return the law of a length that points the other way: torsion and shears turn round."""
        turned: dict[str, Any] = {}
        for name, indices in _MIRRORED.items():
            part: Polynomial = getattr(self, name)
            values = part.coefficients
            for axis in indices:
                shape = [1] * values.ndim
                shape[axis] = 6
                values = values * _MIRROR.reshape(shape)
            turned[name] = Polynomial(part.exponents, values)
        return replace(self, **turned)

    @cached_property
    def inverse(self) -> Array:
        """The parameters of pressures, by least squares, shape (parameters, cavities)."""
        return np.asarray(np.linalg.pinv(self.directions), dtype=float)

    def parameters(self, pressures: Sequence[float] | Array) -> Array:
        """Return the parameters t of pressures (Pa), those nearest to them."""
        return np.asarray(self.inverse @ np.asarray(pressures, dtype=float))

    def strays(self, pressures: Sequence[float] | Array) -> float:
        """Return the pressure (Pa) by which a chamber differs from any that the law can have."""
        given = np.asarray(pressures, dtype=float)
        return float(np.abs(given - self.directions @ self.parameters(given)).max(initial=0.0))

    def at(self, pressures: Sequence[float] | Array) -> LocalLaw:
        """Return the law at pressures of the chambers (Pa)."""
        t = self.parameters(pressures)
        return LocalLaw(
            self.free(t), self.stiffness(t), self.cubic(t), self.quartic(t), self.radius, self.reach
        )

    def volumes(self, pressures: Sequence[float] | Array, strain: Array) -> Array:
        """Return the volume per reference length of every chamber (m^2), shape (n, cavities).

        The sum over the chambers of a parameter, each times its pressure, is minus the potential's
        derivative. How it is distributed among them is known to first order beside the free state.

        Args:
            pressures: of the chambers (Pa), shape (cavities,).
            strain: of n sections, shape (n, 6).
        """
        t = self.parameters(pressures)
        d = coordinates(strain) - self.free(t)
        gradient = self.at(pressures).gradient(d)
        slopes = [p.slope(t) for p in (self.free, self.stiffness, self.cubic, self.quartic)]
        linear = self.volume(t) + d @ self.volume_slope(t).T
        rates = np.zeros((len(d), len(t)))
        for j in range(len(t)):
            by_free, by_k, by_t, by_q = (slope[j] for slope in slopes)
            rate = self.potential.slope(t)[j] - gradient @ by_free
            rates[:, j] = -rate - _expanded(by_k, by_t, by_q, d)
        gap = rates - linear @ self.directions
        return np.asarray(linear + gap @ self.inverse)

    def fluid_wrench(self, pressures: Sequence[float] | Array, strain: Array) -> Array:
        """Return the wrench of the fluid (N m, N), to first order beside the free state, (n, 6)."""
        t = self.parameters(pressures)
        d = coordinates(strain) - self.free(t)
        return np.asarray(self.fluid(t) + d @ self.fluid_slope(t).T)

    def energy(self, pressures: Sequence[float] | Array, strain: Array) -> Array:
        """Return the energy stored in the solid, Pi + sum of p V (J/m), shape (n,)."""
        given = np.asarray(pressures, dtype=float)
        stored = self.at(given).energy(strain) + self.potential(self.parameters(given))
        return np.asarray(stored + self.volumes(given, strain) @ given)


@dataclass(frozen=True)
class LocalLaw:
    """The law at fixed pressures: a polynomial of fourth order about the free strain."""

    free: Array
    stiffness: Array
    cubic: Array
    quartic: Array
    radius: float
    reach: float

    @property
    def free_strain(self) -> Array:
        """The strain that nothing but the pressures loads, shape (6,)."""
        return strain_of(self.free)

    def gradient(self, d: Array) -> Array:
        """Return dPi/d(epsilon) at differences from the free state, shape (n, 6)."""
        return self._derivatives(d)[0]

    def _derivatives(self, d: Array) -> tuple[Array, Array]:
        """Return first and second derivatives of Pi by epsilon, as products of few matrices."""
        n, pairs = len(d), _pairs(d)
        cubic = (d @ self.cubic.reshape(6, 36)).reshape(n, 6, 6)
        quartic = (pairs @ self.quartic.reshape(36, 36)).reshape(n, 6, 6)
        secant = self.stiffness + cubic / 2 + quartic / 6
        slope = (secant @ d[:, :, None])[:, :, 0]
        return slope, self.stiffness + cubic + quartic / 2

    def wrench(self, strain: Array) -> tuple[Array, Array]:
        """Return wrench (n, 6) and tangent (n, 6, 6) of section and fluid at strains (n, 6)."""
        with np.errstate(invalid="ignore"):  # the solver has to step back from a negative stretch
            d = coordinates(strain) - self.free
        slope, second = self._derivatives(d)
        # epsilon_4 = ln v_1: d/dv_1 = (1/v_1) d/d(epsilon_4)
        rate = np.ones_like(strain)
        rate[:, 3] = 1.0 / strain[:, 3]
        wrench, tangent = rate * slope, rate[:, :, None] * second * rate[:, None, :]
        tangent[:, 3, 3] -= slope[:, 3] / strain[:, 3] ** 2
        return wrench, tangent

    def energy(self, strain: Array) -> Array:
        """Return Pi - Pi_0 (J/m) at strains (n, 6)."""
        d = coordinates(strain) - self.free
        return _expanded(self.stiffness, self.cubic, self.quartic, d)

    def distance(self, strain: Array) -> Array:
        """Return |delta| over the law's reach, bends times the radius, shape (n,)."""
        d = coordinates(strain) - self.free
        scaled = d * np.array([self.radius] * 3 + [1.0] * 3)
        return np.asarray(np.linalg.norm(scaled, axis=1) / self.reach)


def _pairs(d: Array) -> Array:
    """Return the products of all pairs of components, shape (n, 36)."""
    return (d[:, :, None] * d[:, None, :]).reshape(len(d), 36)


def _expanded(stiffness: Array, cubic: Array, quartic: Array, d: Array) -> Array:
    """Return K d d/2 + T d d d/6 + Q d d d d/24 of n differences, shape (n,)."""
    pairs = _pairs(d)
    second = pairs @ stiffness.ravel() / 2
    third = ((pairs @ cubic.reshape(36, 6)) * d).sum(axis=1) / 6
    fourth = ((pairs @ quartic.reshape(36, 36)) * pairs).sum(axis=1) / 24
    return np.asarray(second + third + fourth)


def coordinates(strain: Array) -> Array:
    """Return (k, ln v_1, v_2, v_3) of strains (n, 6)."""
    result = np.array(strain, dtype=float)
    result[..., 3] = np.log(result[..., 3])
    return result


def strain_of(coordinates: Array) -> Array:
    """Return the strain of coordinates (..., 6)."""
    result = np.array(coordinates, dtype=float)
    result[..., 3] = np.exp(result[..., 3])
    return result


_PARTS = (
    "free",
    "potential",
    "stiffness",
    "cubic",
    "quartic",
    "volume",
    "volume_slope",
    "fluid",
    "fluid_slope",
)


class ArmLaws(NamedTuple):
    """The laws of an arm's soft lengths."""

    sections: tuple[tuple[float, SolidLaw], ...]
    """Places along the axis (m), each with the law there."""
    belongs_to: dict[str, str]
    """Hashes of sections, rubber and thread, see `loligo.cases.section_law.shipped.identity`."""

    def without_ends(self) -> ArmLaws:
        """Return the laws of sections that are as free at the discs as elsewhere."""
        return self._replace(
            sections=tuple((x, replace(law, end=None)) for x, law in self.sections)
        )

    @property
    def digest(self) -> str:
        """A hash of the laws, by which coefficients name them."""
        names = " ".join(law.name for _, law in self.sections)
        return hashlib.sha256(names.encode()).hexdigest()[:16]


def write_law(
    laws: Sequence[tuple[float, SolidLaw]], belongs_to: dict[str, str], file: Path
) -> None:
    """Write the laws of sections at places along an axis (m) to a netCDF file."""
    top = {"format": FORMAT, "kind": KIND, "belongs_to": belongs_text(belongs_to)}
    groups = {"/": xr.Dataset(attrs={**top, "sections": len(laws)})}
    for number, (x, law) in enumerate(laws):
        variables = _variables({name: getattr(law, name) for name in _PARTS})
        variables["directions"] = (["cavity", "parameter"], law.directions)
        attrs = {
            "x": x,
            "cavities": json.dumps(law.cavities),
            "radius": law.radius,
            "reach": law.reach,
            "reach_error": law.reach_error,
            "error": law.error,
        }
        if law.end is not None:
            variables |= _variables({f"end_{n}": getattr(law.end, n) for n in OF_END})
            attrs["end_length"] = law.end.length
        groups[f"section_{number}"] = xr.Dataset(variables, attrs=attrs)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(groups, file)


def _variables(
    parts: Mapping[str, Polynomial],
) -> dict[str, tuple[list[str], npt.NDArray[Any]]]:
    found: dict[str, tuple[list[str], npt.NDArray[Any]]] = {}
    for name, part in parts.items():
        shape = [f"{name}_{i}" for i in range(part.coefficients.ndim - 1)]
        found[name] = ([f"{name}_term", *shape], part.coefficients)
        found[f"{name}_exponents"] = ([f"{name}_term", "parameter"], part.exponents)
    return found


def _polynomials(
    group: xr.Dataset, names: Sequence[str], prefix: str = ""
) -> dict[str, Polynomial]:
    return {
        name: Polynomial(group[f"{prefix}{name}_exponents"].values, group[f"{prefix}{name}"].values)
        for name in names
    }


def belongs_text(belongs_to: dict[str, str]) -> str:
    """Return the hashes of what laws belong to as their file has them."""
    return json.dumps(belongs_to, sort_keys=True)


def read_law(file: Path) -> ArmLaws:
    """Read the laws of a file with their places, and the hashes of what they belong to.

    Raises:
        BadInput: if the file is no section law.
    """
    top = read(file)
    if top.attrs.get("format") != FORMAT:
        raise BadInput(
            f'{file}: is no section law: its format should be "{FORMAT}"; make one with '
            "loligo section CASE --law"
        )
    laws = []
    for number in range(int(top.attrs["sections"])):
        group = read(file, f"section_{number}")
        end = None
        if "end_length" in group.attrs:
            length = float(group.attrs["end_length"])
            end = EndLaw(length, **_polynomials(group, OF_END, "end_"))
        law = SolidLaw(
            cavities=tuple(json.loads(group.attrs["cavities"])),
            directions=group["directions"].values,
            radius=float(group.attrs["radius"]),
            reach=float(group.attrs["reach"]),
            reach_error=float(group.attrs["reach_error"]),
            error=float(group.attrs["error"]),
            turned_from="",
            **_polynomials(group, _PARTS),
            end=end,
        )
        laws.append((float(group.attrs["x"]), law))
    return ArmLaws(tuple(laws), json.loads(top.attrs["belongs_to"]))
