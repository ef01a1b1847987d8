"""Kane's method in vectors and dyadics, as Sayers (1991) orders it: describe a system, get its equations."""

from supple.symbolic.kane.building_block import KaneJoint, MassProperties
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.kane_model import KaneModel
from supple.symbolic.kane.kane_system import KaneSystem

__all__ = ["KaneBody", "KaneJoint", "KaneModel", "KaneSystem", "MassProperties"]
