"""Equivalent rigid-link systems with component mode synthesis, after Vidoni et al. (2015)."""

from supple.erls.comparing import compare
from supple.erls.comparison import Comparison
from supple.erls.dh import DH, from_dh
from supple.erls.matching import held_posture, matched_state, natural_frequencies
from supple.erls.model import ErlsModel, build
from supple.erls.trace import ErlsTrace

__all__ = [
    "DH",
    "Comparison",
    "ErlsModel",
    "ErlsTrace",
    "build",
    "compare",
    "from_dh",
    "held_posture",
    "matched_state",
    "natural_frequencies",
]
