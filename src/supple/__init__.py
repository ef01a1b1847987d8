"""Dynamics of rigid and flexible multibody systems."""

from supple.errors import (
    FileFormatError,
    ModelError,
    PerformanceWarning,
    PhysicsWarning,
    SimulationError,
    SingularError,
    StateError,
    SuppleError,
)
from supple.files import load, save
from supple.model.bodies import RigidBody
from supple.model.joints import (
    BuildingBlock,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.simulation.generalized_alpha import GeneralizedAlpha
from supple.simulation.run import simulate
from supple.symbolic.counts import count_operations

__version__ = "0.1.0"

__all__ = [
    "BuildingBlock",
    "Cylindrical",
    "FileFormatError",
    "Fixed",
    "Free",
    "GeneralizedAlpha",
    "Helical",
    "Mechanism",
    "Model",
    "ModelError",
    "PerformanceWarning",
    "PhysicsWarning",
    "Planar",
    "Prismatic",
    "Revolute",
    "RigidBody",
    "SimulationError",
    "SingularError",
    "Spherical",
    "StateError",
    "SuppleError",
    "Universal",
    "count_operations",
    "load",
    "save",
    "simulate",
]
