"""The Krylov solver against MUMPS: the same states, by way of other linear algebra."""

from collections.abc import Callable

from petsc4py import PETSc

import dolfinx.mesh
import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Pressure, Traction
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.discs import DiscForce, disc_material
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.standing import MarchStopped, StepControl
from loligo.fem.march.static import march
from loligo.fem.materials.fibres import Fibres
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers import factor as tangent
from loligo.fem.solvers import krylov
from loligo.fem.solvers.factor import factor_of
from loligo.fem.solvers.newton import Newton

Box = Callable[..., Domain]
Laws = dict[str, Elastomer]
FORCE, SQUEEZE, MODULUS = 60.0, 50.0, 1e5


@pytest.fixture
def arm(box: Box, laws: Laws) -> Problem:
    """A slender beam, wound on one side with stiff thread, with a disc a thousand times as stiff.

    Its side z1 is, for the purpose, the wall of a cavity.
    """
    domain = box((12, 2, 2), (6.0, 1.0, 1.0))
    tags = domain.cell_tags
    beyond = dolfinx.mesh.compute_midpoints(domain.mesh, 3, tags.indices)[:, 0] > 5.5
    cells = dolfinx.mesh.meshtags(domain.mesh, 3, tags.indices, beyond.astype(np.int32) + 1)
    groups = {"body": 1, "disc": 2}
    return Problem(
        Domain(domain.mesh, cells, domain.facet_tags, groups, domain.facet_groups),
        {"body": laws["neo_hooke"], "disc": disc_material(laws["neo_hooke"])},
        supports=[Fixed("x0")],
        loads=[
            DiscForce("force", "disc", (5.5, 0.5, 0.5), (0.0, 0.0, 1.0)),
            Pressure("squeeze", "y0"),
        ],
        cavities=[Cavity("blister", "z1")],
        windings=[ThreadMembrane("y1", 1e3 * MODULUS)],  # k/(mu R) = 1e3
    )


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("controlled", [False, True])
def test_states_are_those_of_the_direct_solver(arm: Problem, controlled: bool) -> None:
    start, found = arm.save(), []
    target = {"force": FORCE, "squeeze": SQUEEZE}
    by_volume: tuple[str, ...] = ()
    if controlled:
        by_volume = ("blister",)
        target["blister"] = 1.02 * arm.delivered("blister")
    for solver in ("direct", "krylov"):
        arm.restore(start)
        *_, last = march(arm, [target], volume_controlled=by_volume, solver=solver)
        unknowns = arm.fields.function.x.array.copy()
        found.append((unknowns, last.pressures["blister"]))
        assert (last.stable is None) == (solver == "krylov")
        assert ("FGMRES to" in last.solver["factor"]) == (solver == "krylov")
    for unknowns in (arm.fields.by_name["displacement"], arm.fields.by_name["pressure"]):
        one, other = (state[unknowns] for state, _ in found)
        sums = arm.comm.allreduce(np.array([np.sum((one - other) ** 2), np.sum(one**2)]))
        # Newton's method leaves 1e-9 of the forces, which the condition of a slender beam, about
        # (length over cell)^2 times its slenderness, makes 1e-7 of the displacements at most.
        assert np.sqrt(sums[0] / sums[1]) < 1e-7
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-6)


@pytest.mark.mpi
@pytest.mark.mpi3
def test_hoops_of_fibres_are_solved_for_as_a_whole(
    tube: Callable[..., Domain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stiffer than the rubber by 2e4, and pressed aside; one by one nodes could not follow."""
    rubber = NeoHooke(mu=MODULUS, density=1000.0)
    hooped = Problem(
        tube(1.15, 1.2, 3.0, (2, 8, 6), hexahedra=True),
        rubber,
        supports=[Fixed("x0")],
        loads=[Traction("push", "x1", (0.0, 1.0, 0.5))],
        windings=[Fibres("body", lambda x: (0.0, -x[2], x[1]), 2e4 * MODULUS)],
    )
    solve, most = krylov.Krylov.solve, []

    def counted(self: krylov.Krylov, *vectors: PETSc.Vec) -> None:
        before = self.iterations
        solve(self, *vectors)
        most.append(self.iterations - before)

    monkeypatch.setattr(krylov.Krylov, "solve", counted)
    start, found = hooped.save(), []
    for solver in ("direct", "krylov"):
        hooped.restore(start)
        list(march(hooped, [{"push": 50.0}], solver=solver))
        found.append(hooped.fields.function.x.array[hooped.fields.node_unknowns])
    sums = [hooped.comm.allreduce(np.sum(a**2)) for a in (found[0] - found[1], found[0])]
    assert np.sqrt(sums[0] / sums[1]) < 1e-7
    assert max(most) < 100


@pytest.mark.mpi
def test_a_solution_is_as_good_as_it_says(arm: Problem) -> None:
    arm.disturb()
    newton = Newton(arm, solver="krylov")
    newton.linear.assemble()
    newton.linear.compute()
    matrix = newton.linear.matrix
    exact, right, solution = (matrix.createVecRight() for _ in range(3))
    exact.array_w[:] = arm.fields.wave(1.0, 0.7)
    exact.array_w[arm.supports.held] = 0.5
    matrix.mult(exact, right)
    factor = factor_of(arm, matrix, "krylov")
    factor.compute()
    assert factor.inertia() is None
    for aim in (krylov.TOLERANCE, 1e-6):
        factor.aim = aim
        factor.solve(right, solution)
        assert factor.failure == ""
        assert factor.aim == krylov.TOLERANCE  # of those that follow
        matrix.mult(solution, exact)
        exact.axpy(-1.0, right)
        # It holds for residuals that are scaled, by factors of about 30 (disc over rubber).
        assert exact.norm() < 30 * aim * right.norm()
    factor.destroy()
    newton.destroy()


def test_no_convergence_is_a_failed_step(arm: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(krylov, "MOST", 1)
    solve, tried = krylov.Krylov.solve, []

    def counted(self: krylov.Krylov, *vectors: PETSc.Vec) -> None:
        tried.append(vectors)
        solve(self, *vectors)

    monkeypatch.setattr(krylov.Krylov, "solve", counted)
    steps = march(arm, [{"force": FORCE}], control=StepControl(cutbacks=1), solver="krylov")
    with pytest.raises(MarchStopped, match="did not solve the tangent"):
        list(steps)
    assert np.isfinite(arm.fields.function.x.array).all()
    assert len(tried) == 1  # a second attempt with the same tangent would end alike


def test_size_decides_unless_it_is_asked_for(arm: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    size = arm.fields.space.dofmap.index_map.size_global
    for large, solver, expected in (
        (size, "auto", krylov.Krylov),
        (size + 1, "auto", tangent.Direct),
        (size, "direct", tangent.Direct),
        (size + 1, "krylov", krylov.Krylov),
    ):
        monkeypatch.setattr(tangent, "LARGE", large)
        newton = Newton(arm, solver=solver)
        assert type(newton.linear.factor) is expected
        newton.destroy()


def test_what_it_cannot_serve_is_refused(
    box: Box, laws: Laws, monkeypatch: pytest.MonkeyPatch
) -> None:
    soft = laws["neo_hooke"].model_copy(update={"bulk_modulus": 1e6})
    problem = Problem(box(), soft, supports=[Fixed("x0")], method="displacement")
    with pytest.raises(ValueError, match='take "direct"'):
        Newton(problem, solver="krylov")
    monkeypatch.setattr(tangent, "LARGE", 1)
    newton = Newton(problem)
    assert type(newton.linear.factor) is tangent.Direct
    newton.destroy()


@pytest.mark.mpi
@pytest.mark.mpi3
def test_the_smoother_s_products_are_those_of_the_matrix_as_it_is_now(arm: Problem) -> None:
    """Of its upper half, which is made anew for every tangent."""
    newton = Newton(arm, solver="krylov")
    blocks = newton.linear.factor._blocks  # type: ignore[attr-defined]
    for change in (lambda: None, arm.disturb):
        change()
        newton.linear.assemble()
        newton.linear.compute()
        whole, halved = (blocks._block.createVecLeft() for _ in range(2))
        vector = blocks._block.createVecRight()
        vector.array_w[:] = np.sin(np.arange(*vector.getOwnershipRange()))
        blocks._block.mult(vector, whole)
        blocks._upper.mult(vector, halved)
        halved.axpy(-1.0, whole)
        assert 0.0 < whole.norm() < np.inf
        assert halved.norm() < 1e-12 * whole.norm()
    newton.destroy()


def test_loads_without_a_potential_are_preconditioned_by_the_tangent_as_it_is_now(
    arm: Problem,
) -> None:
    """By its symmetric part; that of an earlier state would be solved with to no avail."""
    newton = Newton(arm, solver="krylov")
    linear = newton.linear
    assert not linear.potential
    vector, right, found, transposed = (linear.matrix.createVecRight() for _ in range(4))

    def even(x: PETSc.Vec, y: PETSc.Vec) -> None:
        linear.matrix.mult(x, y)
        linear.matrix.multTranspose(x, transposed)
        y.axpby(0.5, 0.5, transposed)

    linear.assemble()
    arm.disturb()
    linear.assemble()
    vector.array_w[:] = arm.fields.wave(1.0, 0.7)
    even(vector, right)
    linear.factor.aim = 1e-6
    linear.factor.solve(right, found)
    even(found, vector)
    vector.axpy(-1.0, right)
    assert vector.norm() < 30 * 1e-6 * right.norm()  # as in the test above
    newton.destroy()


def test_a_lack_of_memory_is_called_so(
    box: Box, laws: Laws, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a singular tangent: shorter steps would end the same way."""
    monkeypatch.setitem(krylov._OPTIONS, "mg_coarse_mat_mumps_icntl_23", 1)  # MB
    block = Problem(box((8, 8, 8)), laws["neo_hooke"], supports=[Fixed("x0")])
    newton = Newton(block, solver="krylov")
    newton.linear.assemble()
    newton.linear.compute()
    assert "lower level" in newton.linear.factor.failure
    assert "not enough memory" in newton.linear.factor.failure
    solve = newton.solve()
    assert solve.failure == newton.linear.factor.failure
    newton.destroy()
    PETSc.Options(krylov._PREFIX).delValue("mg_coarse_mat_mumps_icntl_23")
