"""Things of another class than expected: one line that names what was expected and what was given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import supple
from supple import erls, linear
from supple.symbolic import KaneJoint, KaneSystem, MassProperties, parameter_names


def test_guesses_help() -> None:
    assert supple.errors.nearest("BOOM/End", ["boom/end", "hub"]) == "; did you mean 'boom/end'?"
    assert supple.errors.nearest("boom", ["Boom", "boo"]) == "; did you mean 'boo'?"
    assert supple.errors.nearest("x", ["boom", "hub"]) == "; there are 'boom', 'hub'"


Call = Callable[[Any, Path], Any]
CALLS: dict[str, tuple[Call, str]] = {
    "equations": (lambda x, _: supple.equations(x), "a Model"),
    "count_operations": (lambda x, _: supple.count_operations(x, "forward_dynamics"), "a Model"),
    "parameter_names": (lambda x, _: parameter_names(x), "a Model"),
    "modes": (lambda x, _: linear.modes(x), "a Model or an equivalent rigid-link system"),
    "state_space": (lambda x, _: linear.state_space(x), "a Model or an equivalent rigid-link system"),
    "save": (lambda x, folder: supple.save(x, folder / "model.toml"), "a Mechanism or a Model"),
    "simulate": (lambda x, _: supple.simulate(x, 1.0), "a Model or an equivalent rigid-link system"),
}


def mechanism() -> supple.Mechanism:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    return mech


def system() -> KaneSystem:
    s = KaneSystem("vectors")
    s.add_body("arm", joint=KaneJoint(rotations="3"), body=MassProperties(1.0, com=(0, -1, 0)))
    return s


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["KaneSystem", "EquationsOfMotion", "str"])
def test_what_is_no_model_is_named(name: str, kind: str, tmp_path: Path) -> None:
    call, expected = CALLS[name]
    given = {"KaneSystem": system(), "EquationsOfMotion": system().equations(), "str": "model.toml"}[kind]
    load = (
        r"'model\.toml'; supple\.load\('model\.toml'\) makes a model of a file, `supple run model\.toml` simulates it"
    )
    shown = load if kind == "str" else f"{kind} 'vectors'"
    with pytest.raises(supple.StateError, match=rf"^\S+: expected {expected}, got {shown}$"):
        call(given, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", [name for name, (_, taken) in CALLS.items() if "rigid-link" not in taken and name != "save"]
)
def test_equivalent_rigid_links_are_named_where_they_are_not_taken(name: str, tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match=r"got ErlsModel 'pendulum'$|is an equivalent rigid-link system"):
        CALLS[name][0](erls.build(mechanism()), tmp_path)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "save"])
def test_a_mechanism_is_to_be_built(name: str, tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match=r"got Mechanism 'pendulum'; `build\(\)` makes a Model of it$"):
        CALLS[name][0](mechanism(), tmp_path)


def test_warnings_show_the_line_of_the_caller(tmp_path: Path) -> None:
    """Through decorated functions, generated constructors and readers alike."""
    file = tmp_path / "m.toml"
    file.write_text(
        'name = "m"\n[[body]]\nname = "m"\nmass = 1.0\njoint = { type = "prismatic", axis = "x" }\n'
        "[simulation]\nduration = 1.0\nq = { m.position = 0.1 }\n"
    )
    with pytest.warns(supple.OmissionWarning) as left_out:
        supple.load(file)
    with pytest.warns(supple.PhysicsWarning) as soft:
        supple.structures.Material(E=7e4, nu=0.3, rho=2700.0)
    assert [x.filename for x in (*left_out, *soft)] == [__file__] * 2
