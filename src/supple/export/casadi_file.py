"""A function of a model as a file that CasADi loads, without supple."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from supple.call_checks import checked
from supple.drafts import export_draft
from supple.errors import SuppleError
from supple.formulations import Formulation, floating_frames


@checked
def casadi(
    model: Formulation,
    path: str | os.PathLike[str],
    *,
    function: str = "forward_dynamics",
    parameters: Sequence[str] = (),
) -> Path:
    """Write a function of a model for CasADi, which has derivatives of every order, and return its path.

    `casadi.Function.load(path)` reads it wherever CasADi is, in Python, C++ or MATLAB. Needs `supple[casadi]`.

    Parameters
    ----------
    model : Model
    path : path-like
        Ends in .casadi.
    function : str
        As for `Model.casadi`: "forward_dynamics", "rk4", ...
    parameters : sequence of str
        Numbers of the model that become one more argument.
    """
    own = floating_frames(model, "supple.export.casadi")
    with export_draft(path, ".casadi") as draft:
        try:
            made = own.casadi(function, parameters=parameters)
        except ImportError:
            raise SuppleError("export: casadi needs CasADi: pip install supple[casadi]") from None
        made.save(str(draft))
    return Path(path)
