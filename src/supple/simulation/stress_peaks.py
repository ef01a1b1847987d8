"""The largest stress of each element of flexible bodies over a motion: how large, when and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError, one_of
from supple.formulations import Formulation, require_formulation
from supple.inputs.recovery_requests import Recovered, whole_stresses
from supple.inputs.requests import CHOICES
from supple.lazy import LazyModule
from supple.simulation.recovered import Motion, motion_of, von_mises_batches
from supple.simulation.result_variables import names
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")


@checked
def stress_peaks(
    model: Formulation,
    result: xr.Dataset,
    bodies: str | Sequence[str] | None = None,
    recovery: str = "displacement",
    margin: bool = False,
) -> xr.Dataset:
    """The largest von Mises stress of each element of flexible bodies over a motion.

    Parameters
    ----------
    model : Model
    result : xarray.Dataset
        What `supple.simulate` gave for this model, or the same read back from its file.
    bodies : str or sequence of str, optional
        Flexible bodies; by default all whose stresses are known.
    recovery : str
        "displacement" or "acceleration", as for `supple.Outputs`.
    margin : bool
        Whether to add margins of safety, yield strength over stress less one; all materials must have a yield strength
        then.

    Returns
    -------
    xarray.Dataset
        Over `element` ("boom/3-4", "block/node 12"), the largest first: `von_mises` (Pa), its `time` (s), its `point`,
        the body, and `x`, `y`, `z`, undeformed, in the frame of the body (m); and `margin` if it is wanted.

    Examples
    --------
    >>> import supple
    >>> steel = supple.structures.Material(E=210e9, nu=0.3, rho=7800, yield_strength=3e8)
    >>> ruler = supple.structures.beam(0.3, supple.structures.Rectangle(0.02, 0.001), steel, elements=6)
    >>> mech = supple.Mechanism("ruler")
    >>> mech.add_body("ruler", ruler.reduce("cantilever", modes=2), joint=supple.Fixed())
    >>> model = mech.build()
    >>> peaks = supple.stress_peaks(model, supple.simulate(model, 0.1, samples=51), margin=True)
    >>> str(peaks.element.values[0]), round(float(peaks.margin[0]), 1)
    ('ruler/0-1', 6.7)
    """
    require_formulation(model, "supple.stress_peaks")
    if recovery not in CHOICES["recovery"]:
        raise StateError(f"recovery: no {recovery!r}{one_of(CHOICES['recovery'])}")
    if not {"q", "v", "a"} <= set(result.variables) or tuple(result["coordinate"].values) != model.coordinates:
        raise StateError(f"supple.stress_peaks: expected q, v and a of model {model.name!r}, got another dataset")
    chosen = _known(model) if bodies is None else [bodies] if isinstance(bodies, str) else list(bodies)
    motion = motion_of(model, result, chosen, recovery)
    t = result["time"].values
    every = [peak for name in chosen for x in whole_stresses(motion.model, name) for peak in _peaks(motion, t, name, x)]
    every.sort(key=lambda peak: -peak.size)
    out: dict[str, Any] = {
        "von_mises": ("element", [x.size for x in every], {"units": "Pa", "long_name": "largest von Mises stress"}),
        "time": ("element", [x.time for x in every], {"units": "s", "long_name": "when it is"}),
        "point": ("element", names(x.point for x in every), {"long_name": "where it is"}),
        "body": ("element", names(x.body for x in every)),
        **{key: ("element", [x.position[i] for x in every], {"units": "m"}) for i, key in enumerate("xyz")},
    }
    if margin:
        out["margin"] = ("element", [_margin(x) for x in every], {"units": "1", "long_name": "margin against yield"})
    labels = {"element": names(f"{x.body}/{x.element}" for x in every)}
    return xr.Dataset(out, labels, {"model": model.name, "recovery": recovery})


class _Peak(NamedTuple):
    """The largest von Mises stress of an element, and the yield strength there, Pa."""

    body: str
    element: str
    point: str
    size: float
    time: float
    position: Floats
    strength: float


def _peaks(motion: Motion, t: Floats, name: str, x: Recovered) -> Iterator[_Peak]:
    """Of each element of a body, at the point where it is largest."""
    own, everywhere = x.own, np.arange(len(x.own))
    most, when = np.full(len(own), -1.0), np.zeros(len(own))
    for part, found in von_mises_batches(motion, x):
        i = found.argmax(axis=0)
        size = found[i, everywhere]
        most, when = np.where(size > most, size, most), np.where(size > most, t[part][i], when)
    points: dict[str, int] = {}
    for k, element in enumerate(own.elements):
        if element not in points or most[k] > most[points[element]]:
            points[element] = k
    for element, k in points.items():
        numbers = float(most[k]), float(when[k]), own.positions[k], float(own.strength[k])
        yield _Peak(name, element, own.places[k], *numbers)


def _margin(peak: _Peak) -> float:
    if not np.isfinite(peak.strength):
        raise StateError(f"margin: {peak.body!r}: no yield strength is known at {peak.point!r}; give its material one")
    return peak.strength / peak.size - 1.0 if peak.size > 0.0 else np.inf


def _known(model: Formulation) -> list[str]:
    """Bodies whose stresses are known; of a beam in pieces the beam."""
    mech = model.display.description
    found = [
        mech.owner(name)
        for name, x in mech.bodies.items()
        if isinstance(x.body, FlexibleBody) and x.body.recovery is not None and x.body.recovery.stresses is not None
    ]
    if not found:
        flexible = [name for name, x in mech.bodies.items() if isinstance(x.body, FlexibleBody)]
        said = f", got {', '.join(map(repr, flexible))} without" if flexible else ", got none that is flexible"
        raise StateError(f"model {model.name!r}: expected a flexible body whose stresses are known{said}")
    return list(dict.fromkeys(found))
