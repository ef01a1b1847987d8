"""One HTML file that shows a model and its motion: tables, plots that can be zoomed, and a 3-D view.

The page draws with the short scripts of this package, plots on a canvas and bodies with WebGL, and holds all it needs:
it opens from a disk, out of a mail or years later, without a network. General libraries serve less well here: plotly.js
adds megabytes to every page, and none of them places bodies, so the deformation could not be exaggerated in the page
with all bodies staying joined. Without its data the page has about 100 kB.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError
from supple.formulations import Formulation
from supple.linear_theory.validity import warnings_of
from supple.model.loops.mobility import degrees_of_freedom
from supple.structures.body.flexible_body import FlexibleBody
from supple.version import VERSION
from supple.view.pages.page import filled, page, part, terms, write_page
from supple.view.pages.scene_json import scene
from supple.view.plots.result_plots import most_points, plots
from supple.view.plots.rounding import CONFIGURATIONS, ROUNDING
from supple.view.plots.spectra import beam_frequencies, frequencies
from supple.view.scene.sampling import evenly

if TYPE_CHECKING:
    import xarray as xr

SECTIONS = ("Outputs", "Coordinates", "Energy")
"""Of which plots stand beside the view."""
NEEDED = ("q", "v", "kinetic_energy", "potential_energy")


@checked
def write_report(
    model: Formulation,
    result: xr.Dataset,
    path: str | os.PathLike[str],
    *,
    traces: Sequence[str] | None = None,
    spectra: Sequence[str] | None = None,
    color: str | None = None,
) -> Path:
    """Write a page that shows a model and its motion, and return its path.

    Parameters
    ----------
    model : Model
    result : xarray.Dataset
        What `supple.simulate` gave for this model, or the same read back from its file.
    path : path
        Of the HTML file.
    traces : sequence of str, optional
        Frames whose paths the 3-D view draws; the tips of the mechanism if not given.
    spectra : sequence of str, optional
        Coordinates whose spectra are shown; all but quaternions if not given.
    color : str, optional
        "displacement", "strain" or "stress": what flexible bodies are coloured by at first; the page can change it.

    Raises
    ------
    StateError
        When the result is not one of this model.
    """
    return write_page(path, report_page(model, result, traces=traces, spectra=spectra, color=color))


def report_page(
    model: Formulation,
    result: xr.Dataset,
    *,
    traces: Sequence[str] | None = None,
    spectra: Sequence[str] | None = None,
    color: str | None = None,
) -> str:
    """The page that `write_report` writes."""
    _require_fit(model, result)
    q, _, _ = model.display_state(result["q"].values, np.zeros((result.sizes["time"], model.nv)))
    sheets = plots(model, result, spectra)
    shown = [sheet for sheet in sheets if "curves" in sheet]
    data: dict[str, Any] = {
        "plots": shown,
        "key": _key(shown),
        "points": most_points(model, result),
        "scene": scene(model.display, result["time"].values.astype(float), q, traces, result, color),
    }
    body = filled(
        "pages/report.html",
        title=html.escape(model.name),
        alert=_alert(result),
        summary=terms(_summary(model, result)),
        run=terms(_run(model, result)),
        viewer=filled("pages/viewer.html", controls=part("pages/player.html")),
        explorer=part("pages/explorer.html"),
        system=_system(model),
        zero=_zero([sheet for sheet in sheets if "zero" in sheet]),
        size=_size(result, data),
    )
    return page(model.name, body, data, ("viewer/player.js", "viewer/tabs.js", "plots/explorer.js", "pages/report.js"))


def _key(shown: list[dict[str, Any]]) -> list[int]:
    """Places of the plots beside the view: what was asked for, else the coordinates; and the energy."""
    by_section = {name: [i for i, x in enumerate(shown) if x["section"] == name] for name in SECTIONS}
    asked = {shown[i]["y"]["name"]: i for i in reversed(by_section["Outputs"])}  # of each quantity the first
    return [*(list(asked.values())[::-1] or by_section["Coordinates"])[:2], *by_section["Energy"][:1]]


def _size(result: xr.Dataset, data: dict[str, Any]) -> str:
    """How much of the samples the page holds."""
    samples = result.sizes["time"]
    points, frames = data["points"], data["scene"]["count"]
    whole = f"all {samples:,} samples" if points >= samples else f"{points:,} points a curve, with all extremes,"
    film = "all of them" if frames >= samples else f"{frames:,} of {samples:,}"
    return f"The plots hold {whole} of this run, the film {film}; the results file has every number in full."


def _zero(sheets: list[dict[str, Any]]) -> str:
    """A paragraph that names what has no plot because it is zero but for rounding; nothing if all has one."""
    if not sheets:
        return ""
    named = "; ".join(sheet["title"] + (f" (at most {sheet['zero']})" if sheet["zero"] else "") for sheet in sheets)
    return f'<p class="note">Zero but for rounding, and not plotted: {html.escape(named)}.</p>'


def _require_fit(model: Formulation, result: xr.Dataset) -> None:
    missing = [name for name in NEEDED if name not in result]
    if missing:
        raise StateError(f"result: expected what supple.simulate gives, got no {', '.join(missing)}")
    for key, dimension, names in (("q", "coordinate", model.coordinates), ("v", "speed", model.speeds)):
        given = tuple(str(name) for name in result[dimension].values)
        if given != names or result[key].dims != ("time", dimension):
            raise StateError(
                f"result: expected the {dimension}s of model {model.name!r}, {', '.join(names[:5])} ..., "
                f"got {', '.join(given[:5])} ..."
            )
        bad = np.flatnonzero(~np.isfinite(result[key].values).all(axis=0))
        if len(bad):
            raise StateError(f"result: expected finite numbers, got others in {names[bad[0]]!r}")
    if result.sizes["time"] < 2:
        raise StateError(f"result: expected two times or more, got {result.sizes['time']}")


def _alert(result: xr.Dataset) -> str:
    """Above everything: that a run did not come to its end, and that bodies left the range of their theory."""
    out = ""
    if not result.attrs.get("finished", 1):
        out += f'<p class="alert" role="alert">Unfinished run, up to t = {float(result["time"][-1]):.6g} s</p>'
    lines = warnings_of(result)
    if lines:
        listed = "".join(f"<li>{html.escape(line[:1].upper() + line[1:])}</li>" for line in lines)
        out += (
            '<div class="alert" role="alert"><p>Beyond linear theory, which takes deformations in one flexible body as '
            f"small. Before you trust this motion:</p><ul>{listed}</ul></div>"
        )
    return out


def _summary(model: Formulation, result: xr.Dataset) -> dict[str, str]:
    """What was run, at a glance."""
    t = result["time"].values
    kinetic, potential = result["kinetic_energy"].values, result["potential_energy"].values
    total = kinetic + potential
    rounding = ROUNDING * max(np.abs(kinetic).max(), np.abs(potential).max())
    change = 0.0 if abs(total[-1] - total[0]) <= rounding else total[-1] - total[0]
    return {
        "Duration": f"{t[-1] - t[0]:.6g} s",
        "Bodies": f"{len(model.bodies):,}",
        "Degrees of freedom": f"{_degrees_of_freedom(model, result):,}",
        "Mass": f"{model.mass:.6g} kg",
        "Energy change": f"{change:.3g} J",
        "Samples": f"{len(t):,}",
    }


def _run(model: Formulation, result: xr.Dataset) -> dict[str, str]:
    """How it was run; what the result does not say is left out."""
    attrs, gravity = result.attrs, model.description.gravity
    named = {"Integrator": "integrator", "Engine": "engine"}
    return {
        **{term: str(attrs[key]) for term, key in named.items() if key in attrs},
        **({"Steps": f"{attrs['steps']:,}"} if "steps" in attrs else {}),
        **_accuracy(attrs),
        "Gravity": "none" if not gravity.any() else f"{np.linalg.norm(gravity):.4g} m/s\u00b2",
        "supple": VERSION,
        **({"Why this integrator": str(attrs["reason"])} if "reason" in attrs else {}),
    }


def _accuracy(attrs: Mapping[Any, Any]) -> dict[str, str]:
    """What sets the accuracy: a tolerance, or the length of fixed steps."""
    if "rtol" in attrs:
        return {"Relative tolerance": f"{attrs['rtol']:.3g}"}
    return {"Length of steps": f"{attrs['step']:.3g} s"} if "step" in attrs else {}


def _degrees_of_freedom(model: Formulation, result: xr.Dataset) -> int:
    """Of the closed mechanism, at configurations of this motion."""
    if model.loops is None:
        return model.nv
    at = evenly(result.sizes["time"], CONFIGURATIONS)
    return degrees_of_freedom(model.mechanism_model(), result["q"].values[at])


def _system(model: Formulation) -> str:
    """Rows of the table of bodies."""
    rows = []
    for placed, beam in model.description.parts():
        body, mass, modes = placed.body, placed.body.mass, 0
        dofs = np.size(placed.joint.inertia)
        flexible = ["", "", ""]
        if isinstance(body, FlexibleBody):
            modes, basis, found = body.modes, body.basis, frequencies(body, 4)
            if beam is not None:
                mass, modes, found = beam.pieces.mass, beam.pieces.modes, beam_frequencies(beam.pieces, 4)
                basis += f", {len(beam.pieces)} pieces"
            lowest = ", ".join(f"{f:.4g}" for f in found) + (", ..." if modes > 4 and len(found) else "")
            flexible = [basis, str(modes), lowest]
        attachment = "/".join(filter(None, model.description.carrier(placed.parent, placed.node)))
        cells = [placed.name, attachment, placed.joint.kind, str(dofs), f"{mass:.5g}", *flexible]
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return "\n".join(rows)
