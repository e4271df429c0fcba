"""Renda's arm in water, for tests of motion."""

import numpy as np
from scipy.linalg import expm

from loligo.reduced.rod.loads import PointLoad, net_weight
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.equations import RodWater, circular_inertia

E, G, ETA, RHO, L = 110e3, 110e3 / 3, 300.0, 1080.0, 0.245  # Renda 2018, Table 1, nu = 1/2


def radius(X):
    return 0.010 - 0.008 * X / L


def area(X):
    return np.pi * radius(X) ** 2


def stiffness(X):
    return circular_stiffness(radius(X), E, G)


def damping(X):
    return circular_stiffness(radius(X), 3 * ETA, ETA, 1.0)


def inertia(X):
    return circular_inertia(radius(X), RHO)


ARM = Rod(L, stiffness, degrees=3, scaled_by="compliance")
WATER = RodWater(1000.0, radius, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
LOADS = [PointLoad((0, 2e-3, -1e-3)), net_weight(area, RHO, 1000.0, (0, 0, -9.81))]


def balance(motion):
    return (
        motion.kinetic
        + motion.stored
        + motion.dissipated
        + motion.drained
        + motion.lost
        - motion.work
    )


def turned(angle, axis):
    w = angle * np.asarray(axis, float)
    return expm(np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]))
