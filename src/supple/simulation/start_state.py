"""The state at the start of a run: given as arrays or by name, prescribed as prescribed, its loops closed.

What is not given by name may be left to find a balance of forces, at rest or in steady rotation (`balanced_start`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.description.limits import Limit
from supple.errors import PhysicsWarning, StateError, nearest, warn
from supple.formulations import Formulation
from supple.model.arguments import named_vector
from supple.simulation.balanced_start import balanced
from supple.simulation.driven_system import DrivenSystem

Vector = NDArray[np.float64]
Values = ArrayLike | Mapping[str, float]
STARTS = ("given", "equilibrium", "steady")
"""What becomes of coordinates at the start that are not given."""


class Start(NamedTuple):
    """What a user says about the state at the start; what is not named is neutral and at rest.

    Attributes
    ----------
    q, v : array_like or mapping of name to number, optional
    guess : mapping of name to number, optional
        Coordinates from which loops are closed, besides those of q.
    kind : str
        One of `STARTS`.
    base : (nq,) array, optional
        Coordinates that neither names; neutral if not given.
    """

    q: Values | None = None
    v: Values | None = None
    guess: Mapping[str, float] | None = None
    kind: str = STARTS[0]
    base: Vector | None = None

    def bounded(self, model: Formulation, limits: Sequence[Limit]) -> Start:
        """Return the same start with coordinates that it does not name at the nearest value within their stops.

        One warning names those that cannot be neutral. What the start names stays, and is refused beyond a stop.
        """
        if self.q is not None and not isinstance(self.q, Mapping):
            return self
        base, moved = np.array(model.neutral(), dtype=float), []
        for x in limits:
            if x.coordinate in model.coordinates and x.coordinate not in {**(self.q or {}), **(self.guess or {})}:
                i = model.coordinates.index(x.coordinate)
                low, high = (-np.inf if x.lower is None else x.lower), (np.inf if x.upper is None else x.upper)
                if not low <= base[i] <= high:
                    base[i] = min(max(base[i], low), high)
                    moved.append(f"{x.coordinate} at {base[i]:g}")
        if not moved:
            return self
        said = f"start: {', '.join(moved)}: zero is beyond a limit; q gives another start"
        warn(said, PhysicsWarning)
        return self._replace(base=base)

    def open_state(self, model: Formulation) -> tuple[Vector, Vector]:
        """Coordinates and speeds as they were given, loops not yet closed."""
        if self.kind not in STARTS:
            raise StateError(
                f"start: expected one of {', '.join(STARTS)}, got {self.kind!r}{nearest(str(self.kind), STARTS)}"
            )
        if self.guess is not None and model.loops is None:
            raise StateError(f"guess: model {model.name!r} has no closed loops, got {self.guess!r}")
        if self.guess is not None and self.q is not None and not isinstance(self.q, Mapping):
            raise StateError("guess: an array q is a guess already, expected one of them, or q by name")
        base = model.neutral() if self.base is None else self.base
        q = named_vector(model.coordinates, self.guess or {}, "guess", base)
        q = q if self.q is None else named_vector(model.coordinates, self.q, "q", q)
        return q, np.zeros(model.nv) if self.v is None else named_vector(model.speeds, self.v, "v")

    def state(self, system: DrivenSystem, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state with its loops closed; what was named, and what is prescribed, keeps its value."""
        self._require_no_conflict(system, q, v)
        if self.kind != STARTS[0]:
            q = balanced(system, *system.start_state(q, v), self.q, self.kind == "steady")
        if system.model.loops is None:
            if len(system.model.quaternions) == 0:
                q = system.model.normalize(system.start_state(q, v)[0])
            return q, v
        prescribed = [name for name, x in zip(system.model.speeds, system.prescribed, strict=True) if x]
        kept = ([*_named_speeds(system.model, given), *prescribed] for given in (self.q, self.v))
        return closed_state(system.model, *system.start_state(q, v), *kept)

    def _require_no_conflict(self, system: DrivenSystem, q: Vector, v: Vector) -> None:
        """Refuse a start that contradicts a prescribed motion."""
        model = system.model
        q_1, v_1 = system.start_state(q, v)
        for given, names, before, after in ((self.q, model.coordinates, q, q_1), (self.v, model.speeds, v, v_1)):
            for i, name in enumerate(names):
                named = given is not None and (not isinstance(given, Mapping) or name in given)
                unit = name.split(".")[-1] in ("qx", "qy", "qz", "qw")  # of any length
                if named and not unit and abs(before[i] - after[i]) > 1e-6 * max(1.0, abs(after[i])):
                    raise StateError(
                        f"{name!r}: starts at {before[i]:g}, but its prescribed motion starts at {after[i]:g}"
                    )


def closed_state(
    model: Formulation, q: Vector, v: Vector, held: Sequence[str], held_speeds: Sequence[str]
) -> tuple[Vector, Vector]:
    """Coordinates and speeds with all loops closed.

    Parameters
    ----------
    held : sequence of str
        Speeds whose coordinates keep their values.
    held_speeds : sequence of str
        Speeds that keep their values.
    """
    if model.loops is None:
        return q, v
    q = model.loops.assemble(q, held)
    return q, model.loops.consistent(q, v, held_speeds)


def _named_speeds(model: Formulation, given: Values | None) -> list[str]:
    """Speeds whose coordinates, or which themselves, were given by name: an assembly leaves them as they are."""
    return [name for name in given if name in model.speeds] if isinstance(given, Mapping) else []
