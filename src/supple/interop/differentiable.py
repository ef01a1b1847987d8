"""A function of a model with its derivatives by all arguments, for automatic differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.model.model import Model
from supple.model.traced_functions import signature

Numbers = NDArray[np.float64]


class Differentiable:
    """Values, and Jacobians by the arguments themselves.

    Compiled derivatives by q are in the directions of the speeds, dq = S x. Here they are by the entries of q:
    f_q = f_x S^+, with the pseudoinverse of S. What changes the length of a quaternion changes no rotation, and so no
    result: that direction has a zero column.

    Parameters
    ----------
    model : Model
    what : str
        As for `Model.compile`, but no rollout.
    parameters : sequence of str
        Numbers of the model that become one more argument.

    Attributes
    ----------
    inputs : dict of str to int
        Names and lengths of the arguments.
    outputs : dict of str to tuple of int
        Names and shapes of the results.
    """

    def __init__(self, model: Model, what: str, parameters: Sequence[str] = ()) -> None:
        self.model, self.what, self.parameters = model, what, tuple(parameters)
        self.inputs, self.outputs = signature(model, what, self.parameters)
        self._value = model.compile(what, parameters=self.parameters)

    @cached_property
    def _slopes(self) -> Any:
        return self.model.compile(self.what, parameters=self.parameters, derivatives=[*self.inputs])

    def values(self, *inputs: Any) -> tuple[Numbers, ...]:
        """The results for arrays (..., n), in order."""
        found = self._value(*(np.asarray(x, dtype=float) for x in inputs))
        return found if isinstance(found, tuple) else (found,)

    def jacobians(self, *inputs: Any) -> tuple[Numbers, ...]:
        """Derivatives of the first result by each argument, then of the next: arrays (..., *shape, n)."""
        arrays = [np.asarray(x, dtype=float) for x in inputs]
        slopes = self._slopes(*arrays)[len(self.outputs) :]
        back = self._to_speeds(arrays[0]) if "q" in self.inputs else None
        by = [*self.inputs] * len(self.outputs)
        return tuple(
            _times(slope, back) if name == "q" and back is not None else slope
            for name, slope in zip(by, slopes, strict=True)
        )

    def _to_speeds(self, q: Numbers) -> Numbers | None:
        """S^+ (..., nv, nq), or None where coordinates are their own directions."""
        if self._plain:
            return None
        return np.asarray(np.linalg.pinv(self.model.tangent(q)))

    @cached_property
    def _plain(self) -> bool:
        """Whether the rate of every coordinate is a speed."""
        places = self.model.q_of_speed
        return self.model.nq == self.model.nv and bool((np.asarray(places) == np.arange(self.model.nv)).all())


def _times(slope: Numbers, back: Numbers) -> Numbers:
    """Derivatives (..., *shape, nv) in directions of speeds as derivatives by coordinates."""
    own = slope.ndim - (back.ndim - 2) - 1  # axes of the result
    wide = back.reshape(*back.shape[:-2], *(1,) * max(own - 1, 0), *back.shape[-2:])
    if own == 0:
        return np.asarray((slope[..., None, :] @ wide)[..., 0, :])
    return np.asarray(slope @ wide)
