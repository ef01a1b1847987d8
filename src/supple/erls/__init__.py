"""Equivalent rigid-link systems with component mode synthesis, after Vidoni et al. (2015)."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.erls.dh import DH, from_dh
    from supple.erls.matching import held_configuration, matched_state, natural_frequencies
    from supple.erls.mode_choice import ModeChoice
    from supple.erls.model import ErlsModel, build
    from supple.erls.trace import ErlsTrace

__all__ = [
    "DH",
    "ErlsModel",
    "ErlsTrace",
    "ModeChoice",
    "build",
    "from_dh",
    "held_configuration",
    "matched_state",
    "natural_frequencies",
]

_HOMES = {
    "supple.erls.dh": ("DH", "from_dh"),
    "supple.erls.matching": ("held_configuration", "matched_state", "natural_frequencies"),
    "supple.erls.mode_choice": ("ModeChoice",),
    "supple.erls.model": ("ErlsModel", "build"),
    "supple.erls.trace": ("ErlsTrace",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
