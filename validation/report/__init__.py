"""The report: one page without network, and its numbers as JSON.

`page` puts the parts together.
"""

__all__ = [
    "against_data",
    "bodies",
    "body_picture",
    "checks",
    "figures",
    "marker_figure",
    "numbers",
    "page",
    "robots",
]
