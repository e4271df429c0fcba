"""Robot files: swimmers, chains, and robots that reach.

Each is a record that is read from TOML.
"""

__all__ = ["chain", "place", "reaching", "swimmer"]
