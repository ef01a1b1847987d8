"""Integrators behind one interface: each takes a system over one stretch of time (see `segment`)."""
