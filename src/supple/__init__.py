"""Dynamics of rigid and flexible multibody systems.

Everything but the errors is imported when it is first asked for: a model that is built and evaluated loads neither the
readers of files nor those of results.
"""

from typing import TYPE_CHECKING

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
from supple.lazy import lazy_names
from supple.version import VERSION

if TYPE_CHECKING:
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
    from supple.description.orientation import orientation
    from supple.files import load, save
    from supple.identification.fitting import fit
    from supple.inputs import PID, FmuController, LinearController, Sampled, Table, Wrench
    from supple.inputs.events import Event
    from supple.inputs.inputs import Motion
    from supple.inputs.requests import Outputs
    from supple.linear_theory.validity import validity
    from supple.model.mechanism import Mechanism
    from supple.model.model import Model
    from supple.optimization.optimizing import optimize
    from supple.results.pandas_tables import to_pandas
    from supple.rigid_body import RigidBody
    from supple.simulation.gradient import gradient
    from supple.simulation.horizon import Horizon
    from supple.simulation.recording import open_results
    from supple.simulation.simulate import simulate
    from supple.simulation.simulator import Simulator
    from supple.simulation.stress_peaks import stress_peaks
    from supple.sweeps.parameter_sweep import open_sweep, sweep
    from supple.symbolic.counts import count_operations
    from supple.symbolic.routes import equations
    from supple.view.film.render import render
    from supple.view.live.widget import live
    from supple.view.notebook import show

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
    "FmuController",
    "Free",
    "Gear",
    "Helical",
    "Horizon",
    "Limit",
    "LinearController",
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
    "Wrench",
    "count_operations",
    "equations",
    "fit",
    "gradient",
    "live",
    "load",
    "open_results",
    "open_sweep",
    "optimize",
    "orientation",
    "render",
    "save",
    "show",
    "simulate",
    "stress_peaks",
    "sweep",
    "to_pandas",
    "validity",
]

_HOMES = {
    "supple.description.constraints": ("Distance", "Gear", "PointOnLine", "PointOnPlane", "Rolling"),
    "supple.description.joints": (
        "BuildingBlock",
        "Cylindrical",
        "Fixed",
        "Free",
        "Helical",
        "Planar",
        "Prismatic",
        "Revolute",
        "Spherical",
        "Universal",
    ),
    "supple.description.limits": ("Limit",),
    "supple.description.orientation": ("orientation",),
    "supple.files": ("load", "save"),
    "supple.view.film.render": ("render",),
    "supple.identification.fitting": ("fit",),
    "supple.inputs": ("PID", "FmuController", "LinearController", "Sampled", "Table", "Wrench"),
    "supple.inputs.events": ("Event",),
    "supple.inputs.inputs": ("Motion",),
    "supple.inputs.requests": ("Outputs",),
    "supple.model.mechanism": ("Mechanism",),
    "supple.model.model": ("Model",),
    "supple.optimization.optimizing": ("optimize",),
    "supple.results.pandas_tables": ("to_pandas",),
    "supple.rigid_body": ("RigidBody",),
    "supple.simulation.gradient": ("gradient",),
    "supple.simulation.horizon": ("Horizon",),
    "supple.simulation.recording": ("open_results",),
    "supple.simulation.simulate": ("simulate",),
    "supple.simulation.simulator": ("Simulator",),
    "supple.simulation.stress_peaks": ("stress_peaks",),
    "supple.linear_theory.validity": ("validity",),
    "supple.sweeps.parameter_sweep": ("open_sweep", "sweep"),
    "supple.symbolic.counts": ("count_operations",),
    "supple.symbolic.routes": ("equations",),
    "supple.view.live.widget": ("live",),
    "supple.view.notebook": ("show",),
}
"""Modules, and the public names that are defined there."""
_PARTS = (
    "bench",
    "compare",
    "erls",
    "export",
    "files",
    "film",
    "identification",
    "inputs",
    "integrators",
    "interop",
    "linear",
    "optimization",
    "results",
    "shapes",
    "simulation",
    "structures",
    "sweeps",
    "symbolic",
    "view",
)
"""Packages and modules that are found as attributes."""
__getattr__, __dir__ = lazy_names(__name__, _HOMES, _PARTS)
