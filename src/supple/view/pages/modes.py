"""The page of the natural modes of a system: a table, and each mode in motion."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, integer
from supple.linear.vibration import Modes
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.version import VERSION
from supple.view.pages.page import filled, number_table, page, part, terms, write_page
from supple.view.pages.scene_json import mode_scene

PHASES = 32
"""Pictures of a period."""
MOVE, TURN = 0.1, 0.4
"""How far a mode goes: share of the size of the mechanism that a point moves, and angle that a body turns, rad."""
PROBE = 1e-4
"""Share of unit modal mass at which motions are measured: small, for they are linear there, and far above rounding."""
COLUMNS = ("Mode", "Frequency, Hz", "Damping, %", "Kind", "Most moved", "Kinetic energy, %")
CELLS = ("frequency", "damping", "kind", "dof", "share")
"""Of the table of modes: headings, and what stands below them beside the number of the mode."""
ROUNDING = 1e-12
"""Measured motion, relative to that of the mode, below which it is rounding."""


@checked
def write_modes(modes: Modes, path: str | os.PathLike[str], count: int | None = 20) -> Path:
    """Write a page that shows natural modes in motion, and return its path.

    Parameters
    ----------
    modes : Modes
        What `supple.linear.modes` gave.
    path : path
        Of the HTML file.
    count : int, optional
        Number of modes shown; all if None.
    """
    return write_page(path, modes_page(modes, count))


def modes_page(modes: Modes, count: int | None = 20) -> str:
    """The page that `write_modes` writes."""
    shown = len(modes) if count is None else min(integer(count, "write_modes: count", 0), len(modes))
    data: dict[str, Any] = {"modes": [_mode(modes, i) for i in range(shown)]}
    motions = np.stack([_motion(modes, i) for i in range(shown)]) if shown else _shown(modes, modes.q[None])[None]
    periods = [mode["period"] for mode in data["modes"]] or [1.0]
    data["scene"], data["frames"] = mode_scene(modes.model.display, np.array(periods), motions)
    body = filled(
        "pages/modes.html",
        title=html.escape(modes.model.name),
        summary=terms(_summary(modes, shown)),
        table=number_table(
            COLUMNS, [[str(i), *(mode[key] for key in CELLS)] for i, mode in enumerate(data["modes"], 1)]
        ),
        viewer=filled("pages/viewer.html", controls=part("pages/player.html")),
    )
    return page(f"{modes.model.name}: modes", body, data, ("viewer/player.js", "pages/modes.js"))


def _mode(modes: Modes, i: int) -> dict[str, Any]:
    frequency, ratio = float(modes.frequencies[i]), 100.0 * float(modes.damping[i])
    share = [f"{name} {100 * x:.0f}" for name, x in list(modes.bodies(i).items())[:3] if x >= 0.005]
    turning = float(np.abs(modes.eigenvalues[i].imag))
    return {
        "frequency": f"{frequency:.5g}",
        "damping": f"{0.0 if abs(ratio) < 1e-5 else ratio:.3g}",
        "kind": modes.kinds[i],
        "dof": modes.dof(i),
        "share": ", ".join(share),
        # What does not oscillate is shown as if it did, once a second.
        "period": 2 * np.pi / turning if turning > 0 and not modes.rigid[i] else 1.0,
    }


def _summary(modes: Modes, shown: int) -> dict[str, str]:
    unstable = int(modes.unstable.sum())
    return {
        "Modes": f"{len(modes):,}" if shown == len(modes) else f"{shown:,} of {len(modes):,}",
        "Bodies": f"{len(modes.model.bodies):,}",
        "Mass": f"{modes.model.mass:.6g} kg",
        "Unstable": f"{unstable} of them" if unstable else "none",
        "Shapes": "real" if modes.real else "complex",
        "supple": VERSION,
    }


def _shown(modes: Modes, q: Floats) -> Floats:
    """Coordinates of the model that is drawn."""
    return modes.model.display_state(q, np.zeros((len(q), modes.model.nv)))[0]


def _motion(modes: Modes, i: int) -> Floats:
    """Coordinates (phases, nq) of the drawn model over a period, both ends included."""
    amplitude = _amplitude(modes, i)
    phases = np.linspace(0.0, 2 * np.pi, PHASES + 1)
    return _shown(modes, np.stack([modes.configuration(i, amplitude, float(phase)) for phase in phases]))


def _amplitude(modes: Modes, i: int) -> float:
    """How much of a mode makes the motion that is shown."""
    size = max(1e-9, float(np.abs(modes.shapes[:, i]).max()))
    probe = PROBE / size
    q = _shown(modes, np.stack([modes.q, *(modes.configuration(i, probe, phase) for phase in (0.0, np.pi / 2))]))
    model = modes.model.display
    R, p = model.poses(q)
    deformed = [_deformed(model, k, q) for k in range(1, p.shape[1])]
    points = [p[:, k, None] + x @ np.swapaxes(R[:, k], -1, -2) for k, (_, x) in enumerate(deformed, 1)]
    moves = max((float(np.abs(x - x[:1]).max()) for x in points), default=0.0)
    # Nodes turn besides their body: in torsion they do not move at all.
    turns = max(float(np.abs(x - x[:1]).max()) for x in (R, *(angles for angles, _ in deformed)))
    extent = float(np.linalg.norm(np.ptp(np.concatenate([x[0] for x in points]), axis=0))) if points else 1.0
    pairs = ((MOVE * (extent or 1.0), moves), (TURN, turns))
    return probe * min((limit / found for limit, found in pairs if found > ROUNDING * limit), default=1.0)


def _deformed(model: Model, k: int, q: Floats) -> tuple[Floats, Floats]:
    """Angles and positions (states, n, 3) of points of body k in its own axes: its nodes, or origin and centre of mass.

    The angles are those of the deformation alone.
    """
    placed = model.description.bodies[model.bodies[k - 1]]
    body = placed.body
    if not isinstance(body, FlexibleBody) or model.flex is None:
        still = np.tile(np.stack([np.zeros(3), body.com]), (len(q), 1, 1))
        return np.zeros_like(still), still
    first = model.flex.q_mode[k]
    eta, shapes = body.with_second_order(q[:, first : first + model.flex.modes[k]], placed.stiffens)
    moved = np.asarray((shapes @ eta.T).T.reshape(len(q), len(body.nodes), 6))
    return moved[..., :3], body.nodes + moved[..., 3:]
