"""Time and error of static shells of revolution, CPU beside wall.

Run it by hand: python tests/bench/bench_shell.py. The error is that of the mantle's volume against
a mesh four times finer than the finest shown, and that of the balloon's pressure against the closed
form of a thin sphere, p R/(mu h) = 2 (1/s - 1/s^7) at the stretch s.
"""

import time
from collections.abc import Callable

import numpy as np

from loligo.cases.body import Mantle
from loligo.cases.elastomer import NeoHooke
from loligo.reduced.shell import Shell, Span, make_shell, mantle_shell
from loligo.reduced.shell_laws import GreenLaw, RubberLaw
from loligo.reduced.shell_loads import hoop_tension_load, pressure_load
from loligo.reduced.shell_statics import Equilibrium, follow, solve, volume_control

REPEATS = 20
SIZES = (12e-3, 6e-3, 3e-3, 1.5e-3)
BODY = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
THIN = 1e-3
RUBBER = RubberLaw(NeoHooke(mu=40e3 / 3, density=1080.0))


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


def main() -> None:
    """Measure the mantle under both walls and loads, and a balloon beyond its limit point."""
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
