"""A live simulation and what joins it to a page: the data it starts from, the news it is told, the commands it sends.

The page of `supple view` and the widget of a notebook differ in how these go to and fro alone.
"""

from __future__ import annotations

import copy
import html
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from supple.checks import Floats
from supple.errors import StateError
from supple.model.model import Model
from supple.view.live.controls import ConfigurationSliders, Ranges, live_controls
from supple.view.live.mouse_force import MouseSpring, pick_points
from supple.view.live.simulation import Live, LiveFrame
from supple.view.pages.packing import packed
from supple.view.pages.page import filled, part
from supple.view.pages.scene_json import first_scene, frames, turned
from supple.view.scene.places import ScenePlaces
from supple.view.scene.stops import stops_of

SIGN_OF_LIFE = 1.0
"""Seconds after which a silent stream says something, and so finds out whether the page is still there."""
REDRAWN = 0.2
"""Seconds between pictures of a mechanism whose lengths are being changed."""
SCRIPTS = ("live/live_plot.js", "live/sliders.js", "live/grab.js", "live/live.js")
"""Of a live page, besides those of every page."""
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Grab(BaseModel):
    """The mouse: the number of a point that it holds, and where it is, m."""

    model_config = ConfigDict(extra="forbid", strict=True)

    grip: Annotated[int, Field(ge=0)]
    target: Annotated[list[Finite], Field(min_length=3, max_length=3)]


class Command(BaseModel):
    """What the page may ask for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run: bool | None = None
    step: bool = False
    speed: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = None
    set: dict[str, Finite] = {}
    configuration: dict[str, Finite] = {}
    reset: Literal["start", "file"] | None = None
    grab: Grab | None = None
    release: bool = False


class LiveSession:
    """A model in motion, with a hand on it.

    Parameters
    ----------
    model : Model
    arguments : mapping, optional
        Keyword arguments of `supple.simulate`; what is missing is neutral, at rest, zero.
    sliders : mapping of name to range, optional
        Ranges of what can be set; what is named here comes first.
    color : str, optional
        What flexible bodies are coloured by at first.

    Attributes
    ----------
    live : Live
    controls : list of Slider
        What can be set, in the order of the page.
    data : dict
        What the page starts from, JSON-like.
    """

    def __init__(
        self,
        model: Model,
        arguments: Mapping[str, Any] | None = None,
        sliders: Ranges | None = None,
        color: str | None = None,
    ) -> None:
        self.live = Live(model, **(arguments or {}))
        self.stage = ScenePlaces(model.display)
        q = self.live.state[0]
        hand, limits = self.live.motion.hand, self.live.motion.simulator.limits
        self._stops = stops_of(limits) if isinstance(model, Model) else []
        scene = first_scene(self.stage, self.drawn(q), self._stops) | {"color": color}
        self._size = float(scene["size"])
        reach = 2.0 * self._size
        self.configuration = ConfigurationSliders(model, reach, limits, hand.prescribed)
        self.controls = live_controls(model, hand, limits, _configurations(model, q), reach, sliders or {})
        self._starts = {x.name: x.value for x in self.controls}
        self.units = {x.name: x.unit for x in self.controls}
        self.pick_points = pick_points(self.stage) if isinstance(model, Model) else []
        self.data = {
            "name": model.name,
            "scene": scene,
            "controls": [vars(x) for x in self.controls],
            "configuration": [vars(x) for x in self.configuration.sliders],
        }
        if self.pick_points:
            places = np.stack([x.place for x in self.pick_points])
            self.data["grips"] = {"bodies": [x.body for x in self.pick_points], "places": packed(places)}

    def body(self) -> str:
        """The parts of the page, HTML."""
        viewer = filled("pages/viewer.html", controls=part("pages/runner.html"))
        return filled("pages/live.html", title=html.escape(self.live.model.name), viewer=viewer)

    def result(self) -> bytes:
        """The motion since the last reset, as the bytes of a results file."""
        return self.live.record.image(self.units)

    # ------------------------------------------------------------ news

    def news(self, resumed: bool = False) -> Iterator[Any]:
        """What a page is told, from now on; whoever listens is one who watches. None is a sign of life.

        Parameters
        ----------
        resumed : bool
            Run on: the simulation was paused only because nobody watched.
        """
        version = number = run = -1
        stage, shown, since = self.stage, _geometry(self.live.model), 0.0
        self.live.watch()
        try:
            if resumed and not self.live.motion.simulator.ended:
                self.live.run(True)
            while not self.live.closed:
                news = self.live.news(version, number, SIGN_OF_LIFE)
                if news is None:
                    yield None
                    continue
                version, new, status = news
                message: dict[str, Any] = {"status": self._status(status)}
                if new:
                    place = _geometry(new[-1].model)
                    if place != shown and (not status["running"] or time.monotonic() > since + REDRAWN):
                        stage, shown, since = ScenePlaces(new[-1].model.display), place, time.monotonic()
                        message["scene"] = first_scene(stage, self.drawn(new[-1].q), self._stops)
                    message |= self._shown(stage, new)
                    message["afresh"] = new[-1].run != run
                    number, run = new[-1].number, new[-1].run
                yield message
        finally:
            self.live.leave()

    def _status(self, status: dict[str, Any]) -> dict[str, Any]:
        pull = status["pull"]
        shown = None if pull is None else {"point": pull.point.tolist(), "force": pull.force.tolist()}
        return status | {"controls": list(self.live.values(self._starts).values()), "pull": shown}

    def _shown(self, stage: ScenePlaces, new: list[LiveFrame]) -> dict[str, Any]:
        """Frames of the newest run, as the page takes them, which has the scene of a stage."""
        new = [x for x in new if x.run == new[-1].run]
        q = np.stack([x.q for x in new])
        stage = copy.copy(stage)  # poses are those of the model with its present numbers
        stage.model = new[-1].model.display
        return {
            "frames": frames(stage, np.array([x.t for x in new]), self.drawn(q), self._stops),
            "samples": [[x.t, x.kinetic, x.potential, *self.configuration.values(x.q)] for x in new],
        }

    def drawn(self, q: Floats) -> Floats:
        """Coordinates (..., nq) of the model that is drawn."""
        model = self.live.model
        return model.display_state(q, np.zeros((*q.shape[:-1], model.nv)))[0]

    # ------------------------------------------------------------ commands

    def command(self, body: bytes | str) -> None:
        """Do what the page asks for, JSON; a StateError says what is wrong with it."""
        try:
            command = Command.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            raise StateError(f"{'.'.join(map(str, first['loc'])) or 'command'}: {first['msg']}") from None
        live = self.live
        if command.reset is not None:
            live.reset(to_file=command.reset == "file")
        if command.speed is not None:
            live.set_speed(command.speed)
        if command.set:
            live.set(command.set)
        if command.configuration:
            live.set_configuration(lambda q: self.configuration.moved(q, command.configuration))
        if command.grab is not None:
            live.grab(self._spring(command.grab))
        if command.release:
            live.grab(None)
        if command.step:
            live.step()
        if command.run is not None:
            live.run(command.run)

    def _spring(self, grab: Grab) -> MouseSpring:
        """The spring of the mouse; one that is there goes on with another end."""
        if grab.grip >= len(self.pick_points):
            raise StateError(f"grab: expected one of {len(self.pick_points)} points, got number {grab.grip}")
        grip, target, now = self.pick_points[grab.grip], np.array(grab.target), self.live.motion.spring
        if now is not None and now.grip is grip:
            return replace(now, target=target)
        model = self.live.motion.simulator.model.floating_frames("the mouse")
        return MouseSpring.of(model, grip, target, self.live.state[0], self._size)


def _geometry(model: Model) -> bytes:
    """What a picture of the mechanism depends on."""
    tree = model.display.tree
    return b"".join(x.tobytes() for x in (tree.position, tree.frames.position, tree.mass))


def _configurations(model: Model, q: Floats) -> Floats:
    """Configurations (n, nq) like q, with all joints turned; q alone where closed loops do not let them."""
    try:
        return np.concatenate([q[None], turned(model, q)])
    except StateError:
        return q[None]
