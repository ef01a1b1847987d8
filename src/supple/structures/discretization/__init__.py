"""Discretized structures: degrees of freedom, mass, couplings, supports."""
