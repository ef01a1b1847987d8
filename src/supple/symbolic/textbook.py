"""Names of a textbook for the numbers, coordinates and forces of a model: m_1, theta_1, l_2, g."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from supple.call_checks import checked
from supple.model.model import Model
from supple.model.parameters import equal_moments, parameter_values

LETTERS = {
    "angle": "theta",
    "angle1": "alpha",
    "angle2": "beta",
    "angle3": "gamma",
    "position": "x",
    "position1": "x",
    "position2": "y",
    "position3": "z",
    "x": "x",
    "y": "y",
    "z": "z",
}
"""Coordinates, by what they are called in their joint."""
VELOCITIES = {"wx": "omega", "wy": "omega", "wz": "omega", "vx": "v", "vy": "v", "vz": "v"}
LOADS = {"stiffness": "k", "rest": "r", "damping": "d", "inertia": "J"}
"""Numbers of joints."""


@checked
def textbook_names(model: Model, inputs: Sequence[str] | None = None) -> dict[str, Any]:
    """Names for the equations of a model: the arguments `names` and `inputs` of `supple.equations`.

    Bodies are numbered from 1 in the order of the model. Of body 1: mass m_1, inertia I_1xx, mass centre c_1 from its
    joint and joint l_1 from that of its parent (c_1x, c_1y, ... if they have several components; their signs are those
    that make the symbols positive), stiffness k_1, damping d_1, rest position r_1 and rotor J_1 of its joint; angle
    theta_1 (alpha_1, beta_1, gamma_1 of three), displacements x_1, y_1, z_1, speeds omega_1x, v_1x; torque tau_1 or
    force f_1. Gravity is g.

    Parameters
    ----------
    model : Model
    inputs : sequence of str, optional
        Speeds that have a generalized force; all if not given.

    Examples
    --------
    >>> from supple import Mechanism, Revolute, RigidBody
    >>> from supple.symbolic.routes import equations
    >>> mech = Mechanism("pendulum", gravity=(0, -9.81, 0))
    >>> mech.add_body("arm", RigidBody(2.0, com=(0, -1, 0)), joint=Revolute("z"))
    >>> print(equations(mech.build(), **textbook_names(mech.build())).text().split("\\n")[0])
    m_1*c_1^2*theta_1'' = tau_1 - m_1*c_1*g*sin(theta_1)
    """
    values = parameter_values(model)
    number = {name: k for k, name in enumerate(model.bodies, start=1)}
    names: dict[str, str] = {}
    equal = equal_moments(model, [x for x, value in values.items() if value])
    for coordinate in dict.fromkeys([*model.coordinates, *model.speeds]):
        body, _, own = coordinate.rpartition(".")
        letter, k = LETTERS.get(own), number[body]
        if letter is not None:
            names.setdefault(f"{letter}_{k}", coordinate)
        elif own in VELOCITIES:
            names[f"{VELOCITIES[own]}_{k}{own[1]}"] = coordinate
    for name, k in number.items():
        if values.get(f"{name}.mass"):
            names[f"m_{k}"] = f"{name}.mass"
        for letter, what in (("c", "com"), ("l", "at")):
            names |= _components(f"{letter}_{k}", f"{name}.{what}", values)
        names |= _moments(name, k, values, equal)
    names |= _components("g", "gravity", values, "_")
    names |= _loads(model, number, values)
    driven = model.speeds if inputs is None else inputs
    return {"names": names, "inputs": _forces(model, number, driven)}


def _components(symbol: str, label: str, values: dict[str, float], gap: str = "") -> dict[str, str]:
    """Symbols of a vector: one, positive, if it has one component, else one for each."""
    there = {c: values.get(f"{label}.{c}", 0.0) for c in "xyz"}
    there = {c: x for c, x in there.items() if x}
    if len(there) == 1:
        ((c, x),) = there.items()
        return {symbol: f"{'-' if x < 0 else ''}{label}.{c}"}
    return {f"{symbol}{gap}{c}": f"{label}.{c}" for c in there}


def _moments(name: str, k: int, values: dict[str, float], equal: dict[str, str]) -> dict[str, str]:
    """Moments and products of inertia; moments that are equal are one symbol, as everywhere."""
    out: dict[str, str] = {}
    for ij in ("xx", "yy", "zz", "xy", "xz", "yz"):
        label = f"{name}.inertia.{ij}"
        if values.get(label) and equal.get(label, label) == label:
            out[f"I_{k}{ij}"] = label
    return out


def _loads(model: Model, number: dict[str, int], values: dict[str, float]) -> dict[str, str]:
    """Springs, dampers and rotors of joints, numbered within a joint that has several."""
    out: dict[str, str] = {}
    for speed in model.speeds:
        for what, letter in LOADS.items():
            if values.get(f"{speed}.{what}"):
                out[f"{letter}_{_index(speed, model, number)}"] = f"{speed}.{what}"
    return out


def _forces(model: Model, number: dict[str, int], speeds: Sequence[str]) -> dict[str, str]:
    units = dict(zip(model.speeds, model.speed_units, strict=True))
    return {f"{'tau' if units[x] == 'rad/s' else 'f'}_{_index(x, model, number)}": x for x in speeds}


def _index(speed: str, model: Model, number: dict[str, int]) -> str:
    """The number of the body, with the speed's letter or number where its joint has several."""
    body, _, own = speed.rpartition(".")
    several = sum(x.rpartition(".")[0] == body for x in model.speeds) > 1
    letter = own[1:] if own in VELOCITIES else {"1": "x", "2": "y", "3": "z"}.get(own[-1:], own[-1:])
    kind = own[0] if own in VELOCITIES or several else ""
    return f"{number[body]}{kind if several else ''}{letter if several else ''}"
