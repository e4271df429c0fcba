"""What a user gives: a case by its name, its file or as a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from loligo.cases import case_file
from loligo.cases.case import Case
from loligo.cases.user_law import trusted

AnyCase = Case | str | Path
"""A case, the name of one in the library, or its file."""


def case_names() -> list[str]:
    """Return the names of the cases that loligo brings along."""
    return case_file.library_names()


def load_case(name_or_file: str | Path, *, trust: bool = False) -> Case:
    """Return a case.

    Args:
        name_or_file: of the library, or a .toml file.
        trust: whether to run the case's own Python energies; read them first.

    Raises:
        BadInput: if there is no such case, with everything that is wrong with its file.
    """
    what = given(name_or_file)
    return (what.trusted() if trust else what).case


@dataclass(frozen=True, eq=False)
class Given:
    """A case with where it comes from."""

    case: Case
    word: str
    """What the user calls it."""
    folder: Path
    """Where files lie that it names."""
    inputs: tuple[Path, ...] = ()
    """Files that belong to it, and must not be replaced."""

    def trusted(self) -> Given:
        """Return it with the case's own Python energies; this runs the user's code."""
        return replace(self, case=trusted(self.case, self.folder))


def given(what: AnyCase, folder: Path | None = None) -> Given:
    """Return a case with where it comes from.

    Args:
        what: the case.
        folder: where files lie that it names; by default beside its own file, else the current one.
    """
    if isinstance(what, Case):
        return Given(what, what.name, folder or Path())
    file = case_file.find(str(what))
    case = case_file.read(file)
    return Given(case, str(what), folder or file.parent, case_file.inputs(case, file))
