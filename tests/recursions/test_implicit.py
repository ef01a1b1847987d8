"""One Newton iteration of an implicit step against dense algebra."""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.recursions.closed_implicit import newton_iteration
from supple.recursions.implicit import Correction, WorkingTree, stiff_workspace
from supple.recursions.states import Actuation, States
from supple.recursions.tree import sizes, workspace
from support.generated.generators_flexible import random_flexible_tree


def test_a_correction_solves_for_what_the_drives_leave() -> None:
    model, _ = random_flexible_tree(5, 4)
    q, v = model.random_state(0)
    rng = np.random.default_rng(1)
    w, drive = rng.normal(size=(2, model.nv))
    size = sizes(model.tree, model.flex)
    ws, fresh = (workspace(size, np.float64) for _ in range(2))
    own, stiff = (WorkingTree(model.tree, model.flex, x) for x in (ws, stiff_workspace(ws, fresh)))
    actuation = Actuation(drive, model.none_prescribed, model.no_wrench(float)[0])
    out = Correction(*np.zeros((3, model.nv)))
    plain(newton_iteration)(own, stiff, None, True, States(q, v), actuation, w, out)
    force = model.inverse_dynamics(q, v, w)
    expected = np.linalg.solve(model.mass_matrix(q), drive - force)
    np.testing.assert_allclose(out.force, force, atol=1e-12 * np.abs(force).max())
    np.testing.assert_allclose(out.change, expected, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(w + out.change, model.forward_dynamics(q, v, drive), atol=1e-8 * np.abs(expected).max())
