"""Good and bad arguments of sections and rods."""

import numpy as np
from arguments import NAN, finite, not_below, numbers, positive, row, upside

from loligo.cases.body import TaperedArm
from loligo.cases.case_file import load
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict import predict
from loligo.reduced.rod import fibres as rod_fibres
from loligo.reduced.rod import loads as rod_loads
from loligo.reduced.rod import model as rod
from loligo.reduced.rod import statics as rod_solve
from loligo.reduced.rod import tip as rod_tip
from loligo.reduced.rod.motion import dynamics as rod_dynamics
from loligo.reduced.rod.motion import equations as rod_motion
from loligo.reduced.rod.motion import inertia as rod_inertia
from loligo.reduced.rod.motion import steady as rod_steady
from loligo.reduced.section import arm_law as predict_section
from loligo.reduced.section import stiffness as sections

RUBBER = NeoHooke(mu=2e4, density=1000.0)
STIFF = rod.circular_stiffness(0.01, 1e5, 3e4)
ROD = rod.Rod(0.2, STIFF, degrees=1)
INERTIA = rod_motion.circular_inertia(0.01, 1000.0)
WATER = rod_motion.RodWater(1000.0, 0.01)
STATE = rod_solve.solve(ROD, [])
PLAIN = TaperedArm(kind="tapered_arm", length=0.2, base_radius=0.01, tip_radius=0.005)

ROWS = [
    # Sections
    row(
        sections.Isotropic,
        [*positive("young_modulus"), ("poisson", 0.6, "poisson"), ("poisson", NAN, "poisson")],
        young_modulus=1e5,
        poisson=0.5,
    ),
    row(
        sections.section_stiffness,
        [*finite("x"), ("x", [0.3], "beyond the body"), *positive("shear_factor")],
        body=PLAIN,
        material={"body": RUBBER},
        x=[0.1],
        shear_factor=0.9,
    ),
    row(
        sections.pressure_arms,
        [("x", 0.5, "x"), ("x", NAN, "x")],
        body=load("gong_bending_one").body,
        x=0.05,
    ),
    row(
        predict_section.section_field,
        positive("stiffness"),
        body=PLAIN,
        material={"body": RUBBER},
        values={},
        stiffness=1.0,
    ),
    row(
        predict_section.arm_law,
        positive("stiffness"),
        body=PLAIN,
        material={"body": RUBBER},
        stiffness=1.0,
    ),
    row(
        predict.predict,
        [*positive("refine"), ("stiffness", -1.0, "stiffness")],
        case=load("cylinder"),
        refine=1.0,
        stiffness=1.0,
    ),
    # Rods
    row(
        rod.circular_stiffness,
        [
            *not_below("young", "shear"),
            *positive("radius", "shear_factor"),
            ("radius", upside(np.linspace(0, 0.2, 5)), "radius"),
        ],
        radius=0.01,
        young=1e5,
        shear=3e4,
        shear_factor=0.9,
    ),
    row(
        rod.Rod,
        [
            *positive("length"),
            ("stiffness", -STIFF, "positive definite"),
            ("stiffness", lambda X: rod.circular_stiffness(upside(X), 1e5, 3e4), "radius"),
            ("stiffness", NAN * STIFF, "finite"),
            ("degrees", -1, "degree"),
            ("segments", 0, "segments"),
            ("cells", 0, "cells"),
            ("base", np.ones((4, 4)), "base"),
            ("strain_rest", [NAN] * 6, "strain_rest"),
        ],
        length=0.2,
        stiffness=STIFF,
        degrees=1,
    ),
    row(rod_fibres.round_fibres, positive("radius"), radius=0.01),
    row(
        rod_fibres.fibre_law,
        positive("rest_stretch"),
        elastomer=RUBBER,
        fibres=rod_fibres.round_fibres(0.01),
        stiffness=STIFF,
        rest_stretch=1.0,
    ),
    row(
        rod_loads.PointLoad,
        [*numbers(3, "force", "moment", "lever"), ("axes", "tip", "axes"), *not_below("at")],
        force=(0.0, 1.0, 0.0),
    ),
    row(
        rod_loads.LineLoad,
        [*numbers(3, "force", "moment"), ("axes", "tip", "axes")],
        force=(0.0, 1.0, 0.0),
    ),
    row(rod_loads.ActiveWrench, numbers(6, "wrench"), wrench=np.zeros(6)),
    row(
        rod_loads.RodTendon,
        [*not_below("tension"), *numbers(2, "path")],
        tension=1.0,
        path=(0.01, 0.0),
    ),
    row(
        rod_loads.net_weight,
        [*not_below("area", "density", "fluid_density"), *numbers(3, "gravity")],
        area=1e-4,
        density=1080.0,
        fluid_density=1000.0,
        gravity=(0.0, 0.0, -9.81),
    ),
    row(
        rod_loads.chamber_pressure,
        [*finite("pressure", "y", "z"), *not_below("area")],
        pressure=1e4,
        area=1e-4,
        y=0.01,
        z=0.0,
    ),
    row(
        rod_loads.recruited_torque,
        [*finite("amplitude"), *positive("recruited"), ("strain", "stretch", "torque")],
        amplitude=1e-3,
        recruited=0.1,
        strain="bend_z",
    ),
    row(
        rod_motion.circular_inertia,
        positive("radius", "density"),
        radius=0.01,
        density=1e3,
    ),
    row(
        rod_motion.RodWater,
        [
            *not_below("density", "radius"),
            ("drag", (-1.0, 0, 0), "drag"),
            ("added", (1.0,), "added"),
            ("linear", (NAN,) * 4, "linear"),
        ],
        density=1e3,
        radius=0.01,
    ),
    row(
        rod_motion.FreeBase,
        [("inertia", np.full((6, 6), NAN), "inertia")],
        inertia=np.eye(6),
    ),
    row(
        rod_dynamics.simulate,
        [
            ("inertia", np.zeros((6, 6)), "inertia"),
            ("inertia", -INERTIA, "negative"),
            ("times", [0.0, NAN], "times"),
            ("step", 0.0, "step"),
            ("tolerance", -1.0, "tolerance"),
            ("scheme", "euler", "scheme"),
            ("damping", -STIFF, "damping"),
            ("water", rod_motion.RodWater(1000.0, upside), "radius of the water"),
        ],
        rod=ROD,
        inertia=INERTIA,
        times=[0.0, 1e-3],
    ),
    row(
        rod_inertia.lumps,
        [
            ("inertia", np.ones((6, 6)), "inertia"),
            ("inertia", NAN * INERTIA, "inertia"),
            ("water", rod_motion.RodWater(1e3, upside), "radius"),
        ],
        rod=ROD,
        inertia=INERTIA,
        water=WATER,
        base=None,
    ),
    row(
        rod_inertia.mass_matrix,
        [("inertia", -INERTIA, "inertia")],
        rod=ROD,
        q=STATE.q,
        inertia=INERTIA,
    ),
    row(rod_inertia.damping_matrix, [("damping", -STIFF, "damping")], rod=ROD, damping=STIFF),
    row(
        rod_inertia.vibrations,
        [("inertia", np.zeros((6, 6)), "inertia"), ("damping", -STIFF, "damping")],
        state=STATE,
        inertia=INERTIA,
    ),
    row(
        rod_inertia.require_mass,
        [("carried", rod_inertia.lumps(ROD, np.zeros((6, 6)), None, None), "inertia")],
        carried=rod_inertia.lumps(ROD, INERTIA, None, None),
    ),
    row(
        rod_solve.solve,
        [
            ("tip", np.zeros((4, 4)), "tip"),
            ("loads", [rod_loads.PointLoad((0, 1, 0), at=0.05)], r"PointLoad\.at"),
        ],
        rod=ROD,
        loads=[],
    ),
    row(rod_tip.tip_path, [("tip", np.ones((4, 4)), "tip")], rod=ROD, q=STATE.q, tip=STATE.tip),
    row(
        rod_steady.carry,
        numbers(3, "velocity"),
        rod=ROD,
        loads=[],
        water=WATER,
        velocity=np.array([0.0, 0.01, 0.0]),
    ),
]
