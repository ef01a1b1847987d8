"""Results as datasets with names and units, made whole or piece by piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.formulations import Formulation
from supple.formulations.protocol import Sums
from supple.inputs.inputs import WORK
from supple.inputs.requests import Outputs
from supple.lazy import LazyModule
from supple.linear_theory.linear_range import LinearRange
from supple.linear_theory.validity import VALIDITY, judged
from supple.simulation import recovered, result_variables
from supple.simulation.accuracy import Accuracy
from supple.simulation.result_variables import Mask, TimeSeries
from supple.simulation.run_attributes import attributes
from supple.simulation.samples import Samples
from supple.simulation.sensitivities.sensitivity_variables import sensitivities
from supple.simulation.simulator import Simulator

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

ORIENTATION = "orientation"
"""Variable whose last values the next piece goes on from: the sign of a quaternion must not jump."""


def run_dataset(
    simulator: Simulator,
    samples: Samples,
    outputs: Outputs,
    before: xr.Dataset | None = None,
    watched: LinearRange | None = None,
    accuracy: Accuracy | None = None,
) -> xr.Dataset:
    """A piece of a run, or all of it; quaternions go on from the piece before, and so does what is watched."""
    system = simulator.system
    found = variables(
        system.model,
        samples,
        outputs,
        sums=system.sums,
        orientation=_last_orientation(before),
        prescribed=system.prescribed,
    )
    if WORK in system.inputs.integrals:
        work = samples.z[:, system.inputs.integrals.index(WORK)]
        found[WORK] = result_variables.variable(work, (), "J", "work of all inputs")
    if system.inputs.wrenches:
        found["applied_wrench"] = result_variables.applied(system.inputs.wrenches, samples)
    if simulator.sensitivity is not None:
        own = simulator.sensitivity
        found |= sensitivities(system.model.floating_frames("a sensitivity"), own.parameters, own.frames, samples)
    attrs = {**_identity(system.model), **attributes(simulator)}
    out = result_variables.dataset(samples.t, found, attrs)
    if outputs.recovered:
        out = out.merge(result_variables.dataset(samples.t, _recovered(system.model, out, outputs), {}))
    watched = watched or linear_range(simulator)
    watched.add(out)
    if accuracy is not None:
        accuracy.add(out)
        out.attrs |= accuracy.attributes()
    out.attrs[VALIDITY] = json.dumps(judged(system.model, watched.peaks()).warnings)
    return out


def linear_range(simulator: Simulator) -> LinearRange:
    """What is watched of the flexible bodies in a run from its start to its horizon."""
    horizon = simulator.horizon
    return LinearRange(simulator.model, horizon.samples, horizon.interval)


def as_dataset(
    model: Formulation,
    samples: Samples,
    outputs: Outputs | None = None,
    attrs: Mapping[str, Any] | None = None,
    before: xr.Dataset | None = None,
) -> xr.Dataset:
    """A piece of a motion, or all of it, with everything that was asked for.

    Parameters
    ----------
    samples : Samples
    outputs : Outputs, optional
    attrs : mapping, optional
        What is to be said about the whole, besides the model's name.
    before : xarray.Dataset, optional
        The piece before this one; quaternions go on from its last ones without a jump of sign.
    """
    found = variables(model, samples, outputs, orientation=_last_orientation(before))
    return result_variables.dataset(samples.t, found, {**_identity(model), **(attrs or {})})


def joined(pieces: Sequence[xr.Dataset]) -> xr.Dataset:
    """Pieces of one motion, in order, as one dataset; attributes are those of the first."""
    return xr.concat(
        pieces, dim="time", data_vars="minimal", coords="minimal", compat="override", join="override",
        combine_attrs="override",
    )  # fmt: skip


def variables(
    model: Formulation,
    samples: Samples,
    outputs: Outputs | None = None,
    *,
    sums: Callable[..., Sums] | None = None,
    orientation: ArrayLike | None = None,
    prescribed: Mask | None = None,
) -> dict[str, TimeSeries]:
    """Everything that is to be read at some times, by name; each variable says its dimensions, units and meaning.

    Parameters
    ----------
    samples : Samples
    outputs : Outputs, optional
        What is wanted besides states, energies, momentum and centre of mass.
    sums : function of (q, v), optional
        Gives energies (times, 2), momentum (times, 6) and first moment of mass (times, 3); the model's own by default.
    orientation : (frames, 4) array_like, optional
        Orientations at the time before the first, from which these go on without a jump of sign; without them the
        first ones have w >= 0.
    prescribed : (nv,) array of bool, optional
        Speeds whose motion is prescribed; forces of constraints are found with these accelerations.
    """
    wanted = outputs or Outputs()
    x = samples
    out = result_variables.states(model, x)
    force = x.tau + x.pull
    known = force if prescribed is None else np.where(prescribed, x.a, force)
    out |= result_variables.closures(model, x, known, prescribed)
    out |= result_variables.sums(model, (sums or model.energy_and_momentum)(x.q, x.v))
    shown = model.display
    q, v, a = model.display_state(x.q, x.v, x.a)
    wanted.check(shown)
    if wanted.frames:
        named = {name: model.display_frame(name) for name in wanted.frames}
        out |= result_variables.frames(shown, named, (q, v, a), orientation, wanted.velocity_axes)
    if wanted.wrenches:
        out["wrench"] = result_variables.wrenches(model, wanted.wrenches, x, known, prescribed, wanted.wrench_axes)
    if wanted.euler:
        out["euler_angle"] = result_variables.euler(model, wanted.euler, wanted.euler_sequence, x.q)
    if wanted.nodes:
        if shown is model:
            out["displacement"] = result_variables.displacements(shown, wanted.nodes, q)
        else:
            words = "displacement of nodes from the equivalent rigid link, link axes"
            out["displacement"] = result_variables.displacements(shown, wanted.nodes, q, words)
            out["elastic_displacement"] = result_variables.elastic_displacements(shown, wanted.nodes, q)
    if wanted.strains:
        out["strain"] = result_variables.strains(shown, wanted.strains, q)
    return out


def _recovered(model: Formulation, found: xr.Dataset, wanted: Outputs) -> dict[str, TimeSeries]:
    """Stresses and section forces of a motion."""
    motion = recovered.motion_of(model, found, wanted.recovered, wanted.recovery)
    out: dict[str, TimeSeries] = {}
    if wanted.stresses:
        out |= recovered.stresses(motion, wanted.stresses)
    if wanted.worst_stresses:
        out |= recovered.worst_stresses(motion, wanted.worst_stresses)
    if wanted.section_forces:
        out["section_force"] = recovered.section_forces(motion, wanted.section_forces)
    return out


def _identity(model: Formulation) -> dict[str, str]:
    """Attributes that say what was simulated."""
    return {"model": model.name, "formulation": model.formulation}


def _last_orientation(before: xr.Dataset | None) -> ArrayLike | None:
    if before is None or ORIENTATION not in before or not before.sizes["time"]:
        return None
    return before[ORIENTATION].values[-1]
