"""Break the finite elements in known ways, one at a time, and see a named test notice each.

Run as ``python tests/fem/mutants.py [FILE ...]``; FILE narrows it to modules of ``fem/``. Prints
the table of docs/mutants.md, and ends with code 1 if a mutant survives. What is broken is a copy of
the packages and the tests; the working tree is not touched.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cases", "cli", "fem", "meshes", "reduced", "validation")
LIMIT = 300
"""Seconds for one test."""


class Mutant(NamedTuple):
    """One defect, and the test that must fail of it."""

    file: str
    what: str
    old: str
    """What the file says, once."""
    new: str
    test: str
    ranks: int = 1
    """A defect of the exchange between ranks shows on two only."""


MUTANTS = (
    Mutant(
        "kinematics.py",
        "F^-1 for F^-T in the area vector",
        "f[j, b] * f[k, c]",
        "f[b, j] * f[c, k]",
        "test_loads.py::test_pressure_turns_with_its_surface_and_traction_does_not",
    ),
    Mutant(
        "kinematics.py",
        "one cofactor of the area vector with the wrong sign",
        "for b, c in ((1, 2), (2, 0), (0, 1))",
        "for b, c in ((2, 1), (2, 0), (0, 1))",
        "test_loads.py::test_pressure_on_a_closed_surface_has_no_resultant",
    ),
    Mutant(
        "kinematics.py",
        "dead for follower pressure",
        "return cofactor * ufl.FacetNormal",
        "return ufl.FacetNormal",
        "test_loads.py::test_pressure_turns_with_its_surface_and_traction_does_not",
    ),
    Mutant(
        "loads.py",
        "sign of pressure",
        "return -pressure *",
        "return pressure *",
        "test_loads.py::test_pressure_turns_with_its_surface_and_traction_does_not",
    ),
    Mutant(
        "loads.py",
        "depth of the reference point for that of the deformed one",
        "ufl.as_vector(self.down), k.position",
        "ufl.as_vector(self.down), k.position - k.displacement",
        "test_loads.py::test_buoyancy_is_the_weight_of_the_displaced_water",
    ),
    Mutant(
        "loads.py",
        "sign of buoyancy",
        "pressure = value *",
        "pressure = -value *",
        "test_loads.py::test_buoyancy_is_the_weight_of_the_displaced_water",
    ),
    Mutant(
        "loads.py",
        "weight without density",
        "rho * value * along",
        "value * along",
        "test_loads.py::test_weight_is_that_of_the_reference_mass",
    ),
    Mutant(
        "discs.py",
        "wrong lever of a force on a disc",
        "return (1 + ufl.inner",
        "return (1 - ufl.inner",
        "test_discs.py::test_resultants_are_those_of_a_point_on_the_moving_disc[force]",
    ),
    Mutant(
        "discs.py",
        "a follower on a disc that does not turn",
        "k.gradient * rest if",
        "rest if",
        "test_discs.py::test_resultants_are_those_of_a_point_on_the_moving_disc[follower_force]",
    ),
    Mutant(
        "discs.py",
        "sign of one virtual rotation",
        "w[0, 2] - w[2, 0]",
        "w[2, 0] - w[0, 2]",
        "test_discs.py::test_a_dead_moment_is_the_whole_resultant_of_any_deformation",
    ),
    Mutant(
        "discs.py",
        "twice the moment on a disc",
        "w[1, 0] - w[0, 1]]) / 2",
        "w[1, 0] - w[0, 1]])",
        "test_discs.py::test_a_dead_moment_is_the_whole_resultant_of_any_deformation",
    ),
    Mutant(
        "muscles.py",
        "muscles that push",
        "return -stress",
        "return stress",
        "test_muscles.py::test_its_work_is_moment_times_curvature",
    ),
    Mutant(
        "muscles.py",
        "swapped bend axes",
        "self.direction[1] * x[1] - self.direction[0] * x[2]",
        "self.direction[0] * x[1] - self.direction[1] * x[2]",
        "test_muscles.py::test_its_work_is_moment_times_curvature",
    ),
    Mutant(
        "muscles.py",
        "sign of one bend axis",
        "* x[1] - self",
        "* x[1] + self",
        "test_muscles.py::test_its_work_is_moment_times_curvature",
    ),
    Mutant(
        "muscles.py",
        "a band that is not scaled to its share",
        "share * whole / load * weight",
        "weight",
        "test_muscles.py::test_a_band_carries_its_share_wherever_it_cuts_the_mesh",
    ),
    Mutant(
        "muscles.py",
        "half the hoop tension",
        "value / self.thickness",
        "value / 2 / self.thickness",
        "test_muscles.py::test_a_band_carries_its_share_wherever_it_cuts_the_mesh",
    ),
    Mutant(
        "muscles.py",
        "arc length from the wrong end",
        "(body.truncation - lean)",
        "(body.truncation + lean)",
        "test_muscles.py::test_arc_length_along_a_mantle",
    ),
    Mutant(
        "tendons.py",
        "tendons that push",
        "pull = -tension",
        "pull = tension",
        "test_tendons.py::test_forces_are_conjugate_to_the_length",
    ),
    Mutant(
        "tendons.py",
        "half the tendon force",
        "pull = -tension",
        "pull = -tension / 2",
        "test_tendons.py::test_forces_are_conjugate_to_the_length",
    ),
    Mutant(
        "tendons.py",
        "a tendon's stiffness along itself",
        "np.eye(3) - direction",
        "np.eye(3) - 0 * direction",
        "test_tendons.py::test_tangent_is_the_derivative_of_the_residual",
    ),
    Mutant(
        "tendons.py",
        "transposed Jacobian of a cell",
        "jacobian.T, tangents",
        "jacobian, tangents",
        "test_tendons.py::test_length_is_that_of_the_deformed_line",
    ),
    Mutant(
        "tendons.py",
        "a tendon's stiffness in held rows",
        "np.where(held[self._unknowns], -1,",
        "np.where(False, -1,",
        "test_tendons.py::test_an_eccentric_tendon_bends_a_block[0.3-0.3]",
    ),
    Mutant(
        "tendons.py",
        "a lost allreduce of the tendon's length",
        "self._comm.allreduce(float(self._weights @ stretch))",
        "float(self._weights @ stretch)",
        "test_tendons.py::test_length_is_that_of_the_deformed_line",
        ranks=2,
    ),
    Mutant(
        "paths.py",
        "cells cut by other ranks are forgotten",
        "*mesh.comm.allgather(here)",
        "*[]",
        "test_tendons.py::test_a_straight_tendon_at_rest_loads_its_ends_alone",
    ),
    Mutant(
        "paths.py",
        "flat faces for curved ones",
        "s = s + step",
        "pass",
        "test_tendons.py::test_it_does_so_through_curved_cells",
    ),
    Mutant(
        "cavities.py",
        "volume of a closed cavity",
        "ufl.inner(x, area) / 3",
        "ufl.inner(x, area) / 2",
        "test_cavities.py::test_sphere_becomes_an_ellipsoid",
    ),
    Mutant(
        "cavities.py",
        "sign of a closed cavity's volume",
        "-ufl.inner(x, area) / 3",
        "ufl.inner(x, area) / 3",
        "test_cavities.py::test_sphere_becomes_an_ellipsoid",
    ),
    Mutant(
        "cavities.py",
        "volume of an open cavity",
        "x[2] * area[2]) / 2",
        "x[2] * area[2]) / 3",
        "test_cavities.py::test_plane_facets_are_measured_exactly",
    ),
    Mutant(
        "cavities.py",
        "closed for open cavity",
        "if self.open_along_x:",
        "if not self.open_along_x:",
        "test_cavities.py::test_plane_facets_are_measured_exactly",
    ),
    Mutant(
        "materials.py",
        "an energy that sees the volume",
        "(-1 / 3) * c",
        "(-1 / 2) * c",
        "test_materials.py::test_energy_ignores_volume[neo_hooke]",
    ),
    Mutant(
        "materials.py",
        "half the compressibility",
        "constraint - p**2 / (2",
        "constraint - p**2 / (4",
        "test_materials.py::test_volumetric_parts_give_the_bulk_modulus",
    ),
    Mutant(
        "materials.py",
        "twice the bulk modulus",
        "self._bulk / 2 * (j - 1) ** 2",
        "self._bulk * (j - 1) ** 2",
        "test_homogeneous.py::test_compressible_neo_hooke_contracts_as_its_lateral_equilibrium_says[displacement]",
    ),
    Mutant(
        "materials.py",
        "factor 2 in G",
        "return mu / 2 * (i[0] - 3)",
        "return mu * (i[0] - 3)",
        "test_homogeneous.py::test_neo_hooke_uniaxial_is_exact_on_any_number_of_ranks",
    ),
    Mutant(
        "materials.py",
        "I1 for I2 in Mooney-Rivlin",
        "c01 * (i[1] - 3)",
        "c01 * (i[0] - 3)",
        "test_homogeneous.py::test_state_is_exact[mooney_rivlin-uniaxial-1.0]",
    ),
    Mutant(
        "materials.py",
        "factor 2 in Yeoh's second term",
        "x * (c10 + x * (c20",
        "x * (c10 + x * (2 * c20",
        "test_homogeneous.py::test_state_is_exact[yeoh-uniaxial-1.0]",
    ),
    Mutant(
        "materials.py",
        "factor 2 in Gent",
        "-mu * limit / 2 * ufl.ln",
        "-mu * limit * ufl.ln",
        "test_materials.py::test_tangent_at_rest_is_the_linear_deviatoric_one[gent]",
    ),
    Mutant(
        "principal.py",
        "too short a series of a pair of stretches",
        "_PAIR_TERMS = 6",
        "_PAIR_TERMS = 2",
        "test_materials.py::test_ogden_by_principal_stretches",
    ),
    Mutant(
        "principal.py",
        "too short a series at rest",
        "_REST_TERMS = 10",
        "_REST_TERMS = 3",
        "test_materials.py::test_ogden_by_principal_stretches",
    ),
    Mutant(
        "principal.py",
        "sign in Newton's identities",
        "q[n - 2] + j3 *",
        "q[n - 2] - j3 *",
        "test_materials.py::test_ogden_by_principal_stretches",
    ),
    Mutant(
        "problem.py",
        "quadrature of degree 1 in cells",
        '"tetrahedron": (3, 6)',
        '"tetrahedron": (1, 6)',
        "test_homogeneous.py::test_state_is_exact[neo_hooke-uniaxial-1.0]",
    ),
    Mutant(
        "problem.py",
        "quadrature of degree 1 on facets",
        '"tetrahedron": (3, 6)',
        '"tetrahedron": (3, 1)',
        "test_loads.py::test_pressure_on_a_closed_surface_has_no_resultant",
    ),
    Mutant(
        "problem.py",
        "border in held rows",
        "vector.array_w[self.supports.held] = 0.0",
        "vector.array_w[:0] = 0.0",
        "test_cavities.py::test_volume_and_pressure_control_find_the_same_states",
    ),
    Mutant(
        "problem.py",
        "moments of reactions about rest positions",
        "np.cross(position, force)",
        "np.cross(fields.node_positions[nodes], force)",
        "test_torsion_flexure.py::test_flexure[neo_hooke]",
    ),
    Mutant(
        "problem.py",
        "missing ghost update of nodal forces",
        "    vector.ghostUpdate(PETSc.InsertMode.ADD, PETSc.ScatterMode.REVERSE)\n\n\ndef",
        "\n\ndef",
        "test_loads.py::test_weight_is_that_of_the_reference_mass",
        ranks=2,
    ),
    Mutant(
        "problem.py",
        "a lost allreduce of the reactions",
        "return np.asarray(self.comm.allreduce(wrench))",
        "return np.asarray(wrench)",
        "test_loads.py::test_reactions_balance_a_bent_weight",
        ranks=2,
    ),
    Mutant(
        "newton.py",
        "missing ghost update of the unknowns",
        "fields.function.x.scatter_forward()",
        "pass",
        "test_homogeneous.py::test_neo_hooke_uniaxial_is_exact_on_any_number_of_ranks",
        ranks=2,
    ),
    Mutant(
        "newton.py",
        "a frozen tangent",
        "            self.linear.assemble()\n            failure",
        "            len(history) < 2 and self.linear.assemble()\n            failure",
        "test_march.py::test_newton_converges_quadratically",
    ),
    Mutant(
        "newton.py",
        "folded cells pass",
        "folded > 0.0",
        "folded > 1e9",
        "test_march.py::test_folding_is_a_failed_solve_and_not_a_number",
    ),
    Mutant(
        "newton.py",
        "a loose tolerance",
        "displacement: float = 1e-9",
        "displacement: float = 1e-3",
        "test_homogeneous.py::test_state_is_exact",
    ),
    Mutant(
        "newton.py",
        "another volume than the one asked for",
        "gaps.append(target",
        "gaps.append(1.01 * target",
        "test_cavities.py::test_volume_and_pressure_control_find_the_same_states",
    ),
    Mutant(
        "measure.py",
        "a lost allreduce of integrals",
        "form.mesh.comm.allreduce(dolfinx.fem.assemble_scalar(form))",
        "dolfinx.fem.assemble_scalar(form)",
        "test_cavities.py::test_sphere_becomes_an_ellipsoid",
        ranks=2,
    ),
    Mutant(
        "measure.py",
        "points far outside are taken",
        "_OUTSIDE = 1e-6",
        "_OUTSIDE = 1e-1",
        "test_measure.py::test_a_point_outside_is_named",
    ),
    Mutant(
        "march.py",
        "a failed step is not undone",
        "self._problem.restore(self._now.state)",
        "pass",
        "test_march.py::test_the_impossible_stops_with_a_reason_in_the_last_good_state",
    ),
    Mutant(
        "march.py",
        "a predictor that goes twice as far",
        "w[:owned] += size * slope",
        "w[:owned] += 2 * size * slope",
        "test_march.py::test_the_first_guess_follows_slope_and_curvature",
    ),
    Mutant(
        "march.py",
        "the curvature of the path with the wrong sign",
        "w[:owned] += curve *",
        "w[:owned] -= curve *",
        "test_march.py::test_the_first_guess_follows_slope_and_curvature",
    ),
    Mutant(
        "march.py",
        "a jump over a limit point",
        "if stray <= _STRAY and growth <= _GROWTH:",
        "if growth < 1e9:",
        "test_rivlin.py::test_pressure_does_not_jump_over_a_limit_point",
    ),
    Mutant(
        "newton.py",
        "the inertia of the last iterate",
        "            self.linear.compute()",
        "            pass",
        "test_march.py::test_the_inertia_is_that_of_the_converged_state",
    ),
    Mutant(
        "stability.py",
        "every tangent is called symmetric",
        "linear.symmetric and linear.border.symmetric",
        "True",
        "test_stability.py::test_a_follower_force_is_judged_by_the_symmetric_part",
    ),
    Mutant(
        "linear.py",
        "half the tangent is factored",
        "self._even.axpy(1.0, transposed",
        "self._even.axpy(0.0, transposed",
        "test_stability.py::test_a_follower_force_is_judged_by_the_symmetric_part",
    ),
    Mutant(
        "contact.py",
        "neighbours touch",
        "pairs = pairs[~shared]",
        "pass",
        "test_contact.py::test_a_bar_rolled_into_a_ring_touches_when_it_closes",
    ),
    Mutant(
        "contact.py",
        "planes are crossed beside the triangle",
        "(u + v <= square)",
        "(u + v <= 1e9 * square)",
        "test_contact.py::test_a_bar_rolled_into_a_ring_touches_when_it_closes",
    ),
    Mutant(
        "march.py",
        "requested values are met by rounding",
        "end if share == 1.0 else values",
        "values",
        "test_march.py::test_requested_values_are_met_exactly_and_in_order",
    ),
    Mutant(
        "march.py",
        "a change of stability is not located",
        "and size > self._control.locate",
        "and size > 2.0",
        "test_march.py::test_a_column_is_unstable_beyond_eulers_load",
    ),
    Mutant(
        "fibres.py",
        "winding without the square root",
        "return ufl.sqrt(ufl.inner(along, along) / ufl.inner(direction, direction))",
        "return ufl.inner(along, along) / ufl.inner(direction, direction)",
        "test_winding.py::test_energy_is_that_of_the_hoop_stretch",
    ),
    Mutant(
        "fibres.py",
        "twice the energy of thread",
        "    return (stretch - 1) ** 2 / 2",
        "    return (stretch - 1) ** 2",
        "test_winding.py::test_energy_is_that_of_the_hoop_stretch",
    ),
    Mutant(
        "winding.py",
        "hoops around the wrong axis",
        "(1.0, 0.0, 0.0)",
        "(0.0, 0.0, 1.0)",
        "test_winding.py::test_energy_is_that_of_the_hoop_stretch",
    ),
    Mutant(
        "domain.py",
        "facets in two groups",
        "twice) > 0",
        "twice) > 1000",
        "test_domain.py::test_a_facet_belongs_to_one_group",
    ),
    Mutant(
        "ranks.py",
        "all ranks speak",
        "time.sleep(0.5 * comm.rank)",
        "pass",
        "test_ranks.py::test_the_lowest_failed_rank_speaks_for_all",
    ),
)


def copy(scratch: Path) -> None:
    """Copy packages and tests, such that ``loligo`` is imported from the copy."""
    for name in PACKAGES:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, scratch / "loligo" / name, ignore=ignore)
    shutil.copytree(ROOT / "tests", scratch / "tests")
    shutil.copy(ROOT / "pyproject.toml", scratch)


def outcome(scratch: Path, ranks: int, *tests: str) -> str:
    """Run tests on the copy: passed or failed; one that hangs fails."""
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    pytest = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow"]
    pytest += [f"--timeout={LIMIT}", "--timeout-method=thread"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    run = subprocess.run(
        [*launcher, *pytest, *(f"tests/fem/{test}" for test in tests)],
        cwd=scratch,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):  # 1: tests failed; others are no verdict
        raise SystemExit(f"{tests} could not be run:\n{run.stdout}{run.stderr}")
    return "failed" if run.returncode else "passed"


def put(mutant: Mutant, scratch: Path) -> None:
    """Write the defect into the copy."""
    path = scratch / "loligo" / "fem" / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise SystemExit(
            f'{mutant.file} says "{mutant.old}" {text.count(mutant.old)} times, not once; bring '
            "the list of mutants up to date"
        )
    path.write_text(text.replace(mutant.old, mutant.new))


def main(files: list[str]) -> int:
    """Print the table; return 1 if a mutant survives."""
    chosen = [mutant for mutant in MUTANTS if not files or mutant.file in files]
    survivors = 0
    print("| module | what is broken | caught by | ranks | outcome |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy(scratch)
        for mutant in chosen:
            original = ROOT / "fem" / mutant.file
            put(mutant, scratch)
            found = outcome(scratch, mutant.ranks, mutant.test)
            shutil.copy(original, scratch / "loligo" / "fem" / mutant.file)
            survivors += found == "passed"
            verdict = "**survives**" if found == "passed" else "caught"
            row = (f"`fem/{mutant.file}`", mutant.what, f"`{mutant.test}`", mutant.ranks, verdict)
            print("|", " | ".join(map(str, row)), "|", flush=True)
        for ranks in sorted({mutant.ranks for mutant in chosen}):
            tests = sorted({mutant.test for mutant in chosen if mutant.ranks == ranks})
            if outcome(scratch, ranks, *tests) != "passed":
                raise SystemExit(f"without a mutant not all of these pass: {', '.join(tests)}")
    print(f"\n{len(chosen)} mutants, {survivors} survive")
    return int(survivors > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
