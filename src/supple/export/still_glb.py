"""A model that stands still as a glTF file, for other viewers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supple.call_checks import checked
from supple.drafts import export_target
from supple.export.start_point import start_point
from supple.formulations import Formulation, require_formulation
from supple.view.film.render import render


@checked
def glb(model: Formulation, path: str | os.PathLike[str], arguments: Mapping[str, Any] | None = None) -> Path:
    """Write a model as binary glTF 2.0, a node a body, as it stands at the start, and return its path.

    `supple.render` writes a model with its motion.

    Parameters
    ----------
    model : Model
    path : path-like
        Ends in .glb.
    arguments : mapping of str to anything, optional
        Keyword arguments of `supple.simulate` that say where a run starts; neutral if not given.
    """
    require_formulation(model, "supple.export.glb")
    with export_target(path, ".glb") as target:
        return render(model, target, q=start_point(model, arguments).q)
