"""Moments and forces at frames that follow laws: where they act, along which axes, and what each component is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supple.call_checks import checked, require_signature
from supple.checks import is_number
from supple.errors import StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.inputs.controllers import PID, Sampled
from supple.inputs.fmu_controllers import FmuOutput
from supple.inputs.linear_controllers import ControllerOutput
from supple.inputs.tables import Table
from supple.inputs.user_functions import ForceFunction, is_function
from supple.model.arguments import require_turning_node
from supple.model.body_frames import frame_arrays
from supple.model.model import Model
from supple.recursions.frame_wrenches import GROUND_AXES, FrameWrenches, frame_wrenches

Law = float | str | Table | PID | Sampled | ControllerOutput | FmuOutput | ForceFunction
PARTS = ("moment", "force")
AXES = "xyz"
COMPONENTS = tuple(f"{part}.{axis}" for part in PARTS for axis in AXES)
MOTIONS = tuple(f"{what}.{axis}" for what in ("position", "angular_velocity", "velocity") for axis in AXES)
"""Names that the formulas of a wrench have for the motion of its frame, in the order of `frame_wrenches.MOTION`."""
OWN, GROUND = "frame", "ground"


@checked
@dataclass(frozen=True)
class Wrench:
    """A moment and a force at the origin of a frame, or at a node of a flexible body, that follow laws.

    Parameters
    ----------
    name : str
        Of the wrench, in results.
    frame : str
        "body", "body/place" or "body/12".
    moment, force : three laws, or one function
        N m, N. Each component is a number, a formula, a `Table`, a `Sampled` function or a function of (t, q, v); or
        one function, sampled or not, gives all three. Formulas have, besides what they know elsewhere, `position.x` of
        the frame's origin in the ground frame, `velocity.x` and `angular_velocity.x` along the axes of the wrench. A
        component of the force along ground axes can be a `PID`, whose coordinate is the position along that axis.
    axes : str
        Of the components: "frame", which turn with the frame (a follower force), "ground", or the name of another
        frame.

    Examples
    --------
    >>> Wrench("gust", "boom/end", force=(0, "20*sin(3*t)", 0), axes="ground").frame
    'boom/end'
    """

    name: str
    frame: str
    moment: Sequence[Law] | ForceFunction | Sampled = (0.0, 0.0, 0.0)
    force: Sequence[Law] | ForceFunction | Sampled = (0.0, 0.0, 0.0)
    axes: str = OWN

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or "/" in self.name or "." in self.name:
            raise StateError(f"wrench: name: expected one without '/' and '.', got {self.name!r}")
        for key in ("frame", "axes"):
            if not isinstance(getattr(self, key), str):
                raise StateError(f"{self.place}: {key}: expected the name of a frame, got {getattr(self, key)!r}")
        for part in PARTS:
            object.__setattr__(self, part, self._components(part, getattr(self, part)))

    @property
    def place(self) -> str:
        """First words of messages."""
        return f"wrench {self.name!r}"

    def _components(self, part: str, given: Any) -> Any:
        """Three laws, or one function; numbers as floats."""
        if isinstance(given, Sampled) or callable(given):
            return given
        if isinstance(given, str) or not isinstance(given, Iterable) or len(found := tuple(given)) != len(AXES):
            raise StateError(f"{self.place}: {part}: expected three components or one function, got {given!r}")
        laws = [checked_law(x, f"{self.place}: {part}.{axis}") for x, axis in zip(found, AXES, strict=True)]
        for law, axis in zip(laws, AXES, strict=True):
            if isinstance(law, PID) and (part, self.axes) != ("force", GROUND):
                raise StateError(
                    f"{self.place}: {part}.{axis}: a PID acts on a position along ground axes: expected a component "
                    f"of a force with axes {GROUND!r}, got axes {self.axes!r}"
                )
        return tuple(laws)

    def laws(self) -> Iterator[tuple[int, int, Law]]:
        """First component, how many, and the law that gives them; zeros are left out."""
        for first, part in zip((0, 3), PARTS, strict=True):
            given: Any = getattr(self, part)
            if isinstance(given, tuple):
                yield from ((first + i, 1, law) for i, law in enumerate(given) if law != 0.0)
            else:
                yield first, len(AXES), given

    @property
    def turns(self) -> bool:
        """Whether it has a moment."""
        return any(first < len(AXES) for first, _, _ in self.laws())


def checked_law(law: Any, where: str) -> Law:
    """A law as it was given, numbers as floats."""
    if isinstance(law, str | Table | PID | Sampled | ControllerOutput | FmuOutput) or callable(law):
        if is_function(law):
            require_signature(law, "t, q, v", where)
        return law  # type: ignore[no-any-return]
    if is_number(law):
        return float(law)
    raise StateError(
        f"{where}: expected a finite number, a formula, a Table, a PID, a Sampled or a function of (t, q, v), "
        f"got {law!r}"
    )


def checked_wrenches(wrenches: Any) -> tuple[Wrench, ...]:
    """The wrenches of a run, each with a name of its own."""
    if isinstance(wrenches, Wrench | str | Mapping) or not isinstance(wrenches, Iterable):
        raise StateError(f"wrenches: expected a sequence of Wrench, got {wrenches!r}")
    found = tuple(wrenches)
    for x in found:
        if not isinstance(x, Wrench):
            raise StateError(f"wrenches: expected a sequence of Wrench, got {x!r} among them")
    names = [x.name for x in found]
    for name in names:
        if names.count(name) > 1:
            raise StateError(f"wrench {name!r}: there are {names.count(name)} of this name, expected one")
    return found


def located(model: Model, wrenches: Sequence[Wrench]) -> FrameWrenches:
    """Where the wrenches act in a model."""
    names: dict[str, int] = {}
    found, own, axes = [], [], []

    def place(wrench: Wrench, name: str, what: str) -> int:
        if name not in names:
            try:
                found.append(model.find_frame(name))
            except StateError as error:
                raise StateError(f"{wrench.place}: {what}: {error}") from None
            names[name] = len(names)
        return names[name]

    for x in wrenches:
        own.append(place(x, x.frame, "frame"))
        at = found[own[-1]]
        if at.body == 0:
            raise StateError(f"{x.place}: frame: {x.frame!r} is on the ground, which no force moves")
        if x.turns:
            require_turning_node(at, f"{x.place}: frame {x.frame!r}")
        others = {OWN: own[-1], GROUND: GROUND_AXES}
        axes.append(others[x.axes] if x.axes in others else place(x, x.axes, "axes"))
    return frame_wrenches(model.tree.parent, frame_arrays(found), own, axes)


def motion_names(motion: Nodes) -> dict[str, Expr | float]:
    """What the formulas of a wrench call the motion (9,) of its frame."""
    return dict(zip(MOTIONS, motion, strict=True))
