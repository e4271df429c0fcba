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
from loligo.cases.record import BadInput
from loligo.reduced import checks, vehicle

ROWS = [*arguments_of_arms.ROWS, *arguments_of_rods.ROWS, *arguments_of_shells.ROWS]

CHECKED = "its arguments are records that have been checked"
RESULT = "a result that a function of this library fills in"
INNER = "evaluated at every iteration of a solver, which checks what it begins with"
KERNEL = "the inside of a time step or of an assembly; its callers are in the table"
LEFT_OUT = {
    "lie": "compiled algebra of rigid motions: any numbers are arguments, NaN stays NaN",
    "checks": "the checks themselves",
    **dict.fromkeys(("radau", "rod_grid", "rod_kernel", "rod_loadset", "rod_middle"), KERNEL),
    **dict.fromkeys(("rod_motion_kernel", "rod_radau", "rod_radau_kernel", "rod_step"), KERNEL),
    **dict.fromkeys(("shell_advance", "shell_assembly", "shell_step", "shell_viscosity"), KERNEL),
    **dict.fromkeys(("star_bell", "star_model", "star_parts", "star_step"), KERNEL),
    **dict.fromkeys(("predict_arm", "predict_data", "predict_joint", "predict_lengths"), CHECKED),
    **dict.fromkeys(("predict_motion", "predict_motion_rod", "predict_motion_shell"), CHECKED),
    **dict.fromkeys(("predict_rod", "predict_shell", "legs_stance", "reaching"), CHECKED),
    **dict.fromkeys(("reaching_arms", "robot_coefficients", "robot_range"), CHECKED),
    **dict.fromkeys(("robot_spread", "snake", "stream"), CHECKED),
    **{f"vehicle.{n}": CHECKED for n in ("star", "times", "swim", "data_set", "placed_frames")},
    **{f"predict.{n}": CHECKED for n in ("answer", "own_values", "chosen_model")},
    **{f"predict_section.{n}": CHECKED for n in ("soft_pieces", "chambers", "fluid_arm", "ArmLaw")},
    **{f"sections.{n}": CHECKED for n in ("warping_loss", "shear_factors", "Moduli")},
    **{f"joint.{n}": INNER for n in ("arc", "arc_map", "jacobian", "mass_matrix", "elastic")},
    **{f"joint.{n}": INNER for n in ("inertial_force", "viscous_force", "gravity_energy")},
    **{f"joint.{n}": INNER for n in ("gravity_force", "gravity_stiffness")},
    **{f"joint_material.{n}": INNER for n in ("uniaxial", "matrix_fraction", "equivalent_area")},
    **{f"joint_material.{n}": INNER for n in ("transverse_modulus", "Viscosity")},
    **{f"joint_solve.{n}": INNER for n in ("unbalanced_force", "acceleration")},
    "pcc.chamber_map": INNER,
    **{f"reach.{n}": INNER for n in ("chamber_cosines", "distance_to_fan", "require_reach")},
    "rod_inertia.node_jacobians": INNER,
    "rod_inertia.damping_at_gauss": "in the table as damping_matrix, vibrations and simulate",
    **{f"rod.{n}": "a check itself" for n in ("is_rotation", "check_frame")},
    **{f"rod_tip.{n}": INNER for n in ("TipPath", "tip_jacobian", "bordered")},
    "rod_state.is_definite": INNER,
    **dict.fromkeys(("rod_dynamics.stored_energy", "rod_solve.residual"), INNER),
    "pressed.pressed_segments": CHECKED,
    **{f"shell.{n}": INNER for n in ("shape_functions",)},
    **{f"shell_laws.{n}": INNER for n in ("green_rows", "layers", "layer_bends", "ShellLaw")},
    "shell_inertia.banded": INNER,
    "shell_motion.still": "the velocity of what stays, for any time",
    **{f"shell_statics.{n}": CHECKED for n in ("volume_control", "solve", "follow")},
    "shell_statics.arc_length": "in the table by its first point",
    "star.Limb": "its rod, inertia and water are checked where a robot is made ready to step",
    "dh_chain.frames": CHECKED,
    "dh_chain.table": CHECKED,
    "shell_loads.Drive": CHECKED,
    **{f"actuator.{n}": RESULT for n in ("TubeState",)},
    **{f"joint_material.{n}": RESULT for n in ("Uniaxial", "EquivalentArea")},
    "joint_material.Areas": "Joint checks them",
    "joint.Elastic": RESULT,
    "joint_solve.Motion": RESULT,
    "shell.Shell": "make_shell fills it in",
    "shell_inertia.Modes": RESULT,
    **{f"shell_motion.{n}": RESULT for n in ("State", "Motion")},
    "shell_statics.Equilibrium": RESULT,
    **{f"star.{n}": RESULT for n in ("State", "Motion")},
    **{f"rod_motion.{n}": RESULT for n in ("State", "Motion")},
    "rod_inertia.Lumps": RESULT,
    "rod_state.RodState": RESULT,
    "pulled.PulledLimb": RESULT,
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
    """Names "module.name" of the classes and functions of the reduced library."""
    for module in pkgutil.iter_modules(loligo.reduced.__path__):
        there = importlib.import_module(f"loligo.reduced.{module.name}")
        for name, thing in vars(there).items():
            own = getattr(thing, "__module__", None) == there.__name__
            failure = inspect.isclass(thing) and issubclass(thing, BaseException)
            if callable(thing) and own and not name.startswith("_") and not failure:
                yield f"{module.name}.{name}"


def test_nothing_public_is_left_out():
    """Whoever adds a function gives it a row, or says why it needs none."""
    rows = {f"{c.__module__.rsplit('.', 1)[-1]}.{c.__qualname__}" for c, _, _ in ROWS}
    names = set(public())
    missing = {
        n for n in names if n not in rows | set(LEFT_OUT) and n.split(".")[0] not in LEFT_OUT
    }
    assert missing == set()
    both = names | {name.split(".")[0] for name in names}
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
