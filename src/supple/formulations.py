"""The formulations in which a mechanism can be simulated: recursions over floating frames, and equivalent rigid links.

Both have the same names of functions and states; what differs, and what the simulation asks of both, is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.erls.model import ErlsModel, build
from supple.erls.trace import ErlsTrace
from supple.errors import FileFormatError, StateError, unexpected
from supple.model.compiled import estimated_operations
from supple.model.model import Model
from supple.model.trace import Trace
from supple.structures.body import FlexibleBody

AnyModel = Model | ErlsModel
RIGID_LINKS = "equivalent rigid links"
"""What files call that formulation; the other one has no name there."""
Numbers = NDArray[Any]
Mask = NDArray[np.bool_]


def ordinary(model: AnyModel, what: str) -> Model:
    """The model itself, which has to be one of floating frames."""
    if isinstance(model, ErlsModel):
        raise StateError(f"model {model.name!r} is an equivalent rigid-link system, which {what} does not take")
    if not isinstance(model, Model):
        raise unexpected(what, "a Model", model)
    return model


def traced(model: AnyModel, limit: float) -> Trace | ErlsTrace:
    """A model whose state is made of nodes."""
    return ErlsTrace(model, limit) if isinstance(model, ErlsModel) else Trace(model, limit=limit)


def rough_operations(model: AnyModel) -> int:
    """Operations of forward dynamics, roughly, without tracing the model."""
    if isinstance(model, ErlsModel):
        links, n = len(model.bodies), model.nv
        return 1000 * links + 60 * links * n + 4 * n**2 + n**3 // 3
    return estimated_operations(model)


def hybrid_dynamics(model: AnyModel, q: Numbers, v: Numbers, drive: Numbers, given: Mask) -> tuple[Numbers, Numbers]:
    """Accelerations and generalized forces; `drive` holds accelerations where they are `given`, else forces."""
    if isinstance(model, ErlsModel):
        return model.hybrid(q, v, drive, given)
    return model._articulated(q, v, drive, given, None)


def power(model: AnyModel, q: Numbers, v: Numbers, tau: Numbers) -> Numbers:
    """Power (...) of generalized forces; in an equivalent rigid-link system they act on the whole motion of joints."""
    rates = (model.actuation_matrix(q) @ v[..., None])[..., 0] if isinstance(model, ErlsModel) else v
    return np.asarray((tau * rates).sum(axis=-1))


def sums(model: AnyModel, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Energies (n, 2), momentum (n, 6) and first moment of mass (n, 3) of states."""
    if not isinstance(model, ErlsModel):
        return model._sums(q, v)[:3]
    seen, q_, v_, _ = seen_as(model, q, v, np.zeros_like(v))
    _, momentum, moment = seen._sums(q_, v_)[:3]
    return np.stack(model.energy(q, v), axis=-1), momentum, moment


def frame_as_seen(model: AnyModel, frame: str) -> str:
    """The frame of that ordinary model which is meant by one of the model's own."""
    return model.display_frame(frame) if isinstance(model, ErlsModel) else frame


def described(model: AnyModel) -> tuple[Model, dict[str, Any]]:
    """The ordinary model of the same mechanism, and what makes the formulation another one, for files."""
    if isinstance(model, ErlsModel):
        modes = {link.name: link.modes for link in model.chain.links}
        return Model(model.description), {"formulation": RIGID_LINKS, "modes": modes}
    return model, {}


def restored(model: Model, settings: Mapping[str, Any]) -> AnyModel:
    """The model in the formulation that `described` has noted among some settings."""
    formulation = settings.get("formulation")
    if formulation is None:
        return model
    if formulation != RIGID_LINKS:
        raise FileFormatError(f"formulation: expected {RIGID_LINKS!r}, got {formulation!r}")
    modes = settings.get("modes")
    if not (isinstance(modes, Mapping) and all(type(n) is int for n in modes.values())):
        raise FileFormatError(f"modes: expected numbers of modes by body, got {modes!r}")
    flexible = {name for name, x in model.description.bodies.items() if isinstance(x.body, FlexibleBody)}
    return build(model, {name: n for name, n in modes.items() if name in flexible})


def seen_as(model: AnyModel, q: Numbers, v: Numbers, a: Numbers) -> tuple[Model, Numbers, Numbers, Numbers]:
    """An ordinary model that looks the same, with its states: for frames, strains and the 3-D view."""
    if isinstance(model, ErlsModel):
        return model.display, *model.display_state(q, v, a)
    return model, q, v, a
