"""Integrators behind one interface: each takes a system over one segment of time (see `segment`)."""
