"""What 3D solutions took; tests/bench/bench_scaling.py wrote it for loligo.hpc.cost."""

from __future__ import annotations

from loligo.hpc.measurement import Measured

MACHINE = "2 cores of an AMD EPYC, 24 GiB, dolfinx 0.9.0"
# fmt: off
# ruff: noqa: E501
MEASURED: tuple[Measured, ...] = (
    Measured("gong_bending_one", "tetrahedron", 0.0, "direct", 1, 0.2, 25733, 1, 1, 60, 60, (0, 0), 6.3, 0.57, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.0, "direct", 2, 0.2, 25733, 1, 1, 60, 60, (0, 0), 5.2, 0.53, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.69, "direct", 1, 0.2, 41056, 1, 1, 63, 63, (0, 0), 15.8, 0.77, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.69, "direct", 2, 0.2, 41056, 1, 1, 63, 63, (0, 0), 12.5, 0.71, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "direct", 1, 0.2, 102786, 1, 1, 66, 66, (0, 0), 78.7, 1.8, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "direct", 2, 0.2, 102786, 1, 1, 66, 66, (0, 0), 53.9, 1.51, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.0, "krylov", 1, 0.2, 25733, 1, 10, 402, 81, (0, 0), 11.6, 0.49, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.0, "krylov", 2, 0.2, 25733, 1, 10, 402, 81, (0, 0), 7.1, 0.42, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.69, "krylov", 1, 0.2, 41056, 1, 10, 428, 80, (0, 0), 20.8, 0.59, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.69, "krylov", 2, 0.2, 41056, 1, 10, 428, 80, (0, 0), 11.9, 0.48, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "krylov", 1, 0.2, 102786, 1, 11, 503, 90, (0, 0), 61.3, 1.01, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "krylov", 2, 0.2, 102786, 1, 11, 502, 90, (0, 0), 34.9, 0.71, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 0.0, "direct", 1, 0.2, 21887, 1, 1, 62, 62, (0, 0), 6.1, 0.57, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 0.0, "direct", 2, 0.2, 21887, 1, 1, 62, 62, (0, 0), 3.6, 0.47, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 1.37, "direct", 1, 0.2, 111552, 1, 1, 68, 68, (0, 0), 69.9, 2.05, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 1.37, "direct", 2, 0.2, 111552, 1, 1, 68, 68, (0, 0), 47.3, 1.51, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 0.0, "krylov", 1, 0.2, 21887, 1, 11, 674, 131, (0, 0), 31.6, 0.57, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 0.0, "krylov", 2, 0.2, 21887, 1, 11, 673, 131, (0, 0), 16.8, 0.46, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 1.37, "krylov", 1, 0.2, 111552, 1, 14, 1103, 150, (0, 0), 242.9, 1.61, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "hexahedron", 1.37, "krylov", 2, 0.2, 111552, 1, 14, 1104, 150, (0, 0), 132.7, 1.02, True, "2026-11-20 65b3fdb"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "direct", 1, 0.2, 30885, 1, 1, 286, 286, (0, 0), 39.9, 0.69, True, "2026-11-20 65b3fdb"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "direct", 2, 0.2, 30885, 1, 1, 286, 286, (0, 0), 24.9, 0.54, True, "2026-11-20 65b3fdb"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "krylov", 1, 0.2, 30885, 1, 34, 1133, 87, (0, 0), 94.5, 0.71, True, "2026-11-20 65b3fdb"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "krylov", 2, 0.2, 30885, 1, 31, 1009, 85, (0, 0), 63.0, 0.52, True, "2026-11-20 65b3fdb"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "direct", 1, 0.2, 24984, 1, 1, 19, 19, (0, 0), 2.0, 0.55, True, "2026-11-20 65b3fdb"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "direct", 2, 0.2, 24984, 1, 1, 20, 20, (0, 0), 1.4, 0.45, True, "2026-11-20 65b3fdb"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "krylov", 1, 0.2, 24984, 1, 12, 544, 87, (0, 0), 11.1, 0.52, True, "2026-11-20 65b3fdb"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "krylov", 2, 0.2, 24984, 1, 12, 543, 88, (0, 0), 6.3, 0.41, True, "2026-11-20 65b3fdb"),
    Measured("gong_bending_one", "tetrahedron", 0.0, "krylov", 1, 0.5, 25733, 1, 11, 447, 67, (0, 0), 13.0, 0.48, False, "2026-11-20 f26897f"),
    Measured("gong_bending_one", "tetrahedron", 0.0, "krylov", 1, 1.0, 25733, 1, 14, 453, 79, (0, 0), 14.0, 0.49, False, "2026-11-20 f26897f"),
    Measured("gong_bending_one", "tetrahedron", 1.0, "krylov", 1, 0.5, 48722, 1, 12, 450, 71, (0, 0), 27.7, 0.63, False, "2026-11-20 c63c5fd"),
    Measured("gong_bending_one", "tetrahedron", 1.0, "krylov", 1, 1.0, 48722, 1, 17, 500, 96, (0, 0), 33.8, 0.65, False, "2026-11-20 c63c5fd"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "krylov", 1, 0.5, 102786, 1, 12, 513, 81, (0, 0), 65.6, 0.99, False, "2026-11-20 866b9f3"),
    Measured("gong_bending_one", "tetrahedron", 1.37, "krylov", 1, 1.0, 102786, 4, 30, 1406, 95, (18, 770), 257.0, 1.1, False, "2026-11-20 866b9f3"),
    Measured("gong_bending_one", "tetrahedron", 4.0, "krylov", 1, 0.5, 1068616, 1, 12, 593, 96, (0, 0), 860.6, 8.01, False, "2026-11-19 3f8386e"),
    Measured("gong_bending_one", "tetrahedron", 4.0, "krylov", 1, 1.0, 1068616, 5, 37, 1999, 114, (4, 546), 3181.7, 8.8, False, "2026-11-19 3f8386e"),
    Measured("gong_bending_one", "hexahedron", 0.0, "krylov", 1, 0.5, 21887, 1, 12, 685, 102, (0, 0), 32.0, 0.55, False, "2026-11-20 f26897f"),
    Measured("gong_bending_one", "hexahedron", 0.0, "krylov", 1, 1.0, 21887, 2, 24, 1406, 139, (2, 237), 67.3, 0.57, False, "2026-11-20 f26897f"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "krylov", 2, 0.5, 30885, 1, 34, 1107, 85, (0, 0), 89.4, 0.53, False, "2026-11-20 f26897f"),
    Measured("zhang_joint_one", "hexahedron", 0.0, "krylov", 2, 1.0, 30885, 1, 19, 756, 69, (0, 0), 59.6, 0.53, False, "2026-11-20 f26897f"),
    Measured("zhang_joint_one", "hexahedron", 3.7, "krylov", 2, 0.5, 1025008, 1, 40, 1367, 66, (0, 0), 4380.0, 7.86, False, "2026-11-19 aff5127"),
    Measured("zhang_joint_one", "hexahedron", 3.7, "krylov", 2, 1.0, 1025008, 1, 31, 1549, 103, (0, 0), 3895.0, 8.29, False, "2026-11-20 18e49e2"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "krylov", 1, 0.5, 24984, 1, 16, 692, 91, (0, 0), 13.4, 0.51, False, "2026-11-20 f26897f"),
    Measured("renda_mantle_inflation", "tetrahedron", 0.0, "krylov", 1, 1.0, 24984, 1, 22, 960, 97, (0, 0), 16.5, 0.52, False, "2026-11-20 c63c5fd"),
    Measured("renda_mantle_inflation", "tetrahedron", 1.0, "krylov", 1, 0.5, 77688, 1, 16, 581, 79, (0, 0), 41.3, 0.93, False, "2026-11-20 c63c5fd"),
    Measured("renda_mantle_inflation", "tetrahedron", 1.0, "krylov", 1, 1.0, 77688, 1, 28, 1090, 86, (0, 0), 67.0, 0.95, False, "2026-11-20 c63c5fd"),
    Measured("renda_mantle_inflation", "tetrahedron", 3.0, "krylov", 1, 0.5, 335520, 1, 16, 488, 69, (0, 0), 174.2, 3.12, False, "2026-11-20 c9766a5"),
    Measured("renda_mantle_inflation", "tetrahedron", 3.0, "krylov", 1, 1.0, 335520, 1, 28, 965, 76, (0, 0), 285.9, 3.18, False, "2026-11-20 c9766a5"),
    Measured("renda_mantle_inflation", "tetrahedron", 4.0, "krylov", 1, 0.5, 1319328, 1, 37, 965, 63, (0, 0), 1247.4, 11.53, False, "2026-11-19 e50ed6b"),
    Measured("renda_mantle_inflation", "tetrahedron", 4.0, "krylov", 1, 1.0, 1319328, 1, 43, 817, 71, (0, 0), 1048.8, 11.53, False, "2026-11-19 e50ed6b"),
)
# fmt: on
