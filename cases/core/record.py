"""The base of every frozen record, of every error, and of every complaint about a user's input."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable, checked set of named values without unknown keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


def beside(name: str, whose: str) -> str:
    """Return the name of a file below the folder of what names it; ValueError for any other."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(
            f'"{name}" leaves the folder of the {whose}; put the file beside the {whose}'
        )
    return name


class LoligoError(Exception):
    """Every error that loligo itself raises."""


class BadInput(LoligoError, ValueError):
    """What a user gave cannot be used; the message says what, where, and what to do.

    It ends a command with exit code 2.
    """
