"""Flexible bodies: modal integrals, substructured beams, superelements, storage."""
