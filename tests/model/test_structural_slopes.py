"""Sensitivities by numbers of structures: through the reduction, against runs of models made anew."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple.model.structural_slopes import structural_parameters
from supple.structures import Circle, Material, Rayleigh, Rectangle, beam, from_matrices, plate
from supple.structures.reduction.parameters import rebuilt, require_rebuildable, structural_values

VALUES = {"E": 70e9, "rho": 2700.0, "length": 2.0, "height": 0.01, "width": 0.05, "damping": 0.01}


@cache
def boom(fidelity: str = "full", **changed: float) -> supple.Model:
    x = VALUES | changed
    strip = beam(x["length"], Rectangle(x["width"], x["height"]), Material(x["E"], 0.3, x["rho"]), elements=6)
    mech = supple.Mechanism("boom")
    body = strip.with_mass("end", 0.1).reduce("cantilever", modes=2, damping=x["damping"])
    mech.add_body("boom", body, joint=supple.Revolute("y"), fidelity=fidelity)
    tip = supple.RigidBody(0.2, com=(0.05, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    mech.add_body("tip", tip, parent="boom", at="end", joint=supple.Fixed())
    return mech.build()


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
def test_motion_and_position_of_the_tip_by_material_section_and_length(fidelity: str) -> None:
    settings: dict[str, Any] = {"q": {"boom.angle": 0.3}, "samples": 3, "integrator": "DOP853"}
    settings["outputs"] = supple.Outputs(frames=["boom/end"])
    wanted = list(VALUES) if fidelity == "full" else ["length"]
    names = [f"boom.{name}" for name in wanted]
    found = supple.simulate(boom(fidelity), 0.04, rtol=1e-10, sensitivities=names, **settings)
    for i, name in enumerate(wanted):
        h = 1e-5 * VALUES[name]
        models = (boom(fidelity, **{name: VALUES[name] + sign * h}) for sign in (1, -1))
        plus, minus = (supple.simulate(model, 0.04, rtol=1e-12, **settings) for model in models)
        for what in ("q", "position"):
            expected = (plus[what] - minus[what]).values / (2 * h)
            error = np.abs(found[f"{what}_sensitivity"].values[..., i] - expected).max()
            assert error <= 1e-6 * np.abs(expected).max(), (name, what)
    units = dict(zip(wanted, found.parameter_unit.values.tolist(), strict=True))
    assert units.get("rho", "kg/m^3") == "kg/m^3"
    assert units["length"] == "m"


PANEL = {"E": 70e9, "nu": 0.3, "rho": 2700.0, "thickness": 0.004}


def panel(**changed: float) -> supple.Model:
    x = PANEL | changed
    material = Material(x["E"], x["nu"], x["rho"])
    sheet = plate((1.0, 0.5), x["thickness"], material, (2, 1), frames={"start": "x_min", "end": (1.0, 0.1)})
    sheet = sheet.with_mass("end", 0.2, (1e-3, 2e-3, 1e-3), (0.0, 0.0, 0.05))
    mech = supple.Mechanism("panel")
    mech.add_body("panel", sheet.reduce("cantilever", modes=2), joint=supple.Revolute("y"))
    return mech.build()


def test_motion_of_a_panel_by_its_material_and_thickness() -> None:
    settings: dict[str, Any] = {"q": {"panel.angle": 0.3}, "samples": 3, "integrator": "DOP853"}
    assert structural_values(panel().description.bodies["panel"].body) == PANEL  # type: ignore[arg-type]
    found = supple.simulate(panel(), 0.04, rtol=1e-10, sensitivities=[f"panel.{name}" for name in PANEL], **settings)
    for i, (name, value) in enumerate(PANEL.items()):
        h = 2e-3 * value
        models = (panel(**{name: value + steps * h}) for steps in (-2, -1, 1, 2))
        q = [supple.simulate(model, 0.04, rtol=1e-12, **settings).q.values for model in models]
        expected = (8.0 * (q[2] - q[1]) - (q[3] - q[0])) / (12.0 * h)  # nu hardly matters: short steps would be noise
        error = np.abs(found.q_sensitivity.values[..., i] - expected).max()
        assert error <= 1e-6 * np.abs(expected).max(), name


@cache
def two_booms(E: float = 70e9) -> supple.Model:
    strip = beam(1.0, Rectangle(0.05, 0.01), Material(E, 0.3, 2700.0), elements=4).reduce("cantilever", modes=1)
    mech = supple.Mechanism("two booms")
    for name, at in (("left", -0.1), ("right", 0.1)):
        mech.add_body(name, strip, at=(at, 0, 0), joint=supple.Revolute("y"))
    return mech.build()


def test_bodies_that_share_a_structure_change_together() -> None:
    model, E, h = two_booms(), 70e9, 7e5
    assert structural_parameters(model)["structure.left.E"][1] == ("left", "right")
    settings: dict[str, Any] = {"q": {"left.angle": 0.3, "right.angle": 0.1}, "samples": 3}
    found = supple.simulate(model, 0.05, sensitivities=["structure.left.E"], rtol=1e-10, **settings)
    plus, minus = (supple.simulate(two_booms(E + x), 0.05, rtol=1e-12, **settings).q.values for x in (h, -h))
    expected = (plus - minus) / (2 * h)
    error = np.abs(found.q_sensitivity.values[..., 0] - expected).max()
    assert error <= 1e-6 * np.abs(expected).max()
    with pytest.raises(supple.StateError, match=r"shares its structure with 'right'; expected 'structure\.left\.E'"):
        supple.simulate(model, 0.05, sensitivities=["left.E"])


def test_what_no_beam_alone_makes_has_no_such_parameters() -> None:
    nodes = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    K, M = np.zeros((12, 12)), np.eye(12)
    K[6:, 6:], K[:6, :6], K[:6, 6:], K[6:, :6] = np.eye(6), np.eye(6), -np.eye(6), -np.eye(6)
    try:
        body = from_matrices(nodes, M, K, {"start": 0, "end": 1}).reduce("nodal")
    except supple.ModelError:  # such matrices resist rigid rotations, and are refused
        body = None
    assert body is None or structural_values(body) == {}
    strip = beam(1.0, Circle(0.01), Material(70e9, 0.3, 2700.0), elements=4)
    made = strip.reduce("cantilever", modes=2, damping=Rayleigh(0.0, 1e-4))
    assert "damping" not in structural_values(made)
    require_rebuildable(made, "strip")
    with pytest.raises(supple.ModelError, match=r"no structural parameter 'radus'.*'radius'"):
        rebuilt(made, {"radus": 0.02})


def test_modes_that_change_places_are_refused() -> None:
    """A little more height than width, and the bending modes of an almost square beam are in the other order."""
    square = beam(1.0, Rectangle(0.01, 0.010001), Material(70e9, 0.3, 2700.0), elements=4)
    mech = supple.Mechanism("square")
    mech.add_body("beam", square.reduce("cantilever", modes=2), joint=supple.Revolute("y"))
    with pytest.raises(supple.StateError, match=r"'beam\.height': mode 'mode1' becomes another one"):
        supple.simulate(mech.build(), 0.1, sensitivities=["beam.height"])
