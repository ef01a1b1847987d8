"""Structures and bodies from files of finite-element programs: one format a module, `registry` names them all."""
