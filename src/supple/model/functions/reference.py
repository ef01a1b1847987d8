"""The reference page of the table: `python -m supple.model.functions.reference > docs/functions.md`."""

from __future__ import annotations

from supple.model.functions.holes import PRODUCTS, unavailable
from supple.model.functions.table import FUNCTIONS, LENGTHS, WRENCH, Argument, ModelFunction

HEAD = """# Functions of a model

This page is generated from the table of functions: `python -m supple.model.functions.reference > docs/functions.md`.

Every function of the state has one name. By this name it is a method of `Model`, as in `model.mass_matrix(q)`, and
the first argument of:

| call | gives |
|---|---|
| `model.compile(name)` | a function in machine code for states with any leading axes, perhaps with derivatives |
| `model.gradient(name)` | gradients of weighted sums of its results, in reverse |
| `model.casadi(name)` | a CasADi function |
| `supple.interop.jax_function(model, name)` | a function for JAX |
| `supple.interop.torch_function(model, name)` | a function for PyTorch |
| `supple.symbolic.traced(model, name)` | a graph: equations, C, Python, LaTeX |
| `supple.count_operations(model, name)` | the number of operations |
| `supple.export.c_library(model, folder, [name])` | a C99 library |

All of them take `parameters=`, numbers of the model that become one more argument, and `frames=`. Functions about
frames need the frames, by default those of all bodies; results have an axis for them. For the dynamics (forward and
inverse dynamics, bias forces, joint wrenches, constraint forces) they are frames at which wrenches act: these are one
more argument, 6 numbers for each frame. C libraries have the dynamics without such wrenches. Methods take the name of
one frame, and `external=` for wrenches:

```python
import numpy as np
import supple

model = supple.files.read("examples/cart_pendulum.toml").model
q, v = np.array([0.1, 0.5]), np.array([1.0, -2.0])
jacobians = model.compile("jacobian", frames=["cart", "arm"])
print(jacobians(q).shape, np.allclose(jacobians(q)[1], model.jacobian(q, "arm")))
pushed = model.compile("forward_dynamics", frames=["arm"])
wrench = np.array([0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
print(np.allclose(pushed(q, v, [0.0, 0.0], wrench), model.forward_dynamics(q, v, [0.0, 0.0], external={"arm": wrench})))
```

```text
(2, 6, 2) True
True
```

Derivatives with respect to q are in the directions of the speeds, dq = S x with S = `model.tangent(q)`.

## The table

Shapes are those of one state. Unless they say otherwise, axes are those of the ground, and units SI and radians.
"""
NEEDED = """
{lengths}.

## What is not there

Asking for one of these raises `StateError` with the reason.

| function | product | reason |
|---|---|---|
{rows}
"""
NAMES = {
    "method": "method",
    "complex": "complex states",
    "compile": "compiled",
    "derivatives": "compiled derivatives",
    "gradient": "gradient",
    "graph": "equations, counts",
    "casadi": "CasADi",
    "jax": "JAX",
    "torch": "PyTorch",
    "c_library": "C library",
}
"""How products are called on the page."""


class _Plain:
    """A model without loops or with them, as the reasons see it."""

    name, formulation = "model", "floating frames"

    def __init__(self, loops: object) -> None:
        self.loops = loops


def page() -> str:
    """Return the page."""
    rows = ["", "| function | purpose | arguments | results |", "|---|---|---|---|"]
    rows += [f"| `{x.name}` | {x.purpose} | {_inputs(x)} | {_list(x.outputs)} |" for x in FUNCTIONS.values()]
    lengths = ", ".join(f"{name}: {what}" for name, what in LENGTHS.items())
    return HEAD + "\n".join(rows) + "\n" + NEEDED.format(lengths=f"Lengths are numbers: {lengths}", rows=_holes())


def _inputs(x: ModelFunction) -> str:
    found = _list(x.inputs)
    if x.closed_inputs:
        found += f"; of closed loops {_list(x.closed_inputs)}"
    return found + (f"; with `frames` {_list((WRENCH,))}" if x.wrenches else "")


def _list(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(f"`{x.name}` {_shape(x)}{x.purpose}" for x in arguments)


def _shape(x: Argument) -> str:
    return f"({', '.join(map(str, x.shape))}) " if x.shape else ""


def _holes() -> str:
    """Rows of the table of holes, products with one reason together."""
    rows = []
    for what in FUNCTIONS:
        found: dict[str, list[str]] = {}
        for loops in (object(), None):
            for product in PRODUCTS:
                reason = unavailable(_Plain(loops), what, product)
                if reason is not None and NAMES[product] not in found.setdefault(reason, []):
                    found[reason].append(NAMES[product])
        for reason, names in found.items():
            listed = "all" if len(names) == len(PRODUCTS) else ", ".join(names)
            rows.append(f"| `{what}` | {listed} | {reason} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(page(), end="")
