"""How uncertain a robot's motion is for the intervals of its coefficients, and from which it comes.

The coefficients are drawn at once from a Latin hypercube: positive ones log-normal, signed ones
normal, with the 95 % interval of their file; those without one stay. A merit y is then the straight
line of the standardised draws z with the least squares, and the share of its variance that comes
from a coefficient is

    s_i = b_i^2/var(y),    y = a + sum b_i z_i + rest,

what the line leaves is the share of the rest: curvature and coefficients together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm, qmc

from loligo.cases.coefficients import KNOWN, Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.robot.reaching import Reacher
from loligo.cases.robot.swimmer import Robot
from loligo.reduced.lie import Array
from loligo.reduced.robots import reaching
from loligo.reduced.robots.coefficients import Given, calibrated, merits
from loligo.reduced.robots.range import beyond, beyond_reaching
from loligo.reduced.robots.swimmer import swim

FORMAT = "loligo robot spread 1"
_TWO_SIDED = float(norm.ppf(0.975))


@dataclass(frozen=True)
class Spread:
    """What coefficients change, and how surely.

    Attributes:
        robot: its name.
        title: its title.
        motion: what it was told, or None.
        sources: of the coefficients, by part.
        hashes: of the robot, and of the coefficients by part.
        coefficients: value, low and high of each ("part.name"), None where an end is not known.
        printed: merits with the robot's own numbers.
        calibrated: with the coefficients.
        low: lower end of the 95 % interval of the samples.
        high: upper end.
        shares: of the variance, by merit and coefficient ("part.name"), the rest as "rest".
        samples: how many motions were complete.
        failed: how many were not.
        beyond: where the motion leaves the range that the coefficients hold for.
        notes: to be known before use.
    """

    robot: str
    title: str
    motion: str | None
    sources: dict[str, str]
    hashes: dict[str, str]
    coefficients: dict[str, tuple[float, float | None, float | None]]
    printed: dict[str, float]
    calibrated: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    shares: dict[str, dict[str, float]]
    samples: int
    failed: int
    beyond: tuple[str, ...]
    notes: tuple[str, ...]


def spread(
    robot: Robot | Reacher,
    given: Given,
    samples: int,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> Spread:
    """Return what a robot's motion becomes with coefficients, and the share of each in its spread.

    Args:
        robot: one that swims is told one motion.
        given: coefficients by part.
        samples: how many sets are drawn, 8 or more.
        seed: of the draws.
        report: told how many motions are done.
    """
    if samples < 8:
        raise BadInput(f"{samples} samples are too few for an interval; take 8 or more")
    names, draws = drawn(given, samples, seed)
    _check(robot, given)
    printed, _ = _merits(robot, {})
    best, outside = _merits(robot, given)
    if printed is None or best is None:
        raise BadInput(f"{robot.name} does not come to its end, of which the merits are told")
    rows: list[dict[str, float]] = []
    kept: list[Array] = []
    for k, z in enumerate(draws):
        found, _ = _merits(robot, _replaced(given, names, z))
        if found is not None:
            rows.append(found)
            kept.append(z)
        if report is not None:
            report(k + 1)
    shared = [key for key in best if all(key in row for row in rows)]
    values = np.array([[row[key] for key in shared] for row in rows]).reshape(-1, len(shared))
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    labels = [f"{part}.{name}" for part, name in names]
    return Spread(
        robot=robot.name,
        title=robot.title,
        motion=next(iter(robot.motion), None) if isinstance(robot, Robot) else None,
        sources={part: coefficients.source for part, coefficients in given.items()},
        hashes=hashes(robot, given),
        coefficients={
            f"{part}.{c.name}": (c.value, c.low, c.high)
            for part, coefficients in given.items()
            for c in coefficients.coefficient
        },
        printed=printed,
        calibrated=best,
        low=dict(zip(shared, low.tolist(), strict=True)),
        high=dict(zip(shared, high.tolist(), strict=True)),
        shares={
            key: shares_of(np.array(kept), values[:, k], labels) for k, key in enumerate(shared)
        },
        samples=len(rows),
        failed=samples - len(rows),
        beyond=tuple(outside),
        notes=tuple(f"{part}: {note}" for part, c in given.items() for note in c.notes),
    )


def drawn(given: Given, samples: int, seed: int) -> tuple[list[tuple[str, str]], Array]:
    """Return (part, coefficient) of what has an interval, and standard normal draws (samples, n).

    Raises:
        BadInput: if nothing has an interval.
    """
    names = [
        (part, c.name)
        for part, coefficients in given.items()
        for c in coefficients.coefficient
        if c.low is not None and c.high is not None and c.high > c.low
    ]
    if not names:
        raise BadInput("none of the coefficients has an interval to draw from")
    unit = qmc.LatinHypercube(len(names), rng=np.random.default_rng(seed)).random(samples)
    z: Array = norm.ppf(unit)
    return names, z


def _replaced(given: Given, names: Sequence[tuple[str, str]], z: Array) -> Given:
    """Coefficients with those drawn in the place of the best ones."""
    values: dict[str, dict[str, float]] = {}
    for (part, name), one in zip(names, z, strict=True):
        values.setdefault(part, {})[name] = value_at(given[part], name, float(one))
    return {part: c.replaced(values.get(part, {})) for part, c in given.items()}


def value_at(coefficients: Coefficients, name: str, z: float) -> float:
    """Return a coefficient z standard deviations above its best value."""
    found = next(c for c in coefficients.coefficient if c.name == name)
    assert found.low is not None and found.high is not None
    if KNOWN[name].signed or found.low <= 0.0:
        return found.value + z * (found.high - found.low) / (2.0 * _TWO_SIDED)
    return float(found.value * (found.high / found.low) ** (z / (2.0 * _TWO_SIDED)))


def shares_of(z: Array, values: Array, labels: Sequence[str]) -> dict[str, float]:
    """Return the share of each column of draws in the variance of values, and the rest."""
    variance = float(values.var())
    if not variance > 0.0 or len(values) <= len(labels) + 1:
        return {}
    matrix = np.column_stack([np.ones(len(z)), z])
    fitted = np.linalg.lstsq(matrix, values, rcond=None)[0]
    explained = (fitted[1:] * z.std(axis=0)) ** 2 / variance
    rest = float(np.var(values - matrix @ fitted)) / variance
    found = dict(zip(labels, explained.tolist(), strict=True))
    return found | {"rest": rest}


def _check(robot: Robot | Reacher, given: Given) -> None:
    """Refuse coefficients of another body before anything takes its time."""
    if isinstance(robot, Reacher):
        reaching.drives(robot, given)
    else:
        calibrated(robot, given)


def hashes(robot: Robot | Reacher, given: Given) -> dict[str, str]:
    """Return the SHA-256 of a robot and of the coefficients of its parts, of what is no default."""
    records = {"robot": robot, **given}
    return {
        name: hashlib.sha256(one.model_dump_json(exclude_defaults=True).encode()).hexdigest()
        for name, one in records.items()
    }


def _merits(robot: Robot | Reacher, given: Given) -> tuple[dict[str, float] | None, list[str]]:
    """What a robot is worth, and where it leaves the range of its coefficients."""
    if isinstance(robot, Reacher):
        return reaching.merits(robot, given), beyond_reaching(robot, given)
    tuned = calibrated(robot, given)
    motion, status = swim(tuned)
    if status != "complete":
        return None, []
    return merits(robot, motion), beyond(tuned, given, motion)


def record(found: Spread) -> dict[str, Any]:
    """Return a spread as JSON."""
    lists = {"beyond": list(found.beyond), "notes": list(found.notes)}
    return {"format": FORMAT, **vars(found), **lists}
