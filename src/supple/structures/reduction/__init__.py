"""Reduction of structures to few coordinates."""
