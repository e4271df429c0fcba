"""What 3D solutions took; tests/bench/bench_scaling.py wrote it for loligo.hpc.cost."""

from __future__ import annotations

from loligo.hpc.measurement import Measured

MACHINE = "2 cores of an AMD EPYC, 24 GiB, dolfinx 0.9.0, 2026-11-18"
# fmt: off
# ruff: noqa: E501
MEASURED: tuple[Measured, ...] = (
    Measured("gong_bending_one", 0.0, "direct", 1, 0.2, 25733, 1, 1, 60, 5.4, 0.57, True),
    Measured("gong_bending_one", 0.0, "direct", 2, 0.2, 25733, 1, 1, 60, 3.9, 0.51, True),
    Measured("gong_bending_one", 0.69, "direct", 1, 0.2, 41056, 1, 1, 63, 12.7, 0.77, True),
    Measured("gong_bending_one", 0.69, "direct", 2, 0.2, 41056, 1, 1, 63, 9.8, 0.64, True),
    Measured("gong_bending_one", 1.37, "direct", 1, 0.2, 102786, 1, 1, 66, 63.9, 1.78, True),
    Measured("gong_bending_one", 1.37, "direct", 2, 0.2, 102786, 1, 1, 66, 35.8, 1.26, True),
    Measured("gong_bending_one", 0.0, "krylov", 1, 0.2, 25733, 1, 21, 554, 10.5, 0.47, True),
    Measured("gong_bending_one", 0.0, "krylov", 2, 0.2, 25733, 1, 21, 554, 5.2, 0.44, True),
    Measured("gong_bending_one", 0.69, "krylov", 1, 0.2, 41056, 1, 21, 574, 18.2, 0.55, True),
    Measured("gong_bending_one", 0.69, "krylov", 2, 0.2, 41056, 1, 21, 574, 9.9, 0.52, True),
    Measured("gong_bending_one", 1.37, "krylov", 1, 0.2, 102786, 1, 21, 752, 61.4, 0.92, True),
    Measured("gong_bending_one", 1.37, "krylov", 2, 0.2, 102786, 1, 21, 752, 35.4, 0.8, True),
    Measured("gong_bending_one", 0.0, "krylov", 1, 0.2, 25733, 1, 21, 554, 10.7, 0.47, False),
    Measured("gong_bending_one", 0.0, "krylov", 1, 0.4, 25733, 1, 20, 592, 10.7, 0.47, False),
    Measured("gong_bending_one", 0.0, "krylov", 1, 0.6, 25733, 1, 18, 475, 8.7, 0.47, False),
    Measured("gong_bending_one", 0.0, "krylov", 1, 0.8, 25733, 1, 16, 473, 8.2, 0.47, False),
    Measured("gong_bending_one", 0.0, "krylov", 1, 1.0, 25733, 1, 16, 492, 8.5, 0.47, False),
    Measured("gong_bending_one", 1.0, "krylov", 1, 0.2, 48722, 1, 21, 528, 22.1, 0.59, False),
    Measured("gong_bending_one", 1.0, "krylov", 1, 0.4, 48722, 4, 55, 1982, 73.9, 0.67, False),
    Measured("gong_bending_one", 1.0, "krylov", 1, 0.6, 48722, 2, 26, 696, 26.3, 0.67, False),
    Measured("gong_bending_one", 1.0, "krylov", 1, 0.8, 48722, 1, 16, 461, 17.2, 0.67, False),
    Measured("gong_bending_one", 1.0, "krylov", 1, 1.0, 48722, 1, 16, 456, 17.1, 0.67, False),
    Measured("zhang_joint_one", 0.0, "krylov", 1, 0.5, 27545, 1, 27, 689, 18.0, 0.5, False),
    Measured("zhang_joint_one", 0.0, "krylov", 1, 1.0, 27545, 1, 25, 626, 13.8, 0.5, False),
    Measured("zhang_joint_one", 1.0, "krylov", 1, 0.5, 50318, 1, 35, 705, 38.3, 0.66, False),
    Measured("zhang_joint_one", 1.0, "krylov", 1, 1.0, 50318, 1, 25, 555, 26.6, 0.66, False),
    Measured("renda_mantle_inflation", 0.0, "krylov", 1, 0.5, 24984, 1, 41, 2100, 24.5, 0.5, False),
    Measured("renda_mantle_inflation", 0.0, "krylov", 1, 1.0, 24984, 1, 36, 1293, 14.7, 0.5, False),
    Measured("renda_mantle_inflation", 1.0, "krylov", 1, 0.5, 77688, 1, 40, 1852, 91.7, 0.91, False),
    Measured("renda_mantle_inflation", 1.0, "krylov", 1, 1.0, 77688, 1, 44, 1382, 66.5, 0.91, False),
    Measured("renda_mantle_inflation", 2.0, "krylov", 1, 0.5, 176400, 1, 40, 1643, 208.3, 1.71, False),
    Measured("renda_mantle_inflation", 2.0, "krylov", 1, 1.0, 176400, 1, 44, 1240, 157.0, 1.71, False),
)
# fmt: on
