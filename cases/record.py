"""The base of every frozen record, and of every complaint about what a user gave."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable, checked set of named values without unknown keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class BadInput(ValueError):
    """What a user gave cannot be used; the message says what, where, and what to do.

    It ends a command with exit code 2.
    """
