"""Good and bad arguments of shells and robots."""

import numpy as np
from arguments import NAN, finite, not_below, numbers, positive, row

from loligo.cases.body import Mantle
from loligo.cases.fluid import Jet
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.robots import swimmer as vehicle
from loligo.reduced.rod import model as rod
from loligo.reduced.shell import dynamics as shell_dynamics
from loligo.reduced.shell import inertia as shell_inertia
from loligo.reduced.shell import laws as shell_laws
from loligo.reduced.shell import loads as shell_loads
from loligo.reduced.shell import model as shell
from loligo.reduced.shell import motion as shell_motion
from loligo.reduced.shell import statics as shell_statics
from loligo.reduced.star import dynamics as star_dynamics
from loligo.reduced.star import system as star

RUBBER = NeoHooke(mu=2e4, density=1000.0)
STIFF = rod.circular_stiffness(0.01, 1e5, 3e4)
ROD = rod.Rod(0.2, STIFF, degrees=1)
GREEN = shell_laws.GreenLaw(4e4)
SPAN = shell.Span(0.1, 4)
TUBE = shell.make_shell(
    [SPAN], GREEN, thickness=2e-3, radius=0.03, angle=0.0, start="clamped", end="free"
)
MASS = shell_inertia.mass_matrix(TUBE, 1000.0)
PART = star.Part(mass=0.1, rotary=1e-4 * np.eye(3))
MANTLE = Mantle(kind="mantle", radius=0.03, thickness=2e-3, truncation=0.7, cylinder_length=0.05)
MOTION = star_dynamics.simulate(star.Star(parts=[PART]), [0.0, 0.1], 0.05)

ROWS = [
    # Shells
    row(
        shell.Span,
        [*positive("length"), ("elements", 0, "elements"), *finite("curvature", "turn")],
        length=0.1,
        elements=4,
    ),
    row(
        shell.make_shell,
        [
            *positive("thickness"),
            *not_below("radius"),
            *finite("angle"),
            ("start", "glued", "start"),
            ("spans", [], "spans"),
        ],
        spans=[SPAN],
        law=GREEN,
        thickness=2e-3,
        radius=0.03,
        angle=0.0,
        start="clamped",
        end="free",
    ),
    row(
        shell.mantle_shell,
        [*positive("size"), ("breaks", [1.0], "break")],
        body=MANTLE,
        law=GREEN,
        size=0.02,
    ),
    row(
        shell_laws.GreenLaw,
        [
            *positive("young", "shear_correction", "bending"),
            *not_below("viscosity"),
            ("poisson", 0.7, "poisson"),
        ],
        young=4e4,
        poisson=0.0,
    ),
    row(
        shell_laws.LinearLaw,
        [
            *positive("young", "shear_correction"),
            *not_below("viscosity"),
            ("poisson", -1.0, "poisson"),
        ],
        young=4e4,
        poisson=0.3,
    ),
    row(
        shell_laws.RubberLaw,
        [
            *positive("shear_correction", "bending"),
            ("elastomer", RUBBER.model_copy(update={"bulk_modulus": 1e6}), "bulk_modulus"),
        ],
        elastomer=RUBBER,
    ),
    row(
        shell_loads.Loads,
        [*finite("pressure"), ("dead", np.full((2, 3), NAN), "finite")],
        pressure=0.0,
        dead=np.zeros((2, 3)),
    ),
    *(
        row(call, positive("frequency"), frequency=1.0)
        for call in (shell_loads.triangular, shell_loads.sinusoidal)
    ),
    row(shell_loads.pressure_load, finite("pressure"), shell=TUBE, pressure=10.0),
    *(
        row(
            call,
            [*finite("tension"), ("band", (0.05, 0.01), "band"), ("band", (0.0, NAN), "band")],
            shell=TUBE,
            tension=1.0,
        )
        for call in (
            shell_loads.hoop_tension_load,
            shell_loads.cable_load,
            shell_loads.cable_hoop_tension,
        )
    ),
    row(shell_loads.surface_load, finite("axial", "radial"), shell=TUBE, axial=1.0),
    row(
        shell_loads.edge_load,
        [*finite("axial", "radial", "moment"), ("edge", "rim", "edge")],
        shell=TUBE,
        edge="end",
        axial=1.0,
    ),
    row(shell_motion.SlidingBase, not_below("mass"), mass=0.1),
    row(shell_motion.MantleWater, not_below("drag"), jet=Jet(1000.0, 3e-4, 9e-4, 1.0), drag=1.0),
    row(
        shell_inertia.mass_matrix,
        [*positive("density"), *not_below("added")],
        shell=TUBE,
        density=1e3,
        added=0.0,
    ),
    row(shell_inertia.vibrations, [("count", 0, "count")], shell=TUBE, mass=MASS, count=1),
    row(
        shell_dynamics.simulate,
        [*positive("step"), ("times", [0.0], "times")],
        shell=TUBE,
        mass=MASS,
        times=[0.0, 1e-3],
        step=1e-3,
    ),
    row(
        shell_statics.displacement_control,
        [("arc", -1.0, "arc"), ("arc", NAN, "arc"), ("component", "hoop", "component")],
        shell=TUBE,
        arc=0.1,
        component="radial",
    ),
    row(
        lambda shell, loads, step: next(shell_statics.arc_length(shell, loads, step)),
        positive("step"),
        shell=TUBE,
        loads=shell_loads.pressure_load(TUBE, 10.0),
        step=1e-4,
    ),
    # Robots
    row(
        star.Part,
        [
            *not_below("mass"),
            ("rotary", -np.eye(3), "rotary"),
            ("drag", np.ones((2, 2)), "drag"),
            ("frame", np.ones((4, 4)), "frame"),
            *numbers(3, "weight"),
        ],
        mass=0.1,
        rotary=1e-4 * np.eye(3),
    ),
    row(
        star.ShellBell,
        [("frame", np.ones((4, 4)), "frame"), ("mass", MASS[:3, :3], "mass")],
        shell=TUBE,
        mass=MASS,
    ),
    row(star.Star, [("held", (7,), "held")], parts=[PART]),
    row(
        star_dynamics.at_rest,
        [*numbers(6, "twist"), ("root", np.ones((4, 4)), "root")],
        star=star.Star(parts=[PART]),
        twist=np.zeros(6),
    ),
    row(
        star_dynamics.simulate,
        [
            *positive("step"),
            ("times", [0.0], "times"),
            ("star", star.Star(), "mass"),
            ("star", star.Star([PART], [star.RodLimb(ROD, np.zeros((6, 6)))]), "inertia"),
        ],
        star=star.Star(parts=[PART]),
        times=[0.0, 0.1],
        step=0.05,
    ),
    row(
        star_dynamics.make_model,
        [("star", star.Star([PART], [star.RodLimb(ROD, np.zeros((6, 6)))]), "inertia")],
        star=star.Star(parts=[PART]),
    ),
    row(vehicle.screw, positive("length"), motion=MOTION, length=0.3),
    *(
        row(
            call,
            [("period", bad, "period") for bad in (0.0, -1.0, NAN, 1.0)],
            motion=pulsed,
            period=0.05,
        )
        for call, pulsed in (
            (vehicle.cycle_means, MOTION),
            (vehicle.efficiency_at_mean_speed, MOTION),
        )
    ),
]
