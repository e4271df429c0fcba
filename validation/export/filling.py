"""Files of other codes with words to fill in; they are text, and no part of loligo runs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources

_WORD = re.compile(r"@([A-Z_0-9]+)@")


def filled(name: str, values: Mapping[str, str]) -> str:
    """Return a template with its @WORDS@ replaced; KeyError for a word without a value."""
    file = resources.files("loligo.validation") / "export" / "templates" / name
    return _WORD.sub(lambda word: values[word[1]], file.read_text(encoding="utf-8"))
