"""The [[controller]] tables of a model file: linear controllers with states, several inputs and outputs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, Strict, Tag

from supple.errors import FileFormatError
from supple.files.file_table import FileTable, Form, MaybePositive, Name, Number, Positive, Text, Truth
from supple.files.inputs import ActuatorTable, Limits, placed
from supple.files.simulation import flat
from supple.input_files import read_bytes
from supple.inputs.fmu_controllers import FmuController
from supple.inputs.linear_controllers import LinearController

MATRICES = ("A", "B", "C", "D")
Matrix = Annotated[list[list[Number]] | None, Form("rows of numbers")]
Texts = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1), Form("a list of texts")]
Row = Annotated[list[Number] | None, Form("a list of numbers")]


class ControllerTable(FileTable):
    """A linear controller: x' = A x + B (y - reference), u = bias + C x + D (y - reference), with y measured and u
    generalized forces. With a `rate` it is discrete: u is set at every sample and held, then x <- A x + B (y -
    reference). x is zero at the start.
    """

    name: Name = Field(description="Name of the controller.")
    measured: Texts = Field(description='Formulas of y: ["arm.angle", "rate(arm.angle)"].')
    speeds: Texts = Field(description="Names of the speeds that u acts on.")
    A: Matrix = Field(None, description="Without states it is left out, and B and C too.")
    B: Matrix = Field(None, description="As many rows as A, as many columns as `measured` has entries.")
    C: Matrix = Field(None, description="As many rows as `speeds` has entries, as many columns as A.")
    D: Matrix = Field(None, description="As many rows as `speeds`, as many columns as `measured`; zero by default.")
    file: Annotated[str | None, Form("a text")] = Field(
        None, description="In place of A, B, C and D: a MATLAB file (.mat) beside the model file that holds them."
    )
    reference: Row = Field(None, description="Subtracted from y; zeros by default.")
    bias: Row = Field(None, description="Added to u; zeros by default.")
    rate: MaybePositive = Field(None, description="Samples a second; continuous if not given.")
    limit: Limits = Field(None, description="Maximum of every u either way, or minimum and maximum.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Matrices or a file."""
        given = [key for key in MATRICES if key in data]
        if ("file" in data) == bool(given):
            yield "", f"expected either matrices or file, got {'both' if given else 'neither'}"
        if len({key in data for key in MATRICES[:3]}) > 1:
            yield "", f"expected A, B and C together, got {', '.join(given)}"

    def controller(self, folder: Path) -> LinearController:
        """The controller, its file read."""
        with placed(f"controller {self.name!r}"):
            found = (
                {key: getattr(self, key) for key in MATRICES} if self.file is None else read_matrices(folder, self.file)
            )
            limit = (self.limit[0], self.limit[1]) if isinstance(self.limit, list) else self.limit
            return LinearController(
                self.name,
                self.measured,
                self.speeds,
                **found,
                reference=self.reference,
                bias=self.bias,
                rate=self.rate,
                limit=limit,
            )


Wiring = Annotated[
    dict[str, Number | Annotated[str, Strict()]], BeforeValidator(flat), Form("a table of numbers and formulas by name")
]
Targets = Annotated[dict[str, Annotated[str, Strict()]], BeforeValidator(flat), Form("a table of names by name")]
Settings = Annotated[
    dict[str, Annotated[bool, Strict()] | Number | Annotated[str, Strict()]],
    BeforeValidator(flat),
    Form("a table of numbers, truths and texts by name"),
]


class FmuTable(FileTable):
    """In place of a law: a controller of another program, an FMU for co-simulation by FMI 2 or 3. At every sample it is
    stepped from the sample before, its inputs are set, and its outputs are read and held.
    """

    name: Name = Field(description="Name of the controller.")
    fmu: Text = Field(description="The FMU; a relative path starts at the model file's folder.")
    inputs: Wiring = Field(
        {}, description='What inputs of the FMU are set to: `{ measured = "arm.angle", reference = 0.5 }`.'
    )
    outputs: Targets = Field(
        description="What outputs of the FMU set: speeds, on which they are generalized forces, or names under "
        '`[variables]`: `{ torque = "arm.angle" }`.'
    )
    rate: Positive = Field(description="Samples a second.")
    parameters: Settings = Field({}, description="Parameters of the FMU that have other values than it says itself.")
    ahead: Truth = Field(
        False,
        description="Step it over the interval after a sample, and apply its outputs from the sample on: for FMUs that "
        "compute their outputs in a step alone.",
    )

    @property
    def targets(self) -> tuple[str, ...]:
        """Speeds and variables that it sets."""
        return tuple(self.outputs.values())

    def laws(self, folder: Path) -> FmuController:
        """The controller, its file read."""
        with placed("actuator"):
            return FmuController(
                self.name,
                folder / self.fmu,
                self.inputs,
                self.outputs,
                rate=self.rate,
                parameters=self.parameters,
                ahead=self.ahead,
            )


def _actuator_tag(value: Any) -> str:
    """An FMU, or a law of one speed."""
    return "#fmu" if isinstance(value, FmuTable) or (isinstance(value, dict) and "fmu" in value) else "#law"


AnyActuator = Annotated[
    Annotated[FmuTable, Tag("#fmu")] | Annotated[ActuatorTable, Tag("#law")], Discriminator(_actuator_tag)
]


def read_matrices(folder: Path, file: str) -> dict[str, Any]:
    """A, B, C and D of a MATLAB file, those that are there."""
    from scipy.io import loadmat

    path = folder / file
    content: Any = io.BytesIO(read_bytes(path))
    try:
        found = loadmat(content, variable_names=[*MATRICES])
    except Exception as error:  # scipy has no error of its own for a damaged file
        raise FileFormatError(f"{path}: expected a MATLAB file up to version 7, got another: {error}") from None
    out: dict[str, Any] = {}
    for key in MATRICES:
        x = found.get(key)
        if x is not None and not (x.ndim == 2 and np.issubdtype(x.dtype, np.number) and np.isrealobj(x)):
            raise FileFormatError(f"{path}: {key}: expected a real matrix, got {x.dtype} {x.shape}")
        if x is not None and x.size:
            out[key] = x
    if not out:
        raise FileFormatError(f"{path}: expected matrices A, B, C and D, got none of them")
    return out
