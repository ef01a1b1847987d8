"""Numbers of a reduced beam, plate or shell that can be changed: material, section, thickness, length and damping.

A body that was reduced from such a structure knows it, so it can be made again with other numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from supple.errors import ModelError, nearest
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.builders.beam import Beam
from supple.structures.discretization.discretization import Discretization
from supple.structures.elements.plate import Plate
from supple.structures.elements.plate_element import PlateElements
from supple.structures.layups import Layer, Layup
from supple.structures.materials import Material
from supple.structures.structure import Structure

MATERIAL = ("E", "nu", "rho")
UNITS = {"E": "Pa", "nu": "1", "rho": "kg/m^3", "length": "m", "thickness": "m", "damping": "1"}
AREAS = {"A": "m^2", "Iy": "m^4", "Iz": "m^4", "J": "m^4"}
"""Units of what a `Section` is given by; all other sections are given by lengths."""
SAME = 1e-9
"""Difference of a body that is made again with the same numbers, beyond which something was done to it since."""


def structural_values(body: FlexibleBody) -> dict[str, float]:
    """Numbers by which a body can be made again; none if it was not reduced from a beam, plate or shell.

    Those of its section are there if all segments of a beam have the same, those of its material likewise; a plate or
    shell is of one layer.
    """
    found = body.source
    if found is None:
        return {}
    out = _of_beam(found.structure) if isinstance(found.structure, Beam) else _of_plate(found.structure)
    if out and isinstance(found.reduction.damping, int | float):
        out["damping"] = float(found.reduction.damping)
    return out


def _of_beam(beam: Beam) -> dict[str, float]:
    segments, out = beam.segments, dict[str, float]()
    first: Any = segments[0]
    if all(x.material == first.material for x in segments):
        out |= {name: float(getattr(first.material, name)) for name in MATERIAL}
    if all(x.section == first.section for x in segments):
        out |= {x.name: float(getattr(first.section, x.name)) for x in fields(first.section) if _is_length(first, x)}
    return out | {"length": float(sum(x.elements * np.linalg.norm(x.step) for x in segments))}


def _of_plate(structure: Discretization) -> dict[str, float]:
    plate = _plate(structure)
    if plate is None:
        return {}
    (layer,) = plate.layup.layers
    return {name: float(getattr(layer.material, name)) for name in MATERIAL} | {"thickness": layer.thickness}


def _plate(structure: Discretization) -> PlateElements | None:
    """The elements of a plate or shell of one layer, of a material without fibres."""
    source = structure.elements
    if not isinstance(source, Plate) or structure.masses.given is not None:
        return None
    layers = source.plate.layup.layers
    return source.plate if len(layers) == 1 and isinstance(layers[0].material, Material) else None


def _is_length(segment: Any, x: Any) -> bool:
    return isinstance(getattr(segment.section, x.name), int | float)


def structural_unit(name: str) -> str:
    """Unit of such a number."""
    return UNITS.get(name, AREAS.get(name, "m"))


def rebuilt(body: FlexibleBody, values: Mapping[str, float]) -> FlexibleBody:
    """The body with other numbers, reduced in the same way.

    Raises
    ------
    ModelError
        If it has no number of a name.
    """
    known, found = structural_values(body), body.source
    for name in values:
        if name not in known:
            raise ModelError(f"flexible body: no structural parameter {name!r}{nearest(name, known)}")
    assert found is not None
    wanted = found.reduction
    damping = values.get("damping", wanted.damping) if isinstance(wanted.damping, int | float) else wanted.damping
    old = found.structure
    structure = _beam_again(old, values) if isinstance(old, Beam) else _plate_again(old, values)
    return structure.reduce(wanted.basis, wanted.modes, wanted.root, wanted.interfaces, damping, wanted.residual)


def _beam_again(beam: Beam, values: Mapping[str, float]) -> Beam:
    """The beam with other numbers."""
    length = _of_beam(beam)["length"]
    scale = values.get("length", length) / length
    segments = []
    x: Any
    for x in beam.segments:
        own = {y.name: values[y.name] for y in fields(x.section) if y.name in values}
        section: Any = replace(x.section, **own) if own else x.section
        step = tuple(scale * y for y in x.step)
        segments.append(x._replace(step=step, section=section, material=_material(x.material, values)))
    made: Any = beam._of_segments(segments)
    for x in beam.point_masses:
        made = _with_mass(made, x)
    return replace(made, frames=beam.frames)


def _plate_again(structure: Discretization, values: Mapping[str, float]) -> Structure:
    """The plate or shell with other numbers, and with the masses on it."""
    plate = _plate(structure)
    assert plate is not None
    (layer,) = plate.layup.layers
    assert isinstance(layer.material, Material)
    layup = Layup([Layer(values.get("thickness", layer.thickness), _material(layer.material, values))])
    made = Structure.of(Plate(PlateElements(plate.nodes, plate.corners, layup, plate.axes)), structure.frames)
    masses = made.masses.plus(structure.masses.after(len(made.masses.positions)))
    return replace(made, masses=masses, rigid=structure.rigid, averages=structure.averages, arms=structure.arms)


def _with_mass(beam: Beam, x: Any) -> Beam:
    """The beam with a point mass of another beam of as many nodes."""
    inertia = np.reshape(x.inertia, (3, 3)) if len(x.inertia) == 9 else x.inertia
    named = replace(beam, frames={**beam.frames, "carrier": x.nodes})
    return named.with_mass("carrier", x.mass, inertia, x.offset)


def _material(x: Material, values: Mapping[str, float]) -> Material:
    """With other numbers; the shear modulus follows where it is that of an isotropic material."""
    E, nu, rho = (values.get(name, getattr(x, name)) for name in MATERIAL)
    isotropic = abs(x.G - x.E / (2 * (1 + x.nu))) <= 1e-12 * x.G
    G = E / (2 * (1 + nu)) if isotropic else x.G
    return Material(E=E, nu=nu, rho=rho, G=G, yield_strength=x.yield_strength)


def require_rebuildable(body: FlexibleBody, name: str) -> None:
    """Refuse a body that its structure alone does not make."""
    again = rebuilt(body, {})
    pairs = (
        (body.integrals.mass, again.integrals.mass),
        (body.stiffness.toarray(), again.stiffness.toarray()),
        (body.damping.toarray(), again.damping.toarray()),
        (body.integrals.E, again.integrals.E),
    )
    for x, y in pairs:
        if np.shape(x) != np.shape(y) or np.abs(np.subtract(x, y)).max(initial=0.0) > SAME * np.abs(x).max(
            initial=1e-300
        ):
            raise ModelError(f"{name!r}: its structure was changed after it was made, so it cannot be made again")
