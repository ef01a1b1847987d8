"""Runs and sweeps that are interrupted, recorded or made up."""
