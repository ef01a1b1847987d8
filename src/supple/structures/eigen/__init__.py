"""Lowest modes of sparse structures."""
