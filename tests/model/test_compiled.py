"""Machine code against the generic engine, and what it does with any kind of input."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.model import compiled, program_sizes
from supple.model.functions.table import FUNCTIONS as TABLE
from supple.model.parameters import parameter_values
from supple.symbolic import parameter_names
from support.by_nodes import by_nodes
from support.cases import thinned
from support.files.robots import robot_directory
from support.generated.generators import KINDS, random_tree
from support.mechanisms.closed_mechanisms import slider_crank

MODEL = random_tree(3, KINDS)
FEW = random_tree(3, 4)
"""Bodies for functions whose graphs take seconds to evaluate: steps are several evaluations of `derivative`."""
LONG = ("rk4", "leapfrog", "semi_implicit_euler", "inverse_mass_matrix")
COUNT = 11  # not a multiple of any number of lanes
Q = np.stack([MODEL.random_state(i)[0] for i in range(COUNT)])
RNG = np.random.default_rng(0)
V, U = RNG.normal(size=(COUNT, MODEL.nv)), RNG.normal(size=(COUNT, MODEL.nv))
FUNCTIONS = [what for what, x in TABLE.items() if x.recursion and not (x.frames or x.closed_only)]


def arguments_of(model: supple.Model) -> dict[str, Any]:
    """States, forces, accelerations and a step for a model of no more degrees of freedom than the large one."""
    q = np.stack([model.random_state(i)[0] for i in range(COUNT)])
    v, u = V[:, : model.nv], U[:, : model.nv]
    return {"q": q, "v": v, "tau": u, "a": u, "dt": np.array([0.01])}


def close(a: Any, b: Any, tolerance: float = 1e-12) -> bool:
    return bool(np.abs(a - b).max() <= tolerance * np.abs(b).max())


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("forward_dynamics", (Q, V, U)),
        ("inverse_dynamics", (Q, V, U)),
        ("bias_forces", (Q, V)),
        ("mass_matrix", (Q,)),
        ("derivative", (Q, V)),
    ],
)
def test_every_function_equals_the_generic_engine(what: str, arguments: tuple[Any, ...]) -> None:
    f = MODEL.compile(what)
    expected = getattr(MODEL, what)(*arguments)
    assert close(f(*arguments), expected)
    assert close(f(*(x[3] for x in arguments)), expected[3])
    assert f(*(x[:0] for x in arguments)).shape == (0, *expected.shape[1:])


def test_energy_and_kinematics() -> None:
    for what, inputs in (("energy", (Q, V)), ("poses", (Q,))):
        for found, expected in zip(MODEL.compile(what)(*inputs), getattr(MODEL, what)(*inputs), strict=True):
            assert close(found, expected)


ROBOTS = ["panda", "ur5_robot", "solo12", "hyq_no_sensors", "talos_reduced"]


@pytest.mark.parametrize("name", thinned(ROBOTS, ["panda", "solo12"]))
def test_robots_equal_the_generic_engine(name: str) -> None:
    floating = name in ("solo12", "hyq_no_sensors", "talos_reduced")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.PhysicsWarning)
        model = supple.load(next(robot_directory().rglob(f"{name}.urdf")), floating, limits=False, mimic=False)
    q = np.stack([model.random_state(i)[0] for i in range(9)])
    v, tau = RNG.normal(size=(9, model.nv)), RNG.normal(size=(9, model.nv))
    condition = max(np.linalg.cond(M) for M in model.mass_matrix(q))
    # Both engines know the solution of a linear system to rounding times its condition.
    assert close(
        model.compile("forward_dynamics")(q, v, tau), model.forward_dynamics(q, v, tau), max(1e-12, 1e-15 * condition)
    )
    assert close(model.compile("inverse_dynamics")(q, v, tau), model.inverse_dynamics(q, v, tau))


def small() -> supple.Model:
    mech = supple.Mechanism("small")
    body = supple.RigidBody(1.0, (0.1, 0.2, -0.3), (0.1, 0.1, 0.05))
    mech.add_body("base", body, joint=supple.Free())
    mech.add_body("arm", body, "base", supple.Universal("x", "y", damping=0.2), at=(0, 0, 1))
    return mech.build()


def test_derivatives_equal_the_linearization() -> None:
    model = small()
    q, v = model.random_state(1)
    tau = np.arange(model.nv) * 0.1
    n = model.nv
    A, B = model.linearize(q, v, tau)
    a, by_q, by_v, by_tau = model.compile("forward_dynamics", derivatives=("q", "v", "tau"))(q, v, tau)
    assert close(a, model.forward_dynamics(q, v, tau))
    assert close(by_q, A[n:, :n])
    assert close(by_v, A[n:, n:])
    assert close(by_tau, B[n:])
    tau_, by_a = model.compile("inverse_dynamics", derivatives=("a",))(q, v, a)
    assert close(tau_, tau, 1e-11)
    assert close(by_a, model.mass_matrix(q))


def test_parameters_are_one_more_argument_and_can_be_differentiated_by() -> None:
    model = small()
    q, v = model.random_state(2)
    tau = np.ones(model.nv)
    names = ["arm.mass", "base.com.z", "arm.inertia.xx", "arm.at.z", "gravity.z", "arm.angle1.damping"]
    assert set(names) < set(parameter_names(model))
    values = np.array([1.0, -0.3, 0.1, 1.0, -9.81, 0.2])
    f = model.compile("forward_dynamics", parameters=names, derivatives=("parameters",))
    a, by_parameters = f(q, v, tau, values)
    assert close(a, model.forward_dynamics(q, v, tau))
    h = 1e-6
    for i in range(len(names)):
        step = np.zeros(len(names))
        step[i] = h
        central = (f(q, v, tau, values + step)[0] - f(q, v, tau, values - step)[0]) / (2 * h)
        assert close(by_parameters[:, i], central, 1e-6), names[i]  # the error of central differences
    swept = f(q, v, tau, np.stack([values, 2 * values]))[0]
    assert np.abs(swept[0] - swept[1]).max() > 0.1


@pytest.mark.parametrize("what", thinned(FUNCTIONS, ["forward_dynamics", "energy_and_momentum", "semi_implicit_euler"]))
def test_parameters_may_differ_from_state_to_state(what: str) -> None:
    model = FEW if what in LONG else MODEL
    names = [x for x in parameter_names(model) if not x.endswith("rest") and "/" not in x]
    values = np.array([parameter_values(model)[name] for name in names])
    own = 0.01 + values * RNG.uniform(1.0, 1.2, (COUNT, len(names)))
    f = model.compile(what, parameters=names)
    arguments = [(arguments_of(model) | {"parameters": own})[name] for name in f.inputs]
    found = f(*arguments)
    for a, b in zip(found if len(f.outputs) > 1 else [found], by_nodes(f.function, *arguments), strict=True):
        assert close(a, b, 1e-11)


def test_parameters_are_the_numbers_of_another_model() -> None:
    model, names, values = small(), ["arm.mass", "arm.com.x", "arm.at.z", "gravity.z"], [2.0, 0.3, 0.7, -1.6]
    q, v = model.random_state(2)
    other = model.with_parameters(dict(zip(names, values, strict=True)))
    force = np.zeros((30, model.nv))
    given = model.compile("rollout", parameters=names)(np.stack([q, q]), v, force, 0.01, values)
    for a, b in zip(given, other.compile("rollout")(q, v, force, 0.01), strict=True):
        assert np.abs(b[-1] - b[0]).max() > 0.1
        assert close(a[1], b)
    by_state = np.array([values, parameter_values_of(model, names)])
    found = model.compile("rollout", parameters=names)(q, v, force, 0.01, by_state)[0]
    assert close(found[0], given[0][0])
    assert close(found[1], model.compile("rollout")(q, v, force, 0.01)[0])
    with pytest.raises(supple.StateError, match=r"rollout: expected values of shape \(\.\.\., 4\)"):
        model.compile("rollout", parameters=names)(q, v, force, 0.01)
    with pytest.raises(supple.StateError, match="it has no parameters"):
        model.compile("rollout")(q, v, force, 0.01, values)


def parameter_values_of(model: supple.Model, names: list[str]) -> list[float]:
    return [parameter_values(model)[name] for name in names]


def test_other_numbers_share_the_code() -> None:
    first = small()
    other = first.with_parameters({"arm.mass": 3.0})
    programs = [model.compile("rk4").program for model in (first, other)]
    assert programs[0] is programs[1]


def test_a_robot_that_diverges_leaves_the_others_of_its_batch_alone() -> None:
    q, v = MODEL.random_state(seed=1)
    q, v, force = np.tile(q, (9, 1)), np.tile(v, (9, 1)), np.zeros((9, 20, MODEL.nv))
    calm = MODEL.compile("rollout")(q, v, force, 0.01)
    v[4], force[6, 3] = 1e200, np.nan
    for found, alone in zip(MODEL.compile("rollout")(q, v, force, 0.01), calm, strict=True):
        assert np.isfinite(found).all(axis=(1, 2)).tolist() == [i not in (4, 6) for i in range(9)]
        others = [i for i in range(9) if i not in (4, 6)]
        assert np.array_equal(found[others], alone[others])


@pytest.mark.parametrize(
    ("integrator", "largest", "least_order"),
    [("rk4", 1e-6, 3.5), ("leapfrog", 1e-3, 1.8), ("semi_implicit_euler", 0.1, 0.8)],
)
def test_rollouts_follow_the_simulation(integrator: str, largest: float, least_order: float) -> None:
    model = small()
    q, v = model.random_state(3)
    steps = 200
    f = model.compile("rollout", integrator=integrator)
    Q_, V_ = f(np.stack([q, q, q]), v, np.zeros((steps, model.nv)), 0.5 / steps)
    assert Q_.shape == (3, steps + 1, model.nq)
    result = supple.simulate(model, 0.5, q=q, v=v, rtol=1e-11, atol=1e-12, samples=2)
    error = np.abs(V_[1, -1] - result.v.values[-1]).max()
    assert np.abs(V_[1, -1] - v).max() > 0.5
    assert error < largest
    half = f(q, v, np.zeros((2 * steps, model.nv)), 0.25 / steps)[1][-1]
    order = np.log2(error / np.abs(half - result.v.values[-1]).max())
    assert order > least_order
    assert np.allclose(np.linalg.norm(Q_[..., 3:7], axis=-1), 1.0, atol=1e-14)


def test_large_batches_are_spread_over_cores_with_the_same_result() -> None:
    model = small()
    q = np.tile(model.random_state(1)[0], (5000, 1))
    v = RNG.normal(size=(5000, model.nv))
    one, many = model.compile("forward_dynamics", threads=1), model.compile("forward_dynamics", threads=4)
    assert np.array_equal(one(q, v, v), many(q, v, v))


def test_huge_angles_nan_and_infinity() -> None:
    mech = supple.Mechanism("arm")
    mech.add_body("arm", supple.RigidBody(1.0, (0.1, 0.2, -0.3), (0.1, 0.1, 0.05)))
    model = mech.build()
    f = model.compile("forward_dynamics")
    q = np.array([[0.1], [1e7], [1e300], [-3e5], [np.nan], [np.inf], [0.2]])
    v, tau = np.ones((7, 1)), np.zeros((7, 1))
    a = f(q, v, tau)
    assert close(a[[0, 1, 2, 3, 6]], model.forward_dynamics(q[[0, 1, 2, 3, 6]], v[:5], tau[:5]))
    assert np.isnan(a[[4, 5]]).all()


LIKE_OTHERS = ("rk4", "semi_implicit_euler", "mass_matrix", "bias_forces")
"""Steps like those of leapfrog, and parts of other functions."""


@pytest.mark.parametrize("what", thinned(FUNCTIONS, [what for what in FUNCTIONS if what not in LIKE_OTHERS]))
def test_compiled_functions_give_what_their_graphs_give(what: str) -> None:
    model = FEW if what in LONG else MODEL
    blocks = model.compile(what)
    arguments = [arguments_of(model)[name] for name in blocks.inputs]
    found, expected = blocks(*arguments), by_nodes(blocks.function, *arguments)
    one = blocks(*(x[4].copy() if len(x) > 1 else x for x in arguments))
    out = [np.full((COUNT, *shape), np.nan) for shape in blocks.outputs.values()]
    blocks(*arguments, out=out)
    if len(blocks.outputs) == 1:
        found, one = (found,), (one,)
    for a, b, c, d in zip(found, expected, one, out, strict=True):
        assert np.abs(b).max() > 0.01
        assert close(a, b)
        assert close(c, b[4])
        assert np.array_equal(a, d)


@pytest.mark.parametrize(
    "what", thinned(["forward_dynamics", "rk4", "leapfrog", "semi_implicit_euler"], ["forward_dynamics", "leapfrog"])
)
def test_closed_loops_are_blocks_too(what: str) -> None:
    model = slider_crank()
    assert model.loops is not None
    q = np.tile(model.loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"]), (COUNT, 1))
    v = np.stack([model.loops.consistent(x, [s, 0.0, 0.0], fixed=["crank.angle"]) for s, x in enumerate(q)])
    given = {"q": q, "v": v, "tau": RNG.normal(size=v.shape), "dt": np.array([0.01])}
    f = model.compile(what)
    arguments = [given[name] for name in f.inputs]
    found = f(*arguments)
    for a, b in zip([found] if len(f.outputs) == 1 else found, by_nodes(f.function, *arguments), strict=True):
        assert close(a, b)


def test_derivatives_of_closed_loops_know_of_the_forces_that_close_them() -> None:
    model = slider_crank()
    assert model.loops is not None
    q = model.loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    v = model.loops.consistent(q, [2.0, 0.0, 0.0], fixed=["crank.angle"])
    f, tau, h = model.compile("forward_dynamics"), np.array([1.0, 0.0, 0.5]), 1e-6
    _, by_q, by_v, by_tau = model.compile("forward_dynamics", derivatives=("q", "v", "tau"))(q, v, tau)
    steps = h * np.eye(3)
    assert close(by_q.T, [(f(q + x, v, tau) - f(q - x, v, tau)) / (2 * h) for x in steps], 1e-6)
    assert close(by_v.T, [(f(q, v + x, tau) - f(q, v - x, tau)) / (2 * h) for x in steps], 1e-6)
    assert close(by_tau.T, [(f(q, v, tau + x) - f(q, v, tau - x)) / (2 * h) for x in steps], 1e-6)


def chain(bodies: int) -> supple.Model:
    mech = supple.Mechanism("chain")
    body = supple.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 1, 1))
    for i in range(bodies):
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", at=(0, 0, 1))
    return mech.build()


@pytest.mark.parametrize("what", ["forward_dynamics", "mass_matrix", "rk4"])
def test_large_models_are_recorded_body_by_body(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(6)
    f = model.compile(what)
    monkeypatch.setattr(compiled, "VALUES", 100)
    other = chain(6).compile(what)
    assert len({x.block.name for x in f.program.instances}) < len({x.block.name for x in other.program.instances})
    arguments = [arguments_of(model)[name] for name in f.inputs]
    for a, b in zip(np.atleast_1d(f(*arguments)), np.atleast_1d(other(*arguments)), strict=True):
        assert close(a, b)


def test_models_whose_own_functions_are_sweeps_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_sizes, "MOST_BODIES", 5)
    monkeypatch.setattr(program_sizes, "MOST_ROW_STEPS", 5)
    model = chain(6)
    assert model.evaluation.programs is None
    q, v = (np.tile(x, (COUNT, 1)) for x in model.random_state(1))
    a, by_v = model.compile("forward_dynamics", derivatives=("v",))(q, v, v)
    assert close(a, model.forward_dynamics(q, v, v))
    assert close(by_v[0], model.linearize(q[0], v[0], v[0])[0][6:, 6:])
    for what in ("mass_matrix", "inverse_mass_matrix"):
        f = model.compile(what)
        expected, out = getattr(model, what)(q), np.full((COUNT, 6, 6), np.nan)
        assert close(f(q), expected)
        assert close(f(q[0]), expected[0])
        assert f(q, out=[out]) is out
        assert close(out, expected)
        with pytest.raises(supple.StateError, match="expected 1 arguments"):
            f()


def test_operations_are_counted_and_the_source_printed() -> None:
    f = small().compile("forward_dynamics")
    assert 300 < f.operations.total < 3000
    assert f.operations.functions == 4
    assert "void forward_dynamics(" in f.c_source()


BAD = {
    "shapes that do not broadcast": "f(np.zeros((2, 7 + 2)), np.zeros((3, 8)), np.zeros(8))",
    "wrong length": "f(np.zeros(8), np.zeros(8), np.zeros(8))",
    "complex numbers": "f(q + 0j, v, v)",
    "text": "f(['a'] * 9, v, v)",
    "too few arguments": "f(q, v)",
    "too many arguments": "f(q, v, v, v)",
    "out of the wrong shape": "f(q, v, v, out=[np.zeros(7)])",
    "out of the wrong type": "f(q, v, v, out=[np.zeros(8, dtype=np.float32)])",
    "out read-only": "f(q, v, v, out=[frozen])",
    "unknown function": "model.compile('forward_dynamic')",
    "a name of no function": "model.compile(None)",
    "lists of different lengths": "f([[1.0], [2.0, 3.0]], v, v)",
    "a number for a vector": "f(0.1, v, v)",
    "unknown derivative": "model.compile('forward_dynamics', derivatives=('w',))",
    "unknown parameter": "model.compile('forward_dynamics', parameters=('arm.mas',))",
    "unknown integrator": "model.compile('rollout', integrator='rk5')",
    "derivatives of a rollout": "model.compile('rollout', derivatives=('q',))",
    "rollout without steps axis": "model.compile('rollout')(q, v, v, 0.1)",
    "rollout with a step of zero": "model.compile('rollout')(q, v, v[None], 0.0)",
}
GOOD = {
    "integers": "f(q.round().astype(int), v, v), model.forward_dynamics(q.round(), v, v)",
    "single precision": "f(q.astype('f4'), v, v), model.forward_dynamics(q.astype('f4'), v, v)",
    "lists": "f(list(q), list(v), list(v)), a",
    "every other entry of a longer array": "f(np.repeat(q, 2)[::2], np.repeat(v, 2)[::2], v), a",
    "reversed memory": "f(q, v[::-1].copy()[::-1], v), a",
    "Fortran order": "f(np.asfortranarray(np.tile(q, (5, 1))), v, v)[3], a",
    "read-only": "f(q, frozen + v, frozen + v), a",
    "read-only batch": "f(np.broadcast_to(q, (6, 9)), v, v)[5], a",
    "empty batch": "f(np.zeros((0, 9)), np.zeros((0, 8)), v).shape, (0, 8)",
    "broadcast axes": "f(np.tile(q, (3, 1, 1)), np.tile(v, (4, 1)), v)[2, 3], a",
    "output on top of an input": "f(q, v, w, out=[w]), a",
    "output overlapping an input": "f(q, big[1:9], big[1:9].copy(), out=[big[:8]]), a",
    "a time step as a number": "step(q, v, v, 0.01)[1], step(q, v, v, [0.01])[1]",
    "a time step as a number, for a batch": "step(np.tile(q, (3, 1)), v, v, 0.01)[1][2], step(q, v, v, [0.01])[1]",
    "memory off by one byte": "f(shifted, v, v), a",
}
SETUP = """
import numpy as np, supple
mech = supple.Mechanism("small")
body = supple.RigidBody(1.0, (0.1, 0.2, -0.3), (0.1, 0.1, 0.05))
mech.add_body("base", body, joint=supple.Free())
mech.add_body("arm", body, "base", supple.Universal("x", "y", damping=0.2), at=(0, 0, 1))
model = mech.build()
f, step = model.compile("forward_dynamics"), model.compile("rk4")
q, v = model.random_state(1)
a, w = model.forward_dynamics(q, v, v), v.copy()
big = np.zeros(9); big[1:] = v
frozen = np.zeros(8); frozen.flags.writeable = False
shifted = np.frombuffer(bytearray(1 + q.nbytes), dtype=np.uint8)[1:].view(np.float64)
shifted[:] = q
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """What each case does, all in one child process: a crash would end it."""
    lines = [SETUP]
    for name, code in BAD.items():
        lines.append(f"try:\n    {code}\n    print({name!r}, '|', 'no error')\n")
        lines.append(f"except supple.StateError as e:\n    print({name!r}, '|', 'refused:', e)\n")
    for name, code in GOOD.items():
        lines.append(f"x, y = {code}\nprint({name!r}, '|', np.allclose(x, y, rtol=1e-12))\n")
    done = subprocess.run([sys.executable, "-c", "".join(lines)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(line.split(" | ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str, answers: dict[str, str]) -> None:
    assert answers[name].startswith("refused: ")
    assert (
        "expected" in answers[name] or "no " in answers[name] or "broadcast" in answers[name] or "none" in answers[name]
    )


@pytest.mark.parametrize("name", GOOD)
def test_unusual_input_gives_the_right_result(name: str, answers: dict[str, str]) -> None:
    assert answers[name] == "True"


COMPILE = """
import supple
mech = supple.Mechanism("p")
mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
print(mech.build().compile("forward_dynamics")([0.5], [0.0], [1.0])[0])
"""


def compiled_with(cache: Path) -> str:
    environment = {**os.environ, "SUPPLE_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMPILE], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_programs_are_kept_and_damaged_ones_made_anew(tmp_path: Path) -> None:
    first = compiled_with(tmp_path)
    (path,) = (tmp_path / "programs").glob("*.o")
    good, stamp = path.read_bytes(), path.stat().st_mtime_ns
    assert compiled_with(tmp_path) == first
    assert path.stat().st_mtime_ns == stamp
    for damaged in (good[:-100], good[:100] + b"x" + good[101:]):
        path.write_bytes(damaged)
        assert compiled_with(tmp_path) == first
        assert path.read_bytes() == good  # recorded anew, to the same bytes


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert float(compiled_with(blocked)) == pytest.approx(float(compiled_with(tmp_path / "cache")), rel=1e-15)


def test_numbers_that_only_the_description_has_decide_the_code() -> None:
    """The centre of mass of a massless body leaves no trace in m c, but decides its torque once the mass is given."""

    def torque(com: float) -> float:
        mech = supple.Mechanism("massless")
        mech.add_body("a", supple.RigidBody(0.0, (com, 0, 0), (1, 1, 1)), joint=supple.Revolute("y"))
        f = mech.build().compile("inverse_dynamics", parameters=["a.mass"])
        return float(f([0.0], [0.0], [0.0], [1.0])[0])

    assert torque(0.5) == pytest.approx(-4.905, rel=1e-14)
    assert torque(0.4) == pytest.approx(-3.924, rel=1e-14)


@pytest.mark.parametrize("number", [0, 1, 4])
def test_models_with_other_numbers_are_not_equal_and_have_other_keys(number: int) -> None:
    """Of mass, centre of mass and inertia of a body, though the arrays of the recursions may be the same."""
    numbers = np.array([0.0, 0.1, 0.2, 0.3, 0.5, 0.5, 0.5])

    def model(x: Any) -> supple.Model:
        mech = supple.Mechanism("numbers")
        mech.add_body("a", supple.RigidBody(x[0], x[1:4], x[4:]), joint=supple.Revolute("y"))
        return mech.build()

    other = numbers.copy()
    other[number] += 0.1
    first, same, changed = model(numbers), model(numbers.copy()), model(other)
    assert first == same
    assert compiled.model_key(first) == compiled.model_key(same)
    assert first != changed
    assert compiled.model_key(first) != compiled.model_key(changed)
