"""Bad arguments of the reduced library: each is refused with its name, and nothing is left out.

A row has a callable, arguments with which it works, and for some of them a bad replacement with a
word of the message.
"""

import dataclasses
import importlib
import inspect
import pkgutil
from functools import partial

import numpy as np
import pytest

import loligo.reduced
from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.elastomer import NeoHooke
from loligo.cases.fluid import Jet
from loligo.cases.reaching import Stroke
from loligo.cases.read import load
from loligo.cases.robot import load_reacher
from loligo.reduced import (
    actuator,
    clock,
    dh_chain,
    joint,
    joint_material,
    joint_solve,
    leg,
    length_map,
    opposite_bending,
    pcc,
    predict,
    predict_section,
    pressed,
    pressure_length,
    pulled,
    reach,
    rod,
    rod_dynamics,
    rod_fibres,
    rod_inertia,
    rod_loads,
    rod_motion,
    rod_solve,
    rod_steady,
    rod_tip,
    sections,
    shell,
    shell_dynamics,
    shell_inertia,
    shell_laws,
    shell_loads,
    shell_motion,
    shell_statics,
    star,
    star_dynamics,
    stroke,
    three_segment,
    trajectories,
    vehicle,
)

NAN, INF = float("nan"), float("inf")
RUBBER = NeoHooke(mu=2e4, density=1000.0)
STIFF = rod.circular_stiffness(0.01, 1e5, 3e4)
ROD = rod.Rod(0.2, STIFF, degrees=1)
INERTIA = rod_motion.circular_inertia(0.01, 1000.0)
WATER = rod_motion.Water(1000.0, 0.01)
STATE = rod_solve.solve(ROD, [])
CHAMBERS = pcc.chamber_directions(3)
GONG, LIU, ZHANG = opposite_bending.GONG_2018, three_segment.LIU_2020, joint.ZHANG_2022
ARC, TIPS = [0.1, 0.3, 0.2], opposite_bending.forward(GONG, [0.1, 0.12, 0.1, 0.08])
GREEN = shell_laws.GreenLaw(4e4)
SPAN = shell.Span(0.1, 4)
TUBE = shell.make_shell(
    [SPAN], GREEN, thickness=2e-3, radius=0.03, angle=0.0, start="clamped", end="free"
)
MASS = shell_inertia.mass_matrix(TUBE, 1000.0)
LOOP = pressure_length.HysteresisLoop((0.0, 1e4), (0.10, 0.12), (0.10, 0.13), 0.0)
PART = star.Part(mass=0.1, rotary=1e-4 * np.eye(3))
ARM = load("emet_limb_one_tendon")
LIMB = pulled.pulled_limb(ARM.body, ARM.material, 2)
SEGMENT = pressed.pressed_segments(load("gong_bending_one").body, {"body": RUBBER})[0]
STROKE = Stroke.model_validate(next(iter(load_reacher("gong").stroke.values())).model_dump())
MANTLE = Mantle(kind="mantle", radius=0.03, thickness=2e-3, truncation=0.7, cylinder_length=0.05)
PLAIN = TaperedArm(kind="tapered_arm", length=0.2, base_radius=0.01, tip_radius=0.005)
MOTION = star_dynamics.simulate(star.Star(parts=[PART]), [0.0, 0.1], 0.05)


def upside(X):
    """The radius of a cone that tapers through zero."""
    return 0.01 - 0.06 * np.asarray(X)


def positive(*names):
    """Bad replacements of numbers that must be positive: zero, below, infinite, not a number."""
    return [(name, bad, name) for name in names for bad in (0.0, -1.0, INF, NAN)]


def not_below(*names):
    return [(name, bad, name) for name in names for bad in (-1.0, INF, NAN)]


def finite(*names):
    return [(name, bad, name) for name in names for bad in (NAN, INF)]


def numbers(size, *names):
    """Of an array whose last axis has a size: another size, and NaN in it."""
    shapes = ([0.1] * (size + 1), [NAN] + [0.1] * (size - 1))
    return [(name, bad, "") for name in names for bad in shapes]


def row(call, bad, **good):
    return call, good, bad


ROWS = [
    # Actuators, chains, joints
    row(
        actuator.hooped_pressure,
        [*positive("stretch"), ("inner", -0.01, "inner"), ("outer", NAN, "outer")],
        elastomer=RUBBER,
        inner=0.008,
        outer=0.014,
        stretch=1.2,
    ),
    row(
        actuator.tube_state,
        [*positive("bore_stretch"), ("inner", 0.02, "inner < outer"), ("outer", INF, "outer")],
        elastomer=RUBBER,
        inner=0.008,
        outer=0.014,
        bore_stretch=1.1,
    ),
    row(
        actuator.tube_limit,
        [("largest", 0.5, "largest"), ("largest", NAN, "largest"), ("inner", 0.0, "inner")],
        elastomer=RUBBER,
        inner=0.008,
        outer=0.014,
    ),
    row(
        clock.output_times,
        [("times", [1.0, 0.0], "times"), ("times", [0.0, NAN], "times")],
        times=[0.0, 1.0],
    ),
    row(
        dh_chain.chain,
        [
            *positive("length"),
            *finite("theta", "phi"),
            ("sections", 0, "sections"),
            ("sections", 2.5, "sections"),
        ],
        length=0.3,
        theta=0.5,
        phi=0.1,
        sections=10,
    ),
    row(
        dh_chain.Chain,
        finite("turns", "bends", "stroke", "last_bend", "last_turn"),
        turns=np.zeros(2),
        bends=np.zeros(2),
        stroke=np.array(0.1),
        last_bend=np.array(0.0),
        last_turn=np.array(0.0),
    ),
    row(
        dh_chain.arm_frames,
        [("segments", [], "segments")],
        segments=[dh_chain.chain(0.1, 0.2, 0.0)],
    ),
    row(
        joint.Joint,
        [
            *positive(
                "rest_length",
                "radius",
                "actuator_offset",
                "pressure_area",
                "mass",
                "matrix_fraction",
            ),
            *not_below("matrix_to_fabric"),
            *finite("submerged_mass", "turn"),
            ("areas", joint_material.Areas(-1e-3, 2e-3), r"areas\.matrix"),
            ("areas", joint_material.Areas(0.0, 0.0), "areas"),
        ],
        **{f.name: getattr(ZHANG, f.name) for f in dataclasses.fields(ZHANG)},
    ),
    row(joint_material.Hooke, positive("young"), young=1e5),
    row(
        joint_material.PowerLaw,
        [*not_below("consistency"), *positive("index", "smallest_rate")],
        consistency=1e3,
        index=0.3,
        smallest_rate=1e-5,
    ),
    row(joint_material.Newtonian, not_below("viscosity"), viscosity=100.0),
    *(
        row(
            areas,
            [*positive("radius", "bore"), *not_below("wall", "sleeve"), ("bore", 0.03, "no room")],
            radius=0.045,
            bore=0.008,
            wall=0.006,
            sleeve=0.002,
        )
        for areas in (joint_material.thin_wall_areas, joint_material.exact_areas)
    ),
    row(
        joint_solve.equilibrium,
        [
            ("pressures", (-1e6, 0.0, 0.0), "vacuum"),
            ("pressures", (NAN, 0.0, 0.0), "pressures"),
            ("pressures", (1e4, 0.0), "pressures"),
            *numbers(3, "gravity", "start"),
        ],
        joint=ZHANG,
        pressures=(1e3, 0.0, 0.0),
        gravity=(0.0, 0.0, 0.0),
        start=(0.0, 0.0, 0.0),
    ),
    row(
        joint_solve.simulate,
        [
            ("pressures", lambda t: (-1e6, 0.0, 0.0), "vacuum"),
            ("pressures", lambda t: (NAN, 0.0, 0.0), "pressures"),
            ("times", [0.0, -1.0], "times"),
            *positive("tolerance"),
            *numbers(3, "gravity", "q", "rate"),
        ],
        joint=ZHANG,
        pressures=lambda t: (0.0, 0.0, 0.0),
        times=[0.0, 1e-3],
        gravity=(0.0, 0.0, 0.0),
        q=(0.0, 0.0, 0.0),
        rate=(0.0, 0.0, 0.0),
        tolerance=1e-3,
    ),
    row(
        joint_solve.total_energy,
        numbers(3, "q", "rate", "gravity"),
        joint=ZHANG,
        q=(0.0, 0.0, 0.0),
        rate=(0.0, 0.0, 0.0),
        gravity=(0.0, 0.0, 9.81),
    ),
    # Legs and arms that reach
    row(
        leg.Leg,
        [*not_below("coxa", "offset"), *positive("femur", "tibia")],
        coxa=0.1,
        offset=0.0,
        femur=0.2,
        tibia=0.3,
    ),
    row(leg.forward, numbers(3, "angles"), leg=leg.Leg(0.1, 0.0, 0.2, 0.3), angles=[0.1, 0.2, 0.3]),
    *(
        row(call, numbers(3, "feet"), leg=leg.Leg(0.1, 0.0, 0.2, 0.3), feet=[0.35, 0.0, -0.1])
        for call in (leg.inverse, leg.distance_to_workspace)
    ),
    row(
        length_map.stretch,
        [*finite("pressure", "growth"), *positive("gain")],
        pressure=0.1,
        gain=0.5,
        growth=0.1,
    ),
    row(
        length_map.pressure,
        [*positive("stretch", "gain"), *finite("growth")],
        stretch=1.1,
        gain=0.5,
        growth=0.1,
    ),
    row(
        opposite_bending.OppositeBendingArm,
        [
            *positive("chamber_length", "chamber_offset", "chamber_stroke"),
            *not_below("elongation_length", "elongation_stroke"),
        ],
        **vars(GONG),
    ),
    *(
        row(
            call,
            [*numbers(4, "lengths"), ("lengths", [0.1, 0.1, -0.1, 0.1], "lengths")],
            arm=GONG,
            lengths=[0.1, 0.11, 0.1, 0.08],
        )
        for call in (opposite_bending.segments, opposite_bending.forward)
    ),
    *(
        row(call, numbers(3, "tips"), arm=GONG, tips=TIPS)
        for call in (opposite_bending.inverse, opposite_bending.distance_to_workspace)
    ),
    row(opposite_bending.footprint, finite("azimuth"), arm=GONG, azimuth=0.3),
    row(
        opposite_bending.workspace,
        [("count", 0, "count"), ("count", 2.0, "count")],
        arm=GONG,
        count=3,
    ),
    row(
        three_segment.ThreeSegmentArm,
        positive("chamber_length", "chamber_stroke", "chamber_offset"),
        **vars(LIU),
    ),
    *(
        row(
            call,
            [
                ("lengths", [[0.1] * 3] * 3, "lengths"),
                ("lengths", [[0.1, 0.1, -0.1]] * 2, "lengths"),
            ],
            arm=LIU,
            lengths=[[0.1] * 3] * 2,
        )
        for call in (three_segment.segments, three_segment.forward)
    ),
    *(
        row(
            call,
            [*numbers(3, "tips"), *numbers(2, "bends")],
            arm=LIU,
            tips=[0.3, 0.01, 0.0],
            bends=[0.1, 0.0],
        )
        for call in (three_segment.inverse, three_segment.distance_to_workspace)
    ),
    row(three_segment.workspace_size, [("count", 0, "count")], arm=LIU, count=3),
    row(
        three_segment.proximal_pressure,
        [*finite("distal", "offset"), *positive("gain")],
        distal=[1e3, 2e3],
        gain=1.02,
        offset=-890.0,
    ),
    row(
        reach.chamber_grid,
        [*not_below("shortest", "stroke"), ("count", 0, "count")],
        shortest=0.1,
        stroke=0.05,
        count=3,
    ),
    row(
        trajectories.Path,
        [
            *numbers(3, "start", "end", "axis"),
            ("axis", (0, 0, 0), "axis"),
            ("angle", 7.0, "deg"),
            ("angle", NAN, "deg"),
        ],
        start=(0.0, 0.0, 0.0),
        end=(0.1, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        angle=0.0,
    ),
    row(trajectories.Path((0, 0, 0), (0.1, 0, 0)).points, finite("share"), share=0.5),
    row(stroke.reaction, positive("radius"), arm=GONG, radius=0.017, stroke=STROKE),
    # Arcs
    row(
        pcc.from_polar,
        [*positive("length"), *finite("theta", "phi")],
        length=0.1,
        theta=0.2,
        phi=0.3,
    ),
    row(
        pcc.from_curvature,
        [*positive("length"), *finite("bend_y", "bend_z")],
        length=0.1,
        bend_y=1.0,
        bend_z=0.0,
    ),
    *(
        row(call, numbers(3, "arc"), arc=ARC)
        for call in (
            pcc.to_polar,
            pcc.twist,
            pcc.position,
            pcc.rotation,
            pcc.pose,
            pcc.position_gradient,
            pcc.position_hessian,
            pcc.jacobian,
        )
    ),
    row(pcc.jacobian_rate, numbers(3, "arc", "rate"), arc=ARC, rate=ARC),
    row(
        pcc.chain,
        [("arcs", [[0.1, NAN, 0.0]], "finite"), ("arcs", [[0.1, 0.0]], "3")],
        arcs=[ARC, ARC],
    ),
    row(
        pcc.from_tip,
        [*numbers(3, "tip"), ("tip", [-0.1, 0.0, 0.0], "behind")],
        tip=[0.1, 0.01, 0.0],
    ),
    row(pcc.chamber_directions, [("count", 0, "count"), *finite("turn")], count=3, turn=0.0),
    row(
        pcc.chamber_lengths,
        [*numbers(3, "arc"), *not_below("offset"), *numbers(2, "directions")],
        arc=ARC,
        offset=0.02,
        directions=CHAMBERS,
    ),
    row(
        pcc.from_chambers,
        [
            *positive("lengths", "offset"),
            ("lengths", [0.1, 0.1], "lengths"),
            ("directions", CHAMBERS[:2], "chambers"),
        ],
        lengths=[0.1, 0.1, 0.11],
        offset=0.02,
        directions=CHAMBERS,
    ),
    # Chambers and tendons
    row(
        pressed.PressedSegment,
        positive("length", "middle", "radius"),
        **{f.name: getattr(SEGMENT, f.name) for f in dataclasses.fields(SEGMENT)},
    ),
    *(
        row(
            call,
            [
                ("pressures", [[1e3, 0.0]], "pressures"),
                ("pressures", [[NAN, 0.0, 0.0]], "pressures"),
            ],
            segment=SEGMENT,
            pressures=[[1e3, 0.0, 0.0]],
        )
        for call in (pressed.arcs, pressed.largest_stretch)
    ),
    row(
        pressed.pressures,
        numbers(3, "wanted"),
        segment=SEGMENT,
        wanted=[[0.101 * SEGMENT.length / 0.1, 0.01, 0.0]],
    ),
    row(
        pulled.pulled_limb,
        [("segments", 0, "segments")],
        body=ARM.body,
        material=ARM.material,
        segments=2,
    ),
    row(pulled.arcs, finite("theta", "phi"), limb=LIMB, segment=0, theta=0.3, phi=0.1),
    row(pulled.largest_stretch, finite("theta"), limb=LIMB, segment=0, theta=0.3),
    row(
        pressure_length.HysteresisLoop,
        [
            ("pressure", (1e4, 0.0), "increase"),
            ("loading", (0.12, 0.1), "loading"),
            ("unloading", (0.1,), "unloading"),
            ("unloading", (-0.1, 0.1), "unloading"),
            *not_below("misfit"),
        ],
        **vars(LOOP),
    ),
    row(
        pressure_length.fit_loop,
        [
            ("loading", ([0.0, 1e4], [-0.1, 0.1]), "loading"),
            ("unloading", ([0.0, NAN], [0.1, 0.1]), "unloading"),
            ("unloading", ([0.0, 1e4], [0.1]), "unloading"),
            ("knots", 1, "knots"),
        ],
        loading=([0.0, 1e4], [0.1, 0.12]),
        unloading=([0.0, 1e4], [0.1, 0.12]),
        knots=3,
    ),
    row(
        pressure_length.lengths_along,
        [*finite("pressures"), *positive("start")],
        loop=LOOP,
        pressures=[0.0, 1e3],
        start=0.1,
    ),
    row(
        pressure_length.pressures_along,
        [*positive("lengths"), *finite("start")],
        loop=LOOP,
        lengths=[0.1, 0.11],
        start=0.0,
    ),
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
            *not_below("radius", "young", "shear"),
            *positive("shear_factor"),
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
        rod_loads.Tendon,
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
        [*not_below("radius"), *positive("density")],
        radius=0.01,
        density=1e3,
    ),
    row(
        rod_motion.Water,
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
            ("water", rod_motion.Water(1000.0, upside), "radius of the water"),
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
            ("water", rod_motion.Water(1e3, upside), "radius"),
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
    row(shell_motion.FreeBase, not_below("mass"), mass=0.1),
    row(shell_motion.Water, not_below("drag"), jet=Jet(1000.0, 3e-4, 9e-4, 1.0), drag=1.0),
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
        star.Bell,
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
            ("star", star.Star([PART], [star.Limb(ROD, np.zeros((6, 6)))]), "inertia"),
        ],
        star=star.Star(parts=[PART]),
        times=[0.0, 0.1],
        step=0.05,
    ),
    row(
        star_dynamics.make_model,
        [("star", star.Star([PART], [star.Limb(ROD, np.zeros((6, 6)))]), "inertia")],
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
    from loligo.cases.record import BadInput
    from loligo.reduced import checks

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
