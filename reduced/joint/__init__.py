"""Zhang's hydraulic joint: model, material, and solver.

The joint is a lumped model with one angle.
"""

__all__ = ["material", "model", "solve"]
