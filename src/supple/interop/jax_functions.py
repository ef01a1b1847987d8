"""Functions of a model for JAX: they run on machine code of supple, and differentiate exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError
from supple.interop.differentiable import Differentiable
from supple.model.model import Model


@checked
def jax_function(model: Model, what: str, *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """One of the model's functions for JAX: `jit`, `vmap`, `jvp`, `vjp`, `grad` and `jacobian` work on it.

    A batch made by `vmap` is one call of the compiled batch function. First derivatives are exact; second derivatives
    are not there. Nothing is compiled by XLA but the call itself.

    Parameters
    ----------
    model : Model
    what : str
        As for `Model.compile`, but no rollout; also "rk4", "semi_implicit_euler" and "leapfrog", one step
        (q, v, tau, dt) -> (q, v).
    parameters : sequence of str
        Numbers of the model that become one more argument.

    Returns
    -------
    function
        Of arrays (n,); gives one array, or a tuple where there are several results. What does not exist (a singular
        mass matrix) is infinity or NaN.

    Raises
    ------
    ImportError
        If JAX is not there.
    StateError
        If JAX has only numbers of single precision: set `jax.config.update("jax_enable_x64", True)` first.
    """
    try:
        import jax
        import jax.numpy as jnp
    except ImportError as error:
        raise ImportError("jax_function needs JAX: python -m pip install 'supple[jax]'") from error
    if not jax.config.jax_enable_x64:
        raise StateError('jax_function: expected double precision: jax.config.update("jax_enable_x64", True)')
    known = Differentiable(model, what, parameters)
    results = tuple(jax.ShapeDtypeStruct(shape, np.float64) for shape in known.outputs.values())
    slopes = tuple(
        jax.ShapeDtypeStruct((*shape, n), np.float64) for shape in known.outputs.values() for n in known.inputs.values()
    )

    def called(function: Callable[..., Any], shapes: Any, inputs: Sequence[Any]) -> Any:
        return jax.pure_callback(function, shapes, *inputs, vmap_method="broadcast_all")

    @jax.custom_jvp
    def evaluate(*inputs: Any) -> Any:
        return called(known.values, results, inputs)

    @evaluate.defjvp
    def tangent(inputs: Any, changes: Any) -> Any:
        found = evaluate(*inputs)
        J, n = called(known.jacobians, slopes, inputs), len(known.inputs)
        moved = []
        for i in range(len(results)):
            terms = [jnp.tensordot(J[n * i + j], x, 1) for j, x in enumerate(changes)]
            moved.append(sum(terms[1:], start=terms[0]))
        return found, tuple(moved)

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(known.inputs):
            raise StateError(f"{what}: expected {', '.join(known.inputs)}, got {len(inputs)} arguments")
        arrays = [jnp.asarray(x, dtype=float) for x in inputs]
        arrays = [x.reshape(1) if x.ndim == 0 else x for x in arrays]
        for (name, n), x in zip(known.inputs.items(), arrays, strict=True):
            if x.shape != (n,):
                raise StateError(f"{what}: {name}: expected shape ({n},), got {x.shape}; vmap makes batches")
        found = evaluate(*arrays)
        return found if len(found) > 1 else found[0]

    function.__name__ = what
    function.__doc__ = f"{what} of model {model.name!r}: ({', '.join(known.inputs)}) -> ({', '.join(known.outputs)})."
    return function
