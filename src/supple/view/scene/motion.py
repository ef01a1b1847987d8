"""What is shown of a model or a result: an ordinary model, times, and its coordinates at these times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Floats
from supple.errors import StateError, unexpected
from supple.formulations import FORMULATIONS, Formulation
from supple.model.model import Model
from supple.simulation.recording import results_model
from supple.simulation.simulator import Simulator
from supple.simulation.start_state import Values

if TYPE_CHECKING:
    import xarray as xr


class SceneMotion(NamedTuple):
    """A motion to look at; a model that stands still has one time.

    Attributes
    ----------
    model : Model
        In floating frames, whatever the formulation was.
    times : (n,) array
    q : (n, nq) array
    result : xarray.Dataset, optional
        What else is known of the motion.
    """

    model: Model
    times: Floats
    q: Floats
    result: xr.Dataset | None = None

    def at(self, times: Floats) -> Floats:
        """Coordinates (k, nq) at other times: on straight lines between the recorded ones, quaternions normalized."""
        q = self.q.copy()
        for i in self.model.quaternions:  # q and -q turn alike: neighbours have the same sign
            apart = np.sum(q[1:, i : i + 4] * q[:-1, i : i + 4], axis=1) < 0.0
            q[1:, i : i + 4] *= np.where(np.cumsum(apart) % 2, -1.0, 1.0)[:, None]
        found = np.stack([np.interp(times, self.times, q[:, i]) for i in range(self.model.nq)], axis=-1)
        return np.asarray(self.model.normalize(found.reshape(len(times), self.model.nq)))


def scene_motion(shown: Any, model: Formulation | None = None, q: Values | None = None) -> SceneMotion:
    """The motion in a result, or a model in the configuration in which a simulation of it would start.

    Parameters
    ----------
    shown : Model or xarray.Dataset
        A model in any formulation, or what `supple.simulate` gave.
    model : Model, optional
        That of a result which does not hold it: results hold their models if they were written to a file.
    q : array_like or mapping of name to number, optional
        Coordinates of a model; what is not named is neutral.
    """
    if isinstance(shown, FORMULATIONS):
        if model is not None:
            raise StateError(f"model: expected one model, got {shown.name!r} and {model.name!r}")
        start, _ = Simulator(shown, q).start
        return SceneMotion(shown.display, np.zeros(1), shown.display_state(start[None], np.zeros((1, shown.nv)))[0])
    if q is not None:
        raise StateError("q: a result has its own coordinates; expected q for a model alone")
    if not (hasattr(shown, "data_vars") and "q" in shown):
        raise unexpected("shown", "a Model or a result of supple.simulate", shown)
    return of_result(shown, _model_of(shown) if model is None else model)


def of_result(result: xr.Dataset, model: Formulation) -> SceneMotion:
    """The motion of a result of this model."""
    given = tuple(str(name) for name in result["coordinate"].values)
    if given != model.coordinates:
        raise StateError(
            f"result: expected the coordinates of model {model.name!r}, {', '.join(model.coordinates[:5])} ..., "
            f"got {', '.join(given[:5])} ..."
        )
    q = result["q"].transpose("time", "coordinate").values.astype(float)
    if not np.isfinite(q).all():
        bad = int(np.flatnonzero(~np.isfinite(q).all(axis=0))[0])
        raise StateError(f"result: expected finite numbers, got others in {given[bad]!r}")
    shown, _, _ = model.display_state(q, np.zeros((len(q), model.nv)))
    return SceneMotion(model.display, result["time"].values.astype(float), np.asarray(shown), result)


def _model_of(result: xr.Dataset) -> Formulation:
    """That in the file of a result."""
    file = result.encoding.get("source")
    found = None if file is None else results_model(file)
    if found is None:
        raise StateError("result: expected one that holds its model, as those written to a file do; give it as model=")
    return found
