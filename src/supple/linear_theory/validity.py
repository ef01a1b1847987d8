"""Whether flexible bodies stayed in the range of their linear theory in a run, and what to do where they did not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import PhysicsWarning, StateError, warn
from supple.formulations import Formulation, require_formulation
from supple.inputs.wrenches import OWN
from supple.linear_theory.linear_range import (
    ROTATION,
    SOFTENING,
    STIFFENING,
    STRAIN,
    STRESS,
    LinearRange,
    Peak,
    Peaks,
)

if TYPE_CHECKING:
    import xarray as xr

MOST_ROTATION = 0.2
"""rad, of any place of a body against its root. Linear strains and displacements leave out cos(theta) - 1, which is
-theta^2 / 2 = -2 % there."""
MOST_STRAIN = 0.01
"""Hardly a structural material is linear beyond: metals yield at 0.1 to 0.7 %, composites break at 1 to 2 %. What
linear strains leave out, half their square, is 0.5 % of them."""
MOST_STRESS = 1.0
"""Of the yield strength."""
MOST_UNSTIFFENED = 0.1
"""Relative change of the stiffness of a body by its loads that is left out without stiffening: 5 % of a frequency, 10 %
of a deflection."""
MOST_BUCKLING = 0.5
"""Of the buckling load, with stiffening. Deflections grow by 1 / (1 - p) there, so that an error e of the buckling
load, of which modes see a few percent too much, is one of e p / (1 - p): beyond a half it is amplified."""
MOST_PIECES = 32
"""More pieces are not advised: a body that turned so far is more likely wrong than soft."""
SHOWN_BODIES = 5
"""How many bodies a warning names."""
VALIDITY = "validity"
"""Attribute of results: the warnings, as a list in JSON."""
HEADING = "left the range of linear theory"


@dataclass(frozen=True)
class Validity:
    """How far the flexible bodies of a run went, and what is to be said about it; `print` shows both.

    Attributes
    ----------
    peaks : dict of str to dict of str to Peak
        By body, the largest value and its time of: "rotation" of any place against the root (rad); "strain", where
        elements are known; "stress" as a share of the yield strength, where that is known; "softening" by its loads as
        a fraction of the buckling load, with the supports that closed loops give it, else with its root clamped, and
        "stiffening" as a fraction of the stiffness, where displacements of second order are known.
    warnings : tuple of str
        A sentence for each body that left its range: by how much, and what to do; none if all is well.
    """

    peaks: Peaks
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        """A line for each body, then the warnings."""
        lines = [f"{name}: " + ", ".join(_shown(what, x) for what, x in found.items()) for name, found in self._named()]
        return "\n".join([*lines, *(f"warning: {line}" for line in self.warnings)]) or "no flexible bodies"

    def _named(self) -> Iterator[tuple[str, dict[str, Peak]]]:
        return ((name, found) for name, found in self.peaks.items() if found)

    def margin(self, body: str) -> float:
        """Of a body against yield: yield strength over the largest stress, less one; not a number if not known."""
        peak = self.peaks.get(body, {}).get(STRESS)
        if peak is None:
            return math.nan
        return 1.0 / peak.value - 1.0 if peak.value > 0.0 else math.inf


@checked
def validity(model: Formulation, result: xr.Dataset) -> Validity:
    """How far the flexible bodies of a motion went, beside the range of their linear theory.

    `supple.simulate` asks this after every run; ask again for the numbers, or for parts of a motion.

    Parameters
    ----------
    model : Model
    result : xarray.Dataset
        What `supple.simulate` gave for this model, or the same read back from its file. Of equivalent rigid links
        rotations, strains and stresses are known, not their loads.

    Examples
    --------
    >>> import supple
    >>> steel = supple.structures.Material(E=210e9, nu=0.3, rho=7800, yield_strength=3e8)
    >>> ruler = supple.structures.beam(0.3, supple.structures.Rectangle(0.02, 0.001), steel, elements=6)
    >>> mech = supple.Mechanism("ruler")
    >>> mech.add_body("ruler", ruler.reduce("cantilever", modes=2), joint=supple.Fixed())
    >>> model = mech.build()
    >>> found = supple.validity(model, supple.simulate(model, 0.1, samples=51))
    >>> found.warnings
    ()
    >>> print(found)
    ruler: rotation 0.041 rad, strain 0.00019, stress 13 % of yield, softening 0 %, stiffening 0 %
    """
    require_formulation(model, "supple.validity")
    names = None if "q" not in result else tuple(str(x) for x in result["coordinate"].values)
    if names != model.coordinates or not {"v", "a"} <= set(result.variables):
        raise StateError(
            f"supple.validity: expected q, v and a of model {model.name!r}, got a dataset of "
            f"{result.attrs.get('model', 'something else')!r} with {', '.join(map(str, result.data_vars))}"
        )
    t = result["time"].values
    watched = LinearRange(model, len(t), float((t[-1] - t[0]) / (len(t) - 1)) if len(t) > 1 else 0.0)
    watched.add(result)
    return judged(model, watched.peaks())


def validity_at_rest(
    model: Formulation, state: tuple[Floats, Floats], closing: Floats, external: Mapping[str, Any] | None
) -> Validity:
    """How far the flexible bodies are in equilibrium, at coordinates and constant speeds, with these constraint forces.

    Parameters
    ----------
    external : mapping of frame to (6,) array_like, optional
        As in `linear.equilibrium`: wrenches in axes of the frames.
    """
    import xarray as xr

    q, v = state
    loads, speeds = external or {}, ("time", "speed")
    values: dict[str, Any] = {"q": (("time", "coordinate"), q[None])}
    values |= {"v": (speeds, v[None]), "a": (speeds, np.zeros((1, len(v))))}
    if len(closing):
        values["constraint_force"] = (("time", "equation"), closing[None])
    if loads:
        wrenches = np.array(list(loads.values()), float).reshape(1, -1, 6)
        values["applied_wrench"] = (("time", "law", "component"), wrenches)
    laws = {"law_frame": ("law", list(loads)), "law_axes": ("law", [OWN] * len(loads))}
    watched = LinearRange(model, 1, 0.0)
    watched.add(xr.Dataset(values, {"time": [np.nan], **laws}))
    return judged(model, watched.peaks())


def judged(model: Formulation, peaks: Peaks) -> Validity:
    """What is to be said about peaks of a motion: one sentence a body; of a beam in pieces, that of the worst piece."""
    worst: dict[str, tuple[float, str]] = {}
    for name, found in peaks.items():
        beam, pieces = _beam(model, name)
        missing = _missing(model, name)
        ratio, line = _sentence(found, missing, pieces)
        if ratio > worst.get(beam, (1.0, ""))[0]:
            worst[beam] = ratio, f"body {name!r} {line}"
    lines = [line for _, line in worst.values()]
    more = len(lines) - SHOWN_BODIES
    return Validity(peaks, (*lines[:SHOWN_BODIES], *([f"{more} more bodies left it too"] if more > 0 else [])))


def warn_of(model: Formulation, lines: Sequence[str]) -> None:
    """Say once that bodies left their range, a sentence for each of them."""
    if lines:
        text = f"model {model.name!r}: flexible bodies {HEADING}: " + "; ".join(lines)
        warn(text, PhysicsWarning)


def warnings_of(result: xr.Dataset) -> list[str]:
    """The sentences in the attributes of a result; none of one that has no such attribute."""
    return [str(line) for line in json.loads(result.attrs.get(VALIDITY, "[]"))]


def _sentence(found: dict[str, Peak], missing: str, pieces: int) -> tuple[float, str]:
    """The largest share of a range, and what happened and helps.

    Parameters
    ----------
    missing : str
        How to have the stiffening that the body lacks.
    pieces : int
        In how many pieces it is.
    """
    limits = {ROTATION: MOST_ROTATION, STRAIN: MOST_STRAIN, STRESS: MOST_STRESS}
    limits |= {SOFTENING: MOST_UNSTIFFENED, STIFFENING: MOST_UNSTIFFENED} if missing else {SOFTENING: MOST_BUCKLING}
    over = {what: found[what].value / limits[what] for what in limits if what in found}
    out = {what: ratio for what, ratio in over.items() if ratio > 1.0}
    if {SOFTENING, STIFFENING} <= set(out):
        out.pop(min((SOFTENING, STIFFENING), key=out.__getitem__))
    happened = [_event(what, found[what], ratio, bool(missing)) for what, ratio in out.items()]
    return max(over.values(), default=0.0), f"{', '.join(happened)}: {'; '.join(_advice(out, missing, pieces))}"


def _event(what: str, x: Peak, ratio: float, unstiffened: bool) -> str:
    """What happened."""
    at, without = "" if math.isnan(x.time) else f" at t = {x.time:.4g} s", " without stiffening" if unstiffened else ""
    return {
        ROTATION: f"turned by {x.value:.2g} rad within itself{at}, {ratio:.3g} times the range of linear theory "
        f"({MOST_ROTATION} rad)",
        STRAIN: f"was strained by {100 * x.value:.2g} %{at}, {ratio:.3g} times the range of linear theory "
        f"({100 * MOST_STRAIN:g} %)",
        STRESS: f"reached {x.value:.3g} times its yield strength{at}",
        SOFTENING: f"reached {100 * x.value:.3g} % of its buckling load{without}{at}",
        STIFFENING: f"was under loads that add {100 * x.value:.3g} % to its stiffness{without}{at}",
    }[what]


def _advice(out: Mapping[str, float], missing: str, pieces: int) -> Iterator[str]:
    """What to do about quantities that are out of their ranges by these factors."""
    loaded = missing and not {SOFTENING, STIFFENING}.isdisjoint(out)
    if loaded:
        yield missing
    if ROTATION in out:
        count = min(MOST_PIECES, pieces * 2 * math.ceil(out[ROTATION]))
        yield f"{'if it still turns that far ' if loaded else ''}cut it into pieces (pieces = {count})"
    elif SOFTENING in out and not loaded:
        yield f"near buckling small errors grow; make it stiffer, or cut it into pieces (pieces = {2 * pieces})"
    elif not loaded:
        yield "its material would not stay linear; make it stronger, or load it less"


def _missing(model: Formulation, name: str) -> str:
    """What to do to have the stiffening of a body that has none; empty if it has it."""
    placed = model.display.description.bodies[name]
    if placed.fidelity != "full":
        return f'set fidelity = "full" in place of "{placed.fidelity}"'
    return "" if placed.stiffening else "set stiffening = true"


def _beam(model: Formulation, name: str) -> tuple[str, int]:
    """The beam that a body is a piece of, or the body itself, and in how many pieces it is: "beam", "beam.2", ..."""
    beam = name.partition(".")[0]
    return beam, sum(other.partition(".")[0] == beam for other in model.display.bodies)


def _shown(what: str, x: Peak) -> str:
    units: dict[str, Any] = {
        ROTATION: f"{x.value:.3g} rad",
        STRAIN: f"{x.value:.2g}",
        STRESS: f"{100 * x.value:.2g} % of yield",
    }
    return f"{what} {units.get(what, f'{100 * x.value:.2g} %')}"
