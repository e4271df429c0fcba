"""A mantle that pulses and an arm that moves: one second of both, beside the clock.

Run it by hand: python tests/bench/bench_reduced.py. Goal: less than a second at an error below 1 %
(of the volume's rate, which makes the thrust, and of the way of the tip; errors as bench_shell.py
and bench_rod.py measure them).
"""

import bench_rod
import bench_shell
import numpy as np

from loligo.reduced.shell.laws import GreenLaw


def main():
    law, size, step = GreenLaw(40e3, viscosity=500.0), 12e-3, 5e-3
    times = bench_shell.PULSE_TIMES
    fine = bench_shell.pulse(law, size / 8, step / 10, times)
    arm = bench_rod.arm(degrees=3, scaled_by="compliance")
    exact = bench_rod.move(
        bench_rod.arm(degrees=5, scaled_by="compliance"), tolerance=1e-6, scheme="radau"
    ).tip_position

    def both():
        mantle = bench_shell.pulse(law, size, step, times)
        return mantle, bench_rod.move(arm, tolerance=1e-2, step=0.1, scheme="radau")

    both()
    (mantle, moved), wall, cpu = bench_rod.timed(both, 1)
    rate = np.abs(mantle.volume_rate - fine.volume_rate).max() / np.abs(fine.volume_rate).max()
    off = np.linalg.norm(moved.tip_position - exact, axis=1).max()
    way = np.linalg.norm(exact - exact[0], axis=1).max()
    print(
        f"a second of mantle and arm: {wall:.3f} s wall, {cpu:.3f} s CPU; "
        f"errors: rate of the volume {rate:.1e}, tip {off / way:.1e}"
    )


if __name__ == "__main__":
    main()
