"""An experiment that is known: markers on a bar that is at rest, then held in two places.

Nothing here is of the importer: places, rotations and times are made from closed forms.
"""

import csv

import h5py
import numpy as np
import scipy.io
from scipy.spatial.transform import Rotation

PLACES = {
    "left": (0.10, 0.02, 0.0),
    "right": (0.10, -0.02, 0.005),
    "top": (0.08, 0.0, 0.03),
    "foot": (0.02, 0.01, -0.02),
}
"""Of the markers on the body at rest (m)."""
WAYS = {1: (-0.002, 0.0, 0.012), 2: (-0.005, 0.003, 0.025)}
"""Of the first marker in each hold (m); the others go less by their x over its x."""
PRESSURES = (0.0, 10e3, 20e3)
LAB = Rotation.from_euler("zyx", [0.4, -1.1, 0.3])
ORIGIN = np.array([0.5, -0.2, 1.1])
TIME = np.arange(0.0, 9.0, 0.01)
HOLDS = ((0.5, 2.5), (3.5, 5.5), (6.5, 8.9))
"""When it stands still: at rest, and in two holds."""


def share(level):
    """How far it is from rest to `level` at each time: smooth between the holds."""
    ends = [(2.5, 3.5), (5.5, 6.5)]
    a, b = ends[level - 1]
    s = np.clip((TIME - a) / (b - a), 0.0, 1.0)
    return s**2 * (3.0 - 2.0 * s)


def on_body(name):
    """Where a marker is on the body at each time (samples, 3)."""
    first, second = np.array(WAYS[1]), np.array(WAYS[2])
    way = np.outer(share(1), first) + np.outer(share(2), second - first)
    return np.array(PLACES[name]) + way * PLACES[name][0] / 0.1


def in_lab(name):
    return LAB.apply(on_body(name)) + ORIGIN


def pressure():
    return PRESSURES[1] * share(1) + (PRESSURES[2] - PRESSURES[1]) * share(2)


def columns(names=PLACES, scale=1e3, unit="mm"):
    """Return headings and values of the wide table, as people write it."""
    found = {"time [s]": TIME}
    for name in names:
        for k, axis in enumerate("xyz"):
            found[f"{name}_{axis} [{unit}]"] = scale * in_lab(name)[:, k]
    found["pressure_s1c1 [kPa]"] = pressure() / 1e3
    found["load_supply [kPa]"] = pressure() / 1e3
    return found


def write_csv(file, table, mark=","):
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened, delimiter=mark)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def write_wide(file):
    write_csv(file, columns())


def write_semicolons(file):
    """As spreadsheets of half the world have it: a comma for the point."""
    write_csv(file, columns(), ";")
    file.write_text(file.read_text().replace(".", ","))


def write_long_values(file):
    rows = [["time [s]", "name", "value", "unit"]]
    for heading, values in columns().items():
        name, _, unit = heading.partition(" ")
        if name != "time":
            rows += [[t, name, v, unit[1:-1]] for t, v in zip(TIME, values, strict=True)]
    write_rows(file, rows)


def write_long_markers(file):
    rows = [["time [s]", "marker", "x [mm]", "y [mm]", "z [mm]"]]
    for name in PLACES:
        rows += [[t, name, *(1e3 * p)] for t, p in zip(TIME, in_lab(name), strict=True)]
    write_rows(file, rows)


def write_rows(file, rows):
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(rows)


def write_c3d(file):
    import ezc3d

    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    made["parameters"]["POINT"]["LABELS"]["value"] = list(PLACES)
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    points = np.ones((4, len(PLACES), TIME.size))
    for i, name in enumerate(PLACES):
        points[:3, i] = 1e3 * in_lab(name).T
    made["data"]["points"] = points
    made.write(str(file))


def matrix():
    return np.stack(list(columns().values()), axis=1)


def headings():
    return list(columns())


def write_mat(file):
    scipy.io.savemat(file, {"run": matrix()})


def write_mat_vectors(file):
    found = {name: 1e3 * in_lab(name) for name in PLACES}
    scipy.io.savemat(file, {"time": TIME, **found})


def write_mat_73(file):
    """As MATLAB does it: HDF5 behind a block of 512 bytes, matrices transposed."""
    with h5py.File(file, "w", userblock_size=512) as made:
        made["run"] = matrix().T
    with file.open("r+b") as opened:
        opened.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
