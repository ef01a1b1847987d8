"""supple view: look at a model in motion, or at the results of a run."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

import supple
from supple.cli.console import Changed, Collision, Floating, Limits, Mimic, app, changes_of, refuse_of_results, say
from supple.files import read
from supple.formulations import floating_frames
from supple.simulation.recording import results_model
from supple.view.live.page import LivePage
from supple.view.live.server import Server
from supple.view.pages.report import report_page

RESULTS = (".nc", ".nc4", ".h5", ".hdf5")


@app.command()
def view(
    file: Annotated[Path, typer.Argument(help="Model file, .toml or .urdf; or results file, .nc.")],
    model: Annotated[Path | None, typer.Option(help="Model file, for results that do not hold their model.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 for any free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the default browser.")] = True,
    color: Annotated[
        str | None, typer.Option(help="What flexible bodies are coloured by: displacement, strain or stress.")
    ] = None,
    changed: Changed = None,
    limits: Limits = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
    collision: Collision = False,
) -> None:
    """Show a model in the browser, simulated live and moved by hand; or the page of a results file."""
    changes = changes_of(changed)
    if file.suffix.lower() in RESULTS:
        refuse_of_results(file, {"set": changed, "collision": collision, "limits": limits, "mimic": mimic})
        server = Server(_report(file, model, floating_base, color), port)
        _show(server, server.serve_forever, browser)
        return
    if model is not None:
        raise supple.StateError(f"{file}: --model: expected a results file beside it, got a model file")
    contents = read(file, floating_base, limits, mimic, changes=changes, collision=collision)
    floating_frames(contents.model, "the live page of supple view")
    arguments = contents.run_arguments()
    arguments.pop("sensitivities", None)  # nothing of them is shown
    page = LivePage(contents.model, arguments, contents.slider_ranges(), port, color)
    _show(page.server, page.serve, browser)


def _report(file: Path, model_file: Path | None, floating_base: bool, color: str | None) -> str:
    """The page of a results file; the model is in it, or in a file of its own."""
    with supple.open_results(file) as result:
        if model_file is not None:
            return report_page(read(model_file, floating_base).model, result, color=color)
        found = results_model(file)
        if found is None:
            raise supple.FileFormatError(
                f"{file}: expected results that hold their model, got none; name its file with --model"
            )
        return report_page(found, result, color=color)


def _show(server: Server, serve: Callable[[], None], browser: bool) -> None:
    """Serve until interrupted, and free the port."""
    with server, suppress(KeyboardInterrupt):
        say(f"{server.address}  (Ctrl-C ends)")
        if browser:
            webbrowser.open(server.address)
        serve()
