"""supple render: a picture, a film or a glTF file of a model or a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import supple
from supple.cli.console import (
    Changed,
    Collision,
    Floating,
    Limits,
    Lines,
    Mimic,
    app,
    changes_of,
    err,
    refuse_of_results,
    say,
)
from supple.cli.view import RESULTS
from supple.export.start_point import start_point
from supple.files import Contents, read
from supple.simulation.recording import results_model
from supple.view.film.render import PAPER, SHOWN


@app.command()
def render(
    file: Annotated[Path, typer.Argument(help="Results file, .nc; or model file, .toml or .urdf.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A name that ends in .png, .gif, .mp4 or .glb.")],
    size: Annotated[str, typer.Option(help="Width and height, pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Seconds of motion in a second of the film.")] = 1.0,
    time: Annotated[
        float | None, typer.Option(help="Time of a picture, s; by default the end of results, the start of a model.")
    ] = None,
    camera: Annotated[
        str, typer.Option(help="AZIMUTH,ELEVATION in degrees or AZIMUTH,ELEVATION,DISTANCE, m.")
    ] = "-52,20",
    follow: Annotated[str | None, typer.Option(help="Body that the camera moves with.")] = None,
    trace: Annotated[
        list[str] | None, typer.Option(help="Frame whose path is drawn; may be given several times.")
    ] = None,
    deformation: Annotated[float, typer.Option(help="Factor of the deformation of flexible bodies.")] = 1.0,
    color: Annotated[
        str | None, typer.Option(help="What flexible bodies are coloured by: displacement, strain or stress.")
    ] = None,
    background: Annotated[str, typer.Option(help="#rrggbb or the name of a colour.")] = PAPER,
    show: Annotated[
        str, typer.Option(help="What is drawn beside the bodies: joints, springs, contacts, loads, reactions, or none.")
    ] = ",".join(SHOWN),
    model: Annotated[Path | None, typer.Option(help="Model file, for results that do not hold their model.")] = None,
    changed: Changed = None,
    limits: Limits = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
    collision: Collision = False,
) -> None:
    """Write a picture (.png), a film (.gif, .mp4) or an animated model for other viewers (.glb), without a browser.

    A model file is simulated first, as it says itself, unless a picture of its start is wanted.
    """
    options: dict[str, Any] = {
        "size": _size(size),
        "fps": fps,
        "speed": speed,
        "camera": _numbers(camera),
        "follow": follow,
        "traces": trace or (),
        "deformation": deformation,
        "color": color,
        "background": background,
        "show": [] if show == "none" else show.split(","),
        "time": time,
    }
    with _Bar() as bar:
        if file.suffix.lower() in RESULTS:
            refuse_of_results(file, {"set": changed, "collision": collision, "limits": limits, "mimic": mimic})
            with supple.open_results(file) as result:
                own = results_model(file) if model is None else read(model, floating_base).model
                if own is None:
                    raise supple.FileFormatError(
                        f"{file}: expected results that hold their model, got none; name its file with --model"
                    )
                supple.render(result, output, model=own, progress=bar.show, **options)
        elif model is not None:
            raise supple.StateError(f"{file}: --model: expected a results file beside it, got a model file")
        else:
            contents = read(file, floating_base, limits, mimic, changes=changes_of(changed), collision=collision)
            shown, needed = _shown(contents, output, time)
            supple.render(shown, output, progress=bar.show, **needed, **options)
    say(f"written: {output}")


def _shown(contents: Contents, output: Path, time: float | None) -> tuple[Any, dict[str, Any]]:
    """The start of a model file or its motion, and what `supple.render` needs to know of it."""
    settings, suffix = contents.run_arguments(), output.suffix.lower()
    settings.pop("sensitivities", None)  # nothing of them is drawn
    if suffix == ".png" and time is not None:
        settings["duration"] = max(time, 1e-9)
    if (suffix == ".png" and time is None) or (suffix == ".glb" and "duration" not in settings):
        return contents.model, {"q": start_point(contents.model, settings).q}
    if "duration" not in settings:
        raise supple.StateError(
            f"{contents.path}: no duration: give [simulation] duration in the file, or the results of supple run"
        )
    return supple.simulate(contents.model, **settings), {"model": contents.model}


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if found is None:
        raise supple.StateError(f"--size: expected WIDTHxHEIGHT such as 1280x720, got {text!r}")
    return int(found[1]), int(found[2])


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(x) for x in text.split(","))
    except ValueError:
        raise supple.StateError(f"--camera: expected numbers such as -52,20 or -52,20,3.5, got {text!r}") from None


class _Bar:
    """A bar on the error output, if that is a terminal; gone when it is done. Elsewhere a line a minute."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("rendering"), BarColumn(), TimeRemainingColumn(), console=err, transient=True,
            disable=not err.is_terminal,
        )  # fmt: skip
        self._task, self._lines = self._progress.add_task("", total=1.0), Lines("rendering")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, share: float) -> None:
        """Move it."""
        self._progress.update(self._task, completed=share)
        self._lines.show(share)
