"""`supple.live`: a live simulation in the output of a notebook, as a widget.

The front end is that of the live page. Its messages go through the comm of the kernel, which Jupyter, VS Code and Colab
have alike, so that no server is needed and nothing but the notebook is reached.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from supple.call_checks import unknown_argument
from supple.errors import StateError, SuppleError
from supple.formulations import floating_frames
from supple.model.model import Model
from supple.view.live.controls import Ranges
from supple.view.live.motion import ARGUMENTS
from supple.view.live.session import SCRIPTS, LiveSession
from supple.view.pages.page import filled, part, program, stylesheet

if TYPE_CHECKING:
    import xarray as xr

UNSEEN = 4
"""Messages that may be under way to a front end that has not said that it has them."""
PATIENCE = 5.0
"""Seconds after which the simulation pauses for a front end that says nothing: it is gone, or the kernel is busy."""
Send = Callable[[dict[str, Any], list[bytes]], None]


class Stream:
    """Sends the news of a session to front ends, as fast as they take them, and answers what they ask.

    Parameters
    ----------
    session : LiveSession
    send : function of a message and of buffers
    """

    def __init__(self, session: LiveSession, send: Send, patience: float = PATIENCE) -> None:
        self.session, self._send, self._patience = session, send, patience
        self._changed = threading.Condition()
        self._views = self._unseen = self._opened = 0
        self._silent = self._interrupted = False

    def receive(self, content: Any) -> None:
        """Take a message of a front end."""
        kind = content.get("kind") if isinstance(content, dict) else None
        with self._changed:
            self._silent = False
            if kind == "open":
                self._views += 1
                self._opened += 1
                self._unseen = 0
                if self._opened == 1:
                    self.session.live.start()
                    threading.Thread(target=self._run, name="live news", daemon=True).start()
            elif kind == "close":
                self._views = max(0, self._views - 1)
            elif kind == "seen":
                self._unseen = max(0, self._unseen - 1)
            elif kind == "command" and "run" in (content.get("command") or {}):
                self._interrupted = False
            self._changed.notify_all()
        if kind in ("command", "save"):
            self._answer(kind, content)

    def _answer(self, kind: str, content: dict[str, Any]) -> None:
        answer, buffers = {"kind": kind, "id": content.get("id")}, list[bytes]()
        try:
            if kind == "command":
                self.session.command(json.dumps(content.get("command")))
            else:
                buffers = [self.session.result()]
        except SuppleError as error:
            answer["refusal"] = str(error)
        self._send(answer, buffers)

    def _run(self) -> None:
        """Until the simulation is closed: whenever a front end looks, tell it."""
        live = self.session.live
        while not live.closed:
            with self._changed:
                self._changed.wait_for(lambda: self._listening or live.closed, self._patience)
                opened, listening, interrupted = self._opened, self._listening, self._interrupted
            if listening:
                self._interrupted = False
                self._tell(self.session.news(interrupted), opened)

    @property
    def _listening(self) -> bool:
        return self._views > 0 and not self._silent

    def _tell(self, news: Iterator[Any], opened: int) -> None:
        """News until no front end is left, none answers, or another is opened, which needs all of the scene.

        One that answers again later finds the simulation as it was: a cell that runs for long keeps its answers from
        being read.
        """
        try:
            for message in news:
                with self._changed:
                    taken = lambda: self._unseen < UNSEEN or self._opened != opened  # noqa: E731
                    if not self._changed.wait_for(taken, self._patience):
                        self._silent, self._unseen, self._interrupted = True, 0, self.session.live.running
                    if not self._listening or self._opened != opened:
                        return
                    self._unseen += message is not None
                if message is not None:
                    self._send({"kind": "news", "message": message}, [])
        finally:
            news.close()  # type: ignore[attr-defined]


def live(model: Model, sliders: Ranges | None = None, **arguments: Any) -> Any:
    """A model in motion in the output of a notebook: sliders, the mouse, plots, as on the page of `supple view`.

    Needs `anywidget`, which the extra `notebook` installs.

    Parameters
    ----------
    model : Model
    sliders : mapping of name to (low, high), optional
        Ranges of what can be set by hand: forces by the names of speeds, set points as "arm.angle.target", variables,
        parameters of the model such as "arm.mass".
    **arguments
        Of `supple.simulate`: how it starts, what acts on it, the integrator, what is recorded.

    Returns
    -------
    anywidget.AnyWidget
        Displayed where it is the last value of a cell. `session.live` steers it from Python; `result()` is the motion
        since the last reset, as an xarray.Dataset; `close()` ends it.
    """
    floating_frames(model, "supple.live")
    for name in arguments:
        if name not in ARGUMENTS:
            raise unknown_argument("supple.live", name, ARGUMENTS)
    return _widget_class()(LiveSession(model, arguments, sliders))


@cache
def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        install = "pip install 'supple[notebook]'"
        raise StateError(f"supple.live: expected anywidget, got none ({error}); {install}") from None

    class LiveWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = front_end()
        title = traitlets.Unicode().tag(sync=True)
        data = traitlets.Unicode().tag(sync=True)

        def __init__(self, session: LiveSession) -> None:
            self.session = session
            super().__init__(title=session.live.model.name, data=json.dumps(session.data, allow_nan=False))
            self._stream = Stream(session, self.send)
            self.on_msg(lambda _, content, buffers: self._stream.receive(content))

        def result(self) -> xr.Dataset:
            """The motion since the last reset."""
            return self.session.live.record.dataset(self.session.units)

        def close(self) -> None:
            """End the simulation and the widget."""
            self.session.live.close()
            super().close()

    return LiveWidget


def front_end() -> str:
    """The module that a notebook loads."""
    viewer = filled("pages/viewer.html", controls=part("pages/runner.html"))
    body = filled("pages/live.html", title="", viewer=viewer)
    style = stylesheet().replace("\nbody {", "\n.page {")
    parts = (f"const BODY = {json.dumps(body)};", f"const STYLE = {json.dumps(style)};")
    return "\n".join([*parts, program((*SCRIPTS, "live/live_widget.js"))])
