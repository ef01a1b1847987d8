"""Reduced bodies in files of other programs: one format a module, `body_formats` names them all."""
