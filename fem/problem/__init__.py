"""The boundary value problem: forms, inertia, and the schemes in time.

A problem is built once and then driven by the values of its loads.
"""

__all__ = ["conserving", "fluid", "forms", "generalised_alpha", "inertia", "problem"]
