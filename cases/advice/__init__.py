"""Sentences about a case that is valid but unusual: notes, magnitudes, range of the law.

They are warnings; nothing here refuses a case.
"""

__all__ = ["magnitudes", "notes", "plausible"]
