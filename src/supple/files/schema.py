"""What may stand in a TOML model file: each class is a table, each field a key.

`supple.files.reference` prints them as the reference page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from supple.errors import StateError, SuppleError
from supple.files.constraints import CONSTRAINTS, AnyConstraint
from supple.files.controller_tables import AnyActuator, ControllerTable, FmuTable
from supple.files.dh import DHTable
from supple.files.equations import EquationsTable
from supple.files.file_table import (
    AnyRotation,
    FileTable,
    Form,
    MaybeName,
    Name,
    Nine,
    NotNegative,
    Number,
    Real,
    Text,
    Three,
    Truth,
    Vector,
)
from supple.files.flexible_tables import AnyFlexible
from supple.files.formulation import FormulationTable
from supple.files.inputs import EventTable, LimitTable, MotionTable
from supple.files.joints import AnyJoint
from supple.files.live import LiveTable
from supple.files.output import OutputTable
from supple.files.sections import NamedMaterial
from supple.files.simulation import SimulationTable
from supple.files.structures import STRUCTURES, AnyStructure
from supple.files.sweep_table import SweepTable
from supple.files.visuals import Visuals
from supple.files.wrenches import WrenchTable
from supple.inputs.events import require_sound, require_within
from supple.inputs.inputs import Inputs
from supple.inputs.requests import Outputs
from supple.inputs.run_requirements import (
    LOOPS,
    require_loops,
    require_possible,
    require_resolved,
    require_resolved_rates,
)
from supple.integrators import Stepped, resolved
from supple.model.arguments import named_vector
from supple.model.model import Model
from supple.model.parameters import parameter_names

if TYPE_CHECKING:
    from supple.formulations import Formulation


class BodyTable(FileTable):
    """A body and the joint that carries it: rigid, with a mass, or flexible."""

    name: Name = Field(description="Name of the body.")
    parent: Text = Field("ground", description='Body that carries it, or "ground".')
    joint: AnyJoint = Field(description="What it may do relative to the parent: see Joints.")
    at: Annotated[str | Three, Form("3 numbers or the name of a frame on the parent")] = Field(
        [0.0, 0.0, 0.0],
        description="Where the joint is, in the parent's frame, m. On a flexible parent one of its frames, a node by "
        'its number in quotes ("12"), or the place of a node.',
    )
    offset: Vector = Field([0.0, 0.0, 0.0], description="Moves the joint on from there, axes of `at`, m.")
    rotation: AnyRotation = Field(
        None, description="Turns the joint frame relative to the parent's, or to the frame `at`: see Rotations."
    )
    dh: Annotated[DHTable | None, Form("a table such as { a = 0.5, alpha_deg = 90 }")] = Field(
        None,
        description="In place of `at`, `offset` and `rotation`: Denavit-Hartenberg parameters of a revolute or "
        "prismatic joint about z.",
    )
    mass: Annotated[Number | None, Form("a number")] = Field(
        None, description="Of a rigid body, required: kg; zero for a body that only carries others."
    )
    com: Vector = Field([0.0, 0.0, 0.0], description="Of a rigid body: centre of mass, body frame, m.")
    inertia: Annotated[Three | Nine, Form("3 numbers (a diagonal) or 3 rows of 3 numbers")] = Field(
        [0.0, 0.0, 0.0], description="Of a rigid body: about the centre of mass, body axes, kg m^2."
    )
    allow_unphysical: Truth = Field(
        False, description="Of a rigid body: take a mass or inertia that no real body can have."
    )
    flexible: Annotated[AnyFlexible | None, Form("a table with structure, frequencies or file")] = Field(
        None, description="Makes the body flexible, in place of a mass: see Flexible bodies."
    )
    fidelity: Annotated[
        Literal["full", "estimated-inertia", "ruthless"], Form('"full", "estimated-inertia" or "ruthless"')
    ] = Field(
        "full",
        description="Of a flexible body: with all terms that depend on the deformation; with an estimate of how it "
        "changes the inertia, where only mass and stiffness matrices are known; or without these terms, for small "
        "deformations at slow rotation and not in closed loops.",
    )
    stiffening: Truth = Field(
        True,
        description="Of a flexible body of full fidelity: whether loads stiffen it under tension and soften it under "
        "compression.",
    )
    visuals: Visuals = Field(
        None,
        description="What it is drawn as: see Visuals. An empty list: nothing. A rigid body without them is drawn as "
        "slim links; a flexible one is drawn as its structure in any case.",
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """A body has a mass or is flexible, not both; its joint is placed in one way."""
        if "dh" in data:
            for key in ("at", "offset", "rotation"):
                if key in data:
                    yield key, "expected either this or dh, got both"
        if "flexible" not in data:
            if "mass" not in data:
                yield "mass", "missing; expected a number, or flexible in its place"
            for key in ("fidelity", "stiffening"):
                if key in data:
                    yield key, "expected only in a flexible body, got it in a rigid one"
            return
        for key in ("mass", "com", "inertia", "allow_unphysical"):
            if key in data:
                yield key, "expected only in a rigid body, got it in a flexible one, whose mass is its structure's"


class FrameTable(FileTable):
    """A named place on a body or on the ground."""

    name: MaybeName = Field(
        None, description='Name of the frame, which is then called "body/name". Either this or `label`.'
    )
    label: Annotated[str | None, Form("a text")] = Field(
        None,
        description="In place of `name`: the whole name, for a place that keeps the name of a body that was merged "
        'into another ("hand", "hand/tip").',
    )
    body: Text = Field(
        description='Body that carries the frame, or "ground"; or the frame, or node of a flexible body, that it moves '
        'with: "boom/end", "boom/12".'
    )
    position: Vector = Field([0.0, 0.0, 0.0], description="Origin, frame of `body`, m.")
    rotation: AnyRotation = Field(None, description="Axes relative to those of `body`: see Rotations.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """A frame has a name or a label."""
        if ("name" in data) == ("label" in data):
            yield "", f"expected either name or label, got {'both' if 'name' in data else 'neither'}"


class SpringDamperTable(FileTable):
    """A spring and damper between the origins of two frames."""

    name: Name = Field(description="Name of the element.")
    first: Text = Field(description='Frame at one end: "ground", a body, "body/frame" or "body/12".')
    second: Text = Field(description="Frame at the other end.")
    stiffness: Real = Field(0.0, description="N/m.")
    damping: Real = Field(0.0, description="N s/m.")
    length: NotNegative = Field(0.0, description="Length at which the spring is free, m.")


class CouplingTable(FileTable):
    """A relation between two joints: coordinate of the follower = ratio * coordinate of the leader + offset.

    It is kept with the model; both coordinates stay independent in the dynamics.
    """

    follower: Text = Field(description="Body whose joint follows.")
    leader: Text = Field(description="Body whose joint leads.")
    ratio: Real = Field(1.0, description="Ratio.")
    offset: Real = Field(0.0, description="Offset, rad or m.")


class LoopTable(FileTable):
    """A joint that closes a loop between two frames: the second may move in the first as the joint lets it.

    The frames coincide where the joint is at zero. Its springs, dampers and inertia belong to joints of the tree.
    """

    name: Name = Field(description="Name of the loop.")
    first: Text = Field(description='Frame: "ground", a body, "body/frame" or "body/12".')
    second: Text = Field(description="Frame on another body.")
    joint: AnyJoint = Field(description="What the second frame may do: see Joints.")


class ModelFile(FileTable):
    """A model file."""

    name: Name = Field(description="Name of the model.")
    gravity: Vector = Field([0.0, 0.0, -9.81], description="Gravity, ground frame, m/s^2.")
    visuals: Visuals = Field(None, description="What is drawn on the ground: see Visuals.")
    body: Annotated[list[BodyTable], Field(min_length=1), Form("at least one [[body]]")] = Field(
        description="The bodies, in any order."
    )
    material: Annotated[list[NamedMaterial], Form("[[material]] tables")] = Field(
        [], description="Materials of structures, by name."
    )
    structure: Annotated[
        list[AnyStructure], Form("[[structure]] tables", item="one of " + ", ".join(f'"{kind}"' for kind in STRUCTURES))
    ] = Field([], description="What flexible bodies are made of.")
    frame: Annotated[list[FrameTable], Form("[[frame]] tables")] = Field([], description="Named places.")
    spring_damper: Annotated[list[SpringDamperTable], Form("[[spring_damper]] tables")] = Field(
        [], description="Springs and dampers between frames."
    )
    wrench: Annotated[list[WrenchTable], Form("[[wrench]] tables")] = Field(
        [], description="Moments and forces at frames."
    )
    loop: Annotated[list[LoopTable], Form("[[loop]] tables")] = Field([], description="Joints that close loops.")
    constraint: Annotated[
        list[AnyConstraint], Form("[[constraint]] tables", item=f"one of {', '.join(map(repr, CONSTRAINTS))}")
    ] = Field([], description="Other constraints.")
    coupling: Annotated[list[CouplingTable], Form("[[coupling]] tables")] = Field(
        [], description="Relations between joints."
    )
    variables: Annotated[dict[str, Number], Form("a table of numbers by name")] = Field(
        {}, description="Names for numbers in formulas; events can change them."
    )
    actuator: Annotated[list[AnyActuator], Form("[[actuator]] tables")] = Field(
        [], description="Generalized forces, controllers, FMUs."
    )
    controller: Annotated[list[ControllerTable], Form("[[controller]] tables")] = Field(
        [], description="Linear controllers with states, several inputs and outputs."
    )
    motion: Annotated[list[MotionTable], Form("[[motion]] tables")] = Field([], description="Prescribed motions.")
    limit: Annotated[list[LimitTable], Form("[[limit]] tables")] = Field([], description="Stops of joints.")
    event: Annotated[list[EventTable], Form("[[event]] tables")] = Field([], description="What happens when.")
    formulation: Annotated[FormulationTable | None, Form("a table")] = Field(
        None, description="In which formulation the mechanism is simulated."
    )
    simulation: Annotated[SimulationTable | None, Form("a table")] = Field(None, description="What `supple run` does.")
    output: Annotated[OutputTable | None, Form("a table")] = Field(None, description="What `supple run` records.")
    live: Annotated[LiveTable | None, Form("a table")] = Field(None, description="What `supple view` offers to set.")
    sweep: Annotated[SweepTable | None, Form("a table")] = Field(None, description="What `supple sweep` varies.")
    equations: Annotated[EquationsTable | None, Form("a table")] = Field(
        None, description="How `supple equations` writes the model down."
    )

    def run_arguments(self, folder: Path) -> dict[str, Any]:
        """What the file says about a run: keyword arguments of `supple.simulate`; files beside it are in `folder`."""
        wrenches = [x.law(folder) for x in self.wrench if not x.constant]
        return run_arguments(self, self.limit, folder) | ({"wrenches": wrenches} if wrenches else {})

    def run_errors(self, model: Formulation, folder: Path) -> list[str]:
        """What of that does not fit the model."""
        shown = model.mechanism_model()
        found = [f"simulation: {error}" for error in (self.simulation.errors(model) if self.simulation else ())]
        found += [f"output: {error}" for error in (self.output.errors(shown) if self.output else ())]
        found += [f"equations: {error}" for error in (self.equations.errors(shown) if self.equations else ())]
        found += [f"live: {error}" for error in (self.live.errors(settable(self, shown)) if self.live else ())]
        found += driven_twice(self)
        if found:
            return found
        try:
            given = self.run_arguments(folder)
            require_run(model, given)
            for limit in given.get("limits", ()):
                if limit.coordinate in (given.get("q") or {}):
                    require_within(limit, given["q"][limit.coordinate])
            if model.loops is not None:
                start = given.get("q") or {}
                q = named_vector(model.coordinates, given.get("guess") or {}, "guess", model.neutral())
                q = named_vector(model.coordinates, start, "q", q)
                model.loops.assemble(q, [name for name in start if name in model.speeds])
        except SuppleError as error:
            found.append(str(error))
        return found


def require_run(model: Formulation, given: Mapping[str, Any]) -> None:
    """Raise if a model cannot be run with these arguments of `supple.simulate`, as the run itself would."""
    limits = given.get("limits", ())
    wanted = resolved(given.get("integrator", "auto"), given.get("rtol"), given.get("atol"), given.get("step"))
    require_loops(model, given.get("loops", LOOPS[0]))
    require_possible(model, limits, wanted)
    laws = (given.get("tau"), given.get("motion"), given.get("variables"), bool(limits), given.get("wrenches", ()))
    inputs = Inputs(model, *laws)
    require_sound(model, inputs, given.get("events", ()), limits)
    if "duration" in given:
        require_resolved_rates(given["duration"], inputs.sample_rates)
        if isinstance(wanted, Stepped):
            require_resolved(given["duration"], wanted.step)


def driven_twice(tables: Any) -> list[str]:
    """Return what is given more than one force or motion, in words."""
    driven = [
        *(name for x in tables.actuator for name in x.targets),
        *(name for x in tables.controller for name in x.speeds),
    ]
    found = []
    for key, names in (("actuator", driven), ("motion", [x.speed for x in tables.motion])):
        found += [f"{key}: more than one for {name!r}" for name in sorted({x for x in names if names.count(x) > 1})]
    twice = sorted({*driven} & (tables.simulation.tau if tables.simulation else {}).keys())
    return found + [f"simulation: tau: {name!r} has a [[actuator]] as well, expected one of them" for name in twice]


def run_alone(tables: Any) -> dict[str, list[str]]:
    """Return by kind the names of what changes the motion of a run and is no part of the model."""
    run: SimulationTable | None = tables.simulation
    named = {
        "actuators of": [name for x in tables.actuator for name in x.targets],
        "controllers": [x.name for x in tables.controller],
        "motions of": [x.speed for x in tables.motion],
        "wrenches": [x.name for x in getattr(tables, "wrench", ()) if not x.constant],
        "events": [x.name for x in tables.event],
    }
    if run is not None:
        named |= {
            "forces tau of": [*run.tau],
            "start coordinates of": [*run.q, *run.guess, *run.orientation],
            "start speeds of": [*run.v],
            "a start in": [run.start] if run.start not in (None, "given") else [],
        }
    return {kind: names for kind, names in named.items() if names}


def settable(tables: Any, model: Formulation) -> set[str]:
    """Names of what can be set while a model of these tables runs."""
    moved = {x.speed for x in tables.motion}
    laws = [x for x in tables.actuator if not isinstance(x, FmuTable)]
    targets = {f"{x.speed}.target" for x in laws if x.target is not None}
    numbers = parameter_names(model) if isinstance(model, Model) else []
    return {*tables.variables, *targets, *numbers} | ({*model.speeds} - moved)


def run_arguments(tables: Any, limits: Sequence[LimitTable], folder: Path) -> dict[str, Any]:
    """What the tables of a run say, as keyword arguments of `supple.simulate`; files beside it are in `folder`."""
    twice = driven_twice(tables)
    if twice:
        raise StateError("\n".join(twice))
    out = tables.simulation.arguments() if tables.simulation else {}
    tau = dict(out.get("tau", {}))
    for x in tables.actuator:
        tau |= x.laws(folder)
    for x in tables.controller:
        tau |= x.controller(folder)
    given = {
        "tau": tau,
        "motion": {x.speed: x.motion(folder) for x in tables.motion},
        "variables": tables.variables,
        "limits": [x.limit() for x in limits],
        "events": [x.event() for x in tables.event],
        "outputs": Outputs(**tables.output.arguments()) if tables.output else None,
    }
    return out | {key: x for key, x in given.items() if x}
