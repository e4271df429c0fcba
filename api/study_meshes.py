"""The meshes of a study: each made once, before the items that share it are solved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loligo.cases.case_file import read
from loligo.cases.core.record import BadInput
from loligo.hpc.items import Place, meshes_of, state
from loligo.meshes.build import case_mesh
from loligo.meshes.xdmf import mesh_file, write_xdmf


def make_meshes(root: Path, places: list[Place]) -> Iterator[tuple[Path, str]]:
    """Make the meshes of the items that wait; yield each file, and why there is none if so.

    What cannot be meshed is left to its items, which fail with the same words.
    """
    tried: set[Path] = set()
    for place in places:
        verb, *options = place.asked.command
        if verb != "solve" or state(place) not in ("waiting", "lost"):
            continue
        case = read(place.case)
        for level in map(int, options[1].split(",")):  # of --level or --levels
            file = mesh_file(meshes_of(root), case, level, place.folder)
            if file in tried or file.exists():
                continue
            tried.add(file)
            try:
                write_xdmf(*case_mesh(case, level, place.folder), file)
                yield file, ""
            except BadInput as error:
                yield file, str(error)
