"""A chain of equal flexible links in Exudyn, from the same matrices and shapes as in supple.

Bodies are floating frames with the reduced inertia of Zwoelfer and Gerstmayr (2021), as Exudyn has them; hinges are
constraints between the end face of one link and the frame of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from supple.structures import FlexibleBody, Structure

Floats = NDArray[np.float64]
SAMPLE = 1e-3
"""Seconds between the positions that are kept."""


class ExudynChain:
    """Links from "start" to "end", straight along x and undeformed, without gravity, with rates of their hinges.

    There is no gravity because Exudyn's load of that kind ignores how deformation moves the centre of mass.

    Parameters
    ----------
    structure, body : Structure, FlexibleBody
        A solid and its reduction with the root "start".
    axes : sequence of str
        Axes of the hinges, "x", "y" or "z", one a link.
    rates : sequence of float
        Their speeds at the beginning, rad/s.
    """

    def __init__(self, structure: Structure, body: FlexibleBody, axes: Sequence[str], rates: Sequence[float]) -> None:
        self.exudyn = import_module("exudyn")
        items = import_module("exudyn.itemInterface")
        link = _floating_frame(structure, body)
        end = [int(i) for i in structure.frames["end"]]
        length = body.frames["end"].position
        self.container = self.exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        ground = self.system.AddObject(items.ObjectGround())
        attachment = self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
        p, v, w = np.zeros(3), np.zeros(3), np.zeros(3)
        for axis, rate in zip(axes, rates, strict=True):
            along = np.eye(3)["xyz".index(axis)]
            w = w + rate * along
            made = link.AddObjectFFRFreducedOrder(
                self.system, positionRef=p, initialVelocity=v, initialAngularVelocity=w, rotationMatrixRef=np.eye(3)
            )
            root = self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=made["nRigidBody"]))
            held = [1, 1, 1, *(1 - along.astype(int))]
            self.system.AddObject(items.GenericJoint(markerNumbers=[attachment, root], constrainedAxes=held))
            p, v = p + length, v + np.cross(w, length)
            number = made["oFFRFreducedOrder"]
            weights = np.full(len(end), 1 / len(end))
            attachment = self.system.AddMarker(
                items.MarkerSuperElementRigid(bodyNumber=number, meshNodeNumbers=end, weightingFactors=weights)
            )
        self.tip = self.system.AddSensor(
            items.SensorMarker(
                markerNumber=attachment,
                outputVariableType=self.exudyn.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )
        self.system.Assemble()

    def run(self, steps: int, step: float) -> Floats:
        """Positions of the tip (samples, 3) from the beginning on, by generalized-alpha without numerical damping."""
        settings: Any = self.exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * step
        settings.timeIntegration.adaptiveStep = False
        settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = SAMPLE
        if not self.system.SolveDynamic(settings):
            raise RuntimeError("Exudyn did not reach the end")
        return np.asarray(self.system.GetSensorStoredData(self.tip))[:, 1:]


def _floating_frame(structure: Structure, body: FlexibleBody) -> Any:
    """Exudyn's constants of one link; a node's six motions in `body.shapes` end with its displacement."""
    fem = import_module("exudyn.FEM")
    nodes = len(structure.nodes)
    made = fem.FEMinterface()
    made.nodes = {"Position": structure.nodes}
    made.massMatrix = sparse.csr_matrix(structure.mass_matrix)
    made.stiffnessMatrix = sparse.csr_matrix(structure.stiffness)
    shapes = body.shapes.toarray().reshape(nodes, 6, -1)[:, 3:].reshape(3 * nodes, -1)
    made.modeBasis = {"matrix": shapes, "type": "HCBmodes"}
    return fem.ObjectFFRFreducedOrderInterface(made)
