"""The table of a model file that says how it is to be simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, Strict

from supple.description.orientation import orientation
from supple.errors import ModelError, StateError, nearest
from supple.files.file_table import FileTable, Form, MaybePositive, Number, Positive, Turn
from supple.integrators import resolved

if TYPE_CHECKING:
    from supple.formulations import Formulation


def flat(value: Any) -> Any:
    """Tables in tables with joined names: TOML reads `arm.angle = 1.0` as angle in a table arm."""
    if not isinstance(value, dict):
        return value
    flat: dict[Any, Any] = {}
    waiting = list(reversed(value.items()))
    while waiting:
        key, inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += [(f"{key}.{k}", x) for k, x in reversed(inner.items())]
        else:
            flat[key] = inner
    return flat


ByName = Annotated[dict[str, Number], BeforeValidator(flat), Form("a table of numbers by name")]


class SimulationTable(FileTable):
    """What `supple run` does with the model: the arguments of `supple.simulate`."""

    duration: Positive = Field(description="Time to simulate, s.")
    integrator: Annotated[str | None, Form("a text")] = Field(
        None, description="Name of the integrator; chosen from the model if not given."
    )
    step: MaybePositive = Field(
        None, description="Length of fixed steps (`generalized_alpha`, `variational`, `leapfrog`, `rk4`), s."
    )
    rtol: MaybePositive = Field(None, description="Relative tolerance.")
    atol: MaybePositive = Field(None, description="Absolute tolerance.")
    loops: Annotated[Literal["projection", "independent"] | None, Form('"projection" or "independent"')] = Field(
        None, description="How closed loops are kept closed: by all speeds, or by those that depend on the others."
    )
    samples: Annotated[Annotated[int, Strict(), Field(ge=2)] | None, Form("a whole number, two or more")] = Field(
        None, description="Number of output times, both ends included."
    )
    q: ByName = Field({}, description="Coordinates at the start that are not neutral, by name: `arm.angle = 1.0`.")
    guess: ByName = Field(
        {}, description="Coordinates from which closed loops are closed, by name; unlike those of `q` they may change."
    )
    orientation: Annotated[dict[str, Turn], Form("a table of rotations by the names of bodies")] = Field(
        {},
        description="Orientations at the start of bodies on free and spherical joints, relative to the joint frame, in "
        'place of the quaternions in `q`: `base = { euler = "ZYX", angles_deg = [30, 0, 0] }`. See Rotations.',
    )
    v: ByName = Field({}, description="Speeds at the start that are not zero, by name.")
    start: Annotated[Literal["given", "equilibrium", "steady"] | None, Form('"given", "equilibrium" or "steady"')] = (
        Field(
            None,
            description="Where coordinates start that `q` does not name: neutral, in static equilibrium, or in balance "
            "while the joints that `v` names turn.",
        )
    )
    tau: ByName = Field({}, description="Constant generalized forces, by the names of the speeds, N m or N.")
    sensitivities: Annotated[list[str], Form("a list of names of parameters")] = Field(
        [],
        description='Parameters by which the motion is differentiated: `["arm.mass", "boom.E", "q.arm.angle"]`; see '
        "[sensitivities](how_to/sensitivities.md).",
    )

    def arguments(self) -> dict[str, Any]:
        """What the file gives, as keyword arguments of `supple.simulate`."""
        out = self.model_dump(exclude_unset=True, exclude={"orientation"})
        return out | ({"q": self._coordinates()} if self.orientation else {})

    def _coordinates(self) -> dict[str, float]:
        """Coordinates at the start, orientations as quaternions."""
        out = dict(self.q)
        for name, turn in self.orientation.items():
            own = orientation(name, turn.matrix() if isinstance(turn, FileTable) else turn)
            twice = sorted(own.keys() & self.q.keys())
            if twice:
                raise StateError(f"orientation: {name!r}: expected either this or q, got {twice[0]!r} in q as well")
            out |= own
        return out

    def errors(self, model: Formulation) -> list[str]:
        """What does not fit a model: names it does not have, quaternions whose length is not 1."""
        found = []
        if self.integrator is not None:
            try:
                resolved(self.integrator, self.rtol, self.atol, self.step)
            except StateError as error:
                found.append(str(error))
        q = model.neutral()
        joints = [model.coordinates[i].rpartition(".")[0] for i in model.quaternions]
        unknown = [name for name in self.orientation if name not in joints]
        found += [f"orientation: no free or spherical joint {name!r}{nearest(name, joints)}" for name in unknown]
        try:
            self._coordinates()
        except (ModelError, StateError) as error:
            found.append(str(error))
        for key, index in (
            ("q", model.coordinate_index),
            ("guess", model.coordinate_index),
            ("v", model.speed_index),
            ("tau", model.speed_index),
        ):
            for name, value in getattr(self, key).items():
                try:
                    place = index(name)
                except StateError as error:
                    found.append(f"{key}: {error}")
                else:
                    if key == "q":
                        q[place] = value
        lengths = [float(np.linalg.norm(q[i : i + 4])) for i in model.quaternions]
        if not np.allclose(lengths, 1.0, rtol=0.0, atol=1e-6):
            found.append(f"q: expected quaternions of length 1, got {self.q}")
        return found
