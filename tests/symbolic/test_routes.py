"""Equations of models by every route: the same numbers as the recursions, and what they cost."""

from __future__ import annotations

from functools import cache
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import read
from supple.structures import Material, Rectangle, beam
from supple.symbolic import EquationsOfMotion
from supple.symbolic.program_parts import ProgramRun
from supple.symbolic.routes import ROUTES
from support.cases import thinned
from support.generated.generators import random_tree
from support.programs.c_programs import built, motion

EXAMPLES = Path(__file__).parents[2] / "examples"
SATELLITE = EXAMPLES / "ten_dof_satellite.toml"
NUMBERS = [0, 1, 2, 3, 4, 5, 8, 9]
SMALL = [f"q{i + 1}" for i in NUMBERS]
"""The eight of Table 11: all but those of clock and camera."""


@pytest.fixture(scope="module")
def satellite() -> supple.Model:
    return read(SATELLITE).model


@cache
def satellite_equations(route: str = "auto") -> EquationsOfMotion:
    contents = read(SATELLITE)
    return supple.equations(contents.model, **contents.equation_arguments(), route=route)


def accelerations(model: supple.Model, q: Any, v: Any, forces: dict[str, float]) -> Any:
    return model.forward_dynamics(q, v, [forces.get(speed, 0.0) for speed in model.speeds])


@pytest.mark.parametrize("route", ROUTES)
def test_satellite_agrees_with_the_recursions(satellite: supple.Model, route: str) -> None:
    settings = read(SATELLITE).equation_arguments()
    e = satellite_equations(route)
    for seed in range(5):
        q, v = satellite.random_state(seed)
        tau = np.random.default_rng(seed).normal(size=4)
        rate, a = e.evaluate(q, v, tau)
        expected = accelerations(satellite, q, v, dict(zip(settings["inputs"].values(), tau, strict=True)))
        np.testing.assert_allclose(a, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())
        np.testing.assert_allclose(rate, satellite.derivative(q, v), rtol=1e-12, atol=1e-13)
        assert abs(expected).min() > 1e-6


@pytest.mark.parametrize("route", ROUTES)
def test_small_variables_leave_an_error_of_second_order(satellite: supple.Model, route: str) -> None:
    settings = read(SATELLITE).equation_arguments()
    e = supple.equations(satellite, **settings, route=route, small=SMALL)
    q, v = satellite.random_state(7)
    tau = np.random.default_rng(7).normal(size=4)
    forces = dict(zip(settings["inputs"].values(), tau, strict=True))
    errors = []
    for size in (1e-2, 1e-3):
        q_, v_ = q.copy(), v.copy()
        q_[NUMBERS], v_[NUMBERS] = size * q[NUMBERS], size * v[NUMBERS]
        expected = accelerations(satellite, q_, v_, forces)
        errors.append(abs(e.evaluate(q_, v_, tau)[1] - expected).max() / abs(expected).max())
    assert 1e-9 < errors[1] < 1e-4, "else the case is trivial, or wrong"
    assert 50 < errors[0] / errors[1] < 200


SEQUENCES = ["".join(x) for x in product("123", repeat=3) if x[0] != x[1] != x[2]]


def swinging(translations: list[str], rotations: str) -> supple.Model:
    """A body without symmetry that moves and turns, with an arm."""
    mech = supple.Mechanism("swinging")
    body = supple.RigidBody(2.0, (0.1, -0.2, 0.3), ((1.0, 0.1, 0.2), (0.1, 1.2, 0.3), (0.2, 0.3, 1.5)))
    mech.add_body("body", body, joint=supple.BuildingBlock(translations, rotations))
    arm = supple.RigidBody(1.0, (0.1, 0.3, 0.2), (0.1, 0.12, 0.15))
    mech.add_body("arm", arm, "body", supple.Revolute("x"), at=(0.2, 0.3, -0.5))
    return mech.build()


def errors_of_small(model: supple.Model, small: list[str], route: str) -> list[float]:
    """Errors of the rates and accelerations, relative, where these coordinates and their rates are 1e-2 and 1e-3."""
    e = supple.equations(model, [], small=small, route=route)
    places = [model.coordinate_index(name) for name in small]
    rng = np.random.default_rng(5)
    start, moving = rng.uniform(0.5, 1.0, (2, model.nq))
    tau, errors = rng.normal(size=model.nv), []
    for size in (1e-2, 1e-3):
        q, rate = start.copy(), moving.copy()
        q[places], rate[places] = size * start[places], size * moving[places]
        v = np.linalg.solve(model.tangent(q), rate)
        expected = np.concatenate([rate, model.forward_dynamics(q, v, tau)])
        errors.append(float(abs(np.concatenate(e.evaluate(q, v, tau)) - expected).max() / abs(expected).max()))
    return errors


IN_TURN = list(zip(SEQUENCES, cycle(ROUTES), strict=False))


@pytest.mark.parametrize(("rotations", "route"), thinned(IN_TURN, IN_TURN[::4] + IN_TURN[1::4], several=True))
def test_every_sequence_of_rotations_to_first_order(rotations: str, route: str) -> None:
    """Angles and their rates are small, not speeds in body axes: which of these are is found, for any order of axes."""
    model = swinging(["x", "y", "z"], rotations)
    subsets = [(1,), (3,), (1, 3)]
    subsets += [(2,), (1, 2), (2, 3), (1, 2, 3)] if rotations[0] != rotations[2] else []
    for chosen in subsets:
        coarse, fine = errors_of_small(model, [f"body.angle{i}" for i in chosen], route)
        assert coarse > 1e-6, "the case is not trivial"
        assert 50 < coarse / fine < 200, (rotations, chosen)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("small", [[1], [1, 2], [1, 2, 3], [1, 5, 6], [1, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7]])
def test_translations_to_first_order(small: list[int], route: str) -> None:
    """In another order than that of the axes, with large and with small angles beside them."""
    model = swinging(["z", "x", "y"], "312")
    coarse, fine = errors_of_small(model, [model.coordinates[i - 1] for i in small], route)
    if {4, 5, 6, 7} & set(small):  # nothing is of second order in the positions alone
        assert coarse > 1e-6, "the case is not trivial"
        assert 50 < coarse / fine < 200
    else:
        assert fine < 1e-12


@pytest.mark.parametrize(
    ("rotations", "small", "speeds"),
    [
        ("321", ["angle2", "angle3"], ["wx", "wy"]),
        ("312", ["angle1", "angle2"], ["wx", "wz"]),
        ("123", ["angle1", "angle2", "angle3"], ["wx", "wy", "wz"]),
        ("313", ["angle1", "angle3"], ["wy", "wz"]),
        ("123", ["angle2"], []),
        ("123", ["position1"], []),
        ("123", ["position1", "position2", "position3"], ["vx", "vy", "vz"]),
        ("123", ["position1", "angle1", "angle2", "angle3"], ["vz", "wx", "wy", "wz"]),
    ],
)
def test_speeds_that_are_small_with_coordinates(rotations: str, small: list[str], speeds: list[str]) -> None:
    model = swinging(["z", "x", "y"], rotations)
    e = supple.equations(model, [], small=[f"body.{name}" for name in small], route="kane")
    assert [str(leaf.value) for leaf in e.small] == [*(f"q:body.{x}" for x in small), *(f"v:body.{x}" for x in speeds)]


@pytest.mark.parametrize(("name", "small"), [("six_axis_arm", "shoulder.angle"), ("ten_dof_satellite", "clock.angle")])
def test_equations_with_one_small_variable_cost_no_more_than_exact_ones(name: str, small: str) -> None:
    """Few small variables among many leave most products as they are; these are not computed at zero as well."""
    contents = read(EXAMPLES / f"{name}.toml")
    settings = contents.equation_arguments()
    exact, short = (supple.equations(contents.model, **settings, small=x) for x in ([], [small]))
    for route in ROUTES:
        assert short.counts[route].total < exact.counts[route].total
    assert short.operations.total < exact.operations.total
    assert max(errors_of_small(contents.model, [small], "composite")) < 1e-3


def test_small_variables_go_by_the_names_that_they_have() -> None:
    """q1 is the first coordinate, unless another one is called so."""
    model = swinging(["x", "y", "z"], "123")
    settings: dict[str, Any] = {"parameters": [], "small": ["q1", "a"], "route": "kane"}
    for names, expected in (
        ({"a": "arm.angle"}, "q:body.position1"),
        ({"q1": "body.angle2", "a": "arm.angle"}, "q:q1"),
    ):
        e = supple.equations(model, names=names, **settings)
        assert [str(leaf.value) for leaf in e.small] == [expected, "q:a", "v:a"]


def test_satellite_takes_fewer_operations_than_the_source(satellite: supple.Model) -> None:
    """Sayers (1991), Table 11: 628 additions and 791 others; 442 and 514 with eight of ten degrees of freedom small."""
    settings = read(SATELLITE).equation_arguments()
    fewer = supple.equations(satellite, **settings, small=SMALL)
    for e, additions, others in ((satellite_equations(), 379, 530), (fewer, 224, 305)):
        count = e.operations
        assert 0 < count.additions <= additions
        assert 0 < count.multiplications + count.divisions + count.functions <= others
    kane = satellite_equations("kane").operations
    assert kane.additions < 628
    assert kane.multiplications + kane.divisions + kane.functions < 791


def test_the_cheapest_route_is_taken() -> None:
    e = satellite_equations()
    assert set(e.counts) == set(ROUTES)
    assert e.operations == min(e.counts.values(), key=lambda count: count.total)
    assert e.form is not None, "Kane's equations stay at hand for reading"
    assert e.form.route == "kane"


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", thinned(range(4), [0, 1]))
def test_random_trees_by_every_route(seed: int, route: str) -> None:
    model = random_tree(seed, 3, free_base=seed % 2 == 0)
    e = supple.equations(model, None if seed % 2 else [], route=route)
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    expected = model.forward_dynamics(q, v, tau)
    rate, a = e.evaluate(q, v, tau)
    np.testing.assert_allclose(a, expected, rtol=1e-9, atol=1e-11 * abs(expected).max())
    np.testing.assert_allclose(rate, model.derivative(q, v), rtol=1e-12, atol=1e-12)


def test_flexible_models_go_by_the_recursions() -> None:
    link = beam(0.5, Rectangle(0.02, 0.02), Material(E=70e9, nu=0.33, rho=2700.0), 4).reduce("cantilever", modes=2)
    mech = supple.Mechanism("flexible arm")
    mech.add_body("upper", link, joint=supple.Revolute("y"))
    mech.add_body("fore", supple.RigidBody(1.0, (0.3, 0, 0), (0.01, 0.1, 0.1)), "upper", supple.Revolute("z"), at="end")
    model = mech.build()
    e = supple.equations(model, [])
    assert set(e.counts) == {"composite", "articulated"}
    q, v = model.random_state(1)
    tau = np.random.default_rng(1).normal(size=model.nv)
    expected = model.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(e.evaluate(q, v, tau)[1], expected, rtol=1e-9, atol=1e-9 * abs(expected).max())
    with pytest.raises(supple.ModelError, match=r"Kane's method takes rigid bodies, and '.*' is flexible"):
        supple.equations(model, [], route="kane")


def twenty_joints() -> supple.Model:
    rng = np.random.default_rng(4)
    mech = supple.Mechanism("tree of twenty joints")
    for i in range(20):
        J = np.diag(rng.uniform(0.1, 0.15, 3))
        parent = f"b{rng.integers(max(0, i - 4), i)}" if i else "ground"
        joint = (supple.Revolute, supple.Prismatic)[int(rng.integers(2))]("xyz"[int(rng.integers(3))])
        body = supple.RigidBody(rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), J)
        mech.add_body(f"b{i}", body, parent, joint, at=0.3 * rng.normal(size=3))
    return mech.build()


def test_twenty_joints_as_a_c_program(tmp_path: Path) -> None:
    model = twenty_joints()
    e = supple.equations(model)
    q, v = model.random_state(3)
    tau = np.random.default_rng(3).normal(size=20)
    _, rows = motion(built(e.program(q, v, tau, ProgramRun(0.02, 3, 1e-12, 1e-13)), tmp_path))
    run = supple.simulate(model, 0.02, q, v, tau, samples=3, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows[:, 1:], np.hstack([run.q, run.v]), atol=1e-9 * np.abs(run.v.values).max())
    assert np.abs(rows[-1, 1:] - rows[0, 1:]).max() > 1e-2


def test_satellite_program_follows_simulate(satellite: supple.Model, tmp_path: Path) -> None:
    settings, run = read(SATELLITE).equation_arguments(), read(SATELLITE).run_arguments()
    e = satellite_equations()
    tau = [float(run["tau"].get(speed, 0.0)) for speed in settings["inputs"].values()]
    v = [float(run["v"].get(speed, 0.0)) for speed in satellite.speeds]
    _, rows = motion(built(e.program(None, v, tau, ProgramRun(5.0, 6, 1e-12, 1e-13)), tmp_path))
    run_ = supple.simulate(satellite, 5.0, v=run["v"], tau=run["tau"], samples=6, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows[:, 1:11], run_.q, atol=1e-9)
    np.testing.assert_allclose(rows[:, 11:], run_.v, atol=1e-9)
    assert abs(run_.q.values[-1] - run_.q.values[0]).max() > 1.0


def test_linear_equations_are_those_of_linearize(satellite: supple.Model) -> None:
    e = satellite_equations()
    q, v = satellite.random_state(2)
    tau = np.zeros(4)
    found = e.linear.evaluate(e.numbers(), q=q, v=v, tau=tau)
    h = 1e-6
    for i in (4, 13):
        shift = np.zeros(20)
        shift[i] = h
        ahead, behind = (np.concatenate(e.evaluate(q + s * shift[:10], v + s * shift[10:], tau)) for s in (1, -1))
        np.testing.assert_allclose(found["A"][:, i], (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found["B"][10:], satellite.inverse_mass_matrix(q)[:, 6:], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"small": ["q11"]}, r"small: no coordinate 'q11'; did you mean"),
        ({"route": "lagrange"}, r"route: expected one of auto, kane, composite, articulated, got 'lagrange'"),
        ({"parameters": ["bus.mas"]}, r"no parameter 'bus.mas'; did you mean 'bus.mass'"),
        ({"names": {"m": "bus.weight"}}, r"symbol 'm': no parameter, coordinate or speed 'bus.weight'"),
        ({"names": {"m": "bus.mass", "M": "bus.mass"}}, r"'bus.mass' has two symbols, 'm' and 'M'"),
        ({"inputs": ["clock.angel"]}, r"inputs: no speed 'clock.angel'; did you mean 'clock.angle'"),
    ],
)
def test_unknown_names_are_named(satellite: supple.Model, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.equations(satellite, **settings)


def test_a_quaternion_is_not_small() -> None:
    model = read(EXAMPLES / "tumbling_body.toml").model
    with pytest.raises(supple.ModelError, match=r"is part of a quaternion, which is not small"):
        supple.equations(model, small=[model.coordinates[-1]])


def test_a_small_variable_in_a_denominator_is_refused() -> None:
    mech = supple.Mechanism("gyroscope")
    joint = supple.BuildingBlock(rotations="313")  # its rates have the sine of the middle angle below the bar
    mech.add_body("rotor", supple.RigidBody(1.0, (0, 0, 0.3), (0.02, 0.02, 0.03)), joint=joint)
    with pytest.raises(supple.StateError, match=r"small: 'rotor\.angle2' cannot be small.*axis of its joint coincide"):
        supple.equations(mech.build(), small=["rotor.angle2"])
