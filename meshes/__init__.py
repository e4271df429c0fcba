"""Bodies as pure geometry, and the Gmsh meshes made from them."""
