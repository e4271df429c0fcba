"""Checkpoints, meshes on disk, fields for ParaView, and agreement between ranks.

Files are written by rank 0 and replaced as a whole.
"""

__all__ = ["checkpoint", "keeper", "mesh_file", "ranks", "solver_history", "states", "vtx"]
