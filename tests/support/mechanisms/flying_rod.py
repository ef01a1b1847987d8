"""The flying rod of Simo and Vu-Quoc (1986), in pieces and as geometrically exact beam elements of Exudyn.

A free rod of 10 m, EA = GA = 10 kN, EI = 500 N m^2 (or 100, the "spaghetti"), 1 kg/m, with a rotary inertia of 10 kg m,
leans from (6, 0) to (0, 8). At its lower end a force in x and a moment that turns it forwards rise for 2.5 s and fall
for 2.5 s.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import supple
from supple.structures import Beam, Material, Section, beam

Floats = NDArray[np.float64]
LENGTH, EA, GA, LINE, ROTARY = 10.0, 1e4, 1e4, 1.0, 10.0
STIFF, SOFT = 500.0, 100.0
"""EI, N m^2."""
START, ANGLE = np.array([6.0, 0.0]), float(np.pi - np.arctan2(8.0, 6.0))
MOMENT, PEAK = 80.0, 2.5
"""N m, and when, s. The force is a tenth of the moment, per metre."""
DURATION, SAMPLES = 10.0, 101
E = 1e9
"""Any: it only chooses the area."""


def rod(elements: int, EI: float) -> Beam:
    """The rod, its rotary inertia beyond that of the section on its nodes."""
    ratio = 2.0 * GA / EA  # shear factor: G is E / 2
    section = Section(A=EA / E, Iy=EI / E, Iz=EI / E, J=EI / E, shear=(ratio, ratio))
    made = beam(LENGTH, section, Material(E=E, nu=0.0, rho=LINE * E / EA), elements, shear=True)
    each = (ROTARY - LINE * EI / EA) * LENGTH / elements
    for i in range(elements + 1):
        own = each / 2.0 if i in (0, elements) else each
        made = made.with_mass(i, 0.0, (own, 0.0, own))
    return made


def rod_model(pieces: int, EI: float = STIFF, **options: Any) -> supple.Model:
    """Pieces of one element, with all that it can do in the plane x, y; `options` are those of `add_body`."""
    whole = rod(pieces, EI)
    shape = np.abs(whole.pieces(pieces, "cantilever", modes=6).bodies[0].frames["end"].shape)
    planar = [i + 1 for i in range(6) if shape[[0, 1, 5], i].max() < 1e-9 * shape[:, i].max()]
    mech = supple.Mechanism("flying rod", gravity=(0, 0, 0))
    mech.add_body("rod", whole.pieces(pieces, "cantilever", modes=planar), joint=supple.Planar("z"), **options)
    return mech.build()


def fly(model: supple.Model, **options: Any) -> Floats:
    """Positions (samples, 3, 2) of the upper end, the middle and the lower end; `options` are those of `simulate`."""
    moment = f"{MOMENT}*max(0, 1 - abs(t/{PEAK} - 1))"
    middle = len(model.description.beams["rod"].pieces.nodes) // 2
    result = supple.simulate(
        model,
        DURATION,
        q={"rod.x": START[0], "rod.y": START[1], "rod.angle": ANGLE},
        tau={"rod.x": f"{moment}/10", "rod.angle": f"-{moment}"},
        samples=SAMPLES,
        outputs=supple.Outputs(frames=["rod/end", f"rod/{middle}", "rod"]),
        **options,
    )
    return np.asarray(result.position.values[:, :, :2])


class ExudynRod:
    """The same of geometrically exact beam elements with two nodes."""

    def __init__(self, elements: int, EI: float = STIFF) -> None:
        self.exudyn = import_module("exudyn")
        items = import_module("exudyn.itemInterface")
        self.container = self.exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        along = np.array([np.cos(ANGLE), np.sin(ANGLE)]) * LENGTH / elements
        places = [[*(START + i * along), ANGLE] for i in range(elements + 1)]
        nodes = [self.system.AddNode(items.NodeRigidBody2D(referenceCoordinates=x)) for x in places]
        for i in range(elements):
            self.system.AddObject(
                items.ObjectBeamGeometricallyExact2D(
                    nodeNumbers=nodes[i : i + 2],
                    length=LENGTH / elements,
                    massPerLength=LINE,
                    crossSectionInertia=ROTARY,
                    bendingStiffness=EI,
                    axialStiffness=EA,
                    shearStiffness=GA,
                )
            )
        marker = self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0]))
        force, moment = (lambda _, t, __: [_moment(t) / 10.0, 0.0, 0.0]), (lambda _, t, __: [0.0, 0.0, -_moment(t)])
        given = {"markerNumber": marker, "loadVector": [0, 0, 0]}
        self.system.AddLoad(items.LoadForceVector(**given, loadVectorUserFunction=force))
        self.system.AddLoad(items.LoadTorqueVector(**given, loadVectorUserFunction=moment))
        kind = self.exudyn.OutputVariableType.Position
        self.sensors = [
            self.system.AddSensor(
                items.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True, writeToFile=False)
            )
            for node in (nodes[-1], nodes[elements // 2], nodes[0])
        ]
        self.system.Assemble()

    def run(self, step: float) -> Floats:
        """Positions as of `fly`, by generalized-alpha without numerical damping."""
        settings: Any = self.exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(DURATION / step)
        settings.timeIntegration.endTime = DURATION
        settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = DURATION / (SAMPLES - 1)
        if not self.system.SolveDynamic(settings):
            raise RuntimeError("Exudyn did not reach the end")
        return np.stack([np.asarray(self.system.GetSensorStoredData(x))[:, 1:3] for x in self.sensors], axis=1)


def _moment(t: float) -> float:
    return MOMENT * max(0.0, 1.0 - abs(t / PEAK - 1.0))
