"""The live page of a model: a simulation, its page, and the server that joins them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supple.checks import Floats
from supple.errors import StateError
from supple.model.model import Model
from supple.view.handles import ConfigurationHandles, force_handles
from supple.view.live import Live, LiveFrame
from supple.view.page import filled, page, part
from supple.view.scene import first_scene, frames, turned
from supple.view.server import Server
from supple.view.stage import Stage

SIGN_OF_LIFE = 1.0
"""Seconds after which a silent stream says something, and so finds out whether the page is still there."""
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Command(BaseModel):
    """What the page may ask for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run: bool | None = None
    speed: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = None
    drive: dict[str, Finite] = {}
    configuration: dict[str, Finite] = {}
    reset: Literal["start", "file"] | None = None


class LivePage:
    """A model in motion, and the page that shows it.

    Parameters
    ----------
    model : Model
    start : mapping, optional
        q, v, tau and guess by name (see `Live`); what is missing is neutral, at rest, zero.
    left_out : sequence of str
        What the model file says and this page does not do; the reader is told.
    port : int
        0 for any that is free.
    """

    def __init__(
        self,
        model: Model,
        start: Mapping[str, Mapping[str, float]] | None = None,
        left_out: Sequence[str] = (),
        port: int = 0,
    ) -> None:
        self.live = Live(model, **(start or {}))
        self.stage = Stage(model.display)
        q = self.live.file_start.q
        scene = first_scene(self.stage, self._drawn(q))
        self.configuration = ConfigurationHandles(model, 2.0 * scene["size"])
        self.drives = force_handles(model, _configurations(model, q), self.live.file_drive)
        data = {
            "scene": scene,
            "drives": [asdict(handle) for handle in self.drives],
            "configuration": [asdict(handle) for handle in self.configuration.handles],
        }
        body = filled(
            "live.html",
            title=html.escape(model.name),
            note=_left_out(left_out),
            viewer=filled("viewer.html", controls=part("runner.html")),
        )
        text = page(model.name, body, data, ("live_plot.js", "sliders.js", "live.js"), "; connect-src 'self'")
        self.server = Server(text, port, self._news, self._command)

    def serve(self) -> None:
        """Serve the page until interrupted."""
        self.live.start()
        try:
            self.server.serve_forever()
        finally:
            self.close()

    def close(self) -> None:
        """End the simulation and free the port."""
        self.live.close()
        self.server.server_close()

    def _news(self) -> Iterator[Any]:
        """What the page is told, from now on; whoever listens is one who watches."""
        version = number = run = -1
        self.live.watch()
        try:
            while not self.live.closed:
                news = self.live.news(version, number, SIGN_OF_LIFE)
                if news is None:
                    yield None
                    continue
                version, new, status = news
                message: dict[str, Any] = {"status": status | {"drive": self._forces(status["drive"])}}
                if new:
                    message |= self._shown(new)
                    message["afresh"] = new[-1].run != run
                    number, run = new[-1].number, new[-1].run
                yield message
        finally:
            self.live.leave()

    def _forces(self, drive: Floats) -> list[float]:
        """Generalized forces in the order of the sliders."""
        return [float(drive[self.live.model.speed_index(handle.name)]) for handle in self.drives]

    def _shown(self, new: list[LiveFrame]) -> dict[str, Any]:
        """Frames of the newest run, as the page takes them."""
        new = [x for x in new if x.run == new[-1].run]
        q = np.stack([x.q for x in new])
        return {
            "frames": frames(self.stage, np.array([x.t for x in new]), self._drawn(q)),
            "samples": [[x.t, x.kinetic, x.potential, *self.configuration.values(x.q)] for x in new],
        }

    def _drawn(self, q: Floats) -> Floats:
        """Coordinates (..., nq) of the model that is drawn."""
        model = self.live.model
        return model.display_state(q, np.zeros((*q.shape[:-1], model.nv)))[0]

    def _command(self, body: bytes) -> None:
        try:
            command = Command.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            raise StateError(f"{'.'.join(map(str, first['loc'])) or 'command'}: {first['msg']}") from None
        if command.reset is not None:
            self.live.reset(to_file=command.reset == "file")
        if command.speed is not None:
            self.live.set_speed(command.speed)
        if command.drive:
            self.live.set_drive(command.drive)
        if command.configuration:
            self.live.set_configuration(lambda q: self.configuration.moved(q, command.configuration))
        if command.run is not None:
            self.live.run(command.run)


def _configurations(model: Model, q: Floats) -> Floats:
    """Configurations (n, nq) like q, with all joints turned; q alone where closed loops do not let them."""
    try:
        return np.concatenate([q[None], turned(model, q)])
    except StateError:
        return q[None]


def _left_out(things: Sequence[str]) -> str:
    if not things:
        return ""
    return f'<p class="note">Not from the file here: {html.escape(", ".join(things))}. The sliders drive the model.</p>'
