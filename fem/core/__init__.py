"""Meshes as dolfinx domains, fields, kinematics, integrals, and compiled forms.

Everything else in `fem` stands on these modules. They know no load, no material and no solver.
"""

__all__ = [
    "compat",
    "domain",
    "fields",
    "jit",
    "kinematics",
    "measure",
    "numbering",
    "provenance",
    "value_text",
]
