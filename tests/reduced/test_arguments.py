"""Bad arguments of the reduced library: each is refused with its name, and nothing is left out.

A row has a callable, arguments with which it works, and for some of them a bad replacement with a
word of the message.
"""

import importlib
import inspect
import pkgutil
from functools import partial

import arguments_of_arms
import arguments_of_rods
import arguments_of_shells
import numpy as np
import pytest

import loligo.reduced
from loligo.cases.core.record import BadInput
from loligo.reduced import checks
from loligo.reduced.robots import swimmer as vehicle

ROWS = [*arguments_of_arms.ROWS, *arguments_of_rods.ROWS, *arguments_of_shells.ROWS]

CHECKED = "its arguments are records that have been checked"
RESULT = "a result that a function of this library fills in"
INNER = "evaluated at every iteration of a solver, which checks what it begins with"
KERNEL = "the inside of a time step or of an assembly; its callers are in the table"
LEFT_OUT = {
    "lie": "compiled algebra of rigid motions: any numbers are arguments, NaN stays NaN",
    "checks": "the checks themselves",
    **dict.fromkeys(
        ("radau", "rod.grid", "rod.kernel", "rod.loadset", "rod.motion.midpoint_equations"), KERNEL
    ),
    **dict.fromkeys(
        ("rod.motion.kernel", "rod.motion.radau", "rod.motion.radau_kernel", "rod.motion.midpoint"),
        KERNEL,
    ),
    **dict.fromkeys(
        ("shell.advance", "shell.assembly", "shell.wall_step", "shell.viscosity"), KERNEL
    ),
    **dict.fromkeys(("star.bell", "star.model", "star.parts", "star.step"), KERNEL),
    **dict.fromkeys(
        ("predict.arm_loads", "predict.collect", "predict.joint", "predict.lengths"), CHECKED
    ),
    **dict.fromkeys(("predict.case_at", "predict.rod_motion", "predict.shell_motion"), CHECKED),
    **dict.fromkeys(("predict.rod", "predict.shell", "arcs.stance", "robots.reaching"), CHECKED),
    **dict.fromkeys(("robots.reaching_arms", "robots.coefficients", "robots.range"), CHECKED),
    **dict.fromkeys(("robots.spread", "robots.snake", "predict.current"), CHECKED),
    **{
        f"robots.swimmer.{n}": CHECKED
        for n in ("star", "times", "swim", "data_set", "placed_frames")
    },
    **{
        f"predict.predict.{n}": CHECKED
        for n in ("answer", "own_values", "chosen_model", "resolved", "provenance")
    },
    **dict.fromkeys(
        ("predict.march", "predict.resolve", "predict.scope", "predict.scope_table"), CHECKED
    ),
    **{f"stepping.{n}": KERNEL for n in ("Sums", "Trial", "Walk", "Pace", "halving", "walk")},
    **dict.fromkeys(("section.law_choice", "section.pressures"), CHECKED),
    "section.solid_sections": "made from a law that a section problem has fitted",
    **{f"rod.motion.error.{n}": RESULT for n in ("MotionError", "distance")},
    "rod.motion.error.motion_error": "solves again what the functions in the table have solved",
    "rod.motion.error.one_degree_more": "a rod that has been checked",
    "rod.motion.inertia.Vibrations": RESULT,
    **{f"section.arm_law.{n}": CHECKED for n in ("soft_pieces", "chambers", "fluid_arm", "ArmLaw")},
    **{f"section.stiffness.{n}": CHECKED for n in ("warping_loss", "shear_factors", "Moduli")},
    **{f"joint.model.{n}": INNER for n in ("arc", "arc_map", "jacobian", "mass_matrix", "elastic")},
    **{f"joint.model.{n}": INNER for n in ("inertial_force", "viscous_force", "gravity_energy")},
    **{f"joint.model.{n}": INNER for n in ("gravity_force", "gravity_stiffness")},
    **{f"joint.material.{n}": INNER for n in ("uniaxial", "matrix_fraction", "equivalent_area")},
    **{f"joint.material.{n}": INNER for n in ("transverse_modulus", "Viscosity")},
    **{f"joint.solve.{n}": INNER for n in ("unbalanced_force", "acceleration")},
    "arcs.pcc.chamber_map": INNER,
    **{
        f"arcs.workspace.{n}": INNER
        for n in ("chamber_cosines", "distance_to_fan", "require_reach")
    },
    "rod.motion.inertia.node_jacobians": INNER,
    "rod.motion.inertia.damping_at_gauss": "in the table as damping_matrix and simulate",
    **{f"rod.model.{n}": "a check itself" for n in ("is_rotation", "check_frame")},
    **{f"rod.tip.{n}": INNER for n in ("TipPath", "tip_jacobian", "bordered")},
    "rod.state.is_definite": INNER,
    **dict.fromkeys(("rod.motion.dynamics.stored_energy", "rod.statics.residual"), INNER),
    "robots.pressed_arcs.pressed_segments": CHECKED,
    **{f"shell.model.{n}": INNER for n in ("shape_functions",)},
    **{f"shell.laws.{n}": INNER for n in ("green_rows", "layers", "layer_bends", "ShellLaw")},
    "shell.inertia.banded": INNER,
    "shell.motion.still": "the velocity of what stays, for any time",
    **{f"shell.statics.{n}": CHECKED for n in ("volume_control", "solve", "follow")},
    "shell.statics.arc_length": "in the table by its first point",
    "star.system.RodLimb": "its rod, inertia and water are checked where a robot is made ready",
    "arcs.dh_chain.frames": CHECKED,
    "arcs.dh_chain.table": CHECKED,
    "shell.loads.TimedLoads": CHECKED,
    **{f"joint.material.{n}": RESULT for n in ("Uniaxial", "EquivalentArea")},
    "joint.material.Areas": "Joint checks them",
    "joint.model.Elastic": RESULT,
    "joint.solve.JointMotion": RESULT,
    "shell.model.Shell": "make_shell fills it in",
    "shell.inertia.Modes": RESULT,
    **{f"shell.motion.{n}": RESULT for n in ("ShellState", "ShellMotion")},
    "shell.statics.Equilibrium": RESULT,
    **{f"star.system.{n}": RESULT for n in ("StarState", "StarMotion")},
    **{f"rod.motion.equations.{n}": RESULT for n in ("MovingRod", "RodMotion")},
    "rod.motion.inertia.Lumps": RESULT,
    "rod.state.RodState": RESULT,
    "robots.pulled_arcs.PulledLimb": RESULT,
}
CASES = [
    pytest.param(
        call, good, name, bad, word, id=f"{getattr(call, '__qualname__', call)}-{name}-{i}"
    )
    for call, good, bads in ROWS
    for i, (name, bad, word) in enumerate(bads)
]


@pytest.mark.parametrize(
    ("call", "good"), [pytest.param(c, g, id=c.__qualname__) for c, g, _ in ROWS]
)
def test_good_arguments_are_taken(call, good):
    if call not in (vehicle.cycle_means, vehicle.efficiency_at_mean_speed):  # nothing drives it
        call(**good)


@pytest.mark.parametrize(("call", "good", "name", "bad", "word"), CASES)
def test_a_bad_argument_is_refused_by_its_name(call, good, name, bad, word):
    with pytest.raises(ValueError, match=word):
        call(**{**good, name: bad})


def public():
    """Names "room.module.name" of the classes and functions of the reduced library."""
    prefix = "loligo.reduced."
    for module in pkgutil.walk_packages(loligo.reduced.__path__, prefix):
        there = importlib.import_module(module.name)
        for name, thing in vars(there).items():
            own = getattr(thing, "__module__", None) == there.__name__
            failure = inspect.isclass(thing) and issubclass(thing, BaseException)
            if callable(thing) and own and not name.startswith("_") and not failure:
                yield f"{module.name.removeprefix(prefix)}.{name}"


def test_nothing_public_is_left_out():
    """Whoever adds a function gives it a row, or says why it needs none."""
    rows = {f"{c.__module__.removeprefix('loligo.reduced.')}.{c.__qualname__}" for c, _, _ in ROWS}
    names = set(public())
    missing = {
        n for n in names if n not in rows | set(LEFT_OUT) and n.rpartition(".")[0] not in LEFT_OUT
    }
    assert missing == set()
    both = names | {name.rpartition(".")[0] for name in names}
    assert set(LEFT_OUT) <= both  # nothing that is not there any more
    assert not set(LEFT_OUT) & rows
    assert len(ROWS) > 100 and len(CASES) > 400


def test_checks_name_what_was_given():
    for call, words in (
        (partial(checks.positive, "radius", "1 mm"), "radius must be positive .* '1 mm'"),
        (partial(checks.positive, "radius", [0.1, -0.2]), "radius .* but is -0.2 in one of 2"),
        (partial(checks.whole, "count", True, 1), "count must be a whole number"),
        (partial(checks.between, "x", 2.0, 0.0, 1.0), "x must be between 0 and 1, but is 2"),
        (
            partial(checks.sized, "tips", np.zeros((2, 2)), (3,)),
            r"tips must have the last axes \(3\)",
        ),
    ):
        with pytest.raises(BadInput, match=words):
            call()
