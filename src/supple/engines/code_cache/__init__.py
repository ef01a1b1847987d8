"""Compiled code on disk, in a directory of bounded size that only its user writes."""

from supple.engines.code_cache.code_files import has_code, read_code, write_code

__all__ = ["has_code", "read_code", "write_code"]
