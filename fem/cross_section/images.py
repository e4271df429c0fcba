"""Turns and mirrors of a section that map its chambers to one another: one state serves for all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from loligo.fem.cross_section.solve import Array

Order = tuple[int, ...]


@dataclass(frozen=True)
class Image:
    """A turn or mirror of the section that maps its chambers to one another."""

    order: tuple[int, ...]
    """Chamber whose pressure each chamber takes."""
    matrix: Array
    """Of the coordinates (k; v), shape (6, 6)."""


def images_of(centres: Sequence[tuple[float, float]]) -> list[Image]:
    """Return the turns and mirrors that map round chambers of one radius to one another.

    Args:
        centres: of the chambers (y, z) (m), of equal radius.
    """
    places = np.array([complex(y, z) for y, z in centres])
    close = 1e-6 * max(np.abs(places).max(initial=0.0), 1e-12)
    images = []
    angles = np.angle(places)
    for mirror in (False, True):
        moved = places.conj() if mirror else places
        for turn in {
            round(float(a), 9) for a in np.angle(np.exp(1j * (angles - np.angle(moved[:1]))))
        }:
            result = moved * np.exp(1j * turn)
            distance = np.abs(result[:, None] - places[None, :])
            order = distance.argmin(axis=0)
            if np.any(distance.min(axis=0) > close) or len(set(order)) < len(places):
                continue
            plane = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            if mirror:
                plane = plane @ np.diag([1.0, -1.0])
            spatial = np.eye(3)
            spatial[1:, 1:] = plane
            matrix = np.zeros((6, 6))
            # Bends and torsion are an axial vector: a mirror turns them round.
            matrix[:3, :3] = np.linalg.det(spatial) * spatial
            matrix[3:, 3:] = spatial
            images.append(Image(tuple(int(i) for i in order), matrix))
    return images or [Image((), np.eye(6))]


def turns_of(images: Sequence[Image], directions: Array) -> list[tuple[Image, list[int]]]:
    """Return the images that keep a range of pressures, with the order of the parameters."""
    cavities, count = directions.shape
    known = [(one, _parameters(one, directions)) for one in (images if cavities else ())]
    turns = [(one, order) for one, order in known if order is not None]
    return turns or [(Image(tuple(range(cavities)), np.eye(6)), list(range(count)))]


def _parameters(image: Image, directions: Array) -> list[int] | None:
    """Return which parameter every parameter takes under an image; None if it keeps no range."""
    moved = directions[list(image.order)]
    close = 1e-6 * np.abs(directions).max(initial=0.0)
    order = []
    for column in directions.T:
        alike = np.flatnonzero(np.all(np.abs(moved.T - column) <= close, axis=1))
        if len(alike) == 0:
            return None
        order.append(int(alike[0]))
    return order


def one_of_each(corners: Sequence[Array], orders: Collection[Order]) -> list[Array]:
    """One corner of every set that orders of the parameters map to one another."""
    kept: list[Array] = []
    for corner in corners:
        known = {tuple(k[list(order)]) for k in kept for order in orders}
        if tuple(corner) not in known:
            kept.append(corner)
    return kept
