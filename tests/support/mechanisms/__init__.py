"""Mechanisms of tests and benchmarks."""
