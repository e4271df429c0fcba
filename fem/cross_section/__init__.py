"""The section law of the solid: a cross-section under a uniform strain state, in two dimensions.

`problem` has the equations, `solve` their solution, `path` follows loads from rest, `law` fits
states, `images` says which states serve for others, `end_piece` and `end` have the ends of a body
at its discs, `arm` has the laws of an arm.
"""

__all__ = [
    "arm",
    "end",
    "end_piece",
    "from_case",
    "images",
    "law",
    "path",
    "plane",
    "problem",
    "reach",
    "solve",
]
