"""What is to be read from a motion besides its states, by name, and all of it as variables with units."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supple.formulations import Formulation
from supple.inputs.outputs import Outputs
from supple.simulation import recordings
from supple.simulation.recordings import Mask, Sums, table


def variables(
    model: Formulation,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    outputs: Outputs | None = None,
    *,
    sums: Sums | None = None,
    orientation: ArrayLike | None = None,
    given: Mask | None = None,
) -> dict[str, xr.DataArray]:
    """Everything that is to be read at some times, by name; each variable says its dimensions, units and meaning.

    Parameters
    ----------
    t : (times,) array_like
        s.
    q, v, a, tau : (times, nq), (times, nv), (times, nv), (times, nv) array_like
        Coordinates, speeds, accelerations and generalized forces at those times.
    outputs : Outputs, optional
        What is wanted besides states, energies, momentum and centre of mass.
    sums : function of (q, v), optional
        Gives energies (times, 2), momentum (times, 6) and first moment of mass (times, 3); the model's own by default.
    orientation : (frames, 4) array_like, optional
        Orientations at the time before the first, from which these go on without a jump of sign; without them the
        first ones have w >= 0.
    given : (nv,) array of bool, optional
        Speeds whose motion is prescribed; forces of constraints are found with these accelerations.
    """
    wanted = outputs or Outputs()
    if wanted.wrenches:
        model.floating_frames("an output of joint wrenches")
    times = table(t, (np.size(t),), "t")
    n = times.size
    q_, v_ = table(q, (n, model.nq), "q"), table(v, (n, model.nv), "v")
    a_, tau_ = table(a, (n, model.nv), "a"), table(tau, (n, model.nv), "tau")
    out = recordings.states(model, q_, v_, a_, tau_)
    drive = tau_ if given is None else np.where(given, a_, tau_)
    out |= recordings.closures(model, q_, v_, drive, given)
    out |= recordings.sums(model, q_, v_, sums or model.energy_and_momentum)
    shown = model.display
    q_, v_, a_ = model.display_state(q_, v_, a_)
    wanted.check(shown)
    if wanted.frames:
        named = {name: model.display_frame(name) for name in wanted.frames}
        out |= recordings.frames(shown, named, q_, v_, a_, orientation)
    if wanted.wrenches:
        out["wrench"] = recordings.wrenches(shown, wanted.wrenches, q_, v_, a_, drive, given)
    if wanted.nodes:
        out["displacement"] = recordings.displacements(shown, wanted.nodes, q_)
    if wanted.strains:
        out["strain"] = recordings.strains(shown, wanted.strains, q_)
    clock = xr.Variable("time", times, {"units": "s", "long_name": "time"})
    return {name: x.assign_coords(time=clock) for name, x in out.items()}
