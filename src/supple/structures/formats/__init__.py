"""Readers and writers of finite-element programs and multibody formats."""
