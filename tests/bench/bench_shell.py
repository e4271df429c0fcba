"""Time and error of shells of revolution at rest and in motion, CPU beside wall.

Run it by hand: python tests/bench/bench_shell.py. At rest the error is that of the mantle's volume
against a mesh four times finer than the finest shown, and that of the balloon's pressure against
the closed form of a thin sphere, p R/(mu h) = 2 (1/s - 1/s^7) at the stretch s.

In motion it is one second of the mantle that pulses under a triangular ring load of 15 N/m, 1.51
times a second, in water, and the largest errors over 101 times of the rim's radius, the enclosed
volume and its rate, relative to the largest of each, against half the finest size and a fifth of
the finest step.
"""

import time
from collections.abc import Callable

import numpy as np

from loligo.cases.body import Mantle
from loligo.cases.fluid import Jet
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.lie import Array
from loligo.reduced.shell.dynamics import simulate
from loligo.reduced.shell.inertia import mass_matrix
from loligo.reduced.shell.laws import GreenLaw, RubberLaw, ShellLaw
from loligo.reduced.shell.loads import TimedLoads, hoop_tension_load, pressure_load, triangular
from loligo.reduced.shell.model import Shell, Span, make_shell, mantle_shell
from loligo.reduced.shell.motion import MantleWater, ShellMotion
from loligo.reduced.shell.statics import Equilibrium, follow, solve, volume_control

REPEATS = 20
SIZES = (12e-3, 6e-3, 3e-3, 1.5e-3)
BODY = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
THIN = 1e-3
RUBBER = RubberLaw(NeoHooke(mu=40e3 / 3, density=1080.0, viscosity=500.0))
PULSE_SIZES = (12e-3, 6e-3, 3e-3)
PULSE_STEPS = (20e-3, 10e-3, 5e-3, 2.5e-3)
PULSE_TIMES = np.linspace(0.0, 1.0, 101)


def balloon(elements: int) -> Shell:
    """Return half a thin rubber sphere of radius 1 m."""
    return make_shell(
        [Span(np.pi / 2, elements, -1.0)],
        RUBBER,
        thickness=THIN,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="symmetry",
    )


def measure(run: Callable[[], Equilibrium]) -> tuple[float, float, Equilibrium]:
    """Return wall and CPU milliseconds of a run, the mean after one that compiles, and its end."""
    state = run()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        run()
    scale = 1e3 / REPEATS
    return (time.perf_counter() - wall) * scale, (time.process_time() - cpu) * scale, state


def show(
    name: str,
    shell: Shell,
    run: Callable[[], Equilibrium],
    value: Callable[[Equilibrium], float],
    exact: float,
) -> None:
    """Print one line: unknowns, milliseconds, iterations of the last step, error of a value."""
    wall, cpu, state = measure(run)
    print(
        f"{name:44s} {shell.fixed.size:5d} unknowns {wall:7.2f} ms wall {cpu:7.2f} ms CPU "
        f"{state.iterations:3d} iterations  error {abs(value(state) / exact - 1):.1e}"
    )


def pulse(law: ShellLaw, size: float, step: float, times: Array) -> ShellMotion:
    """Return a second of the pulsing mantle."""
    shell = mantle_shell(BODY, law, size)
    mass = mass_matrix(shell, density=7415.0, added=1.1)
    pulses = TimedLoads(hoop_tension_load(shell, 15.0), triangular(1.51))
    water = MantleWater(Jet(density=1022.0, outflow=491e-6, inflow=1400e-6), drag=1.7)
    return simulate(shell, mass, times, step, drives=[pulses], water=water)


def show_pulse(label: str, law: ShellLaw, size: float, step: float, fine: ShellMotion) -> None:
    """Print one line of a pulsing mantle: steps, time, errors at the output times it hits."""
    stride = max(round(step / (PULSE_TIMES[1] - PULSE_TIMES[0])), 1)  # outputs end steps
    times = PULSE_TIMES[::stride]
    wall, cpu = time.perf_counter(), time.process_time()
    motion = pulse(law, size, step, times)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    errors = [
        np.abs(now - exact[::stride]).max() / np.abs(exact).max()
        for now, exact in (
            (
                BODY.radius + motion.displacement[:, -1, 1],
                BODY.radius + fine.displacement[:, -1, 1],
            ),
            (motion.volume, fine.volume),
            (motion.volume_rate, fine.volume_rate),
        )
    ]
    print(
        f"pulses, {label:7s} {1e3 * size:4.1f} mm {1e3 * step:5.1f} ms {motion.steps:4d} steps "
        f"{wall:6.3f} s wall {cpu:6.3f} s CPU  error of radius {errors[0]:.1e} "
        f"volume {errors[1]:.1e} rate {errors[2]:.1e}"
    )


def main() -> None:
    """Measure the mantle at rest and pulsing with both walls, and a balloon beyond its limit."""
    at_rest()
    for label, law in (("Eq 7", GreenLaw(40e3, viscosity=500.0)), ("rubber", RUBBER)):
        fine = pulse(law, PULSE_SIZES[-1] / 2, PULSE_STEPS[-1] / 5, PULSE_TIMES)
        for size in PULSE_SIZES:
            for step in PULSE_STEPS:
                show_pulse(label, law, size, step, fine)


def at_rest() -> None:
    """Measure equilibria of the mantle under both loads, and of the balloon."""
    for label, law in (("Eq 7", GreenLaw(40e3)), ("rubber", RUBBER)):
        for load, value in ((hoop_tension_load, 10.0), (pressure_load, 60.0)):
            fine = mantle_shell(BODY, law, SIZES[-1] / 4)
            exact = solve(fine, load(fine, value)).volume
            for size in SIZES:
                shell = mantle_shell(BODY, law, size)
                loads = load(shell, value)
                name = f"mantle, {label}, {load.__name__} {value:g}, {1e3 * size:g} mm"
                show(name, shell, lambda s=shell, q=loads: solve(s, q), lambda e: e.volume, exact)
    volumes = 2 / 3 * np.pi * np.linspace(1.1, 2.0, 10) ** 3
    shell = balloon(12)
    unit = pressure_load(shell, 1.0)
    name = "balloon to a stretch of 2, ten volumes"
    exact = 2 * 40e3 / 3 * THIN * (1 / 2 - 1 / 2**7)
    show(
        name,
        shell,
        lambda: follow(shell, unit, volume_control(), volumes)[-1],
        lambda e: e.factor,
        exact,
    )


if __name__ == "__main__":
    main()
