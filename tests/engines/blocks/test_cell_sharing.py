"""Cells that are used again: the same bits from less memory, and nothing lost that is read later."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.engines.blocks.block_program import Loaded, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cell_sharing import in_less_memory
from supple.engines.blocks.cells import Cells
from supple.model.functions.recursions import recursion_of
from supple.model.programs import ModelStructure, program
from supple.structures import Material, Rectangle, beam

LIMBS, JOINTS, LANES = 4, 5, 2


def spider(flexible: bool = False) -> supple.Model:
    """Limbs on a floating trunk; the last bodies may bend."""
    mech = supple.Mechanism("spider")
    mech.add_body("trunk", supple.RigidBody(5.0, (0, 0, 0.1), (0.3, 0.2, 0.1)), joint=supple.Free())
    boom = beam(0.5, Rectangle(0.02, 0.01), Material(E=7e10, nu=0.3, rho=2700), 4).reduce("cantilever", modes=2)
    link = supple.RigidBody(1.0, (0.1, 0.0, 0.02), (0.02, 0.03, 0.01))
    for limb in range(LIMBS):
        parent = "trunk"
        for joint in range(JOINTS):
            name = f"{limb} {joint}"
            body = boom if flexible and joint == JOINTS - 1 else link
            mech.add_body(name, body, parent, supple.Revolute("xyz"[joint % 3]), at=(0.2, 0.1 * limb, 0.0))
            parent = name
    return mech.build()


def body_by_body(model: supple.Model, what: str) -> tuple[Program, NDArray[np.float64]]:
    """A function in blocks of bodies, and the numbers that it loads."""
    structure = ModelStructure(model.tree, model.flex, model.nq)
    return program(structure, structure.digest(), *recursion_of(what)), structure.numbers.values()


@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
@pytest.mark.parametrize("flexible", [False, True])
def test_the_same_bits_from_less_memory(what: str, flexible: bool) -> None:
    model = spider(flexible)
    whole, numbers = body_by_body(model, what)
    small = in_less_memory(whole)
    assert small.cells < 0.6 * whole.cells
    rng = np.random.default_rng(0)
    states = [np.concatenate([model.random_state(i)[0][None] for i in range(5)])]
    states += [rng.normal(size=(5, model.nv)) for _ in range(len(whole.inputs) - 1)]
    found = []
    for own in (whole, small):
        outs = [np.empty((5, size)) for _, size in own.outputs.values()]
        Loaded(own, LANES).run(0, 5, [*states, *outs], numbers)
        found.append(outs)
    for x, y in zip(*found, strict=True):
        np.testing.assert_array_equal(x, y)


def test_one_limb_after_the_other() -> None:
    """Outward and inward through one limb before the next: cells do not grow with the limbs as the bodies do."""
    small = in_less_memory(body_by_body(spider(), "forward_dynamics")[0])
    writers = [i for i, x in enumerate(small.instances) for _ in x.cells[1]]
    assert len(writers) > 1.5 * small.cells  # cells are written more than once


@pytest.mark.parametrize("repeated", [False, True])
def test_inputs_stay_where_a_program_is_repeated(repeated: bool) -> None:
    """y = x^8 in three blocks; the first input could be taken for a later result."""
    r = BlockRecorder()
    x = Cells(r, (1,))
    cells = [x, *(Cells(r, (1,), 0.0) for _ in range(3))]
    for a, b in pairwise(cells):
        b[0] = a[0] * a[0]
        r.end()
    program = in_less_memory(Program(r, {"x": x}, {"y": cells[-1]}), repeated)
    assert program.cells == (3 if repeated else 2)
    loaded, y = Loaded(program, 1), np.empty((1, 1))
    loaded.run(0, 1, [np.array([[3.0]]), y], np.zeros(0))
    assert y == 3.0**8
    kept = loaded._room(2).memory[program.inputs["x"][0]]
    assert (kept == 3.0) == repeated


def test_what_is_read_before_it_is_written_stays() -> None:
    r = BlockRecorder()
    x, memory, y = Cells(r, (1,)), Cells(r, (1,)), Cells(r, (1,), 0.0)
    y[0] = x[0] + memory[0]
    program = Program(r, {"x": x}, {"y": y})
    assert in_less_memory(program) is program


def test_results_that_nobody_writes_stay_zero() -> None:
    """They do not get the place of a number that is done with."""
    r = BlockRecorder()
    x, half, y = Cells(r, (1,)), Cells(r, (1, 2), 0.0, rows=True), Cells(r, (2,))
    half[0, 0], half[0, 1] = x[0] / 2.0, x[0] / 4.0
    r.end()
    third = Cells(r, (1,), 0.0)
    third[0] = half[0, 0] + half[0, 1]
    r.end()
    y[1] = third[0] * third[0]
    program = in_less_memory(Program(r, {"x": x}, {"y": y}))
    loaded, found = Loaded(program, LANES), np.empty((4, 2))
    loaded.run(0, 4, [np.arange(1.0, 5.0)[:, None], found], np.zeros(0))
    np.testing.assert_array_equal(found, np.stack([np.zeros(4), (0.75 * np.arange(1.0, 5.0)) ** 2], axis=1))
