"""Section laws, and models for controllers, as files of other codes.

A neutral record comes first; every target takes its arrays from there and says what it loses.
"""

__all__ = [
    "arm",
    "controller",
    "elements",
    "filling",
    "held_out",
    "linear",
    "losses",
    "mujoco",
    "pyelastica",
    "record",
    "soromox",
    "sorosim",
    "targets",
]
