r"""From the laboratory's axes to the body's: the rigid motion that fits markers of known places.

:math:`b_i = R\,l_i + t` in least squares (Kabsch 1976; Umeyama 1991 for the sign of the
determinant). With residuals r and m markers a coordinate scatters by :math:`\sigma^2 = \sum |r|^2 /
(3 m - 6)`, and the rotation vector by :math:`\sigma^2 (\sum |a_i|^2 1 - a_i a_i^T)^{-1}`, a the
places about their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.validation.measured.channels import Array

FLAT = 1e-2
"""Second over first singular value of places below which they lie on one line."""
BAD = 0.05
"""Residual over the markers' spread from which a registration is refused."""
_BETTER = 0.5
"""Of a residual: a mistake explains it if undoing it leaves less than this share."""
_FACTORS = {
    1e3: "the places are in millimetres and read as metres",
    1e-3: "the places are in metres and read as millimetres",
    1e2: "the places are in centimetres and read as metres",
    1e-2: "the places are in metres and read as centimetres",
    10.0: "the places are in millimetres and read as centimetres",
    0.1: "the places are in centimetres and read as millimetres",
    25.4: "the places are in millimetres and read as inches",
    1.0 / 25.4: "the places are in inches and read as millimetres",
}
"""What a ratio of sizes, recorded over known, gives away."""


@dataclass(frozen=True, eq=False)
class Registration:
    """The rigid motion from the laboratory to the body."""

    rotation: Array
    """R, shape (3, 3)."""
    shift: Array
    """t (m), shape (3,)."""
    residual: float
    """Root mean square distance that is left (m); 0 where the axes were given."""
    covariance: Array
    """Of the rotation vector in the body's axes (rad^2), shape (3, 3)."""

    def apply(self, places: Array) -> Array:
        """Return places (..., 3) of the laboratory in the body's axes."""
        return np.asarray(places @ self.rotation.T + self.shift)


def kabsch(lab: Array, body: Array) -> tuple[Array, Array, float]:
    """Return R, t and the root mean square residual of R lab + t - body; det R = 1."""
    centres = lab.mean(axis=0), body.mean(axis=0)
    u, _, vt = np.linalg.svd((body - centres[1]).T @ (lab - centres[0]))
    sign = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    rotation = u @ sign @ vt
    shift = centres[1] - rotation @ centres[0]
    off = lab @ rotation.T + shift - body
    return rotation, shift, float(np.sqrt(np.mean(np.sum(off**2, axis=1))))


def register(
    names: Sequence[str], lab: Array, body: Array, where: str, largest: float = 0.0
) -> Registration:
    """Return the registration of markers at rest.

    Args:
        names: of the markers.
        lab: where they were recorded, shape (m, 3).
        body: where they sit on the body, shape (m, 3).
        where: what they were recorded in, for messages.
        largest: residual (m) that is accepted; by default 5 % of the spread.

    Raises:
        BadInput: naming the likely mistake, if they do not fit.
    """
    if len(names) < 3:
        raise BadInput(
            f"{where}: the places of {len(names)} markers on the body are known "
            f"({', '.join(names) or 'none'}); it takes three to find the body's axes: give more "
            "places, or the axes"
        )
    for what, places in (("recorded", lab), ("known", body)):
        singular = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
        if singular[1] <= FLAT * singular[0]:
            raise BadInput(
                f"{where}: the {what} places of {', '.join(names)} lie on one line, about which "
                "the body could turn: give a marker off it, or the axes"
            )
    rotation, shift, residual = kabsch(lab, body)
    spread = _spread(body)
    if residual > (largest or BAD * spread):
        raise BadInput(f"{where}: {_mistake(names, lab, body, residual)}")
    count = len(names)
    arms = body - body.mean(axis=0)
    second = np.sum(arms**2) * np.eye(3) - arms.T @ arms
    variance = count * residual**2 / (3 * count - 6)
    return Registration(rotation, shift, residual, variance * np.linalg.inv(second))


def by_axes(axes: Sequence[str]) -> Array:
    """Return R of the body's axes, such as ("z", "-y", "x"); BadInput if they are mirrored."""
    rotation = np.zeros((3, 3))
    for row, axis in enumerate(axes):
        rotation[row, "xyz".index(axis[-1])] = -1.0 if axis[0] == "-" else 1.0
    if np.linalg.det(rotation) < 0.0:
        turned = [*axes[:2], axes[2][1:] if axes[2][0] == "-" else f"-{axes[2][-1]}"]
        raise BadInput(
            f"axes {' '.join(axes)} are those of a mirror image, in which a bend to the left is "
            f"one to the right: perhaps {' '.join(turned)}"
        )
    return rotation


def _spread(places: Array) -> float:
    return float(np.sqrt(np.mean(np.sum((places - places.mean(axis=0)) ** 2, axis=1))))


def _mistake(names: Sequence[str], lab: Array, body: Array, residual: float) -> str:
    """Say what undoes a bad residual."""
    ratio = _spread(lab) / _spread(body)
    head = f"the markers' places do not fit: {1e3 * residual:.3g} mm are left"
    for factor, words in _FACTORS.items():
        if abs(np.log(ratio / factor)) < 0.05:
            return (
                f"{head}, and they are {ratio:.4g} times as far apart as on the body: probably "
                f"{words}"
            )
    enough = _BETTER * residual
    mirrored = kabsch(lab * [1.0, 1.0, -1.0], body)[2]
    # Of three markers, or of any in one plane, a mirror image is a rotation, too.
    for i, j in combinations(range(len(names)), 2):
        order = np.arange(len(names))
        order[[i, j]] = order[[j, i]]
        if kabsch(lab[order], body)[2] < min(enough, mirrored):
            return f"{head}; they would fit if {names[i]} and {names[j]} were each other's names"
    if mirrored < enough:
        return (
            f"{head}; a mirror image fits: two axes are swapped, or one has the wrong sign, in the "
            "recording or in the places on the body"
        )
    off = np.linalg.norm(lab @ (r := kabsch(lab, body))[0].T + r[1] - body, axis=1)
    worst = int(np.argmax(off))
    return f"{head}, most at {names[worst]}: is its place on the body right, did it come off?"
