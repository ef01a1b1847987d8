"""All formulations by name, so that results come back in the one in which they were simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.call_checks import checked
from supple.erls.model import ErlsModel
from supple.errors import FileFormatError, unexpected
from supple.formulations.protocol import Formulation
from supple.model.model import Model
from supple.symbolic.kane.kane_model import KaneModel

FORMULATIONS: tuple[type[Model], type[ErlsModel], type[KaneModel]] = (Model, ErlsModel, KaneModel)
SHORT_NAMES: dict[str, type[Model] | type[ErlsModel]] = {"floating": Model, "erls": ErlsModel}
"""What model files and the command call them; a system of vectors is no other formulation of a mechanism."""
NAME = "formulation"
"""The setting that names the formulation of a run."""


@checked
def require_formulation(model: object, what: str) -> None:
    """Refuse what is no model."""
    if not isinstance(model, FORMULATIONS):
        raise unexpected(what, "a Model or an equivalent rigid-link system", model)


@checked
def floating_frames(model: Any, what: str) -> Model:
    """The model itself, which has to be one of floating frames; `what` is what takes no other."""
    if not isinstance(model, FORMULATIONS):
        raise unexpected(what, "a Model", model)
    return model.floating_frames(what)


def settings_of(model: Formulation) -> dict[str, Any]:
    """The name of a formulation and what it needs to be restored, for files."""
    return {NAME: model.formulation, **model.formulation_settings()}


def restored(model: Model, settings: Mapping[str, Any]) -> Formulation:
    """The model in the formulation that `settings_of` has noted; in floating frames if there is none."""
    known: dict[str, type[Formulation]] = {x.formulation: x for x in FORMULATIONS}
    name = settings.get(NAME, Model.formulation)
    if not isinstance(name, str) or name not in known:
        raise FileFormatError(f"formulation: expected {' or '.join(map(repr, known))}, got {name!r}")
    return known[name].restored(model, settings)
