"""Models with arcs of constant curvature: forward kinematics and statics.

Each model of a paper has one module.
"""

__all__ = [
    "dh_chain",
    "hysteresis",
    "leg",
    "length_law",
    "opposite_bending",
    "pcc",
    "stance",
    "three_segment",
    "tip_paths",
    "workspace",
]
