"""`supple.show`: the 3-D view of a model or a result inside a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from supple.checks import is_number
from supple.errors import StateError
from supple.formulations import Formulation
from supple.simulation.start_state import Values
from supple.view.pages.page import filled, page, part
from supple.view.pages.scene_json import scene
from supple.view.scene.motion import scene_motion

HEIGHT = 480
LEAST, MOST = 200, 4000
"""Heights of a view, pixels."""


class NotebookView:
    """A view that a notebook displays: a page of its own in a frame, which needs no server and no network.

    Attributes
    ----------
    name : str
        Of the model.
    page : str
        HTML of the page in the frame.
    height : int
        Pixels.
    """

    def __init__(self, name: str, page: str, height: int) -> None:
        self.name, self.page, self.height = name, page, height

    def __repr__(self) -> str:
        return f"<supple view of {self.name!r}: shown by a notebook>"

    def _repr_html_(self) -> str:
        """The page as text of an attribute; scripts in it run in an origin of their own."""
        style = f"width:100%;height:{self.height}px;border:0"
        title = html.escape(f"{self.name} in 3-D")
        return (
            f'<iframe title="{title}" sandbox="allow-scripts allow-downloads" style="{style}" '
            f'srcdoc="{html.escape(self.page)}"></iframe>'
        )


def show(
    shown: Any,
    *,
    model: Formulation | None = None,
    q: Values | None = None,
    height: int = HEIGHT,
    traces: Sequence[str] | None = None,
    color: str | None = None,
) -> NotebookView:
    """The 3-D view of a model or a result, for the last line of a cell of a notebook.

    Parameters
    ----------
    shown : Model or xarray.Dataset
        A model, which stands still, or what `supple.simulate` gave, which moves.
    model : Model, optional
        That of a result which does not hold it: results hold their models if they were written to a file.
    q : array_like or mapping of name to number, optional
        Coordinates of a model; what is not named is neutral.
    height : int
        Pixels.
    traces : sequence of str, optional
        Frames whose paths are drawn; the tips of the mechanism if not given.
    color : str, optional
        "displacement", "strain" or "stress": what flexible bodies are coloured by at first; the view can change it.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("pendulum")
    >>> mech.add_body("arm", supple.RigidBody(1.0, com=(0, 0, -0.5)))
    >>> supple.show(mech.build())
    <supple view of 'pendulum': shown by a notebook>
    """
    if not is_number(height) or not LEAST <= height <= MOST:
        raise StateError(f"height: expected {LEAST} to {MOST} pixels, got {height!r}")
    motion = scene_motion(shown, model, q)
    moving = len(motion.times) > 1
    viewer = filled("pages/viewer.html", controls=part("pages/player.html") if moving else "")
    data = {"scene": scene(motion.model, motion.times, motion.q, traces, shown if moving else None, color)}
    name = motion.model.name
    return NotebookView(
        name,
        page(name, filled("pages/shown.html", viewer=viewer), data, ("viewer/player.js", "pages/shown.js")),
        int(height),
    )
