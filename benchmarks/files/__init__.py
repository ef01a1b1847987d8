"""Reading and writing: imports, meshes, pages."""
