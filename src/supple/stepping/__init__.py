"""Loops of integration steps, as sweeps: compiled for runs, printed for programs."""
