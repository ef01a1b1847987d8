"""The tables of a file that describes a system by vectors: `formulation = { name = "vectors" }`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from supple.errors import SuppleError
from supple.files.controller_tables import AnyActuator, ControllerTable
from supple.files.file_table import FileTable, Form, Name, Number, PlainName, Text
from supple.files.inputs import EventTable, MotionTable
from supple.files.live import LiveTable
from supple.files.output import OutputTable
from supple.files.schema import driven_twice, require_run, run_arguments, settable
from supple.files.simulation import SimulationTable
from supple.files.sweep_table import SweepTable
from supple.files.visuals import Visuals
from supple.symbolic.kane.kane_model import KaneModel

Formula = Annotated[str, Field(min_length=1)]
Scalar = Number | Formula
ThreeScalars = Annotated[list[Scalar], Field(min_length=3, max_length=3)]
Scalar_ = Annotated[Scalar, Form("a number or a formula")]
VectorText = Annotated[Formula | ThreeScalars, Form("a formula of a vector, or 3 numbers or formulas")]
MaybeVector = Annotated[Formula | ThreeScalars | None, Form("a formula of a vector, or 3 numbers or formulas")]
Components = Annotated[ThreeScalars, Form("3 numbers or formulas")]
MaybeText = Annotated[Formula | None, Form("a text")]
Names = Annotated[list[PlainName], Form("a list of names")]


class VectorJointTable(FileTable):
    """A building-block joint: translations along directions fixed in the parent, then rotations about axes in turn."""

    translations: Annotated[
        list[Formula | ThreeScalars], Field(max_length=3), Form("up to 3 directions: axes, components or vectors")
    ] = Field([], description='Directions fixed in the parent: "x", "y", "z", components in its frame, or vectors.')
    rotations: Annotated[str, Form('up to 3 of "1", "2", "3", as in "312"')] = Field(
        "", description="Numbers of the body's axes in the order of the rotations."
    )
    axis: MaybeVector = Field(
        None,
        description="Where the first rotation axis points while all coordinates are zero; without rotations the x axis "
        "of the body. In the parent's frame.",
    )
    reference: MaybeVector = Field(None, description="Where the axis after it points then: z comes after y, x after z.")
    coordinates: Names = Field([], description="Names of the coordinates, translations first; q1, q2, ... without.")
    speed_names: Names = Field([], description="Names of the speeds, translations first; u1, u2, ... without.")
    speeds: Annotated[Literal["auto", "rates"], Form('"auto" or "rates"')] = Field(
        "auto", description="`auto`: three translations, or rotations, have velocities in body axes as speeds."
    )


class VectorBodyTable(FileTable):
    """A rigid body of a system of vectors; parents come first. Its axes are `name.x`, `name.y`, `name.z`."""

    name: Name = Field(description="Name of the body.")
    parent: Text = Field("ground", description="Body that carries it.")
    joint: Annotated[VectorJointTable | None, Form("a table")] = Field(
        None, description="How it moves in its parent; fixed if not given."
    )
    at: MaybeVector = Field(None, description="Joint point, from the parent's origin, m; there if not given.")
    mass: Scalar_ = Field(0.0, description="kg.")
    com: Components = Field([0.0, 0.0, 0.0], description="Mass centre in its own frame, m.")
    inertia: Annotated[
        ThreeScalars | Annotated[list[ThreeScalars], Field(min_length=3, max_length=3)] | None,
        Form("3 moments, or 3 rows of 3, of numbers or formulas"),
    ] = Field(None, description="About the mass centre, in its own frame, kg m^2; none if not given.")
    visuals: Visuals = Field(None, description="What it is drawn as: see Visuals; sizes are numbers.")


class ForceTable(FileTable):
    """A force on a body, and its opposite, with the same line of action, on another."""

    vector: VectorText = Field(description="The force, N; components are those in the frame of the body `on`.")
    on: Text = Field(description="Body it acts on.")
    at: MaybeVector = Field(None, description="Where, from the body's origin, m; at the origin if not given.")
    against: MaybeText = Field(None, description="Body that the opposite force acts on.")


class TorqueTable(FileTable):
    """A torque on a body, and its opposite on another."""

    vector: VectorText = Field(description="The torque, N m; components are those in the frame of the body `on`.")
    on: Text = Field(description="Body it acts on.")
    against: MaybeText = Field(None, description="Body that the opposite torque acts on.")


class GeneralizedForceTable(FileTable):
    """A force along a speed."""

    speed: Text = Field(description="Name of the speed.")
    force: Scalar_ = Field(description="N or N m.")


class VelocityConstraintTable(FileTable):
    """An expression, linear in the speeds, that vanishes, as that of a wheel that does not slip."""

    velocity: Text = Field(description="Formula.")
    dependent: Text = Field(description="The speed that is found from the others.")


class ClosureTable(FileTable):
    """An expression of the coordinates that vanishes: a closed loop."""

    position: Text = Field(description="Formula.")
    dependent: Text = Field(description="The coordinate that is found from the others; its rate must be a speed.")


class VectorEquationsTable(FileTable):
    """How `supple equations` writes the system down."""

    small: Annotated[list[Formula], Form("a list of coordinates and speeds")] = Field(
        [], description="Coordinates and speeds that stay small: equations to first order in them."
    )


class VectorFormulationTable(FileTable):
    """What tells a system of vectors from other models."""

    name: Annotated[Literal["vectors"], Form('"vectors"')] = Field(description='"vectors".')


class VectorFile(FileTable):
    """A file with `formulation = { name = "vectors" }`."""

    name: Name = Field(description="Name of the system.")
    formulation: Annotated[VectorFormulationTable, Form('{ name = "vectors" }')] = Field(
        description='{ name = "vectors" }.'
    )
    gravity: MaybeVector = Field(None, description="Acceleration of free fall; none if not given.")
    parameters: Annotated[dict[PlainName, Number], Form("a table of numbers by name")] = Field(
        {}, description="Symbols of the equations, and their numbers."
    )
    inputs: Annotated[dict[PlainName, Scalar], Form("a table of numbers and formulas by name")] = Field(
        {}, description="What is given from outside: symbols of the equations, and in a run formulas of time and state."
    )
    expressions: Annotated[dict[PlainName, Formula], Form("a table of formulas by name")] = Field(
        {}, description="Names for scalars and vectors that other formulas use."
    )
    body: Annotated[list[VectorBodyTable], Field(min_length=1), Form("at least one [[body]]")] = Field(
        description="The bodies, parents first."
    )
    force: Annotated[list[ForceTable], Form("[[force]] tables")] = Field([], description="Forces.")
    torque: Annotated[list[TorqueTable], Form("[[torque]] tables")] = Field([], description="Torques.")
    generalized_force: Annotated[list[GeneralizedForceTable], Form("[[generalized_force]] tables")] = Field(
        [], description="Forces along speeds."
    )
    constraint: Annotated[list[VelocityConstraintTable], Form("[[constraint]] tables")] = Field(
        [], description="Constraints on speeds."
    )
    closure: Annotated[list[ClosureTable], Form("[[closure]] tables")] = Field([], description="Closed loops.")
    variables: Annotated[dict[str, Number], Form("a table of numbers by name")] = Field(
        {}, description="Names for numbers in the formulas of runs."
    )
    actuator: Annotated[list[AnyActuator], Form("[[actuator]] tables")] = Field(
        [], description="Generalized forces of a run, controllers, FMUs."
    )
    controller: Annotated[list[ControllerTable], Form("[[controller]] tables")] = Field(
        [], description="Linear controllers with states, several inputs and outputs."
    )
    motion: Annotated[list[MotionTable], Form("[[motion]] tables")] = Field([], description="Prescribed motions.")
    event: Annotated[list[EventTable], Form("[[event]] tables")] = Field([], description="What happens when.")
    simulation: Annotated[SimulationTable | None, Form("a table")] = Field(None, description="What `supple run` does.")
    output: Annotated[OutputTable | None, Form("a table")] = Field(None, description="What `supple run` records.")
    live: Annotated[LiveTable | None, Form("a table")] = Field(None, description="What `supple view` offers to set.")
    sweep: Annotated[SweepTable | None, Form("a table")] = Field(None, description="What `supple sweep` varies.")
    equations: Annotated[VectorEquationsTable | None, Form("a table")] = Field(
        None, description="How `supple equations` writes the system down."
    )

    def tables(self) -> dict[str, Any]:
        """The system alone, as `supple.symbolic.kane.written_system` reads it."""
        kept = {
            "simulation",
            "output",
            "equations",
            "variables",
            "actuator",
            "controller",
            "motion",
            "event",
            "formulation",
            "live",
            "sweep",
        }
        return self.model_dump(
            exclude={**dict.fromkeys(kept, True), "body": {"__all__": {"visuals"}}}, exclude_none=True
        )

    def run_arguments(self, folder: Path) -> dict[str, Any]:
        """What the file says about a run: keyword arguments of `supple.simulate`; files beside it are in `folder`."""
        return run_arguments(self, (), folder)

    def run_errors(self, model: KaneModel, folder: Path) -> list[str]:
        """What of that does not fit the system."""
        found = [f"simulation: {error}" for error in (self.simulation.errors(model) if self.simulation else ())]
        found += [f"output: {error}" for error in (self.output.errors(model.display) if self.output else ())]
        found += [f"live: {error}" for error in (self.live.errors(settable(self, model)) if self.live else ())]
        found += driven_twice(self)
        known = {*model.coordinates, *(leaf.name for leaf in model.system.v)}
        small = self.equations.small if self.equations else []
        found += [f"equations: small: no coordinate or speed {name!r}" for name in small if name not in known]
        if found:
            return found
        try:
            given = self.run_arguments(folder)
            require_run(model, given)
        except SuppleError as error:
            found.append(str(error))
        return found
