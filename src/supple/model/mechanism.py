"""A mechanism: described part by part, then built."""

from __future__ import annotations

from supple.description.description import Description
from supple.description.rewriting import merged
from supple.errors import ModelError
from supple.model.model import Model


class Mechanism(Description):
    """A mechanism being described.

    Parameters
    ----------
    name : str
    gravity : (3,) array_like
        m/s^2, in the ground frame.

    Examples
    --------
    >>> from supple import Revolute, RigidBody
    >>> mech = Mechanism("pendulum")
    >>> mech.add_body("arm", RigidBody(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0)), joint=Revolute("y"))
    >>> model = mech.build()
    >>> model.coordinates
    ('arm.angle',)
    """

    def build(self, merge_fixed: bool = False) -> Model:
        """Return the frozen model.

        Parameters
        ----------
        merge_fixed : bool
            Make bodies on fixed joints part of the body that carries them; their names go on as names of frames. Their
            joint wrenches are then not available.
        """
        if not self.bodies:
            raise ModelError(f"mechanism {self.name!r}: expected at least one body, got none")
        return Model(merged(self) if merge_fixed else self.copy())
