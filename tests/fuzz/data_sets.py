"""Damaged and foreign data sets through the verbs that read them."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
from fuzz.apart import command
from fuzz.found import Trial, last_line

LIMIT = 40.0
SMALL = "cylinder"
"""The case whose prediction is damaged; a reference that comes along is, too."""


def data_sets(seed: int, count: int, folder: Path) -> Iterator[Trial]:
    """Show each of so many damaged data sets to a verb; all verbs see every damage in turn."""
    from loligo.cases.case_file import load
    from loligo.cases.dataset.io import write
    from loligo.reduced.predict.predict import predict
    from loligo.validation.data.shipped import shipped

    folder.mkdir(parents=True, exist_ok=True)
    good = folder / "good.nc"
    write(predict(load(SMALL)), good)
    sources = [good, shipped()[SMALL]]
    damages = sorted(DAMAGES)
    for number in range(count):
        rng = random.Random(f"data set {seed} {number}")
        home = folder / f"data_{number}"
        home.mkdir()
        file = home / "bad.nc"
        damage = damages[number % len(damages)]
        shutil.copy(rng.choice(sources), file)
        DAMAGES[damage](file, rng)
        arguments = list(READERS.values())[(seed + number // len(damages)) % len(READERS)]
        ended = command(arguments, home, LIMIT)
        named = f"{arguments[0]}, seed {seed}, number {number}"
        yield Trial(f"data set: {damage}", named, ended.verdict, last_line(ended.err))
        if file.is_fifo() or file.is_symlink():
            file.unlink()


READERS = {
    "check": ["check", "bad.nc"],
    "show": ["show", "bad.nc"],
    "compare": ["compare", SMALL, "bad.nc"],
    "report": ["report", "bad.nc", "-o", "page"],
    "view": ["view", "bad.nc", "-o", "body.png"],
    "calibrate": [
        *("calibrate", SMALL, "--data", "bad.nc", "--no-profiles", "--starts", "1"),
        *("--fit", "bending_stiffness", "-o", "c.toml"),
    ],
}


def _flip(bits: int, within: int | None = None) -> Callable[[Path, random.Random], None]:
    def damage(file: Path, rng: random.Random) -> None:
        raw = bytearray(file.read_bytes())
        for _ in range(bits):
            raw[rng.randrange(min(within or len(raw), len(raw)))] ^= 1 << rng.randrange(8)
        file.write_bytes(raw)

    return damage


def _truncate(file: Path, rng: random.Random) -> None:
    raw = file.read_bytes()
    file.write_bytes(raw[: rng.randrange(len(raw))])


def _zero_block(file: Path, rng: random.Random) -> None:
    raw = bytearray(file.read_bytes())
    place = rng.randrange(len(raw))
    size = min(4096, len(raw) - place)
    raw[place : place + size] = bytes(size)
    file.write_bytes(raw)


def _replace(content: bytes) -> Callable[[Path, random.Random], None]:
    return lambda file, rng: file.write_bytes(content) and None


def _variables(opened: h5py.File) -> list[str]:
    return sorted(k for k, v in opened.items() if isinstance(v, h5py.Dataset))


def _drop(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        del opened[rng.choice(_variables(opened))]


def _dtype(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        name = rng.choice(_variables(opened))
        shape = opened[name].shape
        del opened[name]
        kind = rng.choice(("S4", "i8", "f2", "c16", "bool", "u1"))
        opened[name] = np.zeros(shape, kind)


def _shape(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        name = rng.choice(_variables(opened))
        del opened[name]
        shape = rng.choice(((), (0,), (1,), (3, 3), (2, 2, 2, 2, 2)))
        opened[name] = np.zeros(shape)


def _absurd(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        name = rng.choice(_variables(opened))
        del opened[name]
        opened.create_dataset(name, (2**40,), "f8", chunks=(2**10,))


def _values(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        floats = [n for n in _variables(opened) if opened[n].dtype.kind == "f" and opened[n].size]
        variable = opened[rng.choice(floats)]
        values = variable[...]
        values.flat[rng.randrange(values.size)] = rng.choice((np.nan, np.inf, -1e308, 1e-320, 0.0))
        variable[...] = values if rng.random() < 0.7 else np.nan


def _units(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        name = rng.choice(_variables(opened))
        opened[name].attrs["units"] = rng.choice(("mm", "", "parsec", "m m", "furlong/s"))


def _attribute(file: Path, rng: random.Random) -> None:
    names = ("case", "case_name", "status", "kind", "source", "schema_version", "missing", "units")
    values = (
        np.bytes_(b"\xff\xfe\x80"),
        1.5,
        np.arange(3),
        "",
        "\n",
        "x" * 60_000,
        "[bold]",
        "99.0",
    )
    with h5py.File(file, "a") as opened:
        places = [opened, *(opened[n] for n in _variables(opened))]
        rng.choice((opened, rng.choice(places))).attrs[rng.choice(names)] = rng.choice(values)


def _rename(file: Path, rng: random.Random) -> None:
    with h5py.File(file, "a") as opened:
        name = rng.choice(_variables(opened))
        names = ("a/b/c", "é", "station2", "strain_uncertainty", "levels/0/frame")
        opened.move(name, rng.choice([n for n in names if n not in opened]))


def _classic(file: Path, rng: random.Random) -> None:
    from scipy.io import netcdf_file

    with netcdf_file(file, "w") as opened:
        opened.createDimension("step", 3)
        opened.createVariable("time", "d", ("step",))[:] = 0.0


def _foreign(file: Path, rng: random.Random) -> None:
    file.unlink()
    with h5py.File(file, "w") as opened:
        opened["a/b"] = np.arange(5)
        opened["loop"] = h5py.SoftLink("/loop")
        opened["out"] = h5py.ExternalLink("/etc/passwd", "/")
        opened["compound"] = np.zeros(2, [("x", "f8"), ("y", "S3")])


def _link(target: str) -> Callable[[Path, random.Random], None]:
    def damage(file: Path, rng: random.Random) -> None:
        file.unlink()
        file.symlink_to(target)

    return damage


def _fifo(file: Path, rng: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def _folder(file: Path, rng: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _gone(file: Path, rng: random.Random) -> None:
    file.unlink()


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "one bit": _flip(1),
    "one bit at the start": _flip(1, 20_000),
    "50 bits": _flip(50),
    "cut short": _truncate,
    "4 kB zeroed": _zero_block,
    "a variable dropped": _drop,
    "another type": _dtype,
    "another shape": _shape,
    "an absurd size": _absurd,
    "odd values": _values,
    "other units": _units,
    "an odd attribute": _attribute,
    "a variable moved": _rename,
    "a classic netCDF": _classic,
    "a foreign HDF5": _foreign,
    "text": _replace(b"step,x\n1,2\n"),
    "nothing": _replace(b""),
    "a folder": _folder,
    "a pipe": _fifo,
    "/dev/zero": _link("/dev/zero"),
    "a link to nowhere": _link("nowhere.nc"),
    "a link to itself": _link("bad.nc"),
    "a link to a text": _link("/etc/passwd"),
    "not there": _gone,
}
