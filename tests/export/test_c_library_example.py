"""The program that comes with a library: it prints the motion of `supple.simulate`, and tools find no fault in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.mechanisms.closed_mechanisms import n_four_bar, slider_crank
from support.programs.c_libraries import Floats, built, chain, flexible_arm, free_tree, tool

EVERYTHING = ("rk4", "inverse_dynamics", "mass_matrix", "pose", "velocity", "energy", "forward_dynamics_derivatives")
MODELS: dict[str, Callable[[], supple.Model]] = {
    "chain": lambda: chain(2),
    "free tree": free_tree,
    "flexible arm": flexible_arm,
    "slider crank": slider_crank,
}
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def rows(program: Path) -> tuple[list[str], Floats]:
    """Header and rows that a program prints without a complaint."""
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.splitlines()
    return header.split(","), np.array([line.split(",") for line in lines], dtype=float)


def started(model: supple.Model) -> tuple[Floats, Floats]:
    """Not in balance; modes moved less than joints."""
    modes = np.array(["mode" in x for x in model.coordinates])
    q = model.neutral() + 0.2 * model.derivative(model.neutral(), np.ones(model.nv))
    for i in model.quaternions:
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return np.where(modes, 0.001, q), np.zeros(model.nv)


@pytest.mark.parametrize("name", MODELS)
def test_the_motion_is_that_of_a_simulation(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    q, v = started(model)
    if model.loops is not None:
        q = model.loops.assemble(q)
    folder = supple.export.c_library(model, tmp_path / "c", ["rk4"], name="lib", start=(q, v))
    header, found = rows(built(folder, "lib_main", ["lib.c", "lib_main.c"]))
    assert header == ["time", *model.coordinates]
    t = found[:, 0]
    expected = supple.simulate(model, t[-1], q, v, samples=len(t), rtol=1e-9, atol=1e-9)
    moved = np.abs(expected.q.values - expected.q.values[0]).max()
    assert moved > 1e-4
    assert np.abs(found[:, 1:] - expected.q.values).max() < 1e-5 * moved


@pytest.mark.parametrize(
    ("name", "precision"),
    thinned(
        [("chain", "double"), ("flexible arm", "float"), ("row of four-bars", "double")],
        [("chain", "double"), ("flexible arm", "float")],
        several=True,
    ),
)
def test_sanitizers_find_nothing(name: str, precision: str, tmp_path: Path) -> None:
    """One function after the other, outputs and workspace no longer than the header says."""
    model = {"chain": chain(2), "flexible arm": flexible_arm(1), "row of four-bars": n_four_bar(4)}[name]
    functions = EVERYTHING[: -1 if name == "row of four-bars" else None]
    folder = supple.export.c_library(
        model, tmp_path, functions, precision=precision, name="lib", parameters=["gravity.x"]
    )
    lines = [line for line in CALLS.splitlines(keepends=True) if functions == EVERYTHING or "derivatives" not in line]
    (folder / "all.c").write_text("".join(lines))
    program = built(folder, "all", ["lib.c", "all.c"], "-O0", *SANITIZED)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.isfinite(np.array(done.stdout.split(), dtype=float)).all()


CALLS = """#include "lib.h"
#include <stdio.h>
#include <stdlib.h>

enum { NQ = LIB_NQ, NV = LIB_NV };

static lib_real *array(size_t count)
{
    lib_real *x = calloc(count, sizeof *x);
    if (!x) {
        exit(1);
    }
    return x;
}

int main(void)
{
    const lib_real dt = (lib_real)0.0001;
    lib_workspace *work = malloc(sizeof *work);
    lib_numbers *numbers = malloc(sizeof *numbers);
    lib_parameters parameters = lib_default_parameters;
    lib_real *q = array(NQ), *v = array(NV), *tau = array(NV), *a = array(NV), *M = array(NV * NV);
    lib_real *by_q = array(NV * NV), *by_v = array(NV * NV), *by_tau = array(NV * NV);
    lib_real *kinetic = array(1), *potential = array(1);
    lib_real *R = array(9 * LIB_FRAMES), *p = array(3 * LIB_FRAMES), *V = array(6 * LIB_FRAMES);
    int i;
    if (!work || !numbers) {
        return 1;
    }
    parameters.gravity_x = (lib_real)0.5;
    lib_set_parameters(&parameters, numbers);
    for (i = 0; i < 3; i++) {
        lib_rk4_held(numbers, work, dt, tau, q, v);
    }
    lib_forward_dynamics_derivatives(numbers, work, q, v, tau, a, by_q, by_v, by_tau);
    lib_inverse_dynamics(numbers, work, q, v, a, tau);
    lib_mass_matrix(numbers, work, q, M);
    lib_pose(numbers, work, q, R, p);
    lib_velocity(numbers, work, q, v, V);
    lib_energy(numbers, work, q, v, kinetic, potential);
    printf("%g %g %g %g %g\\n", (double)a[0], (double)by_q[0], (double)M[0], (double)V[0], (double)kinetic[0]);
    free(work), free(numbers), free(q), free(v), free(tau), free(a), free(M), free(by_q), free(by_v), free(by_tau);
    free(kinetic), free(potential), free(R), free(p), free(V);
    return 0;
}
"""


def test_without_steps_the_program_prints_what_the_first_function_gives(tmp_path: Path) -> None:
    model = chain(1)
    folder = supple.export.c_library(
        model, tmp_path, ["bias_forces"], precision="float", name="lib", start=([0.3], [0.0])
    )
    done = subprocess.run([built(folder, "x", ["lib.c", "lib_main.c"])], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("tau[0] = ")
    assert float(done.stdout.split()[-1]) == pytest.approx(model.bias_forces([0.3], [0.0])[0], rel=1e-6)


def test_cmake_builds_library_and_program(tmp_path: Path) -> None:
    folder = supple.export.c_library(chain(1), tmp_path / "c", ["rk4"], name="lib", start=([0.3], [0.0]))
    for command in (["-S", str(folder), "-B", str(tmp_path / "build")], ["--build", str(tmp_path / "build")]):
        subprocess.run([tool("cmake"), *command], check=True, capture_output=True)
    header, found = rows(tmp_path / "build" / "lib_main")
    assert header == ["time", "link0.angle"]
    assert found[-1, 1] != found[0, 1] == 0.3


@pytest.mark.parametrize("precision", thinned(["double", "float"], ["float"]))
def test_a_compiler_for_arm_takes_it(precision: str, tmp_path: Path) -> None:
    folder = supple.export.c_library(flexible_arm(), tmp_path, EVERYTHING, precision=precision, name="lib")
    fpu = ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"] if precision == "float" else ["-mcpu=cortex-m7", "-mfpu=fpv5-d16"]
    options = ["-c", "-mthumb", "-mfloat-abi=hard", "-Wdouble-promotion", *fpu]
    object_file = built(folder, "lib.o", ["lib.c"], *options, compiler="arm-none-eabi-gcc")
    found = subprocess.run([tool("arm-none-eabi-size"), object_file], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, found.splitlines()[1].split()[:3])
    assert text > 0
    assert data == bss == 0  # nothing that changes
