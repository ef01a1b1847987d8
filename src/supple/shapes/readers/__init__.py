"""Mesh files: STL, OBJ, COLLADA (.dae) and glTF (.gltf, .glb), read with numpy alone."""
