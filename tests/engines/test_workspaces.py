"""Borrowed working arrays: nobody reads them outside the block they were borrowed for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.model.dynamic_functions import METHODS
from supple.recursions.tree import Sizes, Workspace
from supple.recursions.workspaces import KEPT, borrow
from support.generated.generators_flexible import random_flexible_tree
from support.mechanisms.closed_mechanisms import n_four_bar

GROUND = ("R_ground", "p_ground", "omega", "V")
"""Their rows of the ground are constant."""


def spoil(ws: Workspace) -> None:
    """Fill working arrays with NaN, the ground's constant rows excepted."""
    parts = ws._asdict() | (ws.flex._asdict() if ws.flex is not None else {})
    for name, x in parts.items():
        if name in GROUND:
            x[1:] = np.nan
        elif name != "flex":
            x[...] = np.nan


def test_few_workspaces_are_kept() -> None:
    with borrow(Sizes(3, 3), np.float64) as first:
        pass
    with borrow(Sizes(3, 3), np.float64) as again:
        assert again is first
    for n in range(10, 10 + KEPT):
        with borrow(Sizes(n, n), np.float64):
            pass
    with borrow(Sizes(3, 3), np.float64) as other:
        assert other is not first


def test_a_block_inside_another_has_arrays_of_its_own() -> None:
    with borrow(Sizes(3, 3), np.float64) as outer:
        with borrow(Sizes(3, 3), np.float64) as inner:
            assert inner is not outer
        with borrow(Sizes(3, 3), np.complex128) as other:
            assert other is not outer


def test_an_error_gives_them_back() -> None:
    with pytest.raises(RuntimeError), borrow(Sizes(4, 4), np.float64) as first:
        raise RuntimeError
    with borrow(Sizes(4, 4), np.float64) as again:
        assert again is first


def results(model: supple.Model) -> dict[str, Any]:
    """What the functions of a model that borrow arrays give."""
    q, v = model.random_state(3)
    tau, frame = np.ones(model.nv), model.frames[-1]
    out: dict[str, Any] = {
        "poses": model.poses(q),
        "jacobian": model.jacobian(q, frame),
        "velocity": model.velocity(q, v, frame),
        "acceleration": model.acceleration(q, v, tau, frame),
        "energy": model.energy(q, v),
        "momentum": model.momentum(q, v),
        "mass_matrix": model.mass_matrix(q),
        "inverse_mass_matrix": model.inverse_mass_matrix(q),
        "forward": model.forward_dynamics(q, v, tau),
        "inverse": model.inverse_dynamics(q, v, tau),
        "joint_maps": model.joint_maps(q),
        "operators": model.operators(q).inverse_mass_matrix @ tau,
    }
    if model.loops is None:
        return out | {name: model.forward_dynamics(q, v, tau, name) for name in METHODS[1:]}
    force = np.linspace(1.0, 2.0, len(model.loops))
    return out | {
        "errors": model.loops.errors(q, v),
        "jacobian of loops": model.loops.jacobian(q),
        "joint wrenches": model.joint_wrenches(q, v, tau, constraint_forces=force),
    }


def flat(x: Any) -> Any:
    return np.concatenate([np.ravel(part) for part in x]) if isinstance(x, tuple) else np.ravel(x)


@pytest.mark.parametrize("kind", ["closed", "flexible"])
def test_no_result_depends_on_what_others_left(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = n_four_bar(2) if kind == "closed" else random_flexible_tree.__wrapped__(7, 6, 5, forces=True)[0]
    before = results(model)
    give_back = borrow.__exit__

    def spoiled(self: borrow, *reason: Any) -> None:
        assert self._held is not None
        spoil(self._held)
        give_back(self, *reason)

    monkeypatch.setattr(borrow, "__exit__", spoiled)
    results(model)
    after = results(model)
    assert before.keys() == after.keys()
    for name, x in after.items():
        assert np.abs(flat(x)).max() > 0
        np.testing.assert_array_equal(flat(x), flat(before[name]), err_msg=name)
