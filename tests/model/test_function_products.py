"""Every function of the table in every product: it equals the method, or the reason why it is absent is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.errors import SingularError, StateError
from supple.export import c_library
from supple.expressions.printers import c_source
from supple.interop import jax_function
from supple.model.functions import reference
from supple.model.functions.holes import PRODUCTS, holes, unavailable
from supple.model.functions.table import FUNCTIONS, INTEGRATORS, chosen_frames, signature
from supple.model.traced_functions import traced
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree
from support.mechanisms.closed_mechanisms import n_four_bar, slider_crank
from support.programs.c_libraries import Library

Array = NDArray[Any]
EXAMPLES = Path(__file__).parents[2] / "examples"


def planar_hand() -> supple.Model:
    """Return a free base, whose frames can move in all directions, with a closed loop on it."""
    mech = supple.Mechanism("hand")
    body = supple.RigidBody(1.0, (0.1, 0.2, -0.3), (0.1, 0.12, 0.05))
    mech.add_body("base", body, joint=supple.Free())
    mech.add_body("crank", body, "base", supple.Revolute("y", damping=0.1), at=(0, 0, 0.5))
    mech.add_body("rod", body, "crank", supple.Revolute("y"), at=(0.5, 0, 0))
    mech.add_body("lever", body, "base", supple.Revolute("y", stiffness=3.0), at=(1.0, 0, 0.5))
    mech.add_frame("tip", "rod", (1.0, 0, 0))
    mech.add_frame("end", "lever", (0.5, 0, 0))
    mech.close_loop("loop", "rod/tip", "lever/end", supple.Revolute("y"))
    return mech.build()


MODELS: dict[str, Callable[[], supple.Model]] = {
    "rigid": lambda: random_tree(4, 6),
    "flexible": lambda: random_flexible_tree(2, 3, forces=True)[0],
    "closed": slider_crank,
    "springs": lambda: random_tree(7, 9),
    "flexible chain": lambda: random_flexible_tree(5, 4, forces=True)[0],
    "closed and free": planar_hand,
    "four-bars": lambda: n_four_bar(2),
    "space crane": lambda: supple.files.read(EXAMPLES / "space_crane.toml").model,
}
THREE = ["rigid", "flexible", "closed"]
"""Those that always run; the others with `-m exhaustive`."""
ROUNDING = 1e-10
"""Rounding of some thousand operations, relative to the largest entry; inertias differ by a factor of ten."""
DIFFERENCES = 3e-6
"""Central differences of numbers of size one with steps of 1e-6, some of functions with large third derivatives."""
CANCELLED = 1e-13
"""Rounding of results, relative to them, that a difference divides by its step: stiffness over mass is up to 1e6."""
WHICH = [(model, what) for model in MODELS for what in FUNCTIONS]
CASES = thinned(WHICH, [x for x in WHICH if x[0] in THREE], several=True)
EACH_MODEL = thinned(MODELS, THREE)


@cache
def model_of(name: str) -> supple.Model:
    """Return a model, made once."""
    return MODELS[name]()


def frames_of(model: supple.Model, what: str) -> tuple[str, ...]:
    """Return the frames that a function is asked about: none for wrenches, which have a test of their own."""
    return chosen_frames(model, what, [free_body(model)] if FUNCTIONS[what].frames else None)


@cache
def free_body(model: supple.Model) -> str:
    """Return the last body that can move in all directions, or the last one if there is none."""
    q, _ = model.random_state(0)
    found = [x for x in model.bodies if np.linalg.matrix_rank(model.inverse_operational_inertia(q, [x])) == 6]
    return found[-1] if found else model.bodies[-1]


def arguments_of(model: supple.Model, what: str, count: int = 3) -> dict[str, Array]:
    """Return states for a function; loops need not be closed in them."""
    rng = np.random.default_rng(4)
    lengths, _ = signature(model, what, (), (), frames_of(model, what))
    values = {"q": np.stack([model.random_state(i)[0] for i in range(count)]), "dt": np.full((count, 1), 0.01)}
    return {name: values.get(name, rng.normal(size=(count, n))) for name, n in lengths.items()}


def named(what: str, found: Any) -> dict[str, Array]:
    """Return one result or several by the names of the table."""
    names = [x.name for x in FUNCTIONS[what].outputs]
    return dict(zip(names, found if len(names) > 1 else [found], strict=True))


def called(model: supple.Model, what: str, x: dict[str, Array]) -> dict[str, Array]:
    """Return what the method gives for states (..., n), in the shapes of the table."""
    inputs = [y[..., 0] if name == "dt" else y for name, y in x.items()]
    method, frames = getattr(model, what), frames_of(model, what)
    if what == "joint_wrenches":
        more = {"constraint_forces": inputs.pop()} if "constraint_forces" in x else {}
        return named(what, method(*inputs, **more))
    if "operational" in what:
        return named(what, method(*inputs, frames))
    if not frames:
        return named(what, method(*inputs))
    each = [named(what, method(*inputs, frame)) for frame in frames]
    axis = inputs[0].ndim - 1
    return {name: np.stack([y[name] for y in each], axis=axis) for name in each[0]}


def expected(model: supple.Model, what: str, x: dict[str, Array]) -> dict[str, Array]:
    """Return the reference: the method, or where that is compiled itself the graph."""
    if what in INTEGRATORS or FUNCTIONS[what].derivative_of:
        states = [traced(model, what).evaluate(**{k: y[i] for k, y in x.items()}) for i in range(len(x["q"]))]
        return {name: np.stack([y[name] for y in states]) for name in states[0]}
    return called(model, what, x)


def close(found: dict[str, Any], wanted: dict[str, Any], tolerance: float = ROUNDING, noise: float = 0.0) -> bool:
    """Return whether results by name are equal, in shape too, but for rounding and a noise of their own."""
    pairs = [(np.asarray(found[name]), np.asarray(y)) for name, y in wanted.items()]
    return list(found)[: len(wanted)] == list(wanted) and all(
        x.shape == y.shape
        and np.abs(x - y).max(initial=0.0) <= noise + tolerance * max(1.0, np.abs(y).max(initial=0.0))
        for x, y in pairs
    )


def absent(model: supple.Model, what: str, product: str, make: Callable[[], Any]) -> bool:
    """Return whether there is no such product, after a check that who asks is told why."""
    reason = unavailable(model, what, product)
    if reason is None and what == "operational_inertia" and immovable(model):
        with pytest.raises(SingularError, match="cannot move in all directions"):
            make()
        return True
    if reason is not None:
        with pytest.raises(StateError) as told:
            make()
        assert reason in str(told.value)
        assert "\n" not in str(told.value)
    return reason is not None


def immovable(model: supple.Model) -> bool:
    """Return whether no body can move in all directions."""
    q, _ = model.random_state(0)
    return bool(np.linalg.matrix_rank(model.inverse_operational_inertia(q, [free_body(model)])) < 6)


def moved(model: supple.Model, x: dict[str, Array], name: str, h: float) -> tuple[dict[str, Array], Array]:
    """Return states with one input changed by h along one direction, and this direction."""
    n = model.nv if name == "q" else x[name].shape[-1]
    along = np.random.default_rng(11).normal(size=n)
    y = dict(x)
    y[name] = x["q"] + h * (model.tangent(x["q"]) @ along) if name == "q" else x[name] + h * along
    return y, along


def test_holes_are_these() -> None:
    """Every product of every function is made, except these; what fills a hole strikes it off this list."""
    real = [
        *("forward_dynamics_derivatives", "inverse_dynamics_derivatives", "linearize", "direction_rates"),
        *("jacobian_derivative", "inverse_operational_inertia", "operational_inertia"),
    ]
    derived = ("forward_dynamics_derivatives", "inverse_dynamics_derivatives", "linearize")
    everywhere = {(what, "complex") for what in (*real, *INTEGRATORS)} | {(what, "derivatives") for what in derived}
    everywhere |= {(x, "c_library") for x in ("inverse_dynamics_derivatives", "linearize", "jacobian_derivative")}
    assert set(holes(model_of("closed"))) == everywhere
    trees = everywhere | {("constraint_forces", product) for product in PRODUCTS}
    assert set(holes(model_of("rigid"))) == trees == set(holes(model_of("flexible")))


@pytest.mark.parametrize(("name", "what"), CASES)
def test_methods_take_one_state_and_batches(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)
    if absent(model, what, "method", lambda: called(model, what, x)):
        return
    batch = called(model, what, x)
    _, shapes = signature(model, what, (), (), frames_of(model, what))
    assert {key: y.shape for key, y in batch.items()} == {key: (3, *shape) for key, shape in shapes.items()}
    for i in range(3):
        one = called(model, what, {key: y[i] for key, y in x.items()})
        assert close(one, {key: y[i] for key, y in batch.items()})


@pytest.mark.parametrize(("name", "what"), CASES)
def test_methods_take_complex_states(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)

    def make() -> dict[str, Array]:
        return called(model, what, {key: y.astype(complex) if key in ("q", "v") else y for key, y in x.items()})

    if not absent(model, what, "complex", make):
        assert close(make(), expected(model, what, x))


@pytest.mark.parametrize(("name", "what"), CASES)
def test_compiled(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)
    frames = frames_of(model, what) or None
    if absent(model, what, "compile", lambda: model.compile(what, frames=frames)):
        return
    f, wanted = model.compile(what, frames=frames), expected(model, what, x)
    assert close(named(what, f(*x.values())), wanted)
    one = {key: y[1] for key, y in wanted.items()}
    assert close(named(what, f(*(y[1] for y in x.values()))), one)


@pytest.mark.parametrize(("name", "what"), CASES)
def test_derivatives(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)
    frames, h = frames_of(model, what) or None, 1e-6
    if absent(model, what, "derivatives", lambda: model.compile(what, derivatives=["q"], frames=frames)):
        return
    f = model.compile(what, frames=frames)
    found = model.compile(what, derivatives=[*x], frames=frames)(*x.values())[len(FUNCTIONS[what].outputs) :]
    slopes = iter(found)
    for output in FUNCTIONS[what].outputs:
        for by in x:
            above, along = moved(model, x, by, h)
            below, _ = moved(model, x, by, -h)
            ends = [named(what, f(*y.values()))[output.name] for y in (above, below)]
            slope, noise = next(slopes) @ along, CANCELLED * np.abs(ends[0]).max(initial=0.0) / h
            assert close({"": slope}, {"": (ends[0] - ends[1]) / (2 * h)}, DIFFERENCES, noise), (output.name, by)


@pytest.mark.parametrize(("name", "what"), CASES)
def test_gradients(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)
    frames, h = frames_of(model, what) or None, 1e-6
    if absent(model, what, "gradient", lambda: model.gradient(what, frames=frames)):
        return
    f, gradient = model.compile(what, frames=frames), model.gradient(what, frames=frames)
    weights = np.random.default_rng(5).normal(size=gradient.size)

    def value(y: dict[str, Array]) -> Array:
        results = named(what, f(*y.values())).values()
        return np.concatenate([np.reshape(z, (3, -1)) for z in results], axis=1) @ weights

    found = gradient(*x.values(), weights=weights)
    assert list(found) == list(x)
    for by in x:
        (above, along), (below, _) = moved(model, x, by, h), moved(model, x, by, -h)
        ends = value(above), value(below)
        difference, noise = (ends[0] - ends[1]) / (2 * h), CANCELLED * np.abs(ends[0]).max() / h
        assert close({"": found[by] @ along}, {"": difference}, 10 * DIFFERENCES, noise), by


@pytest.mark.parametrize(("name", "what"), CASES)
def test_graphs_equations_counts_and_casadi(name: str, what: str) -> None:
    model, x = model_of(name), arguments_of(model_of(name), what)
    frames = frames_of(model, what) or None
    if absent(model, what, "graph", lambda: traced(model, what, frames=frames)):
        assert absent(model, what, "casadi", lambda: model.casadi(what, frames=frames))
        return
    wanted = {key: y[0] for key, y in expected(model, what, x).items()}
    one = {key: y[0] for key, y in x.items()}
    f = traced(model, what, frames=frames)
    assert close(f.evaluate(**one), wanted)
    assert f"{what}: {FUNCTIONS[what].purpose[0].lower()}" in c_source(f).replace("\n * ", " ")
    assert supple.count_operations(model, what, frames=frames) == f.operations
    if find_spec("casadi") is None:
        pytest.skip("casadi is not installed")
    found = model.casadi(what, frames=frames)(*one.values())
    flat = [np.asarray(y).reshape(-1) for y in (found if isinstance(found, tuple) else [found])]
    assert close(dict(zip(wanted, flat, strict=True)), {key: np.ravel(y) for key, y in wanted.items()})


@pytest.mark.parametrize(("name", "what"), CASES)
def test_jax(name: str, what: str) -> None:
    jax = pytest.importorskip("jax")
    model, x = model_of(name), arguments_of(model_of(name), what)
    frames, before = frames_of(model, what) or None, jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        if absent(model, what, "jax", lambda: jax_function(model, what, frames=frames)):
            return
        f = jax_function(model, what, frames=frames)
        found, back = jax.vjp(jax.vmap(f), *x.values())
        assert close(named(what, found), expected(model, what, x))
        rng = np.random.default_rng(5)
        weights = [rng.normal(size=y.shape) for y in named(what, found).values()]
        slopes = dict(zip(x, back(tuple(weights) if len(weights) > 1 else weights[0]), strict=True))
        flat = np.concatenate([y.reshape(3, -1) for y in weights], axis=1)
        wanted = model.gradient(what, frames=frames)(*x.values(), weights=flat)
        if "q" in slopes:
            slopes["q"] = np.einsum("si,sij->sj", slopes["q"], model.tangent(x["q"]))
        assert close(slopes, wanted)
    finally:
        jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("name", thinned(MODELS, THREE[1:]))
def test_c_libraries(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    present, frames = list[str](), [free_body(model)]
    for what in FUNCTIONS:
        if not absent(model, what, "c_library", partial(c_library, model, tmp_path / "c", [what], frames=frames)):
            present.append(what)
    library = Library(model, tmp_path / "lib", present, frames=frames)
    for what in present:
        x = {key: y[0] for key, y in arguments_of(model, what).items()}
        wanted = {key: np.ravel(y[0]) for key, y in expected(model, what, arguments_of(model, what)).items()}
        if what == "rk4":  # steps in place, see the tests of the library
            continue
        found = library(what, [*x.values()], *(y.size for y in wanted.values()))
        assert close(named(what, found), wanted), what


@pytest.mark.parametrize("name", EACH_MODEL)
@pytest.mark.parametrize("what", [x.name for x in FUNCTIONS.values() if x.wrenches])
def test_wrenches_at_frames_are_one_more_argument(name: str, what: str) -> None:
    model = model_of(name)
    frames = [model.bodies[0], model.bodies[-1]]
    if unavailable(model, what, "compile") is not None:
        return
    x, rng = arguments_of(model, what), np.random.default_rng(6)
    wrenches = rng.normal(size=(3, 2, 6))
    inputs = [*x.values()]
    more = {"constraint_forces": inputs.pop()} if "constraint_forces" in x else {}
    external = dict(zip(frames, np.moveaxis(wrenches, 1, 0), strict=True))
    lengths, _ = signature(model, what, (), (), frames)
    given = [{**x, "wrench": wrenches.reshape(3, 12)}[key] for key in lengths]
    f = model.compile(what, frames=frames)
    if what == "constraint_forces":
        a = model.compile("forward_dynamics", frames=frames)(*given)
        free = model.inverse_dynamics(x["q"], x["v"], a, external=external) - x["tau"]
        found = f(*given)
        for i in range(3):  # M a + bias - J* F - tau = J_c* f
            work = model.loops.jacobian(x["q"][i]).T @ found[i] if model.loops is not None else None
            assert close({"": work}, {"": free[i]}, 1e-6)  # forces of redundant rows are regularized by 1e-7
        return
    assert close({"": f(*given)}, {"": getattr(model, what)(*inputs, external=external, **more)})


def test_the_reference_page_lists_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "functions.md").read_text()
    assert page == reference.page(), "run: python -m supple.model.functions.reference > docs/functions.md"
    assert all(f"| `{what}` | {x.purpose} |" in page for what, x in FUNCTIONS.items())
    assert all(reason in page for reason in holes(model_of("rigid")).values())


def test_wrong_requests_are_told_what_there_is() -> None:
    model = model_of("rigid")
    asked: Sequence[Callable[[], Any]] = [
        lambda: model.compile("accelerations"),
        lambda: model.gradient("accelerations"),
        lambda: model.casadi("accelerations"),
        lambda: traced(model, "accelerations"),
        lambda: c_library(model, "nowhere", ["accelerations"]),
    ]
    for ask in asked:
        with pytest.raises(StateError, match=r"no function 'accelerations'") as told:
            ask()
        assert all(what in str(told.value) for what in FUNCTIONS)
    with pytest.raises(StateError, match=r"frames: mass_matrix takes none; functions that do are forward_dynamics, "):
        model.compile("mass_matrix", frames=["b1"])
    with pytest.raises(StateError, match=r"frames: expected a sequence of names, got 'b1'"):
        model.compile("pose", frames="b1")
    with pytest.raises(StateError, match=r"no frame 'nobody'"):
        model.compile("pose", frames=["nobody"])
