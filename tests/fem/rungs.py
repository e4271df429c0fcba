"""The ladder of the 3D solutions: what docs/verification.md lists."""

# What is verified, and the tests that assert it without recording numbers: those whose tolerance is
# rounding or the solver's.
RUNGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "material": (
        "Energies: none at rest, objective, stress and tangent by Taylor's remainders (slope 2), "
        "small-strain limits",
        (
            "materials/test_hyperelastic.py::test_rest_is_free_of_energy_and_stress",
            "materials/test_hyperelastic.py::test_energy_is_objective_and_isotropic",
            "materials/test_hyperelastic.py::test_taylor_remainders_of_stress_and_tangent_fall_with_slope_two",
            "materials/test_hyperelastic.py::test_tangent_at_rest_is_the_linear_deviatoric_one",
            "materials/test_hyperelastic.py::test_volumetric_parts_give_the_bulk_modulus",
            "materials/test_hyperelastic.py::test_ogden_by_principal_stretches",
        ),
    ),
    "F1": ("Manufactured solution, compressible, straight and curved cells: orders", ()),
    "F2": ("Manufactured solution, u-p, straight and curved cells: orders", ()),
    "F3": (
        "Patch test on distorted and on curved cells: 1e-10",
        (
            "benchmarks/test_patch.py::test_compressible",
            "benchmarks/test_patch.py::test_compressible_on_curved_cells",
            "benchmarks/test_patch.py::test_incompressible_with_a_loaded_face",
        ),
    ),
    "F4": (
        "Tangents against differences below 1e-7; Newton's order at least 1.9",
        (
            "loads/test_base.py::test_tangent_is_the_derivative_of_the_residual",
            "loads/test_discs.py::test_tangent_is_the_derivative_of_the_residual",
            "loads/test_muscles.py::test_tangent_is_the_derivative_of_the_residual",
            "loads/test_tendons.py::test_tangent_is_the_derivative_of_the_residual",
            "march/test_static.py::test_newton_converges_quadratically",
            "march/test_static.py::test_slopes_feel_what_moving_supports_do_to_volumes_and_tendons",
        ),
    ),
    "F5": (
        "Uniaxial, biaxial, planar tension and simple shear of every law, compressible neo-Hooke: "
        "1e-8",
        (
            "benchmarks/test_homogeneous.py::test_state_is_exact",
            "benchmarks/test_homogeneous.py::test_closed_form_agrees_with_the_published_uniaxial_numbers",
            "benchmarks/test_homogeneous.py::"
            "test_compressible_neo_hooke_contracts_as_its_lateral_equilibrium_says",
        ),
    ),
    "F6": (
        "Simple shear: normal stresses and the universal relation, 1e-8",
        (
            "benchmarks/test_homogeneous.py::test_normal_stresses_in_shear_obey_the_universal_relation",
            "benchmarks/test_homogeneous.py::test_closed_form_agrees_with_the_published_shear_numbers",
        ),
    ),
    "F7": ("Rivlin's torsion and the Poynting effect, every law", ()),
    "F8": ("Rivlin's flexure, every law", ()),
    "F9": ("Thick sphere and tube, every law", ()),
    "F10": (
        "Limit pressures, passed by volume control and by arc length",
        (
            "benchmarks/test_rivlin.py::test_a_rubber_that_stiffens_has_no_limit_pressure",
            "benchmarks/test_rivlin.py::test_pressure_alone_stops_at_the_limit_pressure",
            "march/test_arclength.py::test_both_branches_agree_with_volume_control",
            "test_run_arclength.py::"
            "test_behind_the_limit_the_data_set_has_the_loads_that_are_there",
        ),
    ),
    "F11": ("Lame's sphere and tube", ()),
    "F12": ("Cook's membrane, with the locking of P1 beside it", ()),
    "F13": (
        "Follower pressure: no resultant on a closed surface, work p dV, symmetry, turned "
        "problems; buckling of a ring",
        (
            "loads/test_base.py::test_pressure_on_a_closed_surface_has_no_resultant",
            "loads/test_base.py::test_only_a_free_rim_makes_the_tangent_unsymmetric",
            "loads/test_base.py::test_a_turned_problem_has_the_turned_answer",
            "loads/test_cavities.py::test_pressure_works_on_the_volume",
            "loads/test_cavities.py::test_stored_energy_grows_by_pressure_times_volume",
        ),
    ),
    "F14": (
        "Volume of closed and open cavities; buoyancy to 1e-10",
        (
            "loads/test_cavities.py::test_sphere_becomes_an_ellipsoid",
            "loads/test_cavities.py::test_plane_facets_are_measured_exactly",
            "loads/test_base.py::test_buoyancy_is_the_weight_of_the_displaced_water",
        ),
    ),
    "F15": (
        "Creep of a viscous rubber; its resistance in tension, in a sheet and in shear",
        (
            "march/test_motion.py::test_a_sheet_resists_with_four_eta_and_half_of_it_across",
            "march/test_motion.py::test_shear_is_resisted_with_eta",
            "materials/test_viscosity.py::test_a_hysteresis_loop_has_the_area_of_the_closed_form",
            "materials/test_viscosity.py::test_a_fibre_carries_the_joints_power_law",
        ),
    ),
    "F16": (
        "Damped vibration: modes, decrement and driven amplitude of a layer; an arm beside its rod",
        (
            "test_motion_rod.py::test_the_solid_decays_as_its_mode_and_as_the_rod",
            "test_motion_rod.py::test_what_parts_the_decrement_from_the_rods_falls_with_the_mesh",
        ),
    ),
    "F17": (
        "Generalised alpha: damping, period and order two",
        (
            "problem/test_generalised_alpha.py::test_what_is_infinitely_fast_is_left_to_the_share_rho",
            "problem/test_generalised_alpha.py::test_damping_and_period_of_the_linear_oscillator",
            "problem/test_generalised_alpha.py::test_second_order_where_the_spring_stiffens_and_the_step_changes",
            "march/test_motion.py::test_second_order_in_the_step",
        ),
    ),
    "F18": (
        "Steps that conserve: energy to 1e-10 a step, momentum, spin; how far rho = 1 is from it",
        (
            "problem/test_conserving.py::test_a_free_body_keeps_energy_momentum_and_spin",
            "problem/test_conserving.py::test_second_order_and_the_limit_of_the_other_scheme",
            "problem/test_conserving.py::test_work_is_what_is_stored_moved_and_dissipated",
        ),
    ),
    "F19": ("Free fall, exact in any step", ()),
    "F20": (
        "Vibration of a cantilever against Timoshenko's; of a beam under tension",
        ("solvers/test_vibrations.py::test_tension_makes_it_faster_and_compression_slower",),
    ),
    "F21": ("Euler's columns", ()),
    "F24": ("Land et al. 2015, problems 1 and 2", ()),
    "tendon": (
        "Tendons: work conjugate to their length, in blocks and in slender arms",
        (
            "loads/test_tendons.py::test_forces_are_conjugate_to_the_length",
            "loads/test_tendons.py::test_an_eccentric_tendon_bends_a_block",
        ),
    ),
    "actuator": ("Zhang's actuator with free ends", ()),
    "mantle": ("Renda's mantle pressed from outside: the first lobes", ()),
    "symmetry": ("A symmetric load has a symmetric answer", ()),
}
