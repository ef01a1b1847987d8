"""Draw the pictures of the README and the docs, or make films of the examples.

python -m pip install 'supple[film]' matplotlib playwright
python docs/tools/make_pictures.py [names of examples]     pictures; those of pages need Debian's chromium
python docs/tools/make_pictures.py --films FOLDER [names]  a film of each example with a model file
"""

from __future__ import annotations

import runpy
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from drawings import BLUE, DRAWINGS, GREEN, INK, LINE, ORANGE, PAPER, PINK, Floats, Scene, draw
from PIL import Image
from playwright.sync_api import sync_playwright
from scipy.spatial.transform import Rotation

import supple
from supple import linear, shapes
from supple.files import read
from supple.view import write_campbell, write_report, write_sweep
from supple.view.film import Camera

mpl.use("Agg")
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
GALLERY = ROOT / "docs" / "images" / "gallery"
Run = tuple[supple.Model, xr.Dataset]
SIZE = (860, 480)
"""Pixels of pictures and films of examples."""
SLIDE = "(e, value) => { e.value = value; e.dispatchEvent(new Event('input')); }"
"""Moves a slider of a page."""


ROBOTS = {
    "panda": (0.3, -0.4, 0.0, -2.0, 0.0, 1.7, 0.6),
    "ur5_robot": (-0.6, -1.0, 1.1, -1.6, -1.5, 0.0),
    "talos_reduced": (),
}
"""Names of files, and their first angles in the picture."""


@dataclass(frozen=True)
class Shot:
    """How the 3-D view of an example is taken.

    Attributes
    ----------
    time : float
        Share of the motion at which it is shown.
    turn, rise : float
        Direction of the camera, rad: about the vertical, and above the level.
    deformation : float
        Factor of the deformation.
    changes : dict
        Arguments of `supple.simulate` other than those of the file.
    traces : tuple of str, optional
        Frames whose paths are drawn; the tips if not given.
    follow : str, optional
        The body that the camera moves with.
    color : str, optional
        What flexible bodies are coloured by.
    """

    time: float
    turn: float = -0.9
    rise: float = 0.35
    deformation: float = 1.0
    changes: dict[str, Any] | None = None
    traces: tuple[str, ...] | None = None
    follow: str | None = None
    color: str | None = None


def circling() -> dict[str, Any]:
    """The spherical pendulum on its level circle, not quite once round."""
    tilt = Rotation.from_euler("y", 30, degrees=True)
    spin = np.sqrt(9.81 / np.cos(np.radians(30)))
    return {"duration": 5.2 / spin, "q": tilt.as_quat(), "v": tilt.inv().apply([0.0, 0.0, spin])}


FALL = {"duration": 0.25, "integrator": "generalized_alpha", "step": 5e-4}
SHOTS = {
    "pendulum": Shot(0.18, turn=-1.1, changes={"duration": 1.6}),
    "cart_pendulum": Shot(0.5, turn=-1.2, changes={"duration": 2.0}),
    "swing_up": Shot(0.85, turn=-1.2),
    "spherical_pendulum": Shot(1.0, rise=0.25, changes=circling()),
    "tumbling_body": Shot(0.35, turn=-1.1, rise=0.5, changes={"duration": 6.0, "samples": 601}),
    "heavy_top": Shot(0.8, rise=0.5),
    "furuta_pendulum": Shot(0.35, changes={"duration": 1.0, "tau": None, "events": ()}),
    "six_axis_arm": Shot(0.12, changes={"duration": 1.0}),
    "arm_under_pd_control": Shot(0.35, changes={"duration": 1.5}),
    "gate_with_stops": Shot(0.18, turn=-0.6, rise=0.5),
    "robot_from_urdf": Shot(0.5),
    "flexible_two_link_arm": Shot(0.3, turn=-1.5, rise=1.1, deformation=3.0),
    "imported_arm": Shot(0.3, turn=-1.1, rise=0.4, deformation=5.0),
    "ten_dof_satellite": Shot(0.6, turn=-0.35, rise=0.2, changes={"duration": 6.0}),
    "satellite_two_booms": Shot(0.575, turn=-1.3, rise=0.7, deformation=20.0, changes={"duration": 6.0}),
    "satellite_solar_arrays": Shot(0.56, turn=-1.15, rise=0.45, deformation=60.0, changes={"duration": 8.0}),
    "uncertain_panels": Shot(0.1, turn=-1.15, rise=0.45, deformation=10.0, changes={"duration": 10.0}),
    "space_crane": Shot(0.4, turn=-1.35, rise=0.3, deformation=5.0, changes={"outputs": None}),
    "hanging_chain": Shot(0.4, turn=-1.3, deformation=5.0),
    "nodal_beam": Shot(0.6, turn=-1.3, rise=0.2, deformation=8.0, changes=FALL),
    "spinning_beam": Shot(0.93, rise=0.45),
    "slider_crank": Shot(0.15, turn=-1.4, rise=0.2, traces=("rod", "slider")),
    "flexible_slider_crank": Shot(0.7, turn=-1.4, rise=0.15, deformation=50.0, traces=("rod", "slider")),
    "l_mechanism": Shot(0.45, turn=-0.7, rise=0.25, deformation=20.0, traces=("L/corner1", "L/end")),
    "l_mechanism_torque": Shot(0.08, turn=-0.7, rise=0.3, deformation=10.0, changes={"duration": 0.5}),
    "four_bar": Shot(0.35, turn=-1.4, rise=0.2, traces=("coupler/pen", "rocker/pin")),
    "flexible_five_bar": Shot(0.12, turn=-1.4, rise=0.25, deformation=10.0, traces=("tool",)),
    "rolling_coin": Shot(0.7, turn=-1.1, rise=0.6, traces=("coin",)),
    "bracket_on_a_shaker": Shot(0.973, turn=-0.9, rise=0.35, deformation=3.0, traces=(), color="stress"),
    "stewart_platform": Shot(1.0, turn=-1.1, rise=0.3),
}

FILMED = SHOTS | {
    "helicopter_blade": Shot(0.5),
    "boom_spin_up": Shot(0.5, rise=0.6),
    "overhung_rotor": Shot(0.5, changes={"duration": 0.2}),
    "vibration_free_slew": Shot(0.5, rise=0.7),
    "bicycle": Shot(0.5, turn=-0.6, traces=(), follow="frame"),
    "vehicle_with_suspension": Shot(0.5, traces=()),
}
"""Examples with films: those, and some whose pictures are curves."""


def motion_of(name: str, shot: Shot) -> Run:
    """An example's model and what it does in the picture."""
    if name == "robot_from_urdf":
        example = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        robot, goal = supple.load(EXAMPLES / f"{name}.urdf", limits=True), example["GOAL"]
        drive = lambda t, q, v: robot.inverse_dynamics(q, v, 36.0 * (goal - q) - 12.0 * v)  # noqa: E731
        return robot, supple.simulate(robot, 1.5, tau=drive)
    contents = read(EXAMPLES / f"{name}.toml")
    return contents.model, supple.simulate(contents.model, **(contents.run_arguments() | (shot.changes or {})))


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    with sync_playwright() as browsers:
        gl = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", *gl])
        yield browser
        browser.close()


def opened(browser: Any, run: Run, folder: str, size: tuple[int, int], traces: tuple[str, ...] | None = None) -> Any:
    """The page of a run."""
    page_file = write_report(*run, Path(folder) / "page.html", traces=traces)
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    page.goto(page_file.resolve().as_uri())
    page.wait_for_timeout(500)
    return page


def gallery(names: list[str]) -> None:
    """Pictures of examples, in few colours: the files stay small."""
    for name in names:
        shot = SHOTS[name]
        model, result = motion_of(name, shot)
        times = result.time.values
        target = supple.render(
            result, GALLERY / f"{name}.png", time=times[0] + shot.time * (times[-1] - times[0]), **options(model, shot)
        )
        if shot.color is None:
            Image.open(target).quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)


def films(folder: Path, names: list[str]) -> None:
    """Films of examples, one each, of three to twenty seconds."""
    for name in names:
        shot = FILMED[name]
        model, result = motion_of(name, shot)
        duration = float(result.time[-1] - result.time[0])
        speed = 2.0 ** np.round(np.log2(duration / np.clip(duration, 3.0, 20.0)))
        print(supple.render(result, folder / f"{name}.mp4", speed=speed, **options(model, shot)))


def options(model: supple.Model, shot: Shot) -> dict[str, Any]:
    """How an example is drawn."""
    return {
        "model": model,
        "size": SIZE,
        "camera": Camera(np.degrees(shot.turn), np.degrees(shot.rise)),
        "deformation": shot.deformation,
        "traces": shot.traces,
        "follow": shot.follow,
        "color": shot.color,
    }


def carried() -> Run:
    """The space crane and its motion with the crate."""
    return motion_of("space_crane", Shot(0.0))


def crane(model: supple.Model, result: xr.Dataset) -> None:
    """How the crane carries the crate, and how far its bending takes the crate from where a rigid one would have it."""
    figure = plt.figure(figsize=(11, 4.6), dpi=110, facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 0.52, 1.0))
    axes.set_axis_off()
    axes.set_aspect("equal")
    view = Scene(axes, np.array([7.0, 0.0, 4.0]), -1.1, 0.3, 60.0)
    last = len(result.time) - 1
    for i in np.linspace(0, 240, 6, dtype=int):
        strength = 1.0 if i == 240 else 0.12 + 0.3 * i / 240
        q = bent(model, result.q.values[i], 10.0)
        for body, color, width in (("boom", ORANGE, 4.5), ("fore", GREEN, 3.5)):
            tube = np.array([model.pose(q, f"{body}/{j}")[1] for j in range(9)])
            view.line(tube, color, linewidth=width, alpha=strength, zorder=i)
        cube(view, *model.pose(q, "crate"), 1.4, alpha=strength, zorder=i + 0.5)
    cube(view, np.eye(3), np.array([0.0, 0.0, 0.0]), 1.6, color=BLUE, zorder=last)
    path = model.pose(result.q.values, "crate")[1]
    view.line(path, PINK, linewidth=1.3, zorder=0)
    axes.autoscale()
    axes.set_title("22 m of carbon tube carry 200 kg, bending shown 10 times", color=INK, fontsize=9, y=0.02)

    plot = figure.add_axes((0.59, 0.14, 0.38, 0.78))
    plot.set_facecolor(PAPER)
    plot.spines[["top", "right"]].set_visible(False)
    plot.grid(color=LINE, linewidth=0.6)
    rigid = model.pose(bent(model, result.q.values, 0.0), "crate")[1]
    for k, color in enumerate((BLUE, ORANGE, GREEN)):
        plot.plot(result.time, 1e3 * (path - rigid)[:, k], color=color, linewidth=1.6, label="xyz"[k])
    plot.set_xlabel("time, s", color=INK)
    plot.set_ylabel("crate, from where rigid tubes would have it, mm", color=INK)
    plot.legend(frameon=False, ncols=3, labelcolor=INK)
    figure.savefig(ROOT / "docs" / "images" / "space_crane.png", facecolor=PAPER)
    plt.close(figure)


def bent(model: supple.Model, q: Floats, factor: float) -> Floats:
    """Coordinates (..., nq) with the deformation so many times as large."""
    modes = [model.coordinate_index(name) for name in model.coordinates if ".mode" in name]
    out = np.array(q)
    out[..., modes] *= factor
    return out


def cube(view: Scene, R: Floats, p: Floats, side: float, color: str = PINK, **more: Any) -> None:
    """Draw the faces of a cube that look at the camera."""
    for axis, sign in product(range(3), (-1, 1)):
        normal, e1, e2 = (R[:, (axis + i) % 3] for i in range(3))
        if sign * normal @ view.toward > 0:
            corners = [
                p + side / 2 * (sign * normal + a * e1 + b * e2) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
            ]
            shade = 0.72 + 0.28 * abs(float(normal @ view.toward))
            face = tuple(shade * x for x in mpl.colors.to_rgb(color))
            view.axes.fill(*view.seen(np.array(corners)), facecolor=face, edgecolor=face, linewidth=0.5, **more)


def report_page(run: Run) -> None:
    """The page that `supple run` writes, in a browser."""
    with TemporaryDirectory() as folder, chromium() as browser:
        page = opened(browser, run, folder, (1180, 860))
        page.locator("[name=time]").evaluate(SLIDE, 0.3)
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "docs" / "images" / "report.png")


def robots() -> None:
    """Robots of example-robot-data with their own meshes, side by side."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.files.robots import robot_directory  # needs the package `example-robot-data`

    side = 420
    row = Image.new("RGB", (side * len(ROBOTS), side))
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.OmissionWarning)  # limits and mimic joints: nothing moves
        for i, (name, angles) in enumerate(ROBOTS.items()):
            model = supple.load(next(robot_directory().rglob(f"{name}.urdf")))
            q = model.neutral()
            q[: len(angles)] = angles
            picture = supple.render(
                model, Path(folder) / f"{name}.png", q=q, size=(2 * side, 2 * side), camera=(40, 18)
            )
            row.paste(Image.open(picture).convert("RGB").resize((side, side)), (side * i, 0))
    row.quantize(256, dither=Image.Dither.NONE).save(ROOT / "docs" / "images" / "robots.png", optimize=True)


def gantry() -> supple.Model:
    """A trolley with a load on a cable, which is a prismatic joint."""
    mech = supple.Mechanism("gantry crane")
    for x in (-2.0, 2.0):
        mech.add_visual("ground", shapes.Box((0.15, 0.15, 3.0), at=(x, 0, -1.5), color="steelblue"))
    mech.add_visual("ground", shapes.Box((4.3, 0.2, 0.2), at=(0, 0, 0.1), color="steelblue"))
    mech.add_body("trolley", supple.RigidBody(200.0, inertia=(5, 5, 5)), joint=supple.Prismatic("x"))
    mech.add_visual("trolley", shapes.Box((0.5, 0.35, 0.12), at=(0, 0, -0.06), color="goldenrod"))
    mech.add_body("drum", supple.RigidBody(5.0, inertia=(0.1, 0.1, 0.1)), "trolley", supple.Revolute("y"), (0, 0, -0.1))
    mech.add_body("load", supple.RigidBody(400.0, inertia=(40, 40, 40)), "drum", supple.Prismatic("z"))
    mech.add_visual("load", shapes.Box((0.6, 0.5, 0.5), at=(0, 0, -0.25), color="firebrick"))
    return mech.build()


def machines() -> None:
    """A rotor, a car and a crane as they are drawn, side by side."""
    side = 420
    shown = {
        "rotor": (read(EXAMPLES / "overhung_rotor.toml").model, {}),
        "car": (supple.load(EXAMPLES / "vehicle_with_suspension.toml"), {}),
        "crane": (gantry(), {"trolley.position": 0.4, "drum.angle": 0.2, "load.position": -1.6}),
    }
    row = Image.new("RGB", (side * len(shown), side))
    with TemporaryDirectory() as folder:
        for i, (name, (model, start)) in enumerate(shown.items()):
            picture = supple.render(
                model, Path(folder) / f"{name}.png", q=start, size=(2 * side, 2 * side), camera=(35, 15)
            )
            row.paste(Image.open(picture).convert("RGB").resize((side, side)), (side * i, 0))
    row.quantize(256, dither=Image.Dither.NONE).save(ROOT / "docs" / "images" / "machines.png", optimize=True)


def campbell_page() -> None:
    """The page that `supple modes` writes for a spinning joint, in a browser."""
    found = linear.campbell(
        read(EXAMPLES / "overhung_rotor.toml").model, {"shaft": np.linspace(0.0, 800.0, 41)}, count=5
    )
    with TemporaryDirectory() as folder, chromium() as browser:
        page = browser.new_page(viewport={"width": 1180, "height": 860}, color_scheme="light")
        page.goto(write_campbell(found, Path(folder) / "page.html").resolve().as_uri())
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "docs" / "images" / "campbell.png")


def sweep_page() -> None:
    """The page that `supple sweep` writes, with the worst tenth of the cases selected and one of them chosen."""
    file = EXAMPLES / "uncertain_panels.toml"
    found = supple.sweep(file, trajectories=["bus.angle"])
    with TemporaryDirectory() as folder, chromium() as browser:
        page = browser.new_page(viewport={"width": 1120, "height": 640}, color_scheme="light")
        page.goto(write_sweep(found, Path(folder) / "page.html", file=file.name).resolve().as_uri())
        page.wait_for_timeout(500)
        low, worst = float(found.worst.quantile(0.9)), int(found.worst.values.argmax())
        page.evaluate(f"report.cases.keep(report.cases.measures[0], [{low}, Infinity]); report.cases.choose({worst});")
        page.get_by_role("tab", name="Trajectories").click()
        page.wait_for_timeout(1000)
        target = ROOT / "docs" / "images" / "sweep.png"
        page.screenshot(path=target, full_page=True)
        Image.open(target).quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--films"]:
        films(Path(sys.argv[2]), sys.argv[3:] or [*FILMED])
        sys.exit()
    wanted = sys.argv[1:] or [*SHOTS, *DRAWINGS]
    for name in wanted:
        if name in DRAWINGS:
            draw(name, GALLERY / f"{name}.png")
    gallery([name for name in wanted if name not in DRAWINGS])
    for name in wanted:
        print(f"{name}: {(GALLERY / f'{name}.png').stat().st_size / 1e3:.0f} kB")
    if not sys.argv[1:]:
        run = carried()
        crane(*run)
        report_page(run)
        campbell_page()
        sweep_page()
        robots()
        machines()
