"""Running one mechanism in both formulations: floating frames beside equivalent rigid links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import linear
from supple.call_checks import checked
from supple.checks import Floats
from supple.compare.comparison import Comparison
from supple.compare.costs import cost_of
from supple.erls.matching import held_configuration, matched_state, natural_frequencies
from supple.erls.model import ErlsModel, build
from supple.errors import ModelError, StateError
from supple.formulations import Formulation
from supple.inputs.requests import Outputs
from supple.integrators import GeneralizedAlpha
from supple.lazy import LazyModule
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.simulation.simulate import simulate
from supple.simulation.spectrum import amplitude_spectrum
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

FLOATING = "floating frame"
USUAL = (2, 4, 6)
TOLERANCE = 1e-8
AXES = ("x", "y", "z")
TAKEN = ("q", "v", "tau", "variables", "integrator", "rtol", "atol", "step", "progress")
"""Arguments of `supple.simulate` that mean the same in both formulations."""
MEANINGS = {
    "elastic": "elastic coordinates",
    "dofs": "speeds",
    "evaluations": "evaluations of the rates",
    "operations": "operations of forward dynamics",
    "microseconds": "time of forward dynamics in machine code, us",
    "drift": "energy gained beside the work of the actuators, as a share of the largest kinetic energy",
}
"""Of the numbers that each run has one of."""


@checked
def formulations(
    mechanism: Mechanism | Model,
    duration: float,
    modes: Sequence[int] | None = None,
    frame: str | None = None,
    *,
    samples: int = 2001,
    **settings: Any,
) -> Comparison:
    """A mechanism's motion as floating frames have it, and as equivalent rigid links have it.

    Parameters
    ----------
    mechanism : Mechanism or Model
        A tree with revolute, prismatic and fixed joints, and at least one flexible body.
    duration : float
        Seconds.
    modes : sequence of int, optional
        Elastic modes that the links keep, run by run; a link that has fewer keeps all of them. By default 2, 4, 6 and
        all, as far as there are so many.
    frame : str, optional
        Whose motion is compared; the outermost one of the last body if not given.
    samples : int
        Output times, which set the highest frequency of the spectra.
    **settings
        Arguments of `supple.simulate`: q and v for the floating frames, from which the rigid links' are found, tau,
        variables, integrator, rtol (1e-8 if nothing is said), atol, step, progress. Laws that read coordinates read
        those of each formulation. Others are refused: prescribed motions and stops, for instance, would be those of
        equivalent rigid links in one formulation and of whole joints in the other.

    Raises
    ------
    ModelError
        When the mechanism is not of that kind.
    StateError
        When a frame, number of modes or argument does not fit.
    """
    if not isinstance(mechanism, Mechanism | Model):
        raise ModelError(f"expected a Mechanism or a Model, got {type(mechanism).__name__}")
    model = mechanism if isinstance(mechanism, Model) else mechanism.build()
    counts = _counts(model, modes)
    systems = {_name(n, _most(model)): _built(model, n) for n in counts}
    settings = _fitting(settings)
    place = _outermost(model) if frame is None else frame
    model.pose(model.neutral(), place)
    settings |= {"duration": duration, "samples": samples, "outputs": Outputs(frames=[place])}
    first = simulate(model, **settings)
    start = first["q"].values[0], first["v"].values[0]
    runs: dict[str, xr.Dataset] = {FLOATING: first}
    for name, system in systems.items():
        q, v = matched_state(system, *start)
        runs[name] = simulate(system, **settings | {"q": q, "v": v})
    straight = first["q"].values * ~model.is_mode
    deflection = float(np.linalg.norm(_position(first) - model.pose(straight, place)[1], axis=-1).max())
    natural = [_floating_frequencies(model, start[0])]
    natural += [natural_frequencies(x, held_configuration(x, runs[name]["q"].values[0])) for name, x in systems.items()]
    data = _dataset(runs, deflection, natural, [model, *systems.values()])
    return Comparison(model, first, place, deflection, data)


def _fitting(settings: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `supple.simulate` that both formulations take, with steps of the same kind."""
    for key, value in settings.items():
        if key not in (*TAKEN, "outputs") and value:
            raise StateError(f"{key}: a comparison of formulations takes {', '.join(TAKEN)}, got {key} too")
    integrator = settings.get("integrator")
    if integrator == "generalized_alpha" or isinstance(integrator, GeneralizedAlpha):
        raise StateError(
            "integrator: a comparison does not take generalized_alpha, whose steps keep no error; expected DOP853"
        )
    said = any(settings.get(key) for key in ("integrator", "rtol", "step"))
    return settings if said else settings | {"rtol": TOLERANCE}


def _dataset(
    runs: dict[str, xr.Dataset], deflection: float, natural: list[Floats], models: list[Formulation]
) -> xr.Dataset:
    """All runs side by side, with names and units."""
    results = list(runs.values())
    t = results[0]["time"].values
    position = np.stack([_position(x) for x in results])
    acceleration = np.stack([x["acceleration"].values[:, 0, 3:] for x in results])
    spectra = [[amplitude_spectrum(t, a[:, i])[1] for i in range(3)] for a in acceleration]
    gap = np.linalg.norm(position - position[0], axis=-1) / (deflection or 1.0)
    modes = np.full((len(runs), max(map(len, natural), default=0)), np.nan)
    for row, values in zip(modes, natural, strict=True):
        row[: len(values)] = values
    costs = np.array([cost_of(model) for model in models])
    by_run = {
        "elastic": [int(m.is_mode.sum()) for m in models],
        "dofs": [m.nv for m in models],
        "evaluations": [int(x.attrs["evaluations"]) for x in results],
        "operations": costs[:, 0],
        "microseconds": costs[:, 1],
        "drift": [_drift(x) for x in results],
    }
    return xr.Dataset(
        {
            "position": (("run", "time", "axis"), position, {"units": "m", "long_name": "position"}),
            "acceleration": (("run", "time", "axis"), acceleration, {"units": "m/s^2", "long_name": "acceleration"}),
            "gap": (("run", "time"), gap, {"units": "1", "long_name": "distance, as a share of the deflection"}),
            "amplitude": (("run", "frequency", "axis"), np.swapaxes(spectra, 1, 2), {"units": "m/s^2"}),
            "natural_frequency": (("run", "mode"), modes, {"units": "Hz"}),
            **{key: ("run", values, {"long_name": MEANINGS[key]}) for key, values in by_run.items()},
        },
        coords={
            "run": list(runs),
            "time": ("time", t, {"units": "s"}),
            "axis": list(AXES),
            "frequency": ("frequency", amplitude_spectrum(t, t)[0], {"units": "Hz"}),
            "mode": np.arange(1, modes.shape[1] + 1),
        },
    )


def _position(result: xr.Dataset) -> Floats:
    return np.asarray(result["position"].values[:, 0])


def _drift(result: xr.Dataset) -> float:
    total = (result["kinetic_energy"] + result["potential_energy"]).values
    gained = total - total[0] - (result["work"].values if "work" in result else 0.0)
    return float(np.abs(gained).max() / max(float(result["kinetic_energy"].max()), 1e-300))


def _floating_frequencies(model: Model, q: Floats) -> Floats:
    """Hz, of the same: joints held where they are, links settled, then held by constant forces."""
    joints = [name for name, elastic in zip(model.coordinates, model.is_mode, strict=True) if not elastic]
    found = linear.modes(model, linear.equilibrium(model, q, fixed=joints).q)
    return np.asarray(found.frequencies[[kind == "" for kind in found.kinds]])


def _flexible(model: Model) -> Iterator[tuple[str, FlexibleBody]]:
    for name, placed in model.description.bodies.items():
        if isinstance(placed.body, FlexibleBody):
            yield name, placed.body


def _most(model: Model) -> int:
    """Elastic modes of the link that has most."""
    return max((body.modes for _, body in _flexible(model)), default=0)


def _counts(model: Model, modes: Sequence[int] | None) -> list[int]:
    """Elastic modes of the runs."""
    most = _most(model)
    if not most:
        raise ModelError(
            f"model {model.name!r}: expected a flexible body, got rigid ones only: without deformation the two "
            "formulations are one"
        )
    if modes is None:
        return sorted({min(n, most) for n in (*USUAL, most)})
    for n in modes:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= most:
            raise StateError(
                f"modes: expected numbers of elastic modes from 0 to {most}, which the links of {model.name!r} have, "
                f"got {n!r}"
            )
    if not len(modes):
        raise StateError("modes: expected a number of elastic modes or more, got none")
    return sorted({int(n) for n in modes})


def _name(count: int, most: int) -> str:
    if count == 0:
        return "rigid links"
    return f"{count} {'mode' if count == 1 else 'modes'}{', all' if count == most else ''}"


def _built(model: Model, count: int) -> ErlsModel:
    return build(model, {name: min(count, body.modes) for name, body in _flexible(model)})


def _outermost(model: Model) -> str:
    """The frame of the last body that is furthest from its joint."""
    body, q = model.bodies[-1], model.neutral()
    frames = [body, *(name for name, frame in model.description.frames.items() if frame.body == body)]
    root = model.pose(q, body)[1]
    return max(frames, key=lambda name: float(np.linalg.norm(model.pose(q, name)[1] - root)))
