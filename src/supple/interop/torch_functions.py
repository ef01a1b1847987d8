"""Functions of a model for PyTorch: they run on machine code of supple, and differentiate exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError
from supple.interop.differentiable import Differentiable
from supple.model.functions.holes import require_made
from supple.model.model import Model


@checked
def torch_function(
    model: Model, what: str, *, parameters: Sequence[str] = (), frames: Sequence[str] | None = None
) -> Callable[..., Any]:
    """One of the model's functions for PyTorch: autograd, `torch.func.grad`, `jacrev`, `jvp` and `vmap` work on it.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions (docs/functions.md).
    parameters : sequence of str
        Numbers of the model that become one more argument.
    frames : sequence of str, optional
        As for `Model.compile`.

    Returns
    -------
    function
        Of tensors (..., n) of double precision on the processor, whose leading axes broadcast; gives one tensor, or a
        tuple where there are several results. First derivatives are exact, and
        `backward` goes in reverse through the blocks; second derivatives are not there.

    Raises
    ------
    ImportError
        If PyTorch is not there.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError("torch_function needs PyTorch: python -m pip install 'supple[torch]'") from error
    require_made(model, what, "torch")
    known = Differentiable(model, what, parameters, frames)
    own = [len(shape) for shape in known.outputs.values()]

    def numbers(inputs: Sequence[Any]) -> list[Any]:
        return [x.detach().numpy() for x in inputs]

    class Evaluation(torch.autograd.Function):  # type: ignore[misc]
        """Values, and products with the Jacobians."""

        @staticmethod
        def forward(*inputs: Any) -> Any:
            return tuple(torch.from_numpy(np.array(x)) for x in known.values(*numbers(inputs)))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            inputs = ctx.saved_tensors
            found = Weighted.apply(*inputs, *weights)
            return tuple(y.sum_to_size(*x.shape) for x, y in zip(inputs, found, strict=True))

        @staticmethod
        def jvp(ctx: Any, *changes: Any) -> Any:
            inputs = ctx.saved_tensors
            J, n = Jacobians.apply(*inputs), len(inputs)
            moved = []
            for i, count in enumerate(own):
                terms = [
                    (J[n * i + j] * x.reshape(*x.shape[:-1], *(1,) * count, x.shape[-1])).sum(-1)
                    for j, x in enumerate(changes)
                    if x is not None
                ]
                moved.append(sum(terms[1:], start=terms[0]))
            return tuple(moved)

        @staticmethod
        def vmap(info: Any, axes: Any, *inputs: Any) -> Any:
            return Evaluation.apply(*_leading(info, axes, inputs)), (0,) * len(known.outputs)

    class Weighted(torch.autograd.Function):  # type: ignore[misc]
        """Gradients of weighted sums of the results, which have no derivatives of their own."""

        @staticmethod
        def forward(*arrays: Any) -> Any:
            return tuple(torch.from_numpy(np.array(x)) for x in known.gradients(*numbers(arrays)))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(*output)

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            return (None,) * (len(known.inputs) + len(known.outputs))

        @staticmethod
        def vmap(info: Any, axes: Any, *arrays: Any) -> Any:
            return Weighted.apply(*_leading(info, axes, arrays)), (0,) * len(known.inputs)

    class Jacobians(torch.autograd.Function):  # type: ignore[misc]
        """Jacobians, which have no derivatives of their own."""

        @staticmethod
        def forward(*inputs: Any) -> Any:
            return tuple(torch.from_numpy(np.array(x)) for x in known.jacobians(*numbers(inputs)))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(*output)

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            return (None,) * len(known.inputs)

        @staticmethod
        def vmap(info: Any, axes: Any, *inputs: Any) -> Any:
            count = len(known.inputs) * len(known.outputs)
            return Jacobians.apply(*_leading(info, axes, inputs)), (0,) * count

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(known.inputs):
            raise StateError(f"{what}: expected {', '.join(known.inputs)}, got {len(inputs)} arguments")
        for name, x in zip(known.inputs, inputs, strict=True):
            if not isinstance(x, torch.Tensor) or x.dtype != torch.float64 or x.device.type != "cpu":
                raise StateError(f"{what}: {name}: expected a tensor of torch.float64 on the processor, got {x!r:.60}")
        found = Evaluation.apply(*(x.reshape(1) if x.ndim == 0 else x for x in inputs))
        return found if len(found) > 1 else found[0]

    function.__name__ = what
    function.__doc__ = f"{what} of model {model.name!r}: ({', '.join(known.inputs)}) -> ({', '.join(known.outputs)})."
    return function


def _leading(info: Any, axes: Any, inputs: Any) -> list[Any]:
    """Arguments with the axis of the batch first."""
    return [
        x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
        for x, axis in zip(inputs, axes, strict=True)
    ]
