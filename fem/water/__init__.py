"""Water around a moving body: drag and added mass of strips, and the jet of a mantle.

Both implement `loligo.fem.problem.fluid.MovingFluid`, the interface that a problem calls.
"""

__all__ = ["jet", "strips"]
