"""Stresses and section forces of flexible bodies in a motion.

By displacement they are those of the coordinates. By acceleration what the coordinates leave of static deflections is
added, as large as all forces make it: those of inertia and gravity, of joints, springs, wrenches and constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import Floats
from supple.errors import StateError
from supple.formulations import Formulation
from supple.inputs import recovery_requests as requests
from supple.linear_theory.linear_range import applied_wrenches
from supple.model.model import Model
from supple.simulation.result_variables import TimeSeries, along, deformation, names, positions, variable
from supple.structures.elements.recovery_table import RESULTANTS, STRESSES, von_mises

if TYPE_CHECKING:
    import xarray as xr

CELLS = 2_000_000
"""Numbers of one batch: fewer samples at a time where a body has many points."""
STATIC_SAMPLES = 500
"""Samples of one batch of static loads."""


class Motion(NamedTuple):
    """What stresses depend on: coordinates (times, nq) of the displayed model, and static amplitudes by body."""

    model: Model
    q: Floats
    static: Mapping[str, Floats]


def motion_of(model: Formulation, result: xr.Dataset, bodies: Iterable[str], method: str) -> Motion:
    """Of a result with q, v and a, for some bodies; `method` is "displacement" or "acceleration"."""
    shown = model.display
    q, v, a = model.display_state(*(result[key].values for key in ("q", "v", "a")))
    if method == "displacement":
        return Motion(shown, q, {})
    if not isinstance(model, Model):
        raise StateError(f"recovery: {model.formulation} know no static loads: expected 'displacement', got {method!r}")
    for name in bodies:
        requests.require_static(shown, name)
    found: dict[str, list[Floats]] = {}
    for first in range(0, len(q), STATIC_SAMPLES):
        part = slice(first, first + STATIC_SAMPLES)
        own = result.isel(time=part)
        forces = own["constraint_force"].values if "constraint_force" in own else None
        wrenches = applied_wrenches(shown, own, q[part]) or None
        for name, loads in model.static_loads(q[part], v[part], a[part], wrenches, forces).items():
            found.setdefault(name, []).append(loads)
    return Motion(shown, q, {name: np.concatenate(parts) for name, parts in found.items()})


def stresses(motion: Motion, wanted: Iterable[str]) -> dict[str, TimeSeries]:
    """stress (time, stress_point, stress_component) and von_mises (time, stress_point) of bodies or places on them."""
    found = [(name.partition("/")[0], x) for name in wanted for x in requests.stresses(motion.model, name)]
    values = np.concatenate([_values(motion, x) for _, x in found], axis=1)
    point = {
        "stress_point": names(f"{name}/{place}" for name, x in found for place in x.own.places),
        "stress_body": along("stress_point", (name for name, x in found for _ in x.own.places)),
        "stress_element": along("stress_point", (element for _, x in found for element in x.own.elements)),
        "stress_node": ("stress_point", np.concatenate([x.own.nodes for _, x in found])),
        **positions("stress_point", "stress", np.concatenate([x.own.positions for _, x in found])),
    }
    component = {"stress_component": names(STRESSES)}
    words = "stresses of elements, in their axes"
    return {
        "stress": variable(values, ("stress_point", "stress_component"), "Pa", words, point | component),
        "von_mises": variable(von_mises(values), ("stress_point",), "Pa", "von Mises stress", point),
    }


def worst_stresses(motion: Motion, wanted: Iterable[str]) -> dict[str, TimeSeries]:
    """worst_stress (time, stressed_body), the largest von Mises stress, and worst_stress_position (..., axis)."""
    bodies = list(wanted)
    values, places = np.zeros((len(motion.q), len(bodies))), np.zeros((len(motion.q), len(bodies), 3))
    for i, name in enumerate(bodies):
        for x in requests.stresses(motion.model, name):
            for part, found in von_mises_batches(motion, x):
                most = found.argmax(axis=1)
                size = found[np.arange(len(most)), most]
                larger = size > values[part, i]
                values[part, i] = np.where(larger, size, values[part, i])
                places[part, i] = np.where(larger[:, None], x.own.positions[most], places[part, i])
    body = {"stressed_body": names(bodies)}
    where = "where the largest von Mises stress is, undeformed, body frame"
    return {
        "worst_stress": variable(values, ("stressed_body",), "Pa", "largest von Mises stress of bodies", body),
        "worst_stress_position": variable(places, ("stressed_body", "axis"), "m", where, body),
    }


def section_forces(motion: Motion, wanted: Iterable[str]) -> TimeSeries:
    """(time, section, resultant): N, Vy, Vz, T, My, Mz at both ends of the elements of beams."""
    found = [(name, x) for name in wanted for x in requests.section_forces(motion.model, name)]
    section = {
        "section": names(f"{name}/{place}" for name, x in found for place in x.own.places),
        "section_body": along("section", (name for name, x in found for _ in x.own.places)),
        "section_node": ("section", np.concatenate([x.own.nodes for _, x in found])),
        **positions("section", "section", np.concatenate([x.own.positions for _, x in found])),
        "resultant": names(RESULTANTS),
        "resultant_unit": along("resultant", ["N"] * 3 + ["N m"] * 3),
    }
    values = np.concatenate([_values(motion, x) for _, x in found], axis=1)
    words = "forces and moments on sections of beams, from the side of larger x, element axes"
    return variable(values, ("section", "resultant"), "N, N m", words, section)


def von_mises_batches(motion: Motion, x: requests.Recovered) -> Iterator[tuple[slice, Floats]]:
    """Some samples at a time, with the von Mises stress (samples, points) of a body."""
    step = max(1, CELLS // max(1, 6 * len(x.own)))
    for first in range(0, len(motion.q), step):
        part = slice(first, first + step)
        yield part, von_mises(_values(motion, x, part))


def _values(motion: Motion, x: requests.Recovered, part: slice = slice(None)) -> Floats:
    """(samples, points or sections, 6) of a body, with its static shapes if their amplitudes are known."""
    own = x.own.values(deformation(motion.model, x.body, motion.q[part]))
    return own if x.body not in motion.static else own + x.static().values(motion.static[x.body][part])
