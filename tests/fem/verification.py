"""Write docs/verification.md: which benchmark is asserted where, how closely, and what was found.

Run as ``python tests/fem/verification.py [REPORT ...]``: runs the tests of ``tests/fem`` that
record a number (the fixture ``check``), the slow ones too, and writes what they recorded; with
reports (``--junitxml``) of earlier runs, it reads these instead. ``RUNGS`` says of every line of
the ladder which tests assert it without recording numbers; tests/test_verification.py sees that all
tests which are named exist.
"""

import datetime as dt
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "verification.md"

# What is verified, and the tests that assert it without recording numbers: those whose tolerance is
# rounding or the solver's.
RUNGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "material": (
        "Energies: none at rest, objective, stress and tangent by Taylor's remainders (slope 2), "
        "small-strain limits",
        (
            "test_materials.py::test_rest_is_free_of_energy_and_stress",
            "test_materials.py::test_energy_is_objective_and_isotropic",
            "test_materials.py::test_taylor_remainders_of_stress_and_tangent_fall_with_slope_two",
            "test_materials.py::test_tangent_at_rest_is_the_linear_deviatoric_one",
            "test_materials.py::test_volumetric_parts_give_the_bulk_modulus",
            "test_materials.py::test_ogden_by_principal_stretches",
        ),
    ),
    "F1": ("Manufactured solution, compressible, straight and curved cells: orders", ()),
    "F2": ("Manufactured solution, u-p, straight and curved cells: orders", ()),
    "F3": (
        "Patch test on distorted and on curved cells: 1e-10",
        (
            "test_patch.py::test_compressible",
            "test_patch.py::test_compressible_on_curved_cells",
            "test_patch.py::test_incompressible_with_a_loaded_face",
        ),
    ),
    "F4": (
        "Tangents against differences below 1e-7; Newton's order at least 1.9",
        (
            "test_loads.py::test_tangent_is_the_derivative_of_the_residual",
            "test_discs.py::test_tangent_is_the_derivative_of_the_residual",
            "test_muscles.py::test_tangent_is_the_derivative_of_the_residual",
            "test_tendons.py::test_tangent_is_the_derivative_of_the_residual",
            "test_march.py::test_newton_converges_quadratically",
        ),
    ),
    "F5": (
        "Uniaxial, biaxial, planar tension and simple shear of every law, compressible neo-Hooke: "
        "1e-8",
        (
            "test_homogeneous.py::test_state_is_exact",
            "test_homogeneous.py::test_closed_form_agrees_with_the_published_uniaxial_numbers",
            "test_homogeneous.py::"
            "test_compressible_neo_hooke_contracts_as_its_lateral_equilibrium_says",
        ),
    ),
    "F6": (
        "Simple shear: normal stresses and the universal relation, 1e-8",
        (
            "test_homogeneous.py::test_normal_stresses_in_shear_obey_the_universal_relation",
            "test_homogeneous.py::test_closed_form_agrees_with_the_published_shear_numbers",
        ),
    ),
    "F7": ("Rivlin's torsion and the Poynting effect, every law", ()),
    "F8": ("Rivlin's flexure, every law", ()),
    "F9": ("Thick sphere and tube, every law", ()),
    "F10": (
        "Limit pressures, passed by volume control",
        (
            "test_rivlin.py::test_a_rubber_that_stiffens_has_no_limit_pressure",
            "test_rivlin.py::test_pressure_alone_stops_at_the_limit_pressure",
        ),
    ),
    "F11": ("Lame's sphere and tube", ()),
    "F12": ("Cook's membrane, with the locking of P1 beside it", ()),
    "F13": (
        "Follower pressure: no resultant on a closed surface, work p dV, symmetry, turned "
        "problems; buckling of a ring",
        (
            "test_loads.py::test_pressure_on_a_closed_surface_has_no_resultant",
            "test_loads.py::test_only_a_free_rim_makes_the_tangent_unsymmetric",
            "test_loads.py::test_a_turned_problem_has_the_turned_answer",
            "test_cavities.py::test_pressure_works_on_the_volume",
            "test_cavities.py::test_stored_energy_grows_by_pressure_times_volume",
        ),
    ),
    "F14": (
        "Volume of closed and open cavities; buoyancy to 1e-10",
        (
            "test_cavities.py::test_sphere_becomes_an_ellipsoid",
            "test_cavities.py::test_plane_facets_are_measured_exactly",
            "test_loads.py::test_buoyancy_is_the_weight_of_the_displaced_water",
        ),
    ),
    "F21": ("Euler's columns", ()),
    "F24": ("Land et al. 2015, problems 1 and 2", ()),
    "tendon": (
        "Tendons: work conjugate to their length, in blocks and in slender arms",
        (
            "test_tendons.py::test_forces_are_conjugate_to_the_length",
            "test_tendons.py::test_an_eccentric_tendon_bends_a_block",
        ),
    ),
    "actuator": ("Zhang's actuator with free ends", ()),
    "mantle": ("Renda's mantle pressed from outside: the first lobes", ()),
    "symmetry": ("A symmetric load has a symmetric answer", ()),
}
HEAD = """# Verification of the 3D solutions

Which benchmark is asserted where, how closely, and what was found: error and tolerance are relative
unless the line says otherwise. Written by `python tests/fem/verification.py` on {today}, {source};
defects put in on purpose, and the tests that notice them, are in [mutants.md](mutants.md).
"""


def recorded(reports: list[Path]) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return for every row what was compared, error, tolerance and test; fails if a test failed."""
    rows: dict[str, list[tuple[str, str, str, str]]] = {}
    for case in (case for report in reports for case in ET.parse(report).iter("testcase")):
        if {child.tag for child in case} & {"failure", "error", "skipped"}:
            raise SystemExit(f"{case.get('name')} did not pass; the page is left as it is")
        file = str(case.get("classname")).rpartition(".")[2] + ".py"
        test = f"{file}::{str(case.get('name')).partition('[')[0]}"
        for entry in case.iter("property"):
            what, found, tolerance = str(entry.get("value")).split("|")
            rows.setdefault(str(entry.get("name")), []).append((what, found, tolerance, test))
    return rows


def page(rows: dict[str, list[tuple[str, str, str, str]]], source: str) -> str:
    """Return the page."""
    unknown = set(rows) - set(RUNGS)
    if unknown:
        raise SystemExit(f"RUNGS has no line for {', '.join(sorted(unknown))}")
    lines = [HEAD.format(today=dt.datetime.now(dt.UTC).date(), source=source)]
    for rung, (title, tests) in RUNGS.items():
        lines += [f"## {rung}: {title}" if rung[0] == "F" else f"## {title}", ""]
        lines += [f"- `{test}`" for test in tests] + ([""] if tests else [])
        if rung in rows:
            lines += ["| compared | found | accepted | test |", "|---|---|---|---|"]
            lines += [f"| {w} | {f} | {t} | `{test}` |" for w, f, t, test in rows[rung]]
            lines += [""]
    return "\n".join(lines)


def recording() -> list[str]:
    """Return the test files that use the fixture ``check``."""
    files = sorted((ROOT / "tests" / "fem").glob("test_*.py"))
    return [str(f.relative_to(ROOT)) for f in files if re.search(r"\bcheck: ", f.read_text())]


def main(reports: list[Path]) -> int:
    """Run the tests if there are no reports, and write the page."""
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True)
    source = f"from reports of runs up to commit {commit.strip()}"
    with tempfile.TemporaryDirectory() as folder:
        if not reports:
            source = f"at commit {commit.strip()}"
            reports = [Path(folder) / "report.xml"]
            pytest = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow"]
            command = [*pytest, f"--junitxml={reports[0]}", *recording()]
            subprocess.run(command, cwd=ROOT, check=False)
        PAGE.write_text(page(recorded(reports), source), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main([Path(argument) for argument in sys.argv[1:]]))
