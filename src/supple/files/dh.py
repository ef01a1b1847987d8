"""The table of a model file that places a joint by Denavit-Hartenberg parameters."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from supple.checks import Floats
from supple.description.joints import Joint, Prismatic, Revolute
from supple.erls.dh import DH, Placement
from supple.errors import ModelError
from supple.files.file_table import FileTable, Form, Real


class DHTable(FileTable):
    """A row of a table of Denavit-Hartenberg parameters, which places a joint about z in the parent.

    A body is given in the frame at its inboard joint, z along the joint's axis. In the standard convention its
    outboard frame, where the next joint is, is called "body/dh"; a flexible body needs a node there. The coordinate of
    the joint is added to `theta_deg`, or to `d` if it slides.
    """

    a: Real = Field(0.0, description="Length of the link, m; in the modified convention of the link before.")
    alpha_deg: Real = Field(
        0.0, description="Twist of the link, degrees; in the modified convention of the link before."
    )
    d: Real = Field(0.0, description="Offset along z, m.")
    theta_deg: Real = Field(0.0, description="Angle about z, degrees.")
    convention: Annotated[Literal["standard", "modified"], Form('"standard" or "modified"')] = Field(
        "standard",
        description="Rot_z Trans_z Trans_x Rot_x, or Rot_x Trans_x Rot_z Trans_z.",
    )

    def placed(self, joint: Joint | None, end: Placement) -> tuple[Floats, Floats]:
        """Where the joint is in the parent, whose outboard frame is `end`: position and rotation."""
        if joint is not None:
            layout = joint.layout()
            axes = [*layout.axes, *layout.directions]
            if not isinstance(joint, Revolute | Prismatic) or not np.array_equal(axes[0], [0.0, 0.0, 1.0]):
                raise ModelError(f"expected a revolute or prismatic joint about z, got another {joint.kind} joint")
        at = end.moved(self._row(joint).before(self.convention))
        return at.position, at.rotation

    def end(self, joint: Joint | None) -> Placement:
        """The outboard frame of the body."""
        return self._row(joint).after(self.convention)

    def _row(self, joint: Joint | None) -> DH:
        kind = "prismatic" if isinstance(joint, Prismatic) else "revolute"
        return DH(self.a, float(np.deg2rad(self.alpha_deg)), self.d, float(np.deg2rad(self.theta_deg)), kind)
