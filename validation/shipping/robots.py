"""What coefficients of finite elements change in the papers' robots: records that come along.

``make robots`` calibrates the parts of the robots from the reference data that loligo brings along
and lets every robot vary with them. What is of the same data and the same robot is not made again.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from loligo.cases import coefficients
from loligo.cases.coefficients import Coefficients
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.robot.reaching import Reacher
from loligo.cases.robot.swimmer import Robot, load_any
from loligo.reduced.robots.spread import FORMAT, Spread, hashes
from loligo.validation.data.shipped import read_manifest

COEFFICIENTS = {
    "renda_arm": "renda_arm_recruited_torque --steps 1-10 --fit bending_stiffness "
    "--fit bending_taper",
    "renda_mantle": "renda_mantle_ring renda_mantle_inflation --hold-out renda_mantle_band "
    "-m shell --steps 1-5 --fit modulus",
    "zhang_joint": "zhang_joint_one zhang_joint_two zhang_joint_blocked "
    "--hold-out zhang_joint_three -m joint --steps 1-4 --fit actuator_area --fit c10",
    "gong_arm": "gong_arm --steps 1-4 --fit bending_stiffness --fit stretch_stiffness "
    "--fit softening --fit chamber_growth",
    "liu_segment": "liu_segment --steps 1-10 --fit stretch_stiffness --fit softening",
    "emet_limb": "emet_limb_one_tendon emet_limb_two_tendons --steps 1-5 "
    "--fit bending_stiffness --fit bending_taper",
}
"""Words of `loligo calibrate` for every part; a robot needs coefficients up to its own loads."""
_RENDA = {"arm": "renda_arm", "mantle": "renda_mantle"}
_LIMBS = ("grasper", "palpation", "camera", "light")


@dataclass(frozen=True)
class Made:
    """How a record is made: motion, end and step of the course (s), coefficients, draws."""

    parts: dict[str, str]
    samples: int
    motion: str | None = None
    end: float | None = None
    step: float | None = None


ROBOTS = {
    "gong": Made({"arm": "gong_arm"}, 200),
    "silver2": Made({"arm": "liu_segment"}, 200),
    "ursula": Made(dict.fromkeys(_LIMBS, "emet_limb"), 200),
    "snake": Made({"joint": "zhang_joint"}, 16, "yaw_soft", 12.0, 0.1),
    "monopus": Made(_RENDA, 8, None, 2.0, 0.02),
    "quadropus": Made(_RENDA, 8, None, 3.0, 0.02),
    "poseidrone": Made(_RENDA, 8, None, 3.0, 0.02),
}
"""Every robot, quick ones first; of those that swim as much as a minute or two allow."""

log = logging.getLogger("loligo.robots")


def folder() -> Path:
    """Return where the files lie."""
    return Path(str(resources.files("loligo.validation"))) / "reference" / "robots"


def shipped() -> list[Path]:
    """Return the records that come along, in the order of the robots."""
    files = [folder() / f"{name}.json" for name in sorted(ROBOTS)]
    return [file for file in files if file.is_file()]


def read(file: Path) -> dict[str, Any]:
    """Return a record; raises BadInput for another file, or one that lacks something."""
    try:
        found = json.loads(files.read_text(file), parse_constant=_refuse)
    except OSError as failure:
        raise BadInput(f"{file}: cannot be read: {failure.strerror or failure}") from None
    except (ValueError, RecursionError) as failure:
        raise BadInput(f"{file}: cannot be read: {failure}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadInput(f"{file}: is no record of loligo robot vary")
    try:
        told = TypeAdapter(Spread).validate_python(found)
    except ValidationError as error:
        lines = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise BadInput("\n  ".join([f"{file}: is no whole record", *lines])) from None
    if not told.low.keys() == told.high.keys() == told.shares.keys() <= told.calibrated.keys():
        raise BadInput(f"{file}: low, high, shares and calibrated are not of the same numbers")
    return found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number")


def robot_of(name: str) -> Robot | Reacher:
    """Return a robot of the library, told the motion of its record."""
    robot = load_any(name)
    made = ROBOTS[name]
    if isinstance(robot, Robot):
        return robot.told(made.motion).lasting(made.end, made.step)
    return robot


def coefficients_of(name: str) -> dict[str, Coefficients]:
    """Return the coefficients of a robot's parts that come along."""
    return {
        part: coefficients.read(folder() / f"{file}.toml")
        for part, file in ROBOTS[name].parts.items()
    }


def stale_coefficients(found: Coefficients) -> list[str]:
    """Return the cases whose reference data are no longer those that were fitted."""
    manifest = read_manifest()
    return [
        data.case
        for data in found.data
        if data.case not in manifest or manifest[data.case].sha256 != data.sha256
    ]


def stale_record(name: str, found: Mapping[str, Any]) -> list[str]:
    """Return what of a robot is no longer what its record was made with: itself or parts."""
    today = hashes(robot_of(name), coefficients_of(name))
    return [what for what, value in today.items() if found["hashes"].get(what) != value]


def main(names: Sequence[str]) -> None:
    """Make what is not there, or of other data, of some robots; by default of all."""
    wanted = [name for name in ROBOTS if not names or name in names]
    for file in dict.fromkeys(file for name in wanted for file in ROBOTS[name].parts.values()):
        target = folder() / f"{file}.toml"
        if not target.is_file() or stale_coefficients(coefficients.read(target)):
            words = COEFFICIENTS[file].split()
            _loligo(
                "calibrate", *words, "--starts", "1", "--no-profiles", "--force", "-o", str(target)
            )
    for name in wanted:
        made, target = ROBOTS[name], folder() / f"{name}.json"
        if target.is_file() and not stale_record(name, read(target)):
            continue
        words = [f"--samples={made.samples}", "--force", "-o", str(target)]
        for part, file in made.parts.items():
            words += ["-c", f"{part}={folder() / file}.toml"]
        for option in ("motion", "end", "step"):
            if (value := getattr(made, option)) is not None:
                words.append(f"--{option}={value}")
        _loligo("robot", "vary", name, *words)


def _loligo(*words: str) -> None:
    log.info("loligo %s", " ".join(words))
    subprocess.run([sys.executable, "-m", "loligo.cli.main", *words], check=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main(sys.argv[1:])
