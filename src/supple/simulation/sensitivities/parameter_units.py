"""Units of parameters, by their names."""

from __future__ import annotations

from supple.model.model import Model
from supple.model.structural_slopes import structural_parameters
from supple.structures.reduction.parameters import structural_unit

BODY = {"mass": "kg", "com": "m", "inertia": "kg m^2", "at": "m", "pitch": "m/rad"}
ROTATION = {"stiffness": "N m/rad", "damping": "N m s/rad", "rest": "rad", "inertia": "kg m^2"}
TRANSLATION = {"stiffness": "N/m", "damping": "N s/m", "rest": "m", "inertia": "kg"}
MODE = {"stiffness": "1/s^2", "damping": "1/s", "rest": "kg^0.5 m", "inertia": "1"}
JOINT = {"rad/s": ROTATION, "m/s": TRANSLATION, "kg^0.5 m/s": MODE}
SPRING = {"stiffness": "N/m", "damping": "N s/m", "length": "m", "moment": "N m", "force": "N"}


def parameter_unit(model: Model, name: str) -> str:
    """The unit of a parameter; empty where it follows from the law that has it."""
    for what, states, units in (
        ("q.", model.coordinates, model.coordinate_units),
        ("v.", model.speeds, model.speed_units),
    ):
        if name.startswith(what) and name[2:] in states:
            return units[states.index(name[2:])]
    structural = structural_parameters(model)
    if name in structural:
        return structural_unit(structural[name][2])
    parts = name.split(".")
    owner = name.rpartition(".")[0]
    if name.startswith("gravity."):
        return "m/s^2"
    if owner in model.speeds:
        unit = model.speed_units[model.speeds.index(owner)]
        if parts[-1] in ("lower", "upper"):
            return unit.removesuffix("/s")
        return "1" if parts[-1] == "restitution" else JOINT.get(unit, {}).get(parts[-1], "")
    for body in model.bodies:
        rest = name.removeprefix(f"{body}.").split(".")[0]
        if name.startswith(f"{body}.") and rest in BODY:
            return BODY[rest]
    elements = {**model.description.springs, **model.description.wrenches}
    for element in elements:
        rest = name.removeprefix(f"{element}.").split(".")[0]
        if name.startswith(f"{element}.") and rest in SPRING:
            return SPRING[rest]
    return "m" if "/" in name else ""
