"""Builders of structures: beams, plates, shells, solids, given matrices, modes, assemblies."""
