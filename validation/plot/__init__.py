"""Pictures of bodies, robots and validity maps.

`style` has what all figures share.
"""

__all__ = ["body", "picture", "robot", "style", "validity_map"]
