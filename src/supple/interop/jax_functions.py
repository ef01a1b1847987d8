"""Functions of a model for JAX: they run on machine code of supple, and differentiate exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError
from supple.interop.differentiable import Differentiable
from supple.model.functions.holes import require_made
from supple.model.model import Model


def _jacobian_products(known: Differentiable) -> Any:
    """Return products with Jacobians as a primitive of JAX, whose transpose are gradients of weighted sums.

    Both take the arguments of the function, then what they are linear in, with the same leading axes.
    """
    import jax.numpy as jnp
    from jax import ShapeDtypeStruct, core, pure_callback
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    count = len(known.inputs)
    inner = [1] * count
    linear = {"products": inner, "gradients": [len(shape) for shape in known.outputs.values()]}
    shapes: dict[str, list[tuple[int, ...]]] = {
        "products": [*known.outputs.values()],
        "gradients": [(n,) for n in known.inputs.values()],
    }

    def primitive(name: str, compute: Callable[..., Any]) -> Any:
        made = Primitive(f"supple_{known.what}_{name}")
        made.multiple_results = True
        axes = [*inner, *linear[name]]

        def leading(x: Any) -> tuple[int, ...]:
            return tuple(x.shape[: x.ndim - axes[0]])

        def run(*arrays: Any) -> Any:
            results = [ShapeDtypeStruct((*leading(arrays[0]), *own), np.float64) for own in shapes[name]]
            return pure_callback(lambda *x: tuple(compute(*x)), tuple(results), *arrays, vmap_method="sequential")

        def abstract(*arrays: Any) -> Any:
            return [core.ShapedArray((*leading(arrays[0]), *own), np.dtype(np.float64)) for own in shapes[name]]

        def batched(arrays: Any, places: Any, **_: Any) -> Any:
            size = next(x.shape[at] for x, at in zip(arrays, places, strict=True) if at is not None)
            moved = [
                jnp.broadcast_to(x, (size, *x.shape)) if at is None else jnp.moveaxis(x, at, 0)
                for x, at in zip(arrays, places, strict=True)
            ]
            return made.bind(*moved), [0] * len(shapes[name])

        made.def_impl(run)
        made.def_abstract_eval(abstract)
        batching.primitive_batchers[made] = batched
        mlir.register_lowering(made, mlir.lower_fun(run, multiple_results=True))
        return made

    products, gradients = primitive("products", known.products), primitive("gradients", known.gradients)

    def transposed(other: Any) -> Callable[..., Any]:
        def transpose(given: Any, *arrays: Any) -> Any:
            inputs, changes = arrays[:count], arrays[count:]
            weights = [ad.instantiate_zeros(x) for x in given]
            found = other.bind(*inputs, *weights)
            wanted = (x if ad.is_undefined_primal(y) else None for x, y in zip(found, changes, strict=True))
            return [*(None,) * count, *wanted]

        return transpose

    ad.primitive_transposes[products] = transposed(gradients)
    ad.primitive_transposes[gradients] = transposed(products)
    return products


@checked
def jax_function(
    model: Model, what: str, *, parameters: Sequence[str] = (), frames: Sequence[str] | None = None
) -> Callable[..., Any]:
    """One of the model's functions for JAX: `jit`, `vmap`, `jvp`, `vjp`, `grad` and `jacobian` work on it.

    A batch made by `vmap` is one call of the compiled batch function. First derivatives are exact: `vjp` and `grad` go
    in reverse through the blocks, `jvp` takes Jacobians. Second derivatives are not there. Nothing is compiled by XLA
    but the calls themselves.

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
    require_made(model, what, "jax")
    known = Differentiable(model, what, parameters, frames)
    products = _jacobian_products(known)
    results = tuple(jax.ShapeDtypeStruct(shape, np.float64) for shape in known.outputs.values())

    @jax.custom_jvp
    def evaluate(*inputs: Any) -> Any:
        return jax.pure_callback(known.values, results, *inputs, vmap_method="broadcast_all")

    @evaluate.defjvp
    def tangent(inputs: Any, changes: Any) -> Any:
        return evaluate(*inputs), tuple(products.bind(*inputs, *changes))

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
