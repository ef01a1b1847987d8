"""Steps in time in C."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from support.mechanisms.closed_mechanisms import slider_crank
from support.programs.c_libraries import Library, built, chain, difference, free_tree

DRIVEN = """#include "lib.h"
#include <stdio.h>

static void forces(lib_real t, const lib_real *q, const lib_real *v, lib_real *tau, void *data)
{
    const lib_real gain = *(const lib_real *)data;
    tau[0] = gain * t - q[0];
    tau[1] = -gain * v[1];
}

int main(void)
{
    static lib_workspace work;
    lib_real q[LIB_NQ] = {0.1, 0.2}, v[LIB_NV] = {0.3, -0.4}, gain = 2.0;
    int i;
    for (i = 0; i < 100; i++) {
        lib_rk4(&lib_default_numbers, &work, 0.01 * i, 0.01, forces, &gain, q, v);
    }
    printf("%.17g %.17g %.17g %.17g\\n", q[0], q[1], v[0], v[1]);
    return 0;
}
"""


def test_a_step_is_that_of_the_model(tmp_path: Path) -> None:
    model = free_tree()
    own = Library(model, tmp_path / "c", ["rk4"])
    q, v = (x.copy() for x in model.random_state(2))
    tau = np.linspace(-1, 1, model.nv)
    expected = model.compile("rollout")(q, v, np.tile(tau, (20, 1)), 0.01)
    work = own.workspace()
    for _ in range(20):
        own.step(0.01, tau, q, v, work)
    assert difference(q, expected[0][-1]) < 1e-12
    assert difference(v, expected[1][-1]) < 1e-12
    for i in model.quaternions:
        assert abs(np.linalg.norm(q[i : i + 4]) - 1) < 1e-15


def test_loops_stay_closed(tmp_path: Path) -> None:
    model = slider_crank()
    own = Library(model, tmp_path / "c", ["rk4"])
    assert model.loops is not None
    q = model.loops.assemble(model.neutral() + 0.3)
    v, tau, work = np.zeros(model.nv), np.zeros(model.nv), own.workspace()
    energy = float(np.sum(model.energy(q, v)))
    for _ in range(500):
        own.step(0.004, tau, q, v, work)
    position, velocity = model.loops.errors(q, v)
    assert np.abs(v).max() > 0.1
    assert np.abs(position).max() < 1e-12
    assert np.abs(velocity).max() < 1e-9
    assert abs(float(np.sum(model.energy(q, v))) - energy) < 1e-6 * abs(energy)


def test_forces_of_the_caller_act_at_each_stage(tmp_path: Path) -> None:
    """Against the same method by hand."""
    model = chain(2)
    own = Library(model, tmp_path / "c", ["rk4"])
    (own.folder / "driven.c").write_text(DRIVEN)
    program = built(own.folder, "driven", ["lib.c", "driven.c"])
    found = np.array(subprocess.run([program], capture_output=True, text=True, check=True).stdout.split(), float)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        tau = [2.0 * t - y[0], -2.0 * y[3]]
        return np.concatenate([y[2:], model.forward_dynamics(y[:2], y[2:], tau)])

    y, h = np.array([0.1, 0.2, 0.3, -0.4]), 0.01
    for i in range(100):
        a = rate(i * h, y)
        b = rate((i + 0.5) * h, y + h / 2 * a)
        c = rate((i + 0.5) * h, y + h / 2 * b)
        d = rate((i + 1) * h, y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    assert difference(found, y) < 1e-12
