"""Dynamics of rigid and flexible multibody systems."""

from supple.description.constraints import Distance, Gear, PointOnLine, PointOnPlane, Rolling
from supple.description.joints import (
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
from supple.description.limits import Limit
from supple.errors import (
    AssemblyError,
    AssemblyWarning,
    FileFormatError,
    ModelError,
    OmissionWarning,
    PerformanceWarning,
    PhysicsWarning,
    ResultsError,
    ResultsWarning,
    SimulationError,
    SingularError,
    StateError,
    SuppleError,
)
from supple.files import load, save
from supple.inputs import PID, Sampled, Table
from supple.inputs.events import Event
from supple.inputs.inputs import Motion
from supple.inputs.requests import Outputs
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.rigid_body import RigidBody
from supple.simulation.horizon import Horizon
from supple.simulation.recording import open_results
from supple.simulation.simulate import simulate
from supple.simulation.simulator import Simulator
from supple.symbolic.counts import count_operations
from supple.symbolic.routes import equations
from supple.version import VERSION

__version__ = VERSION

__all__ = [
    "PID",
    "AssemblyError",
    "AssemblyWarning",
    "BuildingBlock",
    "Cylindrical",
    "Distance",
    "Event",
    "FileFormatError",
    "Fixed",
    "Free",
    "Gear",
    "Helical",
    "Horizon",
    "Limit",
    "Mechanism",
    "Model",
    "ModelError",
    "Motion",
    "OmissionWarning",
    "Outputs",
    "PerformanceWarning",
    "PhysicsWarning",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "ResultsError",
    "ResultsWarning",
    "Revolute",
    "RigidBody",
    "Rolling",
    "Sampled",
    "SimulationError",
    "Simulator",
    "SingularError",
    "Spherical",
    "StateError",
    "SuppleError",
    "Table",
    "Universal",
    "count_operations",
    "equations",
    "load",
    "open_results",
    "save",
    "simulate",
]
