"""Programs with like bodies instanced are those with every body recorded, and take a bounded number of recordings."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import supple
from supple.engines.blocks import program_cache
from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder, recording
from supple.engines.blocks.instancing import Prototypes
from supple.engines.blocks.program_cache import PROGRAMS
from supple.files import read
from supple.model import program_sizes, programs
from supple.model.model import Model
from support.cases import thinned
from support.generated.generators import KINDS, random_tree
from support.generated.generators_flexible import beam_body, random_flexible_tree

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINKS = 6
ODD = 3
"""The body that differs from the others."""


SHARED = Prototypes()
"""Segments of all models of these tests."""


def recorded(
    model: Model, instancing: bool, what: str, *options: Any, shared: Prototypes | None = None
) -> tuple[Program, int]:
    """A program, and how many segments were recorded for it."""
    structure = programs.ModelStructure(model.tree, model.flex, model.nq)
    with mock.patch.object(programs, "BlockRecorder", return_value=BlockRecorder(instancing, shared)):
        r = programs.RecursionRecording(structure)
    with recording(r.recorder):
        found = programs.RECURSIONS[what](r, *options), r.recorder.recorded_segments
    r.recorder.release()
    return found


def functions(model: Model) -> list[tuple[Any, ...]]:
    """All recursions, with and without wrenches and prescribed accelerations."""
    mask = (np.arange(model.nv) % 3 == 0) & ~model.is_mode
    none, some = (False,) * model.nv, tuple(mask.tolist())
    plain = [(name,) for name in ("mass_matrix", "poses", "motions", "sums", "rates", "advance")]
    dynamics = [("hybrid_dynamics", none, False), ("hybrid_dynamics", some, True), ("pivots", some)]
    return [*plain, *dynamics, ("inverse_dynamics", False, False), ("inverse_dynamics", True, True)]


def blocks_of(program: Program) -> tuple[int, list[tuple[str, tuple[int, ...]]]]:
    """How many cells there are, and the blocks on their rows."""
    return program.cells, [(x.block.name, x.rows) for x in program.instances]


def numbers_of(model: Model) -> Any:
    return programs.ModelStructure(model.tree, model.flex, model.nq).numbers.values()


def compared(model: Model) -> dict[str, tuple[int, int]]:
    """Segments recorded with and without instancing; blocks and rows are the same, and so is every bit of results.

    They are also the same with segments of all models before, of which fewer are recorded.
    """
    counts: dict[str, tuple[int, int]] = {}
    pairs: dict[tuple[Any, ...], tuple[Program, Program]] = {}
    for what, *options in functions(model):
        (one, few), (other, every) = (recorded(model, x, what, *options) for x in (True, False))
        third, fewer = recorded(model, True, what, *options, shared=SHARED)
        assert fewer <= few
        for few_recorded in (one, third):
            assert blocks_of(few_recorded) == blocks_of(other)
        counts[what], pairs[what, *options] = (few, every), (one, other)
    q, v = model.random_state(1)
    inputs = [np.tile(x, (3, 1)) for x in (q, v, np.ones(model.nv))]
    pair = pairs["hybrid_dynamics", (False,) * model.nv, False]
    found, wanted = (BoundProgram(x, numbers_of(model)).batch(inputs, 3) for x in pair)
    assert np.abs(wanted[0]).max() > 0
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(x, y)
    return counts


LINK = supple.RigidBody(1.3, (0.1, 0.2, 0.3), [[0.5, 0.01, 0.02], [0.01, 0.6, 0.03], [0.02, 0.03, 0.7]])
OTHER = supple.RigidBody(1.3, (0.1, 0.0, 0.3), [[0.5, 0.0, 0.02], [0.0, 0.6, 0.0], [0.02, 0.0, 0.7]])
AT = (0.1, 0.2, 0.3)


def chain(change: dict[str, Any], links: int = LINKS) -> supple.Mechanism:
    """Equal links, but for one."""
    mech = supple.Mechanism("chain")
    for i in range(links):
        own: dict[str, Any] = {
            "body": LINK,
            "joint": supple.Revolute("z"),
            "at": AT,
            "parent": f"b{i - 1}" if i else "ground",
        }
        mech.add_body(f"b{i}", **own | (change if i == ODD else {}))
    return mech


CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "zeros of the inertia": {"body": OTHER},
    "axis": {"joint": supple.Revolute("x")},
    "skew axis": {"joint": supple.Revolute((0.6, 0.8, 0.0))},
    "prismatic": {"joint": supple.Prismatic("z")},
    "fixed": {"joint": supple.Fixed()},
    "spherical": {"joint": supple.Spherical()},
    "universal": {"joint": supple.Universal("x", "y")},
    "helical": {"joint": supple.Helical("z", pitch=0.1)},
    "three angles": {"joint": supple.BuildingBlock(["x", "y", "z"], "123")},
    "no offset": {"at": None},
    "offset with a zero": {"at": (0.1, 0.0, 0.3)},
    "spring": {"joint": supple.Revolute("z", stiffness=3.0, rest=0.1)},
    "damper": {"joint": supple.Revolute("z", damping=0.3)},
    "rotor": {"joint": supple.Revolute("z", inertia=0.2)},
    "branch": {"parent": "b1"},
    "second root": {"parent": "ground"},
}


FEW = ("zeros of the inertia", "skew axis", "spherical", "three angles", "spring", "branch")
"""Changes of the body, the kind of joint, its place, its forces and the tree that always run."""


@pytest.mark.parametrize("change", thinned(CHANGES, FEW))
def test_a_chain_with_one_body_that_differs(change: str) -> None:
    counts = compared(chain(CHANGES[change]).build())
    for what in ("hybrid_dynamics", "inverse_dynamics", "sums", "poses"):
        assert counts[what][0] < counts[what][1], what


def test_springs_and_wrenches_between_bodies() -> None:
    mech = chain({})
    for i in range(LINKS - 1):
        mech.add_spring_damper(f"s{i}", f"b{i}", f"b{i + 1}", 20.0, 3.0, 0.2)
        mech.add_wrench(f"w{i}", f"b{i}", (1.0, 0.0, 0.0), axes="ground" if i % 2 else "frame")
    mech.add_spring_damper("ground", "b3", "ground", 20.0, 0.0, 0.2)
    compared(mech.build())


def limbs() -> Model:
    """Equal limbs of three bodies on a free base."""
    mech = supple.Mechanism("limbs")
    mech.add_body("base", LINK, joint=supple.Free())
    for i in range(6):
        for j, axis in enumerate("xyz"):
            mech.add_body(f"{i}{axis}", LINK, f"{i}{'xyz'[j - 1]}" if j else "base", supple.Revolute(axis), at=AT)
    return mech.build()


def test_equal_limbs_are_recorded_once() -> None:
    """All but the first, whose base has taken nothing from another yet."""
    counts = compared(limbs())
    assert counts["poses"][0] == 1 + 3
    assert counts["mass_matrix"][0] < 30


def flexible_chain(links: int, different: bool = False) -> Model:
    """Beams, of which one has more modes."""
    rng = np.random.default_rng(0)
    usual = beam_body(rng, "cantilever", 1, 0.01)
    other = beam_body(rng, "cantilever", 2, 0.01)
    mech = supple.Mechanism("beams")
    for i in range(links):
        body = other if different and i == 1 else usual
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", supple.Revolute("y"), at="end" if i else None)
    return mech.build()


def test_flexible_links() -> None:
    counts = compared(flexible_chain(3, different=True))
    assert counts["hybrid_dynamics"][0] < counts["hybrid_dynamics"][1]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: random_tree(11, KINDS), marks=pytest.mark.exhaustive),
        lambda: random_flexible_tree(2, 3, forces=True)[0],
        pytest.param(lambda: random_flexible_tree(5, 3, beams=True)[0], marks=pytest.mark.exhaustive),
    ],
    ids=["rigid", "points", "beams"],
)
def test_random_trees(make: Callable[[], Model]) -> None:
    compared(make())


@pytest.mark.parametrize(
    "make",
    [lambda n: chain({}, n).build(), pytest.param(flexible_chain, marks=pytest.mark.exhaustive)],
)
def test_a_longer_chain_takes_no_more_recordings(make: Callable[[int], Model]) -> None:
    short, long = make(4), make(5)
    for what, *options in functions(short):
        if what != "mass_matrix" or short.flex is not None:
            same = [(False,) * long.nv if isinstance(x, tuple) else x for x in options]
            few = [(False,) * short.nv if isinstance(x, tuple) else x for x in options]
            assert recorded(short, True, what, *few)[1] == recorded(long, True, what, *same)[1], what


@pytest.mark.parametrize(
    "make",
    [lambda n: chain({}, n).build(), pytest.param(flexible_chain, marks=pytest.mark.exhaustive)],
)
def test_what_another_model_has_recorded_is_not_recorded_again(make: Callable[[int], Model]) -> None:
    """A longer chain has all kinds of bodies. One array of flexible bodies has rows as long as there are speeds."""
    shared = Prototypes()
    for what in ("hybrid_dynamics", "inverse_dynamics"):
        counts = []
        for links in (5, 3, 4):
            model = make(links)
            options = ((False,) * model.nv, False) if what == "hybrid_dynamics" else (True, True)
            counts.append(recorded(model, True, what, *options, shared=shared)[1])
        first, *others = counts
        assert all(n <= (0 if model.flex is None else first // 2) for n in others)
        assert first > 0


def test_models_in_any_order_share_what_is_alike() -> None:
    """Small trees one after the other, each the same as if it were alone; most of them find something."""
    shared, found = Prototypes(), []
    for seed in range(3):
        model = random_flexible_tree(seed, 3, beams=seed % 4 == 0)[0] if seed % 2 else random_tree(seed, 5)
        for what, *options in functions(model):
            one, few = recorded(model, True, what, *options, shared=shared)
            other, every = recorded(model, True, what, *options)
            assert blocks_of(one) == blocks_of(other)
            found.append(few < every)
    assert np.mean(found) > 0.5


def test_segments_unused_for_longest_are_let_go() -> None:
    model, mask = chain({}).build(), (False,) * LINKS
    few, many = Prototypes(100), Prototypes()
    for _ in range(2):
        counts = [recorded(model, True, "hybrid_dynamics", mask, False, shared=x)[1] for x in (few, many)]
    assert counts[0] > 0
    assert counts[1] == 0


def test_a_chain_of_a_thousand_bodies_has_blocks() -> None:
    mech = supple.Mechanism("chain")
    for i in range(1000):
        parent = f"b{i - 1}" if i else "ground"
        mech.add_body(f"b{i}", LINK, parent, supple.Revolute("xyz"[i % 3]), at=AT if i else None)
    model = mech.build()
    program, segments = recorded(model, True, "hybrid_dynamics", (False,) * model.nv, False)
    assert segments < 30
    assert len({x.block.name for x in program.instances}) < 40
    assert model.evaluation.programs is not None
    assert not model.evaluation.programs.serves("mass_matrix")
    q, v = 0.02 * np.random.default_rng(0).normal(size=(2, 1000))
    a = model.forward_dynamics(q, v, np.zeros(1000))
    rest = model.inverse_dynamics(q, v, a)
    assert np.abs(rest).max() < 1e-6 * np.abs(model.bias_forces(q, v)).max()


def test_many_bodies_that_are_all_different_go_by_sweeps() -> None:
    model = random_tree(11, 30)
    assert len(program_sizes.unlike(model.tree, model.flex)) > 10
    with mock.patch.object(program_sizes, "MOST_UNLIKE", 10):
        assert not program_sizes.quickly_made(model.tree, model.flex)
        assert program_sizes.quickly_made(limbs().tree, None)


@pytest.mark.parametrize("example", thinned(["four_bar", "flexible_two_link_arm"], ["flexible_two_link_arm"]))
def test_another_process_records_nothing(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))

    def started() -> list[Any]:
        """What a process finds that has nothing in its memory."""
        monkeypatch.setattr(PROGRAMS, "_entries", OrderedDict())
        contents = read(EXAMPLES / f"{example}.toml")
        settings = contents.run_arguments() | {"duration": 0.05, "samples": 3}
        q, v = contents.model.random_state(0)
        result = supple.simulate(contents.model, **settings)
        tau = np.ones(len(v))
        values = *contents.model.energy(q, v), contents.model.forward_dynamics(q, v, tau)
        return [result.q.values, *values, *contents.model.linearize(q, v, tau), contents.model.inverse_mass_matrix(q)]

    first = started()
    with mock.patch.object(program_cache, "without_collection", side_effect=AssertionError("something is recorded")):
        again = started()
    assert np.ptp(first[0], axis=0).max() > 0
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("frozen", [False, True])
def test_garbage_is_looked_for_again_after_a_recording(frozen: bool) -> None:
    """What was made goes among the old objects; what somebody froze stays frozen."""
    if frozen:
        gc.freeze()
    try:
        before = gc.get_freeze_count()
        with program_cache.without_collection():
            assert not gc.isenabled()
            made: list[list[int]] = [[] for _ in range(10)]
        assert gc.isenabled()
        assert gc.get_freeze_count() == before
        assert (before > 0) is frozen
        young = {id(x) for x in gc.get_objects(generation=0)}
        assert frozen or not any(id(x) in young for x in made)
    finally:
        gc.unfreeze()
