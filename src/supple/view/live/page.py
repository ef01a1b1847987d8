"""The live page of a model: a simulation, its page, and the server that joins them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.model.model import Model
from supple.view.live.controls import Ranges
from supple.view.live.server import Server
from supple.view.live.session import SCRIPTS, LiveSession
from supple.view.pages.page import page
from supple.view.scene.quantities import checked_quantity


class LivePage:
    """A model in motion, and the page that shows it.

    Parameters
    ----------
    model : Model
    arguments : mapping, optional
        Keyword arguments of `supple.simulate`: how it starts, what acts on it, the integrator, what is recorded.
    sliders : mapping of name to range, optional
        Ranges of what can be set by hand: forces by the names of speeds, set points as "arm.angle.target", variables,
        parameters of the model.
    port : int
        0 for any that is free.
    color : str, optional
        "displacement", "strain" or "stress": what flexible bodies are coloured by at first.
    """

    def __init__(
        self,
        model: Model,
        arguments: Mapping[str, Any] | None = None,
        sliders: Ranges | None = None,
        port: int = 0,
        color: str | None = None,
    ) -> None:
        self.session = LiveSession(model, arguments, sliders, checked_quantity(color))
        scripts = (*SCRIPTS, "live/live_server.js")
        text = page(model.name, self.session.body(), self.session.data, scripts, "; connect-src 'self'")
        self.server = Server(text, port, self.session.news, self.session.command, self.session.result)

    def serve(self) -> None:
        """Serve the page until interrupted."""
        self.session.live.start()
        try:
            self.server.serve_forever()
        finally:
            self.close()

    def close(self) -> None:
        """End the simulation and free the port."""
        self.session.live.close()
        self.server.server_close()
