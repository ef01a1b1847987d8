"""What a model is before anything is computed: frozen arrays, names, and checks of what its functions are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.description.overview import coordinates, overview, summary
from supple.errors import ModelError, SingularError, StateError, nearest
from supple.model.arguments import batch, index_of
from supple.model.body_frames import BodyFrame
from supple.model.evaluation import Evaluation
from supple.model.flatten import body_frame, flatten, name_states, named_frames, numbering
from supple.model.one_state import OneState
from supple.recursions.tree import QUATERNION, Flex, Tree
from supple.recursions.workspaces import borrow
from supple.rigid_body import RigidBody

if TYPE_CHECKING:
    from supple.description.description import Description
    from supple.description.members import Coupling
    from supple.model.loops.loops import Loops

Numbers = NDArray[Any]
NULL = 1e-150
"""Largest entry of a quaternion below which its square is not a number to divide by."""


class FrozenModel:
    """The arrays and names of a model.

    Attributes
    ----------
    description : Description
        What it was made from.
    tree : Tree
    flex : Flex or None
        Of its flexible bodies.
    is_mode : (nv,) array of bool
        Speeds that are rates of modal coordinates.
    evaluation : Evaluation
        Its recursions on batches of states.
    loops : Loops or None
    """

    loops: Loops | None

    def __init__(self, description: Description, like: Flex | None = None) -> None:
        self.description = description
        self.name: str = description.name
        self.bodies: tuple[str, ...] = tuple(description.bodies)
        self.tree: Tree
        self.flex: Flex | None
        self.tree, self.flex = flatten(description, like)
        names = name_states(description)
        self.coordinates: tuple[str, ...] = names.coordinates
        self.speeds: tuple[str, ...] = names.speeds
        self.coordinate_units: tuple[str, ...] = names.coordinate_units
        self.speed_units: tuple[str, ...] = names.speed_units
        self.couplings: tuple[Coupling, ...] = tuple(description.couplings)
        self.nq: int = len(self.coordinates)
        self.nv: int = len(self.speeds)
        self.evaluation = Evaluation(self.tree, self.flex, self.nq)
        self._frames: dict[str, BodyFrame] = named_frames(description)
        self._unloaded: Numbers = np.zeros((1, len(self.bodies) + 1, 6))
        self._quaternion_places: NDArray[np.intp] = np.add.outer(self.quaternions, range(4)).astype(np.intp)
        self._quaternion_ends = self._quaternion_places[:, 3].copy()
        self._one = OneState(self.evaluation, self.bodies, self._quaternion_ends.tolist())
        self.is_mode: NDArray[np.bool_] = np.zeros(self.nv, dtype=np.bool_)
        for k in range(1, len(self.bodies) + 1):
            self.is_mode[self.tree.v_mode[k] : self.tree.v_first[k + 1]] = True
        self.is_mode.flags.writeable = False
        self.loops = None

    def __repr__(self) -> str:
        return f"<supple model {self.name!r}: {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv}>"

    def _repr_html_(self) -> str:
        title = f"Model {self.name}: {summary(self.description)}, {self.nq:,} coordinates, {self.nv:,} speeds"
        return overview(self.description, title, coordinates(self.coordinates))

    def __eq__(self, other: object) -> bool:
        """Same names and the same numbers everywhere."""
        if not isinstance(other, FrozenModel):
            return NotImplemented
        return (
            (self.name, self.bodies, self.coordinates, self.speeds, self.couplings)
            == (other.name, other.bodies, other.coordinates, other.speeds, other.couplings)
            and self.arrays().keys() == other.arrays().keys()
            and all(np.array_equal(x, other.arrays()[name]) for name, x in self.arrays().items())
            and self._frames.keys() == other._frames.keys()
            and all(self._frames[name] == other._frames[name] for name in self._frames)
        )

    def __hash__(self) -> int:
        """Of the names: equal models have the same."""
        return hash((self.name, self.bodies, self.coordinates, self.speeds))

    @property
    def _where(self) -> str:
        """First words of messages."""
        return f"model {self.name!r}"

    @property
    def none_prescribed(self) -> NDArray[np.bool_]:
        """(nv,) no speed, as a new array: what is passed on where no acceleration is prescribed."""
        return np.zeros(self.nv, dtype=np.bool_)

    @property
    def q_of_speed(self) -> NDArray[np.int64]:
        """(nv,) the coordinate whose rate each speed is; -1 for speeds in body axes."""
        return self.tree.q_of_speed

    @property
    def quaternions(self) -> list[int]:
        """Where in q each quaternion begins."""
        return [int(i) for i in self.tree.q_rotation[self.tree.rotation_kind == QUATERNION]]

    @property
    def mass(self) -> float:
        """Mass of all bodies, kg."""
        return float(self.tree.mass.sum())

    def arrays(self) -> dict[str, Numbers]:
        """All numbers of the model, by the names of `recursions.tree`, and those of rigid bodies as they were given.

        The latter do not follow from the former: m c is zero for a massless body, whose mass may be a parameter.
        """
        parts = self.tree._asdict() | (self.flex._asdict() if self.flex is not None else {})
        parts |= {f"frame {name}": x for name, x in parts.pop("frames")._asdict().items()}
        parts |= self.loops.arrays._asdict() if self.loops is not None else {}
        for name, placed in self.description.bodies.items():
            if isinstance(placed.body, RigidBody):
                numbers = np.array([placed.body.mass, *placed.body.com, *placed.body.inertia.flat])
                numbers.flags.writeable = False
                parts[f"{name}: mass, com, inertia"] = numbers
        return parts

    # ------------------------------------------------------------ names

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames: the ground, the bodies, and the named places on them."""
        return tuple(self._frames)

    def find_frame(self, name: str) -> BodyFrame:
        """A frame by its name: "body", "body/place", or "body/12" for a node of a flexible body."""
        if not isinstance(name, str):
            raise StateError(f"model {self.name!r}: frame: expected a name, got {name!r}")
        found = self._frames.get(name)
        if found is not None:
            return found
        try:
            return body_frame(self.description, name, numbering(self.description))
        except ModelError:
            raise StateError(f"model {self.name!r}: no frame {name!r}{nearest(name, self._frames)}") from None

    def speed_index(self, name: str) -> int:
        """Place of a speed in v, by its name."""
        return index_of(self.speeds, name, "speed")

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q, by its name."""
        return index_of(self.coordinates, name, "coordinate")

    # ------------------------------------------------------------ arguments and working arrays

    def batch(self, **parts: tuple[ArrayLike, int]) -> tuple[list[Numbers], tuple[int, ...], Any]:
        """Arrays as one batch (see `inputs.batch`), its leading axes and type."""
        arrays, shape, dtype = batch(self._where, parts)
        if len(self._quaternion_ends) and next(iter(parts)) == "q":
            self._refuse_null_quaternion(arrays[0])
        return arrays, shape, dtype

    def _refuse_null_quaternion(self, q: Numbers) -> None:
        """Refuse coordinates (states, nq) with a quaternion of no length, which is no rotation."""
        w = q.take(self._quaternion_ends, axis=1)
        if (w * w).all():  # almost always
            return
        null = np.abs(q[:, self._quaternion_places]).max(axis=-1) < NULL
        if null.any():
            first = self.coordinates[self._quaternion_places[int(np.flatnonzero(null.any(axis=0))[0]), 0]]
            raise StateError(
                f"model {self.name!r}: q: joint of {first.split('.')[0]!r}: expected a quaternion, got one of length "
                "zero, which is no rotation; that of no rotation is 0, 0, 0, 1"
            )

    def workspace(self, dtype: Any) -> borrow:
        """Working arrays for numbers of this type, to be used in a `with` block alone."""
        return self.evaluation.workspace(dtype)

    def no_wrench(self, dtype: Any) -> Numbers:
        """Zero wrenches (1, n + 1, 6) on all bodies."""
        return self._unloaded if dtype == np.float64 else self._unloaded.astype(dtype)

    def refuse_singular(self, fault: int) -> None:
        """Refuse a tree with a degree of freedom that has no inertia: 1 + its number, or 0 if there is none."""
        if not fault:
            return
        speed = self.speeds[fault - 1]
        body = speed.split(".")[0]
        raise SingularError(
            f"model {self.name!r}: joint of {body!r}: nothing resists the speed {speed!r} in this configuration "
            "(articulated inertia D is zero to rounding, or NaN where numbers overflow); give "
            f"{body!r} or the bodies it carries mass or inertia, or the joint an inertia"
        )
