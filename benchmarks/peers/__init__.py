"""Beside other programs, one mechanism at a time."""
