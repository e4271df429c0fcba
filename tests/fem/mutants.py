"""Break the finite elements in known ways and see the suite notice each.

Run as ``python tests/fem/mutants.py [FILE ...]``; ends with code 1 if a mutant survives.
A copy of the package is mutated, the working tree is not touched.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# File, what it says, what the mutant says, the test file that must fail.
MUTANTS = [
    ("kinematics.py", "f[j, b] * f[k, c]", "f[b, j] * f[c, k]", "test_loads.py"),
    ("kinematics.py", "((1, 2), (2, 0), (0, 1))", "((2, 1), (2, 0), (0, 1))", "test_loads.py"),
    ("loads.py", "return -pressure *", "return pressure *", "test_loads.py"),
    (
        "loads.py",
        "ufl.as_vector(self.down), k.position",
        "ufl.as_vector(self.down), k.position - k.displacement",
        "test_loads.py",
    ),
    ("loads.py", "rho * value * along", "value * along", "test_loads.py"),
    ("discs.py", "return (1 + ufl.inner", "return (1 - ufl.inner", "test_discs.py"),
    ("discs.py", "k.gradient * rest if", "rest if", "test_discs.py"),
    ("discs.py", "w[0, 2] - w[2, 0]", "w[2, 0] - w[0, 2]", "test_discs.py"),
    ("muscles.py", "return -stress", "return stress", "test_muscles.py"),
    ("muscles.py", "* x[1] - self", "* x[1] + self", "test_muscles.py"),
    ("muscles.py", "share * whole / load * weight", "weight", "test_muscles.py"),
    ("muscles.py", "value / self.thickness", "value / 2 / self.thickness", "test_muscles.py"),
    ("muscles.py", "(body.truncation - lean)", "(body.truncation + lean)", "test_muscles.py"),
    ("tendons.py", "pull = -tension", "pull = tension", "test_tendons.py"),
    ("tendons.py", "np.eye(3) - direction", "np.eye(3) - 0 * direction", "test_tendons.py"),
    ("paths.py", "*mesh.comm.allgather(here)", "*[]", "test_tendons.py"),
    ("paths.py", "s = s + step", "pass", "test_tendons.py"),
    ("tendons.py", "jacobian.T, tangents", "jacobian, tangents", "test_tendons.py"),
    ("tendons.py", "np.where(held[self._unknowns], -1,", "np.where(False, -1,", "test_tendons.py"),
    ("cavities.py", "ufl.inner(x, area) / 3", "ufl.inner(x, area) / 2", "test_cavities.py"),
    ("cavities.py", "-ufl.inner(x, area) / 3", "ufl.inner(x, area) / 3", "test_cavities.py"),
    ("cavities.py", "x[2] * area[2]) / 2", "x[2] * area[2]) / 3", "test_cavities.py"),
    ("materials.py", "(-1 / 3) * c", "(-1 / 2) * c", "test_materials.py"),
    ("materials.py", "constraint - p**2 / (2", "constraint - p**2 / (4", "test_materials.py"),
    (
        "materials.py",
        "self._bulk / 2 * (j - 1) ** 2",
        "self._bulk * (j - 1) ** 2",
        "test_homogeneous.py",
    ),
    ("materials.py", "x * (c10 + x * (c20", "x * (c10 + x * (2 * c20", "test_homogeneous.py"),
    ("materials.py", "-mu * limit / 2 * ufl.ln", "-mu * limit * ufl.ln", "test_materials.py"),
    ("principal.py", "_PAIR_TERMS = 6", "_PAIR_TERMS = 2", "test_materials.py"),
    ("principal.py", "_REST_TERMS = 10", "_REST_TERMS = 3", "test_materials.py"),
    ("principal.py", "q[n - 2] + j3 *", "q[n - 2] - j3 *", "test_materials.py"),
    ("newton.py", "folded > 0.0", "folded > 1e9", "test_march.py"),
    (
        "newton.py",
        "displacement: float = 1e-9",
        "displacement: float = 1e-3",
        "test_homogeneous.py",
    ),
    ("newton.py", "gaps.append(target", "gaps.append(1.01 * target", "test_cavities.py"),
    (
        "newton.py",
        "self.negative == self.expected",
        "self.negative <= self.expected + 2",
        "test_march.py",
    ),
    ("border.py", "row.scale(-1.0)", "row.scale(-2.0)", "test_cavities.py"),
    ("march.py", "self._problem.restore(self._now)", "pass", "test_march.py"),
    ("march.py", "w += ratio *", "w += 2 * ratio *", "test_march.py"),
    ("march.py", "end if share == 1.0 else values", "values", "test_march.py"),
    ("march.py", "and step > self._control.locate", "and step > 2.0", "test_march.py"),
    ("problem.py", "array_w[self.supports.held] = 0.0", "array_w[:0] = 0.0", "test_cavities.py"),
    (
        "problem.py",
        "np.cross(position, force)",
        "np.cross(fields.node_positions[nodes], force)",
        "test_torsion_flexure.py",
    ),
    ("measure.py", "_OUTSIDE = 1e-6", "_OUTSIDE = 1e-1", "test_measure.py"),
    ("winding.py", "stiffness / 2 *", "stiffness *", "test_winding.py"),
    ("winding.py", "(1.0, 0.0, 0.0)", "(0.0, 0.0, 1.0)", "test_winding.py"),
    ("domain.py", "twice) > 0", "twice) > 1000", "test_domain.py"),
    ("ranks.py", "time.sleep(0.5 * comm.rank)", "pass", "test_ranks.py"),
]


def _survives(file: str, old: str, new: str, test: str) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch) / "loligo"
        package.mkdir()
        for folder in ("cases", "meshes", "reduced", "validation", "cli"):
            (package / folder).symlink_to(ROOT / folder)
        shutil.copytree(ROOT / "fem", package / "fem")
        source = package / "fem" / file
        text = source.read_text()
        if old not in text:
            raise SystemExit(f'{file} no longer says "{old}"; bring the list of mutants up to date')
        source.write_text(text.replace(old, new, 1))
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", f"tests/fem/{test}"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": scratch, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
        )
    return run.returncode == 0


if __name__ == "__main__":
    survivors = 0
    chosen = sys.argv[1:]  # files; all without
    for mutant in (m for m in MUTANTS if not chosen or m[0] in chosen):
        alive = _survives(*mutant)
        survivors += alive
        print("SURVIVES" if alive else "caught  ", *(repr(part) for part in mutant), flush=True)
    raise SystemExit(bool(survivors))
