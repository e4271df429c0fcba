"""The 3D truth: hyperelastic solids in dolfinx under MPI."""
