"""Spectra of the coordinates, marked with the natural frequencies of the whole system and of its bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.description.joints import Fixed
from supple.formulations import Formulation
from supple.model.mechanism import Mechanism
from supple.simulation.spectrum import amplitude_spectrum
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.eigen.lowest_modes import lowest_modes
from supple.view.plots.groups import groups, quantity
from supple.view.plots.plot import MOST_CURVES, annotated, largest, plot
from supple.view.plots.rounding import ROUNDING
from supple.view.plots.system_modes import SystemModes, system_modes

if TYPE_CHECKING:
    import xarray as xr

MOST_MARKS = 12
MIN_SAMPLES = 8
MOST_COORDINATES = 600
"""Of a beam in pieces whose frequencies are looked for: its mass matrix is full."""


def spectra(model: Formulation, result: xr.Dataset, names: Sequence[str] | None, most: int) -> list[dict[str, Any]]:
    """A plot for each kind of coordinate; `names` chooses coordinates, all but quaternions if not given."""
    t, q = result["time"].values.astype(float), result["q"].values
    wanted = range(model.nq) if names is None else [model.coordinate_index(name) for name in names]
    chosen = {
        kind: [i for i in columns if i in wanted and kind[1] != "1"]
        for kind, columns in groups(model, "q", model.coordinate_units).items()
    }
    if len(t) < MIN_SAMPLES or not any(chosen.values()):
        return []
    whole = system_modes(model, result)
    own = [mark | {"kind": "faint"} if whole.marks else mark for mark in _own_marks(model)]
    out = []
    for (modal, unit), columns in chosen.items():
        if not columns:
            continue
        moving = columns if names is not None else _moving(q, columns)
        if not moving:
            continue
        series = {model.coordinates[i]: q[:, i] - q[:, i].mean() for i in moving}
        curves = {}
        for name in largest(series, MOST_CURVES):
            f, curves[name] = amplitude_spectrum(t, series[name])
        title = f"Spectra of {'modal' if modal else 'joint'} {quantity('q', modal, unit)}s"
        sheet = plot("Spectra", title, ("frequency", "Hz"), ("amplitude", unit), f, curves, most)
        sheet["log"] = True
        sheet["marks"] = _shown(whole.marks, f) + _shown(own, f)
        out.append(annotated(sheet, *_explained(whole, _shown(own, f)), _beyond(whole.marks or own, f)))
    return out


def _moving(q: Floats, columns: list[int]) -> list[int]:
    """Those of these coordinates whose motion is more than rounding of the largest of them."""
    size = float(np.abs(q[:, columns]).max())
    return [i for i in columns if np.ptp(q[:, i]) > ROUNDING * size]


def _shown(marks: list[dict[str, Any]], f: Floats) -> list[dict[str, Any]]:
    return [mark for mark in marks if mark["x"] <= f[-1]][:MOST_MARKS]


def _explained(whole: SystemModes, own: list[dict[str, Any]]) -> list[str]:
    """What the marks are, and why some are missing."""
    if whole.marks:
        return [whole.note, "Faint: the bodies by themselves." if own else ""]
    return ["Dashed: modes of the bodies by themselves." if own else "", whole.note]


def _beyond(marks: list[dict[str, Any]], f: Floats) -> str:
    beyond = [mark for mark in marks if mark["x"] > f[-1]]
    if not beyond:
        return ""
    return (
        f"The samples show frequencies up to {f[-1]:.4g} Hz; the mode {beyond[0]['label']} at "
        f"{beyond[0]['x']:.4g} Hz lies above and is aliased. Simulate with more samples."
    )


def frequencies(body: FlexibleBody, count: int) -> Floats:
    """The lowest natural frequencies of a body by itself, as it was reduced, Hz."""
    if body.basis != "nodal":
        squares = np.sort(body.stiffness.diagonal())
    else:
        squares = lowest_modes(body.stiffness, body.mass_matrix, min(count, body.modes))[0]
    return np.sqrt(np.maximum(squares[:count], 0.0)) / (2.0 * np.pi)


def beam_frequencies(pieces: BeamPieces, count: int) -> Floats:
    """The lowest frequencies, Hz, of a beam in pieces with its root held; none if there are very many coordinates."""
    if pieces.modes > MOST_COORDINATES:
        return np.zeros(0)
    alone = Mechanism("beam", gravity=(0.0, 0.0, 0.0))
    alone.add_body("beam", pieces, joint=Fixed())
    M = alone.build().mass_matrix(np.zeros(pieces.modes))
    K = scipy.linalg.block_diag(*(body.stiffness.toarray() for body in pieces.bodies))
    squares = scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=(0, min(count, pieces.modes) - 1))
    return np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)


def _own_marks(model: Formulation) -> list[dict[str, Any]]:
    """Natural frequencies of the flexible bodies by themselves; equal ones once, with the first one's name."""
    at: dict[str, list[str]] = {}
    values: dict[str, float] = {}
    for placed, beam in model.description.parts():
        if isinstance(placed.body, FlexibleBody):
            found = frequencies(placed.body, MOST_MARKS) if beam is None else beam_frequencies(beam.pieces, MOST_MARKS)
            for i, f in enumerate(found, start=1):
                at.setdefault(f"{f:.6g}", []).append(
                    f"{placed.name}.mode{i}" if beam is None else f"{placed.name}: {i}"
                )
                values[f"{f:.6g}"] = float(f)
    labels = {key: names[0] + (f" +{len(names) - 1}" if len(names) > 1 else "") for key, names in at.items()}
    return sorted(({"x": values[key], "label": labels[key]} for key in at), key=lambda mark: float(str(mark["x"])))
