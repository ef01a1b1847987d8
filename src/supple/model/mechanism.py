"""A mechanism: described part by part, then built."""

from __future__ import annotations

from supple.call_checks import checked
from supple.description.description import Description
from supple.description.editing import EditableDescription
from supple.description.overview import overview, summary
from supple.description.rewriting import merged
from supple.errors import ModelError, unexpected
from supple.model.model import Model


@checked
class Mechanism(EditableDescription):
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

    @classmethod
    def of(cls, model: Model) -> Mechanism:
        """The mechanism that a model was made of, to be changed by itself: that of a file, say.

        Examples
        --------
        >>> from supple import RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(1.0, (0, 0, -0.5)))
        >>> longer = Mechanism.of(mech.build())
        >>> longer.add_body("tip", RigidBody(0.2), "arm", at=(0, 0, -1))
        >>> longer.build().bodies
        ('arm', 'tip')
        """
        if not isinstance(getattr(model, "description", None), Description):
            raise unexpected("Mechanism.of", "a Model", model)
        return model.description.copied_to(cls(model.name, model.description.gravity))

    def __repr__(self) -> str:
        return f"<supple mechanism {self.name!r}: {summary(self)}>"

    def _repr_html_(self) -> str:
        return overview(self, f"Mechanism {self.name}: {summary(self)}")

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
