"""Cost of section laws of the solid: a rod's load step on one, and making one.

Run it by hand: python tests/bench/bench_law.py. Goals:

- a load step of the rod of Gong's arm, three soft lengths: below 5 ms of CPU;
- making the law for the pressures of a bent segment: less CPU than its 3D solution on the coarsest
  mesh, the one that loligo brings along. Skipped where dolfinx is not there.
"""

import time

from loligo.cases.case_file import load
from loligo.reduced.predict.predict import answer
from loligo.validation.data.shipped import shipped
from loligo.validation.data.source import read_levels

STEP = 5e-3
REPEATS = 20


def step_seconds(name, **options):
    """CPU seconds of a load step, the compiled code at hand."""
    case = load(name)
    answer(case, "rod", **options)
    start = time.process_time()
    for _ in range(REPEATS):
        answer(case, "rod", **options)
    return (time.process_time() - start) / REPEATS / len(case.steps)


def load_steps():
    print("CPU of a load step, ms              equilibrium  with its report  goal")
    for name in ("gong_bending_one", "gong_arm"):
        for law in ("solid", "geometry"):
            alone, whole = (
                1e3 * step_seconds(name, law=law, shape_only=shape_only)
                for shape_only in (True, False)
            )
            print(f"{name + ', ' + law:34s}  {alone:11.2f}  {whole:15.2f}  {1e3 * STEP:4.0f}")


def making():
    try:
        from loligo.fem.cross_section.arm import arm_laws
    except ImportError:
        print("\ndolfinx is not there: no law is made")
        return
    from loligo.reduced.section.pressures import cavity_pressures

    print("\nCPU seconds                     law of the section  3D at level 0")
    for name in ("gong_bending_one", "gong_elongation", "zhang_actuator"):
        case = load(name)
        steps = [cavity_pressures(case.body, case, step) for step in range(len(case.steps))]
        spans = {cavity: [at[cavity] for at in steps] for cavity in case.body.cavities}
        arm_laws(case, spans)  # compiles the forms
        start = time.process_time()
        arm_laws(case, spans)
        spent = time.process_time() - start
        meshes, _ = read_levels(shipped()[name])
        coarsest = next(
            float(m.attrs["cpu_seconds"]) for m in meshes.values() if not m.attrs["level"]
        )
        print(f"{name:30s}  {spent:18.1f}  {float(coarsest):13.1f}")


if __name__ == "__main__":
    load_steps()
    making()
