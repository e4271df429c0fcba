"""Pictures of bodies, solutions, robots and validity maps.

`style` has what all figures share.
"""

__all__ = ["body", "picture", "robot", "solution", "style", "validity_map"]
