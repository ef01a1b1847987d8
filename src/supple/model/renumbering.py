"""The description of a model with other numbers: what `Model.with_parameters` is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import number
from supple.description.description import Description
from supple.description.joints import Helical
from supple.errors import ModelError, StateError, nearest
from supple.model.parameters import INERTIA, PLACES, SPRING, WRENCH, parameter_values
from supple.rigid_body import RigidBody

if TYPE_CHECKING:
    from supple.model.model import Model


def renumbered(model: Model, values: Mapping[str, float]) -> Description:
    """A copy of the model's description in which numbers, by the names of `parameter_names`, have other values."""
    known = parameter_values(model)
    mech = model.description.copy()
    for label in values:
        if label not in known:
            raise StateError(f"model {model.name!r}: no parameter {label!r}{nearest(label, known)}")
    numbers = {label: number(x, f"parameter {label!r}") for label, x in values.items()}
    gravity = [numbers.get(f"gravity.{c}", x) for c, x in zip("xyz", mech.gravity, strict=True)]
    mech.gravity = np.array(gravity)
    for name in mech.bodies:
        own = {label.removeprefix(f"{name}."): x for label, x in numbers.items() if label.startswith(f"{name}.")}
        with _naming(model, name):
            _renumber_body(mech, name, own)
    for i, speed in enumerate(model.speeds):
        own = {label.removeprefix(f"{speed}."): x for label, x in numbers.items() if label.startswith(f"{speed}.")}
        if own and model.is_mode[i]:
            raise StateError(f"model {model.name!r}: parameter of {speed!r}: a mode belongs to its flexible body")
        if own:
            with _naming(model, speed):
                _renumber_joint(model, mech, i, own)
    _renumber_elements(mech, numbers)
    return mech


def _renumber_elements(mech: Description, numbers: Mapping[str, float]) -> None:
    """Spring-dampers, wrenches and places of frames."""

    def changed(name: str, labels: Sequence[str], old: Iterable[float]) -> list[float]:
        return [numbers.get(f"{name}.{what}", x) for what, x in zip(labels, old, strict=True)]

    for name, spring in mech.springs.items():
        k, c, length = changed(name, SPRING, (spring.stiffness, spring.damping, spring.length))
        mech.springs[name] = replace(spring, stiffness=k, damping=c, length=length)
    for name, wrench in mech.wrenches.items():
        both = np.array(changed(name, WRENCH, (*wrench.moment, *wrench.force)))
        mech.wrenches[name] = replace(wrench, moment=both[:3], force=both[3:])
    for name, frame in mech.frames.items():
        if any(f"{name}.{c}" in numbers for c in "xyz"):
            mech.frames[name] = replace(frame, position=np.array(changed(name, "xyz", frame.position)))


@contextmanager
def _naming(model: Model, name: str) -> Iterator[None]:
    """Say whose number it is that is refused."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"model {model.name!r}: {name!r}: {error}") from None


def _renumber_body(mech: Description, name: str, numbers: Mapping[str, float]) -> None:
    """Mass, centre of mass, inertia and place of a body."""
    placed = mech.bodies[name]
    body = placed.body
    position = [numbers.get(f"at.{c}", x) for c, x in zip("xyz", placed.position, strict=True)]
    if isinstance(body, RigidBody):
        inertia = np.array(body.inertia)
        for label, (i, j) in zip(INERTIA, PLACES, strict=True):
            inertia[i, j] = inertia[j, i] = numbers.get(f"inertia.{label}", inertia[i, j])
        com = [numbers.get(f"com.{c}", x) for c, x in zip("xyz", body.com, strict=True)]
        body = RigidBody(numbers.get("mass", body.mass), com, inertia, body.allow_unphysical)
    joint = placed.joint
    if isinstance(joint, Helical) and "pitch" in numbers:
        joint = replace(joint, pitch=numbers["pitch"])
    mech.bodies[name] = replace(placed, body=body, joint=joint, position=np.array(position))


def _renumber_joint(model: Model, mech: Description, speed: int, numbers: Mapping[str, float]) -> None:
    """Spring, damper and own inertia of one degree of freedom of a joint."""
    k = int(np.searchsorted(model.tree.v_first, speed, side="right")) - 1
    while model.tree.v_first[k + 1] <= speed:  # bodies without speeds begin at the same place
        k += 1
    name, at = model.bodies[k - 1], speed - int(model.tree.v_first[k])
    joint = mech.bodies[name].joint
    changed = {}
    for what, x in numbers.items():
        entries = list(getattr(joint, what))
        entries[at] = x
        changed[what] = entries
    mech.bodies[name] = replace(mech.bodies[name], joint=replace(joint, **changed))
