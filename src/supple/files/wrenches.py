"""The table of a model file for moments and forces at frames, constant or by laws."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from supple.files.file_table import FileTable, Form, Name, Text
from supple.files.inputs import AnySignal, placed, read_signal
from supple.inputs.wrenches import GROUND, OWN, Wrench

Components = Annotated[
    Annotated[list[AnySignal], Field(min_length=3, max_length=3)],
    Form("3 numbers, formulas, or tables such as {times = [...], values = [...]}"),
]


class WrenchTable(FileTable):
    """A moment and a force at the origin of a frame, or at a node of a flexible body.

    With numbers alone it belongs to the model. With formulas or tables it acts in runs, as actuators do. Its formulas
    have, besides what is listed under Formulas, `position.x` of the frame's origin in the ground frame, `velocity.x`
    and `angular_velocity.x` along the axes of the wrench.
    """

    name: Name = Field(description="Name of the wrench.")
    frame: Text = Field(description='Frame it acts at: a body, "body/frame" or "body/12".')
    moment: Components = Field([0.0, 0.0, 0.0], description="N m.")
    force: Components = Field([0.0, 0.0, 0.0], description="N.")
    axes: Text = Field(
        OWN,
        description='Axes of moment and force: "frame", turning with the frame, "ground", or those of a named frame.',
    )

    @property
    def constant(self) -> bool:
        """Whether it belongs to the model."""
        return self.axes in (OWN, GROUND) and all(isinstance(x, float) for x in (*self.moment, *self.force))

    @property
    def frames(self) -> tuple[str, ...]:
        """All frames that it names."""
        return (self.frame,) if self.axes in (OWN, GROUND) else (self.frame, self.axes)

    def law(self, folder: Path) -> Wrench:
        """The wrench as one that follows laws; files of tables are in `folder`."""
        with placed(f"wrench {self.name!r}"):
            given: dict[str, Any] = {
                "moment": [read_signal(x, folder) for x in self.moment],
                "force": [read_signal(x, folder) for x in self.force],
            }
            return Wrench(self.name, self.frame, **given, axes=self.axes)
