"""Closed loops and other constraints of a model: assembly, redundancy, independent coordinates, forces."""
