"""What co-simulation of a model costs: an FMU that supple writes beside `supple.simulate` and an FMU of Python code.

All step the same motion from one communication point to the next and give all coordinates there. The FMU of supple is
stepped by fmpy, and by a loop in C where there is a compiler. Two FMUs of Python code are made by PythonFMU and stepped
by fmpy: one has the equations that `supple.export.python` writes and an integrator of scipy inside, the other a
`supple.Simulator`, whose machine code does the work. Times are those of the processor.

    python -m benchmarks.peers.cosimulation
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import supple
from benchmarks.sizes import SMALL, compile_at_once
from supple.files import read

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = ("cart_pendulum",) if SMALL else ("cart_pendulum", "heavy_top", "six_axis_arm", "flexible_two_link_arm")
INTERVAL = 0.01
"""Between communication points, s."""
COUNT = 5 if SMALL else 200
REPEATED = 1 if SMALL else 3
RTOL = 1e-8
MOST_WRITTEN = 8
"""Speeds of models whose equations Python evaluates within a minute."""
SAME = 1e-5
"""Of coordinates, relative to the largest: each run is exact to its own tolerance, and errors grow with the motion."""

EQUATIONS = """
import inspect
import runpy

import numpy as np
from pythonfmu import Fmi2Causality, Fmi2Slave, Real
from scipy.integrate import solve_ivp


class Slave(Fmi2Slave):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        module = runpy.run_path({module!r})
        numbers = list(module["PARAMETERS"].get("equations", {{}}).values())
        self.function = module["equations"]
        known = {{"tau": np.zeros({nv}), "parameters": numbers}}
        if numbers:
            known["constants"] = module["equations_precompute"](numbers)
        self.known = {{key: x for key, x in known.items() if key in inspect.signature(self.function).parameters}}
        self.y = np.array({start!r})
        for i in range({nq}):
            setattr(self, f"q{{i}}", self.y[i])
            self.register_variable(Real(f"q{{i}}", causality=Fmi2Causality.output))

    def rate(self, t, y):
        return np.concatenate(self.function(q=y[:{nq}], v=y[{nq}:], **self.known))

    def do_step(self, t, h):
        self.y = solve_ivp(self.rate, (t, t + h), self.y, method="DOP853", rtol={rtol!r}, atol={rtol!r}).y[:, -1]
        for i, x in enumerate(self.y[:{nq}].tolist()):
            setattr(self, f"q{{i}}", x)
        return True
"""
SIMULATOR = """
import supple
from supple.files import read
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class Slave(Fmi2Slave):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        contents = read({file!r})
        given = {{key: x for key, x in contents.run_arguments().items() if key in {kept!r}}}
        given["integrator"] = supple.integrators.DOP853(rtol={rtol!r})
        self.simulator = supple.Simulator(contents.model, **given)
        for i in range(contents.model.nq):
            setattr(self, f"q{{i}}", float(self.simulator.state.q[i]))
            self.register_variable(Real(f"q{{i}}", causality=Fmi2Causality.output))

    def do_step(self, t, h):
        self.simulator.advance_to(t + h)
        for i, x in enumerate(self.simulator.state.q.tolist()):
            setattr(self, f"q{{i}}", x)
        return True
"""
KEPT = ("q", "v", "tau", "motion", "wrenches", "variables", "guess", "start", "events", "limits")

LOOP = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*Log)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    Log log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} Callbacks;

static void told(void *e, const char *n, int s, const char *c, const char *m, ...)
{
    (void)e, (void)n, (void)s, (void)c;
    fprintf(stderr, "%s\n", m);
}

static void *library;
static void found(void *function, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* library, token, step, number of steps, value references of the outputs */
int main(int argc, char **argv)
{
    void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
    int (*setup)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
    int (*step)(void *, double, double, int), (*get)(void *, const unsigned *, size_t, double *);
    const Callbacks callbacks = {told, calloc, free, NULL, NULL};
    const double h = atof(argv[3]);
    const int count = atoi(argv[4]), n = argc - 5;
    unsigned reference[1000];
    double value[1000];
    int failed = 0;

    library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL || n > 1000) {
        return 2;
    }
    for (int i = 0; i < n; i++) {
        reference[i] = (unsigned)atoi(argv[5 + i]);
    }
    found(&instantiate, "fmi2Instantiate");
    found(&setup, "fmi2SetupExperiment");
    found(&enter, "fmi2EnterInitializationMode");
    found(&leave, "fmi2ExitInitializationMode");
    found(&step, "fmi2DoStep");
    found(&get, "fmi2GetReal");
    void *c = instantiate("loop", 1, argv[2], "file:///", &callbacks, 0, 0);
    if (c == NULL || setup(c, 0, 0.0, 0.0, 0, 0.0) > 1 || enter(c) > 1 || leave(c) > 1) {
        return 3;
    }
    const clock_t begin = clock();
    for (int i = 0; i < count; i++) {
        failed += step(c, i*h, h, 1) > 1 || get(c, reference, (size_t)n, value) > 1;
    }
    const double seconds = (double)(clock() - begin)/CLOCKS_PER_SEC;
    printf("%.17g", seconds);
    for (int i = 0; i < n; i++) {
        printf(" %.17g", value[i]);
    }
    printf("\n");
    return failed ? 4 : 0;
}
"""


class Stepped:
    """An FMU for co-simulation by FMI 2, stepped by fmpy; outputs are found by their names."""

    def __init__(self, path: Path, names: list[str]) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave

        self.folder = fmpy.extract(str(path))
        told = fmpy.read_model_description(str(path))
        references = {x.name: x.valueReference for x in told.modelVariables}
        self.references, self.token = [references[name] for name in names], told.guid
        self.identifier, self._kind = told.coSimulation.modelIdentifier, FMU2Slave

    @property
    def library(self) -> Path:
        """The library for this platform."""
        import fmpy

        place = Path(self.folder) / "binaries" / fmpy.platform
        return place / f"{self.identifier}{fmpy.sharedLibraryExtension}"

    def run(self) -> tuple[float, Floats]:
        """Seconds of all steps, and the coordinates after each."""
        own = {"guid": self.token, "modelIdentifier": self.identifier, "unzipDirectory": self.folder}
        fmu = self._kind(instanceName="timed", **own)
        fmu.instantiate()
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        found = np.zeros((COUNT, len(self.references)))
        begin = time.process_time()
        for i in range(COUNT):
            fmu.doStep(i * INTERVAL, INTERVAL)
            found[i] = fmu.getReal(self.references)
        seconds = time.process_time() - begin
        fmu.terminate()
        fmu.freeInstance()
        return seconds, found

    def close(self) -> None:
        """Remove what was unpacked."""
        shutil.rmtree(self.folder, ignore_errors=True)


def best(run: Callable[[], tuple[float, Floats]]) -> tuple[float, Floats]:
    """The shortest of some runs, in seconds an interval, and its motion."""
    seconds, found = min((run() for _ in range(REPEATED)), key=lambda x: x[0])
    return seconds / COUNT, found


def require_same(what: str, found: Floats, expected: Floats) -> None:
    """Refuse another motion."""
    error = float(np.abs(found - expected).max() / np.abs(expected).max())
    if not error <= SAME:
        raise SystemExit(f"{what}: the motion is off by {error:.1e} of the largest coordinate")


def in_process(model: supple.Model, arguments: dict[str, Any]) -> tuple[float, Floats]:
    """`supple.simulate` with as many samples."""
    begin = time.process_time()
    result = supple.simulate(model, COUNT * INTERVAL, samples=COUNT + 1, **arguments)
    return time.process_time() - begin, result.q.values[1:]


def equations_slave(model: supple.Model, given: dict[str, Any], folder: Path) -> str:
    """An FMU in Python whose equations are written out."""
    module = supple.export.python(model, folder / "equations.py", given)
    start = supple.Simulator(model, **given).state
    y = [*start.q.tolist(), *start.v.tolist()]
    return EQUATIONS.format(module=str(module), nq=model.nq, nv=model.nv, start=y, rtol=RTOL)


def python_fmu(text: str, name: str, folder: Path) -> Path | None:
    """An FMU of Python code; None without PythonFMU. In one interpreter no two of them have the same name."""
    try:
        from pythonfmu.builder import FmuBuilder
    except ImportError:
        return None
    script = folder / f"{name}.py"
    script.write_text(text)
    return Path(FmuBuilder.build_FMU(str(script), dest=str(folder)))


def c_loop(folder: Path) -> Path | None:
    """The loop in C; None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    (folder / "loop.c").write_text(LOOP)
    program = folder / "loop"
    subprocess.run([compiler, "-std=gnu99", "-O2", str(folder / "loop.c"), "-o", str(program), "-ldl"], check=True)
    return program


def timed(name: str, folder: Path) -> None:
    """One line of the table."""
    file = EXAMPLES / f"{name}.toml"
    contents = read(file)
    model = contents.model
    given = {key: x for key, x in contents.run_arguments().items() if key in KEPT}
    options = {**given, "integrator": "DOP853", "rtol": RTOL}
    whole, expected = best(lambda: in_process(model, options))
    own = Stepped(
        supple.export.fmu(model, folder / f"{name}.fmu", {**given, "rtol": RTOL}, fmi=2), [*model.coordinates]
    )
    through_fmpy, found = best(own.run)
    require_same(f"{name}: FMU of supple", found, expected)
    cells = [f"{name:22s}", f"{1e6 * whole:9.2f}"]
    program = c_loop(folder)
    if program is None:
        cells.append(f"{'-':>9s}")
    else:
        command = [program, own.library, own.token, repr(INTERVAL), str(COUNT), *map(str, own.references)]
        lines = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(REPEATED)]
        numbers = np.array([[float(x) for x in line.split()] for line in lines])
        require_same(f"{name}: FMU of supple in C", numbers[0, 1:], expected[-1])
        cells.append(f"{1e6 * numbers[:, 0].min() / COUNT:9.2f}")
    cells.append(f"{1e6 * through_fmpy:9.2f}")
    small = model.nv <= MOST_WRITTEN
    slaves = {"equations": equations_slave(model, given, folder)} if small else {}
    slaves["simulator"] = SIMULATOR.format(file=str(file), kept=KEPT, rtol=RTOL)
    cells += [f"{'-':>10s} {'':8s}"] * (not small)
    for kind, text in slaves.items():
        made = python_fmu(text, f"{name}_{kind}", folder)
        if made is None:
            cells.append("PythonFMU is not installed")
            break
        other = Stepped(made, [f"q{i}" for i in range(model.nq)])
        seconds, motion = best(other.run)
        require_same(f"{name}: FMU of Python code, {kind}", motion, expected)
        cells.append(f"{1e6 * seconds:10.1f} {seconds / through_fmpy:6.1f} x")
        other.close()
    own.close()
    print(" ".join(cells))


def main() -> None:
    """The table."""
    try:
        import fmpy  # noqa: F401
    except ImportError:
        print("fmpy is not installed: pip install supple[fmu]")
        return
    compile_at_once()
    print(f"microseconds of the processor for an interval of {INTERVAL} s, {COUNT} of them, rtol {RTOL:g}")
    titles = f"{'simulate':>9s} {'in C':>9s} {'by fmpy':>9s} {'numpy':>10s} {'':8s} {'Simulator':>10s}"
    print(f"{'':22s} {'':9s} {'FMU of supple':>19s}  FMUs of Python code, by fmpy, and ratios")
    print(f"{'':22s} {titles}")
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            timed(name, Path(folder))


if __name__ == "__main__":
    main()
