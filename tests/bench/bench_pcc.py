"""Microseconds a pose of constant-curvature kinematics, in batches.

The paper of the closed inverse (Liu 2020) prints 11 us a pose, and 8.2 ms for Gong's root search.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from loligo.reduced.arcs import opposite_bending, pcc, three_segment

BATCH = 100_000
REPEATS = 20


def measure(name: str, function: Callable[[], object]) -> None:
    """Print wall and CPU microseconds a pose, after one call that compiles."""
    function()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    scale = 1e6 / (BATCH * REPEATS)
    print(f"{name:36s} {wall * scale:8.3f} us wall {cpu * scale:8.3f} us CPU")


def main() -> None:
    """Measure forward and inverse kinematics over random poses of the whole workspace."""
    rng = np.random.default_rng(0)
    gong, liu = opposite_bending.GONG_2018, three_segment.LIU_2020
    extra = gong.chamber_stroke * rng.uniform(size=(BATCH, 3))
    extra[np.arange(BATCH), rng.integers(3, size=BATCH)] = 0.0
    straight = gong.elongation_length + gong.elongation_stroke * rng.uniform(size=(BATCH, 1))
    lengths = np.concatenate([gong.chamber_length + extra, straight], axis=1)
    tips = opposite_bending.forward(gong, lengths)
    pairs = liu.chamber_length + liu.chamber_stroke * rng.uniform(size=(BATCH, 2, 3))
    pairs[np.arange(BATCH), 1, rng.integers(3, size=BATCH)] = liu.chamber_length
    ends, bends = three_segment.forward(liu, pairs)
    arcs = opposite_bending.segments(gong, lengths)[:, 0]

    print(f"batches of {BATCH} poses, one core")
    measure("Gong 2018 inverse", lambda: opposite_bending.inverse(gong, tips))
    measure("Gong 2018 forward", lambda: opposite_bending.forward(gong, lengths))
    measure("Liu 2020 inverse", lambda: three_segment.inverse(liu, ends, bends))
    measure("Liu 2020 forward", lambda: three_segment.forward(liu, pairs))
    measure("arc to frame", lambda: pcc.pose(arcs))
    measure("arc to Jacobian", lambda: pcc.jacobian(arcs))


if __name__ == "__main__":
    main()
