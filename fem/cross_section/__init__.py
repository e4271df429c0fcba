"""The section law of the solid: a cross-section under a uniform strain state, in two dimensions.

`problem` has the equations, `solve` their solution, `path` follows loads from rest, `law` fits
states, `arm` has the laws of an arm.
"""

__all__ = ["arm", "from_case", "law", "path", "plane", "problem", "reach", "solve"]
