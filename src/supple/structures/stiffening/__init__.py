"""Geometric stiffness: load cases, second-order displacements, buckling."""
