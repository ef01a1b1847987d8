"""The recursions as programs of blocks and as sweeps are the same functions, and structure is all that is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import supple
from supple.engines.blocks import library
from supple.engines.sweeps import sweep
from supple.model import program_sizes, programs
from supple.model.evaluation import Evaluation
from supple.model.model import Model
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

STATES = 11


def by_sweeps(model: Model) -> Evaluation:
    """The same tree without blocks."""
    other = Evaluation(model.tree, model.flex, model.nq)
    other.__dict__["programs"] = None
    return other


def states(model: Model) -> tuple[Any, Any, Any]:
    """Coordinates, speeds, and forces or accelerations."""
    rng = np.random.default_rng(3)
    q = np.stack([model.random_state(i)[0] for i in range(STATES)])
    return q, *rng.normal(size=(2, STATES, model.nv))


MODELS: dict[str, Callable[[], Model]] = {
    "tree 4": lambda: random_tree(4, 9),
    "tree 11": lambda: random_tree(11, 14),
    "flexible 2": lambda: random_flexible_tree(2, 5, forces=True)[0],
    "flexible 5": lambda: random_flexible_tree(5, 5, forces=True, beams=True)[0],
}
"""Trees with all kinds of joints, springs and wrenches, rigid and flexible."""


@pytest.mark.parametrize("name", ["tree 4", "flexible 2"])
def test_products_with_the_inverse_mass_matrix_hold_what_is_prescribed(name: str) -> None:
    """Of real states by blocks and of complex ones by the plain twin, without a compiler."""
    model = MODELS[name]()
    q, x, _ = states(model)
    held = (np.arange(model.nv) % 3 == 0) & ~model.is_mode
    x[:, held] = 0.0
    M = model.mass_matrix(q)
    with mock.patch.object(sweep, "CompiledSweep", side_effect=AssertionError):
        y, twin = (model.inverse_mass_product(given, x, held) for given in (q, q.astype(complex)))
        W = model.inverse_mass_matrix(q[:2].astype(complex))
    assert not y[:, held].any()
    balance = np.einsum("sij,sj->si", M, y) - x
    assert np.abs(balance[:, ~held]).max() < 1e-10 * np.einsum("sij,sj->si", np.abs(M), np.abs(y)).max()
    np.testing.assert_allclose(twin, y, rtol=0, atol=1e-10 * np.abs(y).max())
    np.testing.assert_allclose(W, model.inverse_mass_matrix(q[:2]), rtol=0, atol=1e-10 * np.abs(W).max())


def test_a_product_with_no_inverse_names_the_joint() -> None:
    mech = supple.Mechanism("massless")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, 1)), joint=supple.Revolute("y"))
    mech.add_body("point", supple.RigidBody(1.0), "arm", supple.Revolute("y"))
    model = mech.build()
    for q in (np.zeros(2), np.zeros(2, dtype=complex)):
        with pytest.raises(supple.SingularError, match=r"joint of 'point': nothing resists the speed 'point\.angle'"):
            model.inverse_mass_product(q, np.ones(2), np.zeros(2, dtype=bool))


@pytest.mark.parametrize("name", thinned(MODELS, ["tree 4", "flexible 5"]))
def test_blocks_and_sweeps_agree(name: str) -> None:
    model = MODELS[name]()
    q, v, x = states(model)
    prescribed = np.arange(model.nv) % 3 == 0
    prescribed &= ~model.is_mode
    wrench = np.random.default_rng(5).normal(size=(STATES, len(model.bodies) + 1, 6))
    one, other = model.evaluation, by_sweeps(model)
    assert one.programs is not None
    pairs = {
        "rates": (one.rates(q, v), other.rates(q, v)),
        "advanced": (one.advanced(q, v, np.full(STATES, 0.1)), other.advanced(q, v, np.full(STATES, 0.1))),
        "mass matrix": (one.mass_matrix(q), other.mass_matrix(q)),
    }
    for i, what in enumerate(("R", "p")):
        pairs[what] = one.poses(q)[i], other.poses(q)[i]
    for i, what in enumerate(("V", "A")):
        pairs[what] = one.motions(q, v, x)[i], other.motions(q, v, x)[i]
    for i, what in enumerate(("energy", "momentum", "moment")):
        pairs[what] = one.sums(q, v)[i], other.sums(q, v)[i]
    # Each of them is another sweep to compile: of beams the one with all wrenches alone.
    for applied in (wrench,) if name == "flexible 5" else (None, wrench, wrench[:1]):
        for i, what in enumerate(("tau", "f")):
            both = (e.inverse_dynamics(q, v, x, applied, True)[i] for e in (one, other))
            pairs[f"{what} {applied is None}"] = next(both), next(both)
        for mask in (np.zeros(model.nv, bool), prescribed):
            found, wanted = (e.hybrid_dynamics(q, v, x, mask, applied) for e in (one, other))
            pairs[f"a {applied is None} {mask.any()}"] = found[0], wanted[0]
            pairs[f"drive {applied is None} {mask.any()}"] = found[1], wanted[1]
    for what, (blocks, sweeps) in pairs.items():
        assert blocks.shape == sweeps.shape
        size = np.abs(sweeps).max()
        assert size > 0, what
        np.testing.assert_allclose(blocks, sweeps, rtol=0, atol=2e-11 * size, err_msg=what)


def arm(mass: float, length: float, damping: float, torque_axis: str = "y") -> Model:
    mech = supple.Mechanism("arm")
    body = supple.RigidBody(mass, (0.0, 0.0, -0.4 * length), (0.1, 0.1, 0.02))
    mech.add_body("upper", body, joint=supple.Revolute(torque_axis, damping=damping))
    mech.add_body("lower", body, "upper", supple.Revolute("y"), at=(0.0, 0.0, -length))
    return mech.build()


def test_other_numbers_need_no_compiler() -> None:
    first = arm(1.3, 0.7, 0.2)
    q, v = first.random_state(0)
    a = first.forward_dynamics(q, v, np.ones(2))
    with (
        mock.patch.object(library, "object_code_of", side_effect=AssertionError("compiled")),
        mock.patch.object(library, "block_instructions", side_effect=AssertionError("written")),
        mock.patch.object(programs, "RecursionRecording", side_effect=AssertionError("recorded")),
    ):
        other = arm(2.1, 0.9, 0.3)
        b = other.forward_dynamics(q, v, np.ones(2))
    assert np.abs(a - b).max() > 0.1
    wanted = by_sweeps(other).hybrid_dynamics(q[None], v[None], np.ones((1, 2)), np.zeros(2, bool), None)
    np.testing.assert_allclose(b, wanted[0][0], rtol=1e-12)


def test_states_that_do_not_lie_side_by_side_in_memory() -> None:
    model = arm(1.3, 0.7, 0.2)
    q, v, x = states(model)
    wide = np.zeros((STATES, 5))
    wide[:, 1:3] = q
    a, _, _ = model.evaluation.hybrid_dynamics(wide[:, 1:3], v, x, np.zeros(2, bool), None)
    np.testing.assert_array_equal(a, model.forward_dynamics(q, v, x))


def test_models_of_another_structure_have_programs_of_their_own() -> None:
    q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    found = [
        arm(*x).forward_dynamics(q, v, np.zeros(2)) for x in ((1.3, 0.7, 0.2), (1.3, 0.7, 0.0), (1.3, 0.7, 0.2, "x"))
    ]
    for i in range(3):
        for j in range(i):
            assert np.abs(found[i] - found[j]).max() > 1e-3


def test_large_models_go_by_sweeps() -> None:
    mech = supple.Mechanism("chain")
    parent = "ground"
    for i in range(30):
        mech.add_body(f"b{i}", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), parent, supple.Revolute("z"))
        parent = f"b{i}"
    model = mech.build()
    with mock.patch.object(program_sizes, "MOST_BODIES", 29):
        assert model.evaluation.programs is None
    q, v = model.random_state(0)
    tau = model.inverse_dynamics(q, v, np.ones(model.nv))
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), 1.0, rtol=1e-6)


def test_a_massless_joint_is_refused_by_name() -> None:
    mech = supple.Mechanism("light")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    mech.add_body("nothing", supple.RigidBody(0.0), "arm", supple.Revolute("x"))
    model = mech.build()
    for q in (np.zeros(2), np.zeros((5, 2)), [0.0, 0.0]):
        with pytest.raises(supple.SingularError, match=r"joint of 'nothing': nothing resists the speed"):
            model.forward_dynamics(q, np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(which: int, bad: float) -> None:
    model = arm(1.3, 0.7, 0.2)
    arguments = [np.ones(2), np.ones(2), np.ones(2)]
    arguments[which][1] = bad
    with pytest.raises(supple.StateError, match="expected finite numbers, got NaN or infinity"):
        model.forward_dynamics(arguments[0], arguments[1], arguments[2])


def test_a_quaternion_of_no_length_is_refused() -> None:
    mech = supple.Mechanism("free")
    mech.add_body("body", supple.RigidBody(1.0, (0, 0, 0.1), (0.1, 0.2, 0.3)), joint=supple.Free())
    model = mech.build()
    with pytest.raises(supple.StateError, match="expected a quaternion, got one of length zero"):
        model.forward_dynamics(np.zeros(7), np.ones(6), np.ones(6))
