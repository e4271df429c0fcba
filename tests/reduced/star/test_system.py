"""Star systems against closed forms, conservation, and the simpler codes that they contain."""

import numpy as np
import pytest

from loligo.cases.body import Mantle
from loligo.cases.fluid import Jet
from loligo.reduced.lie import adjoint, exp_se3, exp_so3, inverse
from loligo.reduced.rod.loads import net_weight, recruited_torque
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion import dynamics as rod_dynamics
from loligo.reduced.rod.motion.equations import FreeBase, RodWater, circular_inertia
from loligo.reduced.shell import dynamics as shell_dynamics
from loligo.reduced.shell.inertia import mass_matrix
from loligo.reduced.shell.laws import GreenLaw
from loligo.reduced.shell.loads import TimedLoads, hoop_tension_load, pressure_load, triangular
from loligo.reduced.shell.model import mantle_shell
from loligo.reduced.shell.motion import MantleWater as ShellWater
from loligo.reduced.shell.motion import SlidingBase as ShellBase
from loligo.reduced.star.dynamics import at_rest, simulate
from loligo.reduced.star.system import Part, RodLimb, ShellBell, Star, StarState

LENGTH = 0.245
WATER = RodWater(1022.0, lambda X: radius(X), drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
JET = ShellWater(Jet(1022.0, 491e-6, 1400e-6), drag=1.7)
MANTLE = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
ROTARY = 1e-4 * np.diag([1.0, 2.0, 2.5])


def radius(X):
    return 0.010 - 0.008 * X / LENGTH


def inertia(X):
    return circular_inertia(radius(X), 1080.0)


def damping(X):
    return circular_stiffness(radius(X), 900.0, 300.0, 1.0)


def arm(base=None, degrees=2, times=1.0):
    return Rod(
        LENGTH,
        lambda X: times * circular_stiffness(radius(X), 110e3, 55e3, 1.0),
        degrees=degrees,
        scaled_by="compliance",
        cells=3,
        base=np.eye(4) if base is None else base,
    )


def curl(t):
    return [recruited_torque(2e-3, LENGTH * max(t, 0.01))]


def bell(viscosity=0.0, size=30e-3, frame=None, wet=False):
    shell = mantle_shell(MANTLE, GreenLaw(40e3, viscosity=viscosity), size)
    drives = [TimedLoads(hoop_tension_load(shell, 15.0), triangular(1.51))] if wet else []
    return ShellBell(
        shell,
        mass_matrix(shell, density=1100.0, added=1.1),
        np.eye(4) if frame is None else frame,
        drives,
        JET if wet else None,
    )


def skewed():
    """A robot without any symmetry: a part, two arms and a bell in odd places."""
    places = ([0, 0.5, 0, 0.02, 0, 0], [0, 0, 2.5, -0.05, 0.03, 0])
    limbs = [RodLimb(arm(exp_se3(np.array(place, float))), inertia) for place in places]
    part = Part(0.2, ROTARY, exp_se3(np.array([0, 0.3, 0, 0.02, 0.01, -0.03])))
    return Star([part], limbs, [bell(frame=exp_se3(np.array([0.2, 0, 0.9, 0.0, 0.02, 0.05])))])


TUMBLE = np.array([1.5, -1.0, 2.0, 0.1, 0.05, -0.1])
ROOT = exp_se3(np.array([0.3, -0.4, 0.2, 0.1, 0.2, 0.3]))


def balance(m):
    return m.kinetic + m.stored + m.dissipated + m.drained + m.lost - m.work


# --- conservation and invariance -----------------------------------------------------------------


def test_a_tumbling_robot_in_vacuum_keeps_its_momentum_and_energy():
    star = skewed()
    start = at_rest(star, ROOT, TUMBLE)
    angular, energy = [], []
    for step in (10e-3, 5e-3):
        motion = simulate(star, np.linspace(0.0, 0.4, 5), step, start=start)
        linear = motion.momentum[:, 3:]
        # Newton's last correction, 1e-9, is what both are exact to.
        assert np.abs(linear - linear[0]).max() < 1e-8 * np.abs(linear).max()
        assert np.ptp(balance(motion)) < 1e-8 * motion.kinetic[0]
        assert motion.stored.max() > 0.01 * motion.kinetic[0]  # the shapes do take part
        assert (np.diff(motion.lost) > 0.0).all()
        turned = motion.momentum[:, :3] - motion.momentum[0, :3]
        angular.append(np.abs(turned).max() / np.linalg.norm(motion.momentum[0, :3]))
        energy.append(motion.lost[-1] / motion.kinetic[0])
    assert 3.5 < angular[0] / angular[1] < 4.5  # second order
    assert 6.5 < energy[0] / energy[1] < 9.0  # third order
    assert angular[0] < 1e-5


def test_motion_does_not_depend_on_the_world_it_is_seen_from():
    def robot(turn):
        gravity = turn @ np.array([0.0, 0.0, -9.81])
        weight = net_weight(lambda X: np.pi * radius(X) ** 2, 1080.0, 1022.0, gravity)
        limb = RodLimb(
            arm(exp_se3(np.array([0, 0.5, 0, 0.02, 0, 0]))),
            inertia,
            damping,
            WATER,
            lambda t: [*curl(t), weight],
        )
        part = Part(0.2, ROTARY, drag=2.0 * np.eye(3), weight=0.1 * gravity)
        return Star([part], [limb], [bell(500.0, wet=True)])

    times = np.linspace(0.0, 0.3, 4)
    here = robot(np.eye(3))
    other = robot(ROOT[:3, :3])
    one = simulate(here, times, 5e-3, start=at_rest(here, None, TUMBLE))
    two = simulate(other, times, 5e-3, start=at_rest(other, ROOT, TUMBLE))
    assert np.abs(ROOT @ one.root - two.root).max() < 1e-9
    assert np.abs(one.limbs[0][0] - two.limbs[0][0]).max() < 1e-8
    assert np.abs(one.bells[0][0] - two.bells[0][0]).max() < 1e-9
    assert np.ptp(balance(one)) < 1e-8 * one.driven.max()


# --- limits --------------------------------------------------------------------------------------


def test_without_a_bell_it_is_the_rod_on_a_free_base():
    times = np.linspace(0.0, 0.3, 4)
    body = np.zeros((6, 6))
    body[:3, :3], body[3:, 3:] = ROTARY, 0.3 * np.eye(3)
    options = {"damping": damping, "water": WATER, "loads": curl}
    alone = rod_dynamics.simulate(
        arm(), inertia, times, **options, base=FreeBase(body), step=0.01, tolerance=None
    )
    star = Star([Part(0.3, ROTARY)], [RodLimb(arm(), inertia, **options)])
    motion = simulate(star, times, 0.01)
    assert np.abs(motion.root - alone.base).max() < 1e-11
    assert np.abs(motion.limbs[0][0] - alone.q).max() < 1e-9 * np.abs(alone.q).max()
    for name in ("kinetic", "stored", "dissipated", "drained", "work"):
        assert getattr(motion, name)[-1] == pytest.approx(getattr(alone, name)[-1], rel=1e-8)


def test_without_an_arm_it_is_the_shell_on_a_body_that_surges():
    times = np.linspace(0.0, 0.6, 7)
    robot = bell(500.0, wet=True)
    alone = shell_dynamics.simulate(
        robot.shell,
        robot.mass,
        times,
        5e-3,
        drives=robot.drives,
        water=JET,
        base=ShellBase(0.204),
    )
    motion = simulate(Star([Part(0.204, ROTARY)], (), [robot]), times, 5e-3)
    surge = alone.displacement[:, 0, 0]
    assert np.abs(motion.root[:, 0, 3] - surge).max() < 1e-9 * np.abs(surge).max()
    assert np.abs(motion.volume[:, 0] - alone.volume).max() < 1e-9 * alone.volume[0]
    assert -motion.bell_wrench[1:, 0, 3] == pytest.approx(alone.reaction[1:], abs=1e-7)


def test_a_rigid_arm_is_a_part():
    """An arm that may only twist does not, in a plane; slender: no moment about its own axis."""
    length, r = 0.3, 0.01
    mass = 1080.0 * np.pi * r**2 * length
    rod = Rod(length, circular_stiffness(r, 1e5, 1e5), degrees={"torsion": 0}, cells=4)
    limb = Star([Part(0.1, ROTARY)], [RodLimb(rod, circular_inertia(r, 1080.0))])
    second = 1080.0 * np.pi * r**4 / 4.0 * length
    rotary = np.diag([2.0 * second, *(second + mass * length**2 / 12.0,) * 2])
    middle = np.eye(4)
    middle[0, 3] = 0.5 * length
    solid = Star([Part(0.1, ROTARY), Part(mass, rotary, middle)])
    times, twist = np.linspace(0.0, 1.0, 5), np.array([0.0, 0.0, 3.0, 0.1, 0.2, 0.0])
    errors = []
    for step in (20e-3, 10e-3):
        one, two = (
            simulate(star, times, step, start=at_rest(star, None, twist)) for star in (limb, solid)
        )
        errors.append(np.abs(one.twist - two.twist).max())
    # The rod's mass sits on Lobatto points, whose inertia is exact; each goes its own way in a
    # step, which is another scheme of second order.
    assert errors[1] < errors[0] / 3.5
    assert errors[1] < 1e-4 * 3.0


def test_a_symmetric_top_precesses():
    """w_z = n constant, w_x + i w_y turns at n (C - A)/A: Euler's closed form."""
    a, c = 2e-4, 3.5e-4
    star = Star([Part(1.0, np.diag([a, a, c]))])
    times = np.linspace(0.0, 1.0, 11)
    motion = simulate(
        star, times, 2e-3, start=at_rest(star, None, np.array([0.5, 0, 4.0, 0, 0, 0]))
    )
    angle = 4.0 * (c - a) / a * times
    exact = np.stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), 4.0 + 0 * times], axis=-1)
    # Second order: (w h)^2/12 of the angle that it has turned by.
    assert np.abs(motion.twist[:, :3] - exact).max() < 0.5 * 3.0 * (4.0 * 2e-3) ** 2


def test_drag_slows_a_body_by_the_closed_form():
    """m v' = -C v |v|: v = v0/(1 + C v0 t/m)."""
    mass, drag, v0 = 0.2, 10.0, 0.3
    star = Star([Part(0.2 * mass, ROTARY, added=0.8 * mass * np.eye(3), drag=drag * np.eye(3))])
    times = np.linspace(0.0, 1.0, 5)
    start = at_rest(star, exp_se3(TUMBLE), np.array([0, 0, 0, 0, v0, 0]))
    motion = simulate(star, times, 5e-3, start=start)
    exact = v0 / (1.0 + drag * v0 * times / mass)
    assert motion.twist[:, 4] == pytest.approx(exact, rel=5e-4)
    assert np.ptp(balance(motion)) < 1e-8 * motion.kinetic[0]


def test_one_arm_of_weight_four_is_four_arms_in_symmetric_motion():
    """Arms around the axis, curled outwards alike: the root surges, and nothing else."""
    out = np.eye(4)
    out[:3, :3] = exp_so3(np.array([0.0, 0.3, 0.0]))
    out[:3, 3] = (-0.112, 0.0, -0.01)

    def at(k):
        turn = np.eye(4)
        turn[:3, :3] = exp_so3(np.array([0.5 * np.pi * k, 0.0, 0.0]))
        return turn @ out

    def drive(times):
        return lambda t: [recruited_torque(2e-3 * times, LENGTH * max(t, 0.01), "bend_y")]

    def heavy(X):
        return 4.0 * inertia(X)

    wet = RodWater(4.0 * 1022.0, radius, WATER.drag, WATER.added)
    body = Part(0.204, ROTARY, drag=10.2 * np.eye(3))
    four = Star(
        [body],
        [RodLimb(arm(at(k)), inertia, damping, WATER, drive(1.0)) for k in range(4)],
        [bell()],
    )
    limb = RodLimb(arm(out, times=4.0), heavy, lambda X: 4.0 * damping(X), wet, drive(4.0))
    one = Star([body], [limb], [bell()], held=(0, 1, 2, 4, 5))
    times = np.linspace(0.0, 0.4, 5)
    many, single = (simulate(star, times, 0.01) for star in (four, one))
    surge = single.twist[:, 3]
    assert np.abs(surge).max() > 1e-3
    assert np.abs(many.twist[:, 3] - surge).max() < 1e-7 * np.abs(surge).max()
    assert np.abs(many.twist[:, [0, 1, 2, 4, 5]]).max() < 1e-8
    assert many.root[:, 0, 3] == pytest.approx(single.root[:, 0, 3], abs=1e-9)


# --- wrenches and words --------------------------------------------------------------------------


def test_wrenches_of_appendages_are_what_moves_the_root():
    """The momentum of a root that is one part changes by what its appendages do to it."""
    star = Star(
        [Part(0.2, ROTARY)],
        [RodLimb(arm(), inertia, damping, WATER, curl)],
        [bell(500.0, wet=True)],
    )
    errors = []
    for step in (4e-3, 2e-3):
        times = np.arange(0.0, 0.2001, step)
        motion = simulate(star, times, step)
        own = np.zeros((len(times), 6))
        own[:, :3], own[:, 3:] = motion.twist[:, :3] @ ROTARY, 0.2 * motion.twist[:, 3:]
        in_world = np.array(
            [adjoint(inverse(g)).T @ p for g, p in zip(motion.root, own, strict=True)]
        )
        middles = motion.root[:-1].copy()
        middles[:, :3, 3] = 0.5 * (motion.root[1:, :3, 3] + motion.root[:-1, :3, 3])
        for k, (g, twist) in enumerate(zip(motion.root[:-1], motion.twist[:-1], strict=True)):
            middles[k, :3, :3] = g[:3, :3] @ exp_so3(0.5 * step * twist[:3])
        sent = (motion.limb_wrench.sum(1) + motion.bell_wrench.sum(1))[1:]
        impulse = step * np.array(
            [adjoint(inverse(g)).T @ f for g, f in zip(middles, sent, strict=True)]
        )
        errors.append(np.abs(in_world[1:] - np.cumsum(impulse, axis=0)).max())
        scale = np.abs(in_world).max()
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 1e-5 * scale


def test_what_cannot_be_a_robot_is_refused():
    shell = bell().shell
    mass = mass_matrix(shell, density=1100.0)
    with pytest.raises(ValueError, match="mass must be finite and not negative"):
        Part(-1.0)
    with pytest.raises(ValueError, match="symmetric"):
        Part(1.0, np.ones((3, 2)))
    with pytest.raises(ValueError, match="pressure"):
        ShellBell(shell, mass, drives=[TimedLoads(pressure_load(shell, 1.0), triangular(1.0))])
    with pytest.raises(ValueError, match="another shell"):
        ShellBell(shell, mass[:-3, :-3])
    with pytest.raises(ValueError, match="0 to 5"):
        Star(held=(6,))
    with pytest.raises(ValueError, match="has a mass"):
        simulate(Star(), [0.0, 1.0], 0.1)
    with pytest.raises(ValueError, match="increasing"):
        simulate(Star([Part(1.0, ROTARY)]), [0.0, 0.0], 0.1)


def test_a_motion_goes_on_from_where_it_was():
    star = skewed()
    start = at_rest(star, ROOT, TUMBLE)
    whole = simulate(star, [0.0, 0.1, 0.2], 0.01, start=start)
    first = simulate(star, [0.0, 0.1], 0.01, start=start)
    rest = simulate(star, [0.1, 0.2], 0.01, start=first.state())
    assert isinstance(first.state(), StarState)
    assert np.abs(rest.root[-1] - whole.root[-1]).max() < 1e-9
