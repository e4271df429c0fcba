"""What acts on a body and what holds it: forces, pressures, tendons, muscles, discs, supports.

Each adds its virtual work to the residual. Signs and units stand in the docstrings.
"""

__all__ = ["base", "cavities", "discs", "line_integrals", "muscles", "supports", "tendons"]
