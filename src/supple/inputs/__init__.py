"""What acts on a model while it moves: generalized forces, controllers, prescribed motions."""

from supple.inputs.controllers import PID, Sampled
from supple.inputs.fmu_controllers import FmuController
from supple.inputs.linear_controllers import LinearController
from supple.inputs.tables import Table
from supple.inputs.wrenches import Wrench

__all__ = ["PID", "FmuController", "LinearController", "Sampled", "Table", "Wrench"]
