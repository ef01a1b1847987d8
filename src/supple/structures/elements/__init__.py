"""Elements of structures: matrices, strains, stresses and surfaces of beams, plates and solids."""
