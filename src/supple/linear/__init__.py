"""Small motions: equilibrium, steady rotation, natural modes, Campbell diagrams, state-space models."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names
from supple.linear.campbell_report import campbell_report
from supple.linear.mode_derivatives import ModeSensitivities, mode_sensitivities
from supple.linear.modes_report import modes_report
from supple.linear.poles_zeros import TransferFunction
from supple.linear.regulators import Regulator, lqg, lqr
from supple.linear.small_motions import LinearEquations, linear_equations
from supple.linear.state import StateSpace, state_space
from supple.linear.statics import Equilibrium, EquilibriumError, equilibrium
from supple.linear.steady import steady_rotation
from supple.linear.vibration import Modes, modes

if TYPE_CHECKING:
    from supple.linear.campbell_diagram import campbell

__all__ = [
    "Equilibrium",
    "EquilibriumError",
    "LinearEquations",
    "ModeSensitivities",
    "Modes",
    "Regulator",
    "StateSpace",
    "TransferFunction",
    "campbell",
    "campbell_report",
    "equilibrium",
    "linear_equations",
    "lqg",
    "lqr",
    "mode_sensitivities",
    "modes",
    "modes_report",
    "state_space",
    "steady_rotation",
]

__getattr__, __dir__ = lazy_names(__name__, {"supple.linear.campbell_diagram": ("campbell",)})
