"""Results of a converged state: section frames and strains, wrenches, stretch, energy, skin.

`observer` collects them in the variables of the data set.
"""

__all__ = [
    "chamber_lines",
    "fibre_push",
    "mantle_profile",
    "markers",
    "observer",
    "section_fit",
    "section_points",
    "sections",
    "skin",
    "stretch",
    "work",
    "wrench",
    "wrenches",
]
