"""Section laws as data: potentials of the strain and the pressures that rods read without dolfinx.

`law` has the law of a section and its file, `parts` the polynomials and the ends at discs that it
is made of, `shipped` those that loligo brings along.
"""

__all__ = ["law", "parts", "shipped"]
