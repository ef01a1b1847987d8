"""Equivalent rigid-link systems with component mode synthesis, after Vidoni et al. (2015)."""

from supple.erls.dh import DH, from_dh
from supple.erls.model import ErlsModel, build

__all__ = ["DH", "ErlsModel", "build", "from_dh"]
