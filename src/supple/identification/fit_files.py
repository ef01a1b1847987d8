"""What a fit leaves behind: the model file with the fitted numbers, and runs to be laid over the measurements."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from supple.drafts import draft_of
from supple.errors import StateError
from supple.files.changes import apply_changes
from supple.files.toml_text import content_text
from supple.identification.fit_result import Fit
from supple.lazy import LazyModule
from supple.results.runs import Runs
from supple.results.signals import TIME
from supple.sweeps.case_sources import FileCases

xr: Any = LazyModule("xarray")


def write_fitted(fit: Fit, path: str | os.PathLike[str]) -> Path:
    """Write the model file of a fit with the fitted numbers in place, all its tables as they were, comments left out.

    What the file names, it names as before: the new one belongs into the same folder.

    Raises
    ------
    StateError
        If a model was fitted, and no file: `supple.save(fit.model, path)` writes it.
    """
    source, target = fit.source, Path(path)
    if not isinstance(source, FileCases):
        raise StateError("fitted file: expected a fit of a model file, got one of a model; supple.save writes that")
    content = source.content()
    apply_changes(content, fit.values, Path(source.path))
    deviations = [f"# {name}: standard deviation {x:.3g}\n" for name, x in fit.standard_deviations.items()]
    with draft_of(target) as draft:
        draft.write_text("".join(deviations) + content_text(content), encoding="utf-8")
    return target


def compared_runs(fit: Fit) -> Runs:
    """The measured signals and those of the fitted model, as runs: `supple.view.write_runs` makes a page of them."""
    named = {name: x.name for name, x in fit.case.signals.items()}
    units = {x.name: x.unit for x in fit.case.signals.values()}
    measured = xr.Dataset(
        {named[name]: (TIME, x, {"units": units[named[name]]}) for name, x in fit.data.signals.items()},
        coords={TIME: fit.data.t},
    )
    return Runs({"measured": measured, "fitted": fit.result}, list(named.values()))
