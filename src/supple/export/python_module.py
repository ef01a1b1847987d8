"""A model as a Python module that needs numpy alone: its equations of motion with their laws, or its functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from supple.call_checks import checked
from supple.drafts import export_draft
from supple.errors import StateError, nearest
from supple.expressions.printers import python_source
from supple.formulations import Formulation, floating_frames
from supple.inputs.law_equations import law_equations
from supple.model.functions.table import FUNCTIONS
from supple.model.model import Model
from supple.model.parameters import parameter_values
from supple.model.traced_functions import traced as traced_function
from supple.simulation.run_program import RunSettings

EQUATIONS = "equations"
"""The function that has the laws of a run in it."""
IMPORT = "import numpy as np\n"


@checked
def python(
    model: Formulation,
    path: str | os.PathLike[str],
    arguments: Mapping[str, Any] | None = None,
    *,
    functions: Sequence[str] = (EQUATIONS,),
    parameters: Sequence[str] | None = (),
) -> Path:
    """Write functions of a model as a Python module that needs numpy alone, and return its path.

    The functions take arrays whose leading axes are a batch. Beside them the module has the names of coordinates and
    speeds, `COORDINATES` and `SPEEDS`, and by function the values of the parameters that it takes, `PARAMETERS`.

    Parameters
    ----------
    model : Model
    path : path-like
        Ends in .py.
    arguments : mapping of str to anything, optional
        Keyword arguments of `supple.simulate`: their laws are part of "equations".
    functions : sequence of str
        "equations", the rates of coordinates and speeds with all laws written out; and what `model.compile` takes:
        "forward_dynamics", "mass_matrix" and others.
    parameters : sequence of str, optional
        Numbers of the model that stay arguments, "arm.mass"; with None all that are not zero.

    Examples
    --------
    >>> import supple, tempfile, runpy
    >>> mech = supple.Mechanism("block", gravity=(0, 0, 0))
    >>> mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     module = runpy.run_path(str(python(mech.build(), f"{folder}/block.py", functions=["forward_dynamics"])))
    >>> module["forward_dynamics"]([0.0], [0.0], [3.0])
    array([1.5])
    """
    own = floating_frames(model, "supple.export.python")
    if isinstance(functions, str) or not len(functions):
        raise StateError(f"functions: expected a sequence of names, got {functions!r}")
    for name in functions:
        if name not in (EQUATIONS, *FUNCTIONS):
            names = (EQUATIONS, *FUNCTIONS)
            raise StateError(
                f"functions: no function {name!r}{nearest(name, names)}; expected one of {', '.join(names)}"
            )
    symbols = [name for name, x in parameter_values(own).items() if x] if parameters is None else [*parameters]
    with export_draft(path, ".py") as draft:
        draft.write_text(_module(own, arguments or {}, functions, symbols), encoding="utf-8")
    return Path(path)


def _module(model: Model, arguments: Mapping[str, Any], functions: Iterable[str], symbols: list[str]) -> str:
    """The text of the module: names, values of parameters, functions."""
    texts: list[str] = []
    taken: dict[str, dict[str, float]] = {}
    for name in functions:
        text, values = _function(model, arguments, name, symbols)
        head, _, body = text.partition(IMPORT)
        texts.append(f"{head.rstrip()}\n\n{body.strip()}\n")
        taken |= {name: values} if values else {}
    title = f'"""Functions of the model {_plain(model.name)}, written by supple."""\n\n{IMPORT}\n'
    names = f"COORDINATES = {tuple(model.coordinates)!r}\nSPEEDS = {tuple(model.speeds)!r}\n"
    return f"{title}{names}PARAMETERS = {taken!r}\n\n\n" + "\n\n".join(texts)


def _plain(name: str) -> str:
    """A name that ends no docstring."""
    return repr(name).replace('"', "'").replace("\\", "/")


def _function(
    model: Model, arguments: Mapping[str, Any], name: str, symbols: list[str]
) -> tuple[str, dict[str, float]]:
    """Source of one function, and the values of the parameters that it takes, in their order."""
    if name != EQUATIONS:
        known = parameter_values(model)
        text = python_source(traced_function(model, name, symbols))
        return text, {label: float(known[label]) for label in symbols}
    laws = RunSettings.of(model, arguments)
    found = law_equations(model, laws.inputs, laws.events, laws.limits, parameters=symbols)
    values = found.numbers()
    return found.python_source(), {leaf.name: float(values[leaf.name]) for leaf in found.printed.parameters}
