"""The ladder of the reduced models: what docs/verification-reduced.md lists.

Rods R1 to R14, shells of revolution S1 to S10, then the models by paper. Tests that are named
assert to rounding, to the solver's tolerance, or by properties; the others record what they found.
"""

RUNGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "R1": ("Cantilever under a dead tip force, elliptic integrals", ()),
    "R2": ("Roll-up by a tip moment", ()),
    "R3": ("Follower tip force", ()),
    "R4": ("Beck's column flutters", ()),
    "R5": ("Heavy elastica; tapered and wet", ()),
    "R6": ("Greenhill's column, and beyond Euler's load", ()),
    "R7": ("Bathe's bend of 45 degrees", ()),
    "R8": ("Helix under a dead end moment, whatever GJ", ()),
    "R9": ("Pulled helix (Love), close-coiled spring", ()),
    "R10": ("Localised helical buckling, on one half by its symmetry", ()),
    "R11": ("Right-angle cantilever in motion (Simo and Vu-Quoc)", ()),
    "R12": ("Free flight in the plane and in space", ()),
    "R13": ("Frequencies in air and water", ()),
    "R14": ("Timoshenko, and Euler and Bernoulli", ()),
    "arm": (
        "A tapered arm in space, within 1e-4 of its length; orders of the discretisation",
        (
            "rod/test_model.py::test_frames_converge_with_order_four",
            "rod/test_model.py::test_piecewise_constant_strain_is_exact_with_one_cell_each",
            "rod/test_model.py::test_piecewise_constant_curvature_is_the_arc",
            "rod/motion/test_motion_benchmarks.py::"
            "test_piecewise_constant_strain_converges_with_order_two_in_space",
        ),
    ),
    "rod loads": (
        "Loads and tangents of the rod: work, differences, frames, symmetry of three chambers",
        (
            "rod/test_statics.py::test_tangent_is_exact",
            "rod/test_statics.py::test_order_of_the_discretisation",
            "rod/test_loads.py::test_tendon_wrench_is_conjugate_to_its_length",
            "rod/test_loads.py::test_pressure_does_work_p_dv",
            "rod/test_statics.py::test_a_rigid_rotation_of_everything_rotates_the_answer",
            "rod/test_loads.py::test_relabelled_chambers_turn_the_arm_by_120_degrees",
        ),
    ),
    "rod motion": (
        "Rods in motion: orders in time, energy, momentum, static limit, stiff motions",
        (
            "rod/motion/test_dynamics.py::test_order_two_in_time_with_everything_on",
            "rod/motion/test_dynamics.py::test_account_closes_and_the_scheme_loses_energy_of_third_order",
            "rod/motion/test_dynamics.py::test_static_limit_is_the_static_equilibrium",
            "rod/motion/test_dynamics.py::test_motion_turns_with_the_world",
            "rod/motion/test_radau.py::test_order_five_and_the_limit_of_the_other_scheme",
            "rod/motion/test_radau.py::test_energy_and_momentum_of_a_free_rod_are_kept_to_fifth_order",
            "rod/motion/test_radau.py::test_static_limit_with_every_force",
            "rod/motion/test_radau.py::"
            "test_stiff_motions_die_within_steps_where_the_midpoint_rule_lets_them_ring",
            "test_radau.py::test_step_is_the_stability_function",
            "rod/motion/test_motion_benchmarks.py::test_log_decrement_of_a_viscous_cantilever",
            "rod/motion/test_motion_benchmarks.py::test_hysteresis_of_a_slow_cycle",
        ),
    ),
    "S1": ("Closed tube and sphere in membrane states", ()),
    "S2": ("Sphere at finite pressure", ()),
    "S3": ("Edge layer of a clamped tube", ()),
    "S4": ("Clamped hemisphere, small and finite pressure", ()),
    "S5": ("Clamped disc, small and large deflection", ()),
    "S6": ("Annular plate", ()),
    "S7": ("Clamped cap snaps through", ()),
    "S8": (
        "Axisymmetric buckling: sphere, squeezed tube (lobes and rings are not of revolution: "
        "F13 and the mantle of the 3D solutions)",
        (),
    ),
    "S9": (
        "Consistency of the laws: thin limit, rigid motions, energy",
        (
            "shell/test_model.py::test_axial_shift_costs_nothing",
            "shell/test_model.py::test_forces_and_tangent_are_exact_derivatives",
        ),
    ),
    "S10": ("Thin limit to Rivlin's tube", ()),
    "limits": (
        "Shells through limit points: arc length, volume control",
        (
            "shell/test_statics.py::test_f10_limit_points_of_balloons",
            "shell/test_statics.py::test_f10_neo_hookean_limit_pressure",
            "shell/test_statics.py::test_arc_length_goes_through_both_limit_points_of_a_cap",
            "shell/test_mantle.py::test_limit_load_of_the_ring",
        ),
    ),
    "shell motion": (
        "Shells in motion: order, energy, momentum, static limit, base, drag, thrust, added mass",
        (
            "shell/test_dynamics.py::test_second_order_in_a_large_undamped_vibration",
            "shell/test_balances.py::test_energy_of_an_inviscid_wall_stays",
            "shell/test_balances.py::test_axial_momentum_of_a_free_mantle_stays",
            "shell/test_balances.py::test_heavily_damped_motion_ends_in_statics",
            "shell/test_dynamics.py::test_ring_pulses_as_its_equation_says",
            "shell/test_balances.py::test_accelerated_base_carries_the_mass",
            "shell/test_balances.py::test_towed_mantle_feels_its_drag",
            "shell/test_dynamics.py::test_jet_of_a_pulsing_ring",
            "shell/test_inertia.py::test_added_mass_may_be_any_local_law",
            "shell/test_model.py::test_volume_rate_of_a_moving_shell",
        ),
    ),
    "PCC": (
        "Constant curvature: exponential, chord, inverse, zero bend, chart, model error",
        (
            "arcs/test_pcc.py::test_pose_is_the_exponential_of_the_twist",
            "arcs/test_pcc.py::test_pose_is_the_exponential_at_tiny_bend",
            "arcs/test_pcc.py::test_chord_and_orthogonality",
            "arcs/test_pcc.py::test_tip_gives_the_arc_back",
            "arcs/test_pcc.py::test_tip_inverse_holds_beyond_pi_and_at_pi",
            "arcs/test_pcc.py::test_small_bends_lose_no_digits",
            "arcs/test_pcc.py::test_derivatives_of_the_chart_at_the_straight_arc",
            "arcs/test_pcc.py::test_chambers_give_the_arc_back",
            "arcs/test_pcc.py::test_relabelled_chambers_turn_the_pose_by_120_degrees",
            "arcs/test_pcc.py::test_model_error_against_the_elastica",
        ),
    ),
    "Gong": (
        "Gong 2018: inverse over the workspace, printed line, impossible arc, footprint",
        (
            "arcs/test_opposite_bending.py::test_forward_of_inverse_over_the_whole_workspace",
            "arcs/test_opposite_bending.py::test_printed_inverse_equations_hold_in_the_hanging_world",
            "arcs/test_opposite_bending.py::test_printed_line",
            "arcs/test_opposite_bending.py::"
            "test_printed_arc_is_impossible_and_both_readings_are_reachable",
            "arcs/test_opposite_bending.py::test_footprint_of_400_mm",
            "arcs/test_pcc.py::test_plain_arctangent_of_gong_2_is_half_wrong",
        ),
    ),
    "Liu": (
        "Liu 2020: three segments, workspace, pressure offset, leg and its misprint",
        (
            "arcs/test_three_segment.py::test_inverse_returns_the_lengths",
            "arcs/test_three_segment.py::test_printed_equations",
            "arcs/test_three_segment.py::test_workspace_is_the_printed_500_by_520_by_304",
            "arcs/test_three_segment.py::test_pressure_offset_is_clamped",
            "arcs/test_leg.py::test_2306_random_poses",
            "arcs/test_leg.py::test_printed_forward_is_off_by_sqrt_2_times_the_offset",
        ),
    ),
    "Emet": (
        "Emet 2023: arcs to chains of joints, what is missing in the printed one",
        (
            "arcs/test_dh_chain.py::test_nodes_lie_on_the_arc",
            "arcs/test_dh_chain.py::test_closed_chain_ends_in_the_frame_of_the_arc",
            "arcs/test_dh_chain.py::test_stroke_is_the_chord_not_the_printed_60_mm",
            "arcs/test_dh_chain.py::test_printed_validation_is_an_arc_of_90_degrees",
            "arcs/test_dh_chain.py::test_missing_half_step_at_the_junction_of_two_segments",
        ),
    ),
    "Zhang": (
        "Zhang 2022: joint kinematics, materials, statics, motion; where the print cannot hold",
        (
            "joint/test_model.py::test_pose_is_equation_5_permuted",
            "joint/test_model.py::test_azimuths_of_the_printed_inputs",
            "joint/test_model.py::test_printed_slice_inertia_belongs_to_an_arm_along_z",
            "joint/test_model.py::test_inertial_force_is_lagranges",
            "joint/test_material.py::test_equation_19_is_not_the_energy_at_finite_strain",
            "joint/test_material.py::test_printed_mass_cannot_hold",
            "joint/test_material.py::test_printed_radius_is_the_diameter",
            "joint/test_solve.py::test_printed_pressure_of_0_3_mpa_on_one_actuator",
            "joint/test_solve.py::test_free_swing_conserves_energy",
            "joint/test_solve.py::test_motion_settles_at_the_statics",
            "joint/test_solve.py::test_hysteresis_of_a_small_harmonic_strain",
            "joint/test_solve.py::test_creep_at_finite_strain",
            "test_tube.py::test_limit_pressure_of_the_bare_tube",
            "test_tube.py::test_hooped_pressure_of_the_printed_silicone",
        ),
    ),
    "Renda": (
        "Renda 2018: ring and limit load of the mantle, arm's torque, drag and weight",
        (
            "shell/test_mantle.py::test_ring_has_the_exact_root_with_bending",
            "shell/test_mantle.py::test_middle_of_the_mantle",
            "shell/test_mantle.py::test_mantle_solves_the_papers_equations",
            "rod/test_loads.py::test_renda_eq_25_turns_the_tip",
            "../cases/test_fluid.py::test_drag_by_hand",
        ),
    ),
    "printed": (
        "Numbers printed in the texts: what agrees, what cannot hold and why",
        (
            "test_printed_numbers.py::"
            "test_gongs_forces_are_those_of_strips_only_at_large_amplitude",
            "test_printed_numbers.py::test_gongs_percentages_are_ratios",
            "test_printed_numbers.py::test_gongs_arm_weighs_next_to_nothing_in_water",
            "test_printed_numbers.py::test_lius_stall_torque_gives_65_newton",
            "test_printed_numbers.py::test_lius_masses_are_not_those_of_the_arm_alone",
            "test_printed_numbers.py::test_lius_energies_have_changed_places",
            "test_printed_numbers.py::test_emets_limb_is_81_times_stiffer_at_its_base",
            "test_printed_numbers.py::test_emets_tapered_limb_is_no_arc",
            "test_printed_numbers.py::test_zhangs_added_mass_has_one_sign_wrong",
            "test_printed_numbers.py::test_zhangs_linear_drag_lacks_a_length",
            "test_printed_numbers.py::test_zhangs_modules_float",
            "test_printed_numbers.py::test_zhangs_moments_of_inertia_are_no_inertia",
            "test_printed_numbers.py::test_rendas_lengths_and_areas",
            "test_printed_numbers.py::test_rendas_arm_of_poseidrone_stands_in_no_rotation",
            "test_robot_numbers.py::test_turning_radius_of_the_monopus",
            "test_robot_numbers.py::test_efficiency_of_the_quadropus",
        ),
    ),
}
