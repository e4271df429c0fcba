"""Good and bad arguments of arcs, arms, joints and legs."""

import dataclasses

import numpy as np
from arguments import NAN, finite, not_below, numbers, positive, row

from loligo.cases.case_file import load
from loligo.cases.robot.reaching import Stroke
from loligo.cases.robot.swimmer import load_reacher
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced import stepping as clock
from loligo.reduced.arcs import dh_chain, leg, opposite_bending, pcc, three_segment
from loligo.reduced.arcs import hysteresis as pressure_length
from loligo.reduced.arcs import length_law as length_map
from loligo.reduced.arcs import tip_paths as trajectories
from loligo.reduced.arcs import workspace as reach
from loligo.reduced.joint import material as joint_material
from loligo.reduced.joint import model as joint
from loligo.reduced.joint import solve as joint_solve
from loligo.reduced.robots import pressed_arcs as pressed
from loligo.reduced.robots import pulled_arcs as pulled
from loligo.reduced.robots import stroke

RUBBER = NeoHooke(mu=2e4, density=1000.0)
CHAMBERS = pcc.chamber_directions(3)
GONG, LIU, ZHANG = opposite_bending.GONG_2018, three_segment.LIU_2020, joint.ZHANG_2022
ARC, TIPS = [0.1, 0.3, 0.2], opposite_bending.forward(GONG, [0.1, 0.12, 0.1, 0.08])
LOOP = pressure_length.HysteresisLoop((0.0, 1e4), (0.10, 0.12), (0.10, 0.13), 0.0)
ARM = load("emet_limb_one_tendon")
LIMB = pulled.pulled_limb(ARM.body, ARM.material, 2)
SEGMENT = pressed.pressed_segments(load("gong_bending_one").body, {"body": RUBBER})[0]
STROKE = Stroke.model_validate(next(iter(load_reacher("gong").stroke.values())).model_dump())

ROWS = [
    # Chains, joints
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
        dh_chain.JointVariables,
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
        trajectories.HelicalPath,
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
    row(trajectories.HelicalPath((0, 0, 0), (0.1, 0, 0)).points, finite("share"), share=0.5),
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
        row(call, [*numbers(3, "arc"), ("arc", [-0.1, 0.2, 0.0], "length")], arc=ARC)
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
]
