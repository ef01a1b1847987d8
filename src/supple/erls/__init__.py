"""Equivalent rigid-link systems with component mode synthesis, after Vidoni et al. (2015)."""

from supple.erls.dh import DH, from_dh
from supple.erls.matching import held_configuration, matched_state, natural_frequencies
from supple.erls.model import ErlsModel, build
from supple.erls.trace import ErlsTrace

__all__ = [
    "DH",
    "ErlsModel",
    "ErlsTrace",
    "build",
    "from_dh",
    "held_configuration",
    "matched_state",
    "natural_frequencies",
]
