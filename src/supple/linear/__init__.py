"""Small motions: static equilibrium, natural modes, state-space models."""

from supple.linear.modes_report import modes_report
from supple.linear.small_motions import LinearEquations, linear_equations
from supple.linear.state import StateSpace, state_space
from supple.linear.statics import Equilibrium, EquilibriumError, equilibrium
from supple.linear.vibration import Modes, modes

__all__ = [
    "Equilibrium",
    "EquilibriumError",
    "LinearEquations",
    "Modes",
    "StateSpace",
    "equilibrium",
    "linear_equations",
    "modes",
    "modes_report",
    "state_space",
]
