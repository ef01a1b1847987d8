"""supple view: look at a model in motion, or at the results of a run."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import supple
from supple.cli.console import Floating, app, say
from supple.files import read
from supple.files.embedding import TEXT, simulated_model
from supple.formulations import floating_frames
from supple.simulation.start_state import STARTS
from supple.view.live_page import LivePage
from supple.view.report_page import report_page
from supple.view.server import Server

RESULTS = (".nc", ".nc4", ".h5", ".hdf5")
REPLACED = ("motion", "wrenches", "events", "limits")
"""What a file may say about its simulation that the live page does not do."""


@app.command()
def view(
    file: Annotated[Path, typer.Argument(help="Model file, .toml or .urdf; or results file, .nc.")],
    model: Annotated[Path | None, typer.Option(help="Model file, for results that do not hold their model.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 for any free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the default browser.")] = True,
    floating_base: Floating = False,
) -> None:
    """Show a model in the browser, simulated live and moved by hand; or the page of a results file."""
    if file.suffix.lower() in RESULTS:
        server = Server(_report(file, model, floating_base), port)
        _show(server, server.serve_forever, browser)
        return
    if model is not None:
        raise supple.StateError(f"{file}: --model: expected a results file beside it, got a model file")
    contents = read(file, floating_base)
    floating_frames(contents.model, "the live page of supple view")
    arguments = contents.run_arguments()
    start, left_out = _by_hand(arguments)
    if arguments.get("start", STARTS[0]) != STARTS[0]:
        start |= _balanced(contents.model, arguments)
    page = LivePage(contents.model, start, left_out, port)
    _show(page.server, page.serve, browser)


def _by_hand(arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Of what a file says about its simulation: the numbers to start with, and what a hand takes the place of."""
    start: dict[str, Any] = {key: arguments[key] for key in ("q", "v", "tau", "guess") if key in arguments}
    laws = [name for name, law in start.get("tau", {}).items() if not isinstance(law, int | float)]
    if laws:
        start["tau"] = {name: law for name, law in start["tau"].items() if name not in laws}
    forces = [f"tau of {name}" for name in laws]
    return start, forces + [key for key in REPLACED if arguments.get(key)]


def _balanced(model: supple.Model, arguments: dict[str, Any]) -> dict[str, Any]:
    """The start of a file that leaves coordinates to find a balance of forces."""
    names = ("q", "v", "tau", "motion", "wrenches", "variables", "guess", "start")
    simulator = supple.Simulator(model, **{name: arguments[name] for name in names if name in arguments})
    q, v = simulator.start
    return {
        "q": dict(zip(model.coordinates, q.tolist(), strict=True)),
        "v": dict(zip(model.speeds, v.tolist(), strict=True)),
        "guess": {},
    }


def _report(file: Path, model_file: Path | None, floating_base: bool) -> str:
    """The page of a results file; the model is in it, or in a file of its own."""
    with supple.open_results(file) as result:
        if model_file is not None:
            return report_page(read(model_file, floating_base).model, result)
        if TEXT not in result:
            raise supple.FileFormatError(
                f"{file}: expected results that hold their model, got none; name its file with --model"
            )
        return report_page(simulated_model(result, file), result)


def _show(server: Server, serve: Callable[[], None], browser: bool) -> None:
    """Serve until interrupted, and free the port."""
    with server, suppress(KeyboardInterrupt):
        say(f"{server.address}  (Ctrl-C ends)")
        if browser:
            webbrowser.open(server.address)
        serve()
