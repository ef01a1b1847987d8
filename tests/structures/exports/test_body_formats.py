"""Bodies go to other programs' files and come back with the same integrals and the same motion."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import ModelError, StateError
from supple.structures import FlexibleBody, Material, Rectangle, beam, box, write
from supple.structures.formats.mbdyn import read_mbdyn
from supple.structures.formats.modal_data import modal_data
from supple.structures.formats.sid import read_sid

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
READERS: dict[str, Callable[[Path], FlexibleBody]] = {"body.fem": read_mbdyn, "body.SID_FEM": read_sid}


@cache
def body(kind: str) -> FlexibleBody:
    if kind == "beam":
        return beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 5).reduce("cantilever", 5, damping=0.01)
    return box(1.0, 0.1, 0.05, ALUMINIUM, [2, 1, 1]).reduce("craig-bampton", 2, damping=0.02)


def pair(first: FlexibleBody, second: FlexibleBody, stiffening: bool) -> supple.Model:
    """Two pendulums, each with a body at its end, that know nothing of each other."""
    mech = supple.Mechanism("pair")
    for name, own in (("a", first), ("b", second)):
        mech.add_body(name, own, joint=supple.Universal("y", "z"), stiffening=stiffening)
        load = supple.RigidBody(0.3, (0.1, 0, 0.05), inertia=(1e-3, 2e-3, 2e-3))
        mech.add_body(f"{name}_load", load, name, supple.Revolute("y"), at="end")
    return mech.build()


def halves(model: supple.Model, spin: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of both over a fall from the side with some spin."""
    v = np.zeros(model.nv)
    v[[1, model.nv // 2 + 1]] = spin
    q = np.asarray(supple.simulate(model, 0.1, v=v, samples=20, rtol=1e-9).q)
    return q[:, : model.nq // 2], q[:, model.nq // 2 :]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["beam", "solid"])
def test_a_body_comes_back(tmp_path: Path, kind: str, name: str) -> None:
    """Numbers are written with all digits; sums of a few of them leave rounding, most where shapes cancel: 3e-12."""
    first = body(kind)
    write(first, tmp_path / name)
    back = READERS[name](tmp_path / name)
    assert (back.root, back.basis, back.modes) == (first.root, "cantilever", first.modes)
    assert set(first.frames) <= set(back.frames)
    a, b = modal_data(first), modal_data(back)
    assert a.labels == b.labels[: len(a.labels)]
    assert a.geometric is not None
    assert b.geometric is not None
    assert not a.lacking
    assert not b.lacking
    m, n = a.integrals, b.integrals
    close = {"moment": (m.moment, n.moment), "second": (m.second, n.second), "E": (m.E, n.E), "X": (m.X, n.X)}
    close |= {"N": (m.N.dense(), n.N.dense()), "K": (a.stiffness, b.stiffness), "C": (a.damping, b.damping)}
    close |= {"E2": (a.geometric.E2, b.geometric.E2), "X2": (a.geometric.X2, b.geometric.X2)}
    close |= {"shapes": (a.shapes, b.shapes[: len(a.shapes)]), "end": (a.geometric.nodes[1], b.geometric.nodes[1])}
    for what, (x, y) in close.items():
        np.testing.assert_allclose(y, x, rtol=0, atol=1e-11 * np.abs(x).max(), err_msg=what)
        assert np.abs(x).max() > 0, what
    assert first.frames["end"].turning == back.frames["end"].turning
    assert first.turning[-1] == back.frames[str(len(first.nodes) - 1)].turning


@pytest.mark.parametrize("kind", ["beam", "solid"])
def test_a_body_that_came_back_moves_as_before(tmp_path: Path, kind: str) -> None:
    write(body(kind), tmp_path / "body.SID_FEM")
    x, y = halves(pair(body(kind), read_sid(tmp_path / "body.SID_FEM"), stiffening=False), 0.5)
    np.testing.assert_allclose(y, x, rtol=0, atol=1e-10 * np.abs(x).max())
    assert np.ptp(x[:, 2:], axis=0).max() > 1e-4


def test_what_stiffens_a_body_comes_back(tmp_path: Path) -> None:
    """Files say how second-order displacements move mass with the frame, not beside it: third order is not theirs."""
    write(body("beam"), tmp_path / "body.fem")
    back = read_mbdyn(tmp_path / "body.fem")
    write(back, tmp_path / "again.SID_FEM", nodes=list(body("beam").frames))
    again = read_sid(tmp_path / "again.SID_FEM")
    model, twice = pair(body("beam"), back, stiffening=True), pair(back, again, stiffening=True)
    x, y = halves(model, 3.0)
    assert np.abs(y - x).max() < 2e-4 * np.abs(x).max()
    y, z = halves(twice, 3.0)
    np.testing.assert_allclose(z, y, rtol=0, atol=1e-10 * np.abs(y).max())


def test_chosen_nodes_are_written(tmp_path: Path) -> None:
    write(body("beam"), tmp_path / "body.fem", nodes=["end", "2"])
    assert list(read_mbdyn(tmp_path / "body.fem").frames) == ["start", "end", "2"]
    write(body("beam"), tmp_path / "body.dat", format="sid", nodes=["end"])
    assert list(read_sid(tmp_path / "body.dat").frames) == ["start", "end"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no format for the ending '.mnf'; expected one of '.h5', '.fem'"):
        write(body("beam"), tmp_path / "body.mnf")
    with pytest.raises(ModelError, match="no format 'adams'"):
        write(body("beam"), tmp_path / "body.fem", format="adams")
    with pytest.raises(ModelError, match="no frame 'top'"):
        write(body("beam"), tmp_path / "body.fem", nodes=["top"])
    nodal = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 2).reduce("nodal")
    with pytest.raises(ModelError, match="expected a body of modes"):
        write(nodal, tmp_path / "body.fem")
    with pytest.raises(StateError, match="expected a FlexibleBody, got RigidBody"):
        write(supple.RigidBody(1.0), tmp_path / "body.fem")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="cannot be written"):
        write(body("beam"), tmp_path / "nowhere" / "body.fem")
    assert not list(tmp_path.iterdir())
