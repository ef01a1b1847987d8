"""Pictures of the examples that have equations and no model file, in the colours of the 3-D view."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray
from PIL import Image
from scipy.integrate import solve_ivp

import supple
from supple.symbolic import EquationsOfMotion

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAPER, INK, SOFT, LINE = "#f6f8fa", "#30363d", "#6e7781", "#d0d5db"
BLUE, ORANGE, GREEN, PINK = "#3b82c4", "#e07b39", "#2a9d78", "#c9568f"
SIZE = (7.82, 4.35)  # inches, of 100 dots: what the 3-D view has


def motion(
    equations: EquationsOfMotion, start: Sequence[float], times: Floats, inputs: Callable[[float], Any] | None = None
) -> Floats:
    """States (q, v) in columns at these times."""
    f, n = equations.compile(), len(equations.variables.q)

    def slope(t: float, y: Floats) -> Floats:
        return np.concatenate(f(y[:n], y[n:], *([inputs(t)] if inputs else [])))

    run = solve_ivp(slope, (times[0], times[-1]), start, method="DOP853", t_eval=times, rtol=1e-9, atol=1e-11)
    return np.asarray(run.y)


def plane() -> Axes:
    """An empty chart."""
    figure, axes = plt.subplots(figsize=SIZE, dpi=100, facecolor=PAPER)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
    axes.set_facecolor(PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(LINE)
    axes.tick_params(color=LINE, labelcolor=SOFT)
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def labelled(axes: Axes, x: float, y: float, text: str, color: str, **more: Any) -> None:
    """Write beside a line what it is."""
    axes.text(x, y, text, color=color, fontsize=10, **more)


def on_sphere(longitude: Floats, latitude: Floats) -> Floats:
    """Unit vectors (..., 3); z is up."""
    level = np.cos(latitude)
    return np.stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)], axis=-1)


@dataclass(frozen=True)
class Scene:
    """A view of space in perspective, z up.

    Attributes
    ----------
    axes : Axes
    target : (3,) array
        What is in the middle, m.
    turn, rise : float
        Direction of the camera, rad: about the vertical, and above the level.
    distance : float
        Of the camera from the target, m.
    """

    axes: Axes
    target: Floats
    turn: float
    rise: float
    distance: float

    @property
    def toward(self) -> Floats:
        """The direction from the target to the camera."""
        return on_sphere(np.asarray(self.turn), np.asarray(self.rise))

    def seen(self, points: Floats) -> tuple[Floats, Floats]:
        """Where points (n, 3) are in the picture."""
        right = np.array([-np.sin(self.turn), np.cos(self.turn), 0.0])
        up = np.cross(self.toward, right)
        d = points - self.target
        scale = 1.0 / (1.0 - d @ self.toward / self.distance)
        return d @ right * scale, d @ up * scale

    def line(self, points: Floats, color: str, **more: Any) -> None:
        """Draw a line through points."""
        self.axes.plot(*self.seen(points), color=color, solid_capstyle="round", **more)

    def plate(self, centre: Floats, e1: Floats, e2: Floats, radius: float, color: str, **more: Any) -> None:
        """Draw a disc that two directions span."""
        angle = np.linspace(0.0, 2 * np.pi, 73)
        rim = centre + radius * (np.outer(np.cos(angle), e1) + np.outer(np.sin(angle), e2))
        self.axes.fill(*self.seen(rim), facecolor=color, edgecolor=color, **more)

    def ground(self, cell: float, extent: int) -> None:
        """Draw a grid on the ground, so many cells about the target."""
        middle = np.round(self.target[:2] / cell) * cell
        ends = np.array([-extent, extent]) * cell
        for k in np.arange(-extent, extent + 1) * cell:
            for x, y in (([k, k], ends), (ends, [k, k])):
                self.line(np.column_stack([x + middle[0], y + middle[1], [0, 0]]), LINE, linewidth=0.8, zorder=0)
        self.axes.figure.text(0.015, 0.03, f"grid {cell} m", color=SOFT, fontsize=9)


def scene(target: Sequence[float], turn: float, rise: float, distance: float, width: float) -> Scene:
    """An empty one, so many metres wide at its target."""
    figure = plt.figure(figsize=SIZE, dpi=100, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-width / 2, width / 2)
    axes.set_ylim(-width / 2 * SIZE[1] / SIZE[0], width / 2 * SIZE[1] / SIZE[0])
    return Scene(axes, np.asarray(target, dtype=float), turn, rise, distance)


def rolling_disc(example: dict[str, Any]) -> None:
    """The disc on its way, its contact and its centre."""
    R = example["R"]
    times = np.linspace(0.0, 1.6, 1281)
    y = motion(example["disc"]().equations(), [0, 0, 0, 0, 0, 0, 3.0, 1.485 / R], times)
    heading, lean, zero = y[2], y[3], 0 * y[0]
    ahead = np.array([np.cos(heading), np.sin(heading), zero]).T
    upward = np.array([np.sin(heading) * np.sin(lean), -np.cos(heading) * np.sin(lean), np.cos(lean)]).T
    contact = np.array([y[0], y[1], zero]).T
    centre = contact + R * upward
    way = contact[-1] - contact[0]
    middle = (contact[0] + contact[-1]) / 2
    view = scene([middle[0], middle[1], 0.2], np.arctan2(way[1], way[0]) - 1.25, 0.5, 8.0, 3.6)
    view.ground(0.5, 8)
    view.line(contact, ORANGE, linewidth=2.0, zorder=2)
    for i in sorted(range(0, 1281, 128), key=lambda i: centre[i] @ view.toward):
        strength = 0.85 if i == 1280 else 0.2
        view.plate(centre[i], ahead[i], upward[i], R, BLUE, alpha=strength, linewidth=1.0, zorder=3)
    view.line(centre, BLUE, linewidth=1.6, zorder=4)


def bicycle(example: dict[str, Any]) -> None:
    """Real and imaginary parts of the modes over the speed, as Meijaard et al. show them."""
    equations, speeds = example["bicycle"]().equations(), np.linspace(0.0, 10.0, 401)
    modes = np.array([np.linalg.eigvals(example["lean_and_steer"](equations, v)) for v in speeds])
    axes = plane()
    axes.axvspan(example["WEAVE"], example["CAPSIZE"], color=GREEN, alpha=0.12, linewidth=0)
    axes.axhline(0.0, color=SOFT, linewidth=0.8)
    still = np.sort(np.where(np.abs(modes.imag) > 1e-9, np.nan, modes.real), axis=1)  # those that wave are last
    axes.plot(speeds, still, color=BLUE, linewidth=2.2)
    weave = modes[np.arange(len(speeds)), np.argmax(modes.imag, axis=1)]
    weave[weave.imag < 1e-9] = complex(np.nan, np.nan)
    axes.plot(speeds, weave.real, color=ORANGE, linewidth=2.2)
    axes.plot(speeds, weave.imag, color=ORANGE, linewidth=1.4, dashes=(5, 3))
    axes.set_xlim(0, 10)
    axes.set_ylim(-10, 10)
    axes.set_xlabel("speed, m/s", color=INK)
    axes.set_ylabel("modes, 1/s", color=INK)
    labelled(axes, 7.4, -1.9, "weave", ORANGE)
    labelled(axes, 7.2, 6.3, "its frequency", ORANGE)
    labelled(axes, 8.2, 0.6, "capsize", BLUE)
    labelled(axes, 2.3, -8.4, "castering", BLUE)
    labelled(axes, (example["WEAVE"] + example["CAPSIZE"]) / 2, 8.6, "rides by itself", GREEN, ha="center")


def double_pendulum(example: dict[str, Any]) -> None:
    """Where the masses go when it is let go, and some configurations."""
    y = example["motion"](example["double_pendulum"]().equations(), 2.0, 0.5, 3.0)
    upper, lower = example["masses"](y)
    axes = plane()
    axes.grid(visible=False)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.plot(upper.real, upper.imag, color=BLUE, linewidth=1.2, alpha=0.6)
    axes.plot(lower.real, lower.imag, color=ORANGE, linewidth=1.6)
    axes.plot(0, 0, "o", color=INK, markersize=6, zorder=5)
    for i, strength in ((0, 0.3), (40, 0.3), (80, 0.3), (y.shape[1] - 1, 1.0)):
        for begin, end, color in ((0j, upper[i], BLUE), (upper[i], lower[i], ORANGE)):
            look: dict[str, Any] = {"color": color, "alpha": strength}
            axes.plot([begin.real, end.real], [begin.imag, end.imag], linewidth=4, zorder=3, **look)
            axes.plot(end.real, end.imag, "o", markersize=12, zorder=4, **look)


def gyroscope(example: dict[str, Any]) -> None:
    """The end of the axis on its sphere: let go, it draws cusps; pushed back, loops; steady, a circle."""
    equations = example["gyroscope"]().equations()
    times = np.linspace(0.0, 1.36, 2001)
    view = scene([0.0, 0.0, 0.3], -1.05, 0.45, 6.0, 3.3)
    for longitude in np.radians(np.arange(0, 360, 15)):
        height = np.linspace(0.0, np.pi / 2, 46)
        view.line(on_sphere(longitude + 0 * height, height), LINE, linewidth=0.8, zorder=0)
    for latitude in np.radians(np.arange(0, 90, 15)):
        around = np.linspace(0.0, 2 * np.pi, 181)
        view.line(on_sphere(around, latitude + 0 * around), LINE, linewidth=0.8, zorder=0)
    J, H, torque = example["PIVOT"], example["ALONG"] * example["SPIN"], example["M"] * example["G"] * example["LENGTH"]
    steady = np.roots([J * np.cos(example["TILT"]), -H, torque]).min()
    for precession, color in ((steady, GREEN), (-6.0, BLUE), (0.0, ORANGE)):
        start = [0.0, example["TILT"], 0.0, *example["rates"](precession)]
        y = motion(equations, start, times)
        tip = on_sphere(y[0] - np.pi / 2, np.pi / 2 - y[1])
        camera = view.target + view.distance * view.toward
        near = np.sum(tip * (camera - tip), axis=1) > 0
        view.line(tip, color, linewidth=1.2, alpha=0.35, zorder=1)
        view.line(np.where(near[:, None], tip, np.nan), color, linewidth=2.0, zorder=4)
    axis = tip[np.argmax(view.seen(tip)[0])]
    across = np.array([axis[1], -axis[0], 0.0]) / np.hypot(axis[0], axis[1])
    view.line(np.array([0 * axis, 0.6 * axis]), INK, linewidth=3, zorder=2)
    view.plate(0.6 * axis, across, np.cross(axis, across), 0.3, ORANGE, alpha=0.9, zorder=3)
    view.line(np.array([0.6 * axis, axis]), INK, linewidth=3, zorder=5)


def vehicle_with_suspension(example: dict[str, Any]) -> None:
    """Heights of the wheels and of the body above them while it goes over a bump."""
    s, p = example["vehicle"](), example["PARAMETERS"]
    levers, speed, height, length = np.array([p["front"], -p["rear"]]), 10.0, 0.03, 2.0

    def road(t: Any, axle: int) -> Any:
        way = (t - 0.2) * speed + levers[axle] - levers[0]
        return np.where((way > 0) & (way < length), height * np.sin(np.pi * way / length) ** 2, 0.0)

    times = np.linspace(0.0, 2.2, 1101)
    inputs = lambda t: np.array([road(t, 0), road(t, 0), road(t, 1), road(t, 1)])  # noqa: E731
    y = motion(s.equations(), [0.0] * 14, times, inputs)
    axes = plane()
    for axle, color, name in ((0, BLUE, "front"), (1, ORANGE, "rear")):
        body = y[0] - levers[axle] * y[2]
        axes.fill_between(times, 0.0, 100 * road(times, axle), color=SOFT, alpha=0.25, linewidth=0)
        axes.plot(
            times, 100 * (body + y[3 + 2 * axle]), color=color, linewidth=1.2, dashes=(4, 2), label=f"{name} wheels"
        )
        axes.plot(times, 100 * body, color=color, linewidth=2.4, label=f"body above the {name} axle")
    axes.set_xlim(0.0, 2.2)
    axes.set_xlabel("time, s", color=INK)
    axes.set_ylabel("height, cm", color=INK)
    axes.legend(frameon=False, labelcolor=INK)


def l_mechanism_stiffness(example: dict[str, Any]) -> None:
    """How far the elbow is beside its plane, over the share of the stiffness of steel, and where the table has it."""
    shares = np.array([0.03, 0.0455, 0.07, 0.12, 0.25, 0.5, 1.0])
    sideways = [-1e3 * example["fallen"](x, 18)[2] for x in shares]
    axes = plane()
    axes.axhline(-1e3 * example["PUBLISHED"][18][2], color=ORANGE, linewidth=1.6, dashes=(4, 2), label="published")
    axes.plot(100 * shares, sideways, color=BLUE, linewidth=2.4, marker="o", label="equivalent rigid links, 18 modes")
    axes.set_xscale("log")
    axes.set_xlabel("share of the stiffness of steel, %", color=INK)
    axes.set_ylabel("elbow beside its plane, mm", color=INK)
    axes.legend(frameon=False, labelcolor=INK)


def campbell(found: xr.Dataset) -> Axes:
    """Frequencies over the speed, by sense of whirl, with multiples of the speed and critical speeds."""
    axes, speed, top = plane(), found.spin.values, 1.1 * float(found.frequency.max())
    for n in found.attrs["orders"]:
        line = n * speed / (2 * np.pi)
        axes.plot(speed, line, color=SOFT, linewidth=1.2, dashes=(1, 3))
        end = min(speed[-1], 2 * np.pi * top / n)
        labelled(axes, 0.99 * end, n * end / (2 * np.pi) + 0.01 * top, f"{n}/rev", SOFT, ha="right", va="bottom")
    looks = {
        1: (BLUE, "forward whirl", (None, None)),
        -1: (ORANGE, "backward whirl", (5, 2)),
        0: (GREEN, "", (None, None)),
    }
    for j in range(found.sizes["mode"]):
        color, name, dashes = looks[int(np.sign(found.whirl.values[:, j].astype(int).sum()))]
        known = {text.get_label() for text in axes.lines}
        label = "" if name in known else name
        axes.plot(speed, found.frequency.values[:, j], color=color, linewidth=2.2, dashes=dashes, label=label)
    critical = found.critical_speed.values
    axes.plot(critical, found.critical_order.values * critical / (2 * np.pi), "o", color=INK, markersize=5, zorder=5)
    axes.set_xlim(speed[0], speed[-1])
    axes.set_ylim(0.0, top)
    axes.set_xlabel("speed, rad/s", color=INK)
    axes.set_ylabel("frequency, Hz", color=INK)
    return axes


def overhung_rotor(example: dict[str, Any]) -> None:
    """Its Campbell diagram: forward and backward whirl, and torsion between."""
    axes = campbell(example["diagram"](supple.files.read(EXAMPLES / "overhung_rotor.toml").model))
    labelled(axes, 12.0, 52.0, "torsion", GREEN)
    axes.legend(frameon=False, labelcolor=INK, loc="upper left")


def helicopter_blade(example: dict[str, Any]) -> None:
    """Its Campbell diagram, as far as the fifth multiple of the speed goes, with full speed."""
    axes = campbell(example["diagram"](supple.files.read(EXAMPLES / "helicopter_blade.toml").model))
    axes.axvline(example["SPEED"], color=PINK, linewidth=1.2)
    labelled(axes, example["SPEED"] + 0.3, 28.4, "full speed", PINK)
    for y, name in (
        (3.5, "second flap"),
        (10.6, "third flap"),
        (17.7, "bending in lag"),
        (21.8, "fourth flap"),
        (25.4, "torsion"),
    ):
        labelled(axes, 0.4, y, name, GREEN)
    labelled(axes, 21.0, 1.4, "lag", GREEN)
    labelled(axes, 19.6, 3.9, "flap", GREEN, ha="right")
    axes.set_ylim(0.0, 30.0)


def boom_spin_up(example: dict[str, Any]) -> None:
    """How far the tip lags, with and without stiffening."""
    result = example["motion"]()
    axes = plane()
    for name, color in (("boom", BLUE), ("unstiffened", ORANGE)):
        axes.plot(result["time"], example["lag"](result, name), color=color, linewidth=2.0)
    axes.plot(result["time"][::25], example["in_pieces"](8)[::25], "o", color=GREEN, markersize=5)
    labelled(axes, 6.05, 0.27, "with stiffening", BLUE)
    labelled(axes, 6.05, 0.12, "in 8 pieces", GREEN)
    labelled(axes, 7.9, 1.5, "without", ORANGE, ha="right")
    axes.set_xlabel("time, s", color=SOFT)
    axes.set_ylabel("lag of the tip, m", color=SOFT)
    axes.set_xlim(0.0, 9.0)
    axes.set_ylim(0.0, 2.4)


def vibration_free_slew(example: dict[str, Any]) -> None:
    """How far the load is from the line of the arm, with both torques."""
    model = supple.files.read(EXAMPLES / "vibration_free_slew.toml").model
    axes = plane()
    for torque, color, text, height in (
        (example["rigid_torque"](model), ORANGE, "torque for a rigid arm", 24),
        (example["torque_of"](model), BLUE, "torque for the flexible arm", -24),
    ):
        times, off = example["swing"](model, torque)
        axes.plot(times, 1e3 * off, color=color)
        labelled(axes, 1.2, height, text, color)
    axes.axvline(example["DURATION"], color=SOFT, linewidth=0.8, linestyle=":")
    labelled(axes, 0.92, 44, "end of the slew", SOFT)
    axes.set_xlabel("time, s", color=INK)
    axes.set_ylabel("load beside the line of the arm, mm", color=INK)


DRAWINGS: dict[str, Callable[[dict[str, Any]], None]] = {
    picture.__name__: picture
    for picture in (
        rolling_disc,
        bicycle,
        double_pendulum,
        gyroscope,
        vehicle_with_suspension,
        l_mechanism_stiffness,
        overhung_rotor,
        helicopter_blade,
        boom_spin_up,
        vibration_free_slew,
    )
}


def draw(name: str, target: Path) -> None:
    """The picture of an example."""
    DRAWINGS[name](runpy.run_path(str(EXAMPLES / f"{name}.py")))
    plt.savefig(target, facecolor=PAPER)
    plt.close()
    with Image.open(target) as picture:
        few = picture.convert("RGB").quantize(128)
    few.save(target, optimize=True)
