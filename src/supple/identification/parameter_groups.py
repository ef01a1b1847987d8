"""Base parameters: the combinations of inertial parameters that generalized forces can tell apart.

The columns of the regressor, stacked for many states, depend on each other (Gautier and Khalil, 1990). Those that are
not combinations of earlier columns are kept; the others are grouped with them. Columns come body by body from the
ground outward, so that parameters of outer bodies are grouped with those of inner ones, as they are by hand, with
lengths and their squares as factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.checks import Floats, generator
from supple.errors import StateError, unexpected
from supple.html_tables import html_table
from supple.linear.start import held_speeds
from supple.model.model import Model
from supple.recursions.regressor import PARAMETERS

UNSEEN = 1e-10
"""A column whose norm is smaller, against the largest, is rounding."""
DEPENDENT = 1e-8
"""What is left of a unit column that depends on others, at most: its rounding, enlarged by their condition."""
FACTOR = 1e-7
"""Factors of a grouping that are smaller, against those of its column, are rounding."""
OVERSAMPLING = 4
"""Equations that are stacked for each parameter."""


@checked
@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Combinations beta = K pi of inertial parameters pi that generalized forces depend on, each on its own.

    Attributes
    ----------
    parameters : tuple of str
        Names of pi, as `Model.inertial_parameters` has them.
    names : tuple of str
        Of the parameters that lead the combinations, each of which is in one of them alone.
    columns : (b,) array of int
        Where these stand among all: the columns of the regressor that are left, Y[..., columns] beta = Y pi.
    combinations : (b, parameters) array
        K.
    unidentifiable : tuple of str
        Parameters without any effect on the forces.
    condition : float
        Of the stacked columns that are left, each scaled to unit length: how well the motions excite them.
    """

    parameters: tuple[str, ...]
    names: tuple[str, ...]
    columns: NDArray[np.intp]
    combinations: Floats
    unidentifiable: tuple[str, ...]
    condition: float

    def __len__(self) -> int:
        return len(self.names)

    def values(self, parameters: ArrayLike | Mapping[str, float]) -> Floats:
        """Base parameters (..., b) of inertial parameters: a mapping of all by name, or (..., all) numbers."""
        missing = [x for x in self.parameters if isinstance(parameters, Mapping) and x not in parameters]
        if missing:
            raise StateError(f"parameters: expected a number for {missing[0]!r}, got none")
        given = [parameters[name] for name in self.parameters] if isinstance(parameters, Mapping) else parameters
        pi = np.asarray(given, dtype=float)
        if pi.shape[-1:] != (len(self.parameters),):
            raise StateError(f"parameters: expected (..., {len(self.parameters)}) numbers, got shape {pi.shape}")
        return pi @ self.combinations.T

    def groupings(self) -> dict[str, str]:
        """Each combination as text, by the parameter that leads it."""
        out = {}
        for i, name in enumerate(self.names):
            terms = [name]
            for j in np.flatnonzero(self.combinations[i]):
                if j != self.columns[i]:
                    x = self.combinations[i, j]
                    size = "" if abs(abs(x) - 1.0) < FACTOR else f"{abs(x):.6g} "
                    terms.append(f"{'-' if x < 0 else '+'} {size}{self.parameters[j]}")
            out[name] = " ".join(terms)
        return out

    def __str__(self) -> str:
        lines = [f"{len(self)} base parameters of {len(self.parameters)}"]
        lines += [f"{i:>4}  {text}" for i, text in enumerate(self.groupings().values(), 1)]
        if self.unidentifiable:
            lines.append(f"no effect: {', '.join(self.unidentifiable)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<supple base parameters: {len(self)} of {len(self.parameters)}>"

    def _repr_html_(self) -> str:
        rows = [(str(i), text) for i, text in enumerate(self.groupings().values(), 1)]
        note = f"no effect: {', '.join(self.unidentifiable)}" if self.unidentifiable else ""
        return html_table(
            f"{len(self)} base parameters of {len(self.parameters)}", ("number>", "combination"), rows, note
        )


@checked
def base_parameters(
    model: Model,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    joints: Sequence[str] = (),
    fixed: Iterable[str] = (),
    seed: int = 0,
) -> BaseParameters:
    """The base parameters of a model.

    Parameters
    ----------
    model : Model
        A tree; constraint forces of closed loops would be unknowns too.
    q, v, a : (n, nq), (n, nv), (n, nv) array_like, optional
        States and accelerations, such as those of a measured motion: what it cannot tell apart is then grouped as
        well. Without them, as many random ones as it takes.
    joints : sequence of str
        Numbers of joints that are parameters too: see `Model.regressor`.
    fixed : names
        Bodies whose joints do not move, or coordinates.
    seed : int
        Of the random states.

    Examples
    --------
    >>> from supple import Mechanism, Revolute, RigidBody
    >>> mech = Mechanism("pendulum", gravity=(0, 0, -9.81))
    >>> mech.add_body("arm", RigidBody(1.0, com=(0, 0, -0.5)), joint=Revolute("y"))
    >>> base_parameters(mech.build()).names
    ('arm.origin_inertia.yy', 'arm.first_moment.x', 'arm.first_moment.z')
    """
    if not isinstance(model, Model):
        raise unexpected("base parameters", "a Model", model)
    if model.loops is not None:
        raise StateError(f"model {model.name!r}: base parameters: expected a tree, got a model with closed loops")
    names = tuple(model.inertial_parameters(joints))
    if not names:
        raise StateError(f"model {model.name!r}: base parameters: expected rigid bodies, got flexible ones alone")
    moving = ~held_speeds(model, fixed)
    given = [x is not None for x in (q, v, a)]
    if all(given):
        Y = model.regressor(q, v, a, joints)  # type: ignore[arg-type]
    elif any(given):
        raise StateError("base parameters: expected all of q, v and a, or none")
    else:
        q, v, a = _random_motions(model, moving, len(names), seed)
        Y = model.regressor(q, v, a, joints)
    stacked = Y.reshape(-1, model.nv, len(names))[:, moving].reshape(-1, len(names))
    return _grouped(stacked, names)


def _random_motions(
    model: Model, moving: NDArray[np.bool_], parameters: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """States and accelerations (n, ...) that give enough equations; what does not move is as in neutral."""
    count = max(2, -(-OVERSAMPLING * parameters // int(moving.sum())))
    rng = generator(seed, "seed")
    states = [model.random_state(int(s)) for s in rng.integers(2**31, size=count)]
    q, v = np.array([x[0] for x in states]), np.array([x[1] for x in states])
    still = model.q_of_speed[~moving & (model.q_of_speed >= 0)]
    q[:, still] = model.neutral()[still]
    return q, np.where(moving, v, 0.0), np.where(moving, rng.normal(size=v.shape), 0.0)


def _grouped(stacked: Floats, names: tuple[str, ...]) -> BaseParameters:
    """The base parameters of a stacked regressor (equations, parameters)."""
    sizes = np.linalg.norm(stacked, axis=0)
    seen = sizes > UNSEEN * sizes.max(initial=0.0)
    scaled = np.where(seen, stacked / np.where(seen, sizes, 1.0), 0.0)
    kept = independent_columns(scaled, [i for i in _preferred(len(names), names) if seen[i]])
    rest = np.array([i for i in range(len(names)) if seen[i] and i not in set(kept)], dtype=np.intp)
    Q, R = scipy.linalg.qr(scaled[:, kept], mode="economic")
    factors = scipy.linalg.solve_triangular(R, Q.T @ scaled[:, rest])
    factors[np.abs(factors) < FACTOR] = 0.0
    combinations = np.zeros((len(kept), len(names)))
    combinations[np.arange(len(kept)), kept] = 1.0
    combinations[:, rest] = factors / sizes[kept][:, None] * sizes[rest]
    unseen = tuple(name for name, x in zip(names, seen, strict=True) if not x)
    condition = float(np.linalg.cond(R)) if len(kept) else 1.0
    return BaseParameters(names, tuple(names[i] for i in kept), np.array(kept), combinations, unseen, condition)


def independent_columns(A: Floats, order: Sequence[int]) -> list[int]:
    """The columns of A, taken in an order, that do not depend on those before; as many as its rank.

    Columns of A have unit length or are zero. The rank is that of QR with pivoting. Where the order given finds
    another, since columns are close to dependent, the columns are those that pivoting chose.
    """
    R, pivots = scipy.linalg.qr(A[:, order], mode="r", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > DEPENDENT))
    left = np.abs(np.diag(scipy.linalg.qr(A[:, order], mode="r")[0]))
    found = np.flatnonzero(left > DEPENDENT)
    chosen = found if len(found) == rank else np.sort(pivots[:rank])
    return [order[i] for i in chosen]


def _preferred(count: int, names: tuple[str, ...]) -> list[int]:
    """Columns in the order in which they lead groupings: those of joints, then body by body inertia, moment, mass."""
    bodies = sum(".origin_inertia." in name for name in names) // 6
    first = PARAMETERS * bodies
    own = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)
    return [*range(first, count), *(PARAMETERS * k + i for k in range(bodies) for i in own)]
