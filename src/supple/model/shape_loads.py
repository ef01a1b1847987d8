"""Loads on further shapes of flexible bodies in a motion: of second order, or static ones (`structures.static_shapes`).

The stiffness of a body under load is K - sum_k Q_k C_k (see `structures.second_order`), with Q_k the work of all loads
on a unit of shape b_k: its inertia in the motion, gravity, and what joints, springs, wrenches and constraints do to it.
That is the generalized force that would hold b_k still if it were a coordinate of its own. A model that has all b_k as
such, at rest in zero, gives it by inverse dynamics, without a word about where the loads come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.checks import Floats, Ints
from supple.model.flatten import name_states
from supple.model.loops.closure_arrays import closure_arrays
from supple.model.loops.sweeps import ConstraintSweeps
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.modal_integrals import Pairs
from supple.structures.discretization.mass import Sparse

if TYPE_CHECKING:
    from supple.description.description import Description
    from supple.model.model import Model

MANY = 8
"""Bodies from which on machine code is worth making."""


class FurtherShapes(NamedTuple):
    """Shapes of a body that are no coordinates of it.

    Attributes
    ----------
    shapes : (6 k, r) array
        Rotation and displacement of all nodes.
    frames : dict of str to (6, r) array
        The same of the named frames.
    E, X : (r, 3) and (r, 3, 3) arrays
        int b and int x b*.
    mass_cross : (n, r) array
        Psi* M b.
    """

    shapes: Floats
    frames: dict[str, Floats]
    E: Floats
    X: Floats
    mass_cross: Floats


class _Watched(NamedTuple):
    """A body with further shapes: where its modes are among the speeds, and the shapes in the loaded model."""

    mass_cross: Floats
    modes: Ints
    shapes: Ints


def second_order_shapes(body: FlexibleBody) -> FurtherShapes | None:
    """The shapes of second order of a body; None if it has none."""
    x = body.second_order
    if x is None:
        return None
    frames = {name: frame.second for name, frame in body.frames.items()}
    return FurtherShapes(x.shapes, frames, x.E, x.X, x.mass_cross)


def static_shapes(body: FlexibleBody) -> FurtherShapes | None:
    """What the coordinates of a body leave of static deflections; None where it is not known, or nothing is left."""
    x = None if body.recovery is None else body.recovery.static
    return None if x is None or x.count == 0 else FurtherShapes(x.shapes, x.frames, x.E, x.X, x.mass_cross)


class ShapeLoads:
    """Loads on further shapes of all flexible bodies of a model that have any, those of second order by default.

    Parameters
    ----------
    model : Model
    open_tree : function
        Makes a model of a mechanism with its loops left open: its constraints have frames, and no equations.
    further : function
        Gives the shapes of a body.

    Attributes
    ----------
    bodies : tuple of str
        Those that have such shapes.
    """

    def __init__(
        self,
        model: Model,
        open_tree: Callable[[Description], Model],
        further: Callable[[FlexibleBody], FurtherShapes | None] = second_order_shapes,
    ) -> None:
        self.model = model

        @cache  # one body in many places stays one
        def found(body: FlexibleBody) -> FurtherShapes | None:
            return further(body) if body.modes > 0 else None

        @cache
        def extended(body: FlexibleBody) -> FlexibleBody:
            return _extended(body, found(body))

        shapes = {
            name: found(x.body) if isinstance(x.body, FlexibleBody) else None
            for name, x in model.description.bodies.items()
        }
        self.bodies = tuple(name for name, x in shapes.items() if x is not None)
        self._watched: dict[str, _Watched] = {}
        if not self.bodies:
            return
        description = model.description.copy()
        for name, placed in description.bodies.items():
            if isinstance(placed.body, FlexibleBody):
                description.bodies[name] = replace(placed, body=extended(placed.body), stiffening=False)
        self._loaded = open_tree(description)
        self._q = _places(model.coordinates, self._loaded.coordinates)
        self._v = _places(model.speeds, self._loaded.speeds)
        flex, loaded = model.flex, self._loaded.flex
        assert flex is not None
        assert loaded is not None
        for name, own in shapes.items():
            if own is not None:
                k = model.bodies.index(name) + 1
                n = int(flex.modes[k])
                modes, places = int(flex.v_mode[k]) + np.arange(n), int(loaded.v_mode[k]) + n + np.arange(len(own.E))
                self._watched[name] = _Watched(own.mass_cross, modes, places)

    def __call__(
        self,
        q: Floats,
        v: Floats,
        a: Floats,
        external: Mapping[str, ArrayLike] | None = None,
        constraint_forces: Floats | None = None,
    ) -> dict[str, Floats]:
        """Q (states, shapes) of each body, in a motion (states, ...).

        Parameters
        ----------
        q, v, a : (states, nq), (states, nv), (states, nv) arrays
        external : mapping of frame to (states, 6) array_like, optional
            Moment and force applied at frames, in their axes.
        constraint_forces : (states, rows) array, optional
            Of closed loops, as `Loops.forces` gives them.
        """
        if not self.bodies:
            return {}
        # Complex numbers take the twin of the recursion that needs no compiler; its time grows with the bodies.
        x = np.zeros((len(q), self._loaded.nq), np.complex128 if len(self.bodies) < MANY else np.float64)
        speeds, rates = np.zeros((2, len(q), self._loaded.nv))
        x[:, self._q], speeds[:, self._v], rates[:, self._v] = q, v, a
        force = -self._loaded.inverse_dynamics(x, speeds, rates, external).real
        if constraint_forces is not None:
            force = force + np.einsum("sri,sr->si", self._constraints.jacobian(x.real.copy()), constraint_forces)
        return {name: force[:, w.shapes] - a[:, w.modes] @ w.mass_cross for name, w in self._watched.items()}

    @cached_property
    def _constraints(self) -> ConstraintSweeps:
        """The constraint equations of the model, of the loaded one."""
        loops, loaded = self.model.loops, self._loaded
        assert loops is not None
        every = closure_arrays(loaded.description, name_states(loaded.description), loaded.tree)
        rows = {key: x[loops.moved] for key, x in every._asdict().items() if key.startswith("row_")}
        return ConstraintSweeps(loaded, every._replace(**rows))


def _extended(body: FlexibleBody, x: FurtherShapes | None) -> FlexibleBody:
    """A body whose further shapes are coordinates; inertia forces of deformation on deformation are left out."""
    n = body.modes
    k = 0 if x is None else len(x.E)
    none = Pairs(np.zeros(n + k + 1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3, 3)))
    if x is None:
        return replace(body, integrals=replace(body.integrals, N=none))
    whole = replace(
        body.integrals,
        E=np.concatenate([body.integrals.E, x.E]),
        X=np.concatenate([body.integrals.X, x.X]),
        N=none,
    )
    frames = {
        name: replace(frame, shape=np.concatenate([frame.shape, x.frames[name]], axis=1), second=np.zeros((6, 0)))
        for name, frame in body.frames.items()
    }
    return FlexibleBody(
        basis=body.basis,
        root=body.root,
        labels=(*body.labels, *(f"further{i + 1}" for i in range(k))),
        frames=frames,
        nodes=body.nodes,
        turning=body.turning,
        shapes=scipy.sparse.csr_array(scipy.sparse.hstack([body.shapes, scipy.sparse.csr_array(x.shapes)])),
        mass_matrix=_beside(body.mass_matrix, np.ones(k)),
        stiffness=_beside(body.stiffness, np.ones(k)),
        damping=_beside(body.damping, np.zeros(k)),
        integrals=whole,
    )


def _beside(matrix: Sparse, diagonal: Floats) -> Sparse:
    """A matrix with further entries on its diagonal."""
    n, k = matrix.shape[0], len(diagonal)
    first = np.concatenate([matrix.indptr, matrix.indptr[-1] + 1 + np.arange(k)])
    other = np.concatenate([matrix.indices, n + np.arange(k)])
    return scipy.sparse.csr_array((np.concatenate([matrix.data, diagonal]), other, first), shape=(n + k, n + k))


def _places(names: Sequence[str], others: Sequence[str]) -> Ints:
    """Where names stand among others."""
    place = {name: i for i, name in enumerate(others)}
    return np.array([place[name] for name in names], np.int64)
