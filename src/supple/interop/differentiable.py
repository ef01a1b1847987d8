"""A function of a model with its derivatives by all arguments, for automatic differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.model.functions.table import chosen_frames, signature
from supple.model.gradients import Gradients
from supple.model.model import Model

Numbers = NDArray[np.float64]


class Differentiable:
    """Values, and Jacobians by the arguments themselves, whole or times weights.

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
    frames : sequence of str, optional
        As for `Model.compile`.

    Attributes
    ----------
    inputs : dict of str to int
        Names and lengths of the arguments.
    outputs : dict of str to tuple of int
        Names and shapes of the results.
    """

    def __init__(
        self, model: Model, what: str, parameters: Sequence[str] = (), frames: Sequence[str] | None = None
    ) -> None:
        self.model, self.what, self.parameters, self.frames = model, what, tuple(parameters), frames
        own = chosen_frames(model, what, frames)
        self.inputs, self.outputs = signature(model, what, self.parameters, (), own)
        self._value = model.compile(what, parameters=self.parameters, frames=frames)

    @cached_property
    def _slopes(self) -> Any:
        options: dict[str, Any] = {"parameters": self.parameters, "frames": self.frames}
        return self.model.compile(self.what, derivatives=[*self.inputs], **options)

    @cached_property
    def _gradient(self) -> Gradients:
        return Gradients(self.model, self.what, self.parameters, self.frames, as_arguments=True)

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

    def products(self, *arrays: Any) -> tuple[Numbers, ...]:
        """Changes of the results for changes of the arguments: inputs (..., n), then their changes."""
        count = len(self.inputs)
        inputs, changes = arrays[:count], [np.asarray(x, dtype=float) for x in arrays[count:]]
        J, found = self.jacobians(*inputs), []
        for i, shape in enumerate(self.outputs.values()):
            terms = [_applied(J[count * i + j], x, len(shape)) for j, x in enumerate(changes)]
            found.append(np.asarray(sum(terms[1:], start=terms[0])))
        return tuple(found)

    def gradients(self, *arrays: Any) -> tuple[Numbers, ...]:
        """Gradients of the weighted sum of the results by each argument, in reverse: inputs, then weights.

        A fraction of the work that whole Jacobians take.
        """
        count = len(self.inputs)
        inputs, weights = [np.asarray(x, dtype=float) for x in arrays[:count]], arrays[count:]
        flat = [
            np.reshape(w, (*np.shape(w)[: np.ndim(w) - len(shape)], -1))
            for w, shape in zip(weights, self.outputs.values(), strict=True)
        ]
        leading = np.broadcast_shapes(*(x.shape[:-1] for x in flat))
        both = np.concatenate([np.broadcast_to(x, (*leading, x.shape[-1])) for x in flat], axis=-1)
        by = self._gradient(*inputs, weights=both)
        back = self._to_speeds(inputs[0]) if "q" in self.inputs else None
        if back is not None:
            by["q"] = (by["q"][..., None, :] @ back)[..., 0, :]
        return tuple(by[name] for name in self.inputs)

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


def _applied(J: Numbers, x: Numbers, own: int) -> Numbers:
    """Derivatives (..., *shape, n), whose shape has `own` axes, times changes (..., n)."""
    return np.asarray((J * x.reshape(*x.shape[:-1], *(1,) * own, x.shape[-1])).sum(axis=-1))


def _times(slope: Numbers, back: Numbers) -> Numbers:
    """Derivatives (..., *shape, nv) in directions of speeds as derivatives by coordinates."""
    own = slope.ndim - (back.ndim - 2) - 1  # axes of the result
    wide = back.reshape(*back.shape[:-2], *(1,) * max(own - 1, 0), *back.shape[-2:])
    if own == 0:
        return np.asarray((slope[..., None, :] @ wide)[..., 0, :])
    return np.asarray(slope @ wide)
