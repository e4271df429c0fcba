"""The report: one page without network, and its numbers as JSON.

`page` puts the parts together.
"""

__all__ = ["bodies", "body_picture", "checks", "figures", "numbers", "page", "robots"]
