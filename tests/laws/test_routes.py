"""What a model file says acts in every route, or the route names it: tables of the file times routes.

A route gives everything that one can see of it: numbers or a text, and its messages. A table acts if that differs from
what the same route gives without the table; it is named if a message has its word. What does neither stands in `HOLES`,
with the reason, and only there.
"""

from __future__ import annotations

import re
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import supple
from supple import cli
from supple.bench import timing
from supple.cli.export import ExportFormat
from supple.compare.runs import formulations
from supple.files import check, read
from supple.files.schema import ModelFile
from supple.files.simulation import SimulationTable
from supple.model.parameters import symbols_of
from supple.simulation.run_program import run_program
from supple.view.live.motion import LiveMotion

DURATION = 0.2
ARM = """
name = "arms"
[[body]]
name = "arm"
mass = 1.0
com = [0.0, 0.0, -0.5]
inertia = [0.1, 0.1, 0.02]
joint = { type = "revolute", axis = "y" }
[[body]]
name = "tip"
parent = "arm"
at = [0.0, 0.0, -1.0]
mass = 0.5
com = [0.1, 0.0, -0.3]
joint = { type = "revolute", axis = "y", stiffness = 2.0 }
"""
BOOM = """
name = "boom"
[[material]]
name = "steel"
E = 2.1e9
nu = 0.3
rho = 7850.0
[[structure]]
name = "rod"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.03, height = 0.02 }
material = "steel"
elements = 2
[[body]]
name = "arm"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "rod", basis = "cantilever", modes = 1 }
[[body]]
name = "tip"
parent = "arm"
at = "end"
mass = 0.5
com = [0.1, 0.0, -0.3]
joint = { type = "revolute", axis = "y", stiffness = 2.0 }
"""
LOOP = """
[[frame]]
name = "end"
body = "tip"
position = [0.0, 0.0, -1.2]
[[constraint]]
name = "slot"
type = "point-on-plane"
first = "ground"
second = "tip/end"
normal = [0.0, 0.0, 1.0]
offset = -2.0
"""


class Table(NamedTuple):
    """What a file says: its text, keys of [simulation], the word that names it, and a misspelling that check finds."""

    text: str
    simulation: str
    word: str
    wrong: tuple[str, str]


ANGEL = ("arm.angle", "arm.angel")
TABLES = {
    "force": Table('[[actuator]]\nspeed = "arm.angle"\nforce = "1 - 3*arm.angle"\n', "", "actuator|tau", ANGEL),
    "target": Table('[[actuator]]\nspeed = "arm.angle"\ntarget = 0.3\nkp = 5\nki = 2\n', "", "actuator|tau", ANGEL),
    "sampled": Table(
        '[[actuator]]\nspeed = "arm.angle"\ntarget = 0.3\nkp = 5\nrate = 50\n', "", "actuator|sampled", ANGEL
    ),
    "controller": Table(
        '[[controller]]\nname = "hold"\nmeasured = ["arm.angle"]\nspeeds = ["arm.angle"]\n'
        "A = [[-1]]\nB = [[1]]\nC = [[-2]]\nD = [[-4]]\nreference = [0.2]\n",
        "",
        "controller|tau",
        ANGEL,
    ),
    "motion": Table(
        '[[motion]]\nspeed = "tip.angle"\nposition = "0.1*t**2"\n', "", "motion", ("tip.angle", "tip.angel")
    ),
    "wrench": Table(
        '[[wrench]]\nname = "push"\nframe = "tip"\naxes = "ground"\nforce = [1, 0, 2]\n',
        "",
        "wrench",
        ('"tip"', '"tap"'),
    ),
    "wrench by formula": Table(
        '[[wrench]]\nname = "wind"\nframe = "tip"\naxes = "ground"\nforce = ["1 - velocity.x", 0, 2]\n',
        "",
        "wrench",
        ("velocity", "velicity"),
    ),
    "event": Table(
        '[[event]]\nname = "kick"\nwhen = "t - 0.05"\nchange = { "rate(arm.angle)" = 1.0 }\n', "", "event|kick", ANGEL
    ),
    "limit": Table('[[limit]]\ncoordinate = "arm.angle"\nlower = 0.0\n', "", "limit|stop", ANGEL),
    "variables": Table(
        '[variables]\nk = 2.0\n[[actuator]]\nspeed = "arm.angle"\nforce = "k - arm.angle"\n',
        "",
        "actuator|variables",
        ("k - ", "kk - "),
    ),
    "spring_damper": Table(
        '[[frame]]\nname = "hook"\nbody = "ground"\nposition = [1.0, 0.0, 0.0]\n'
        '[[spring_damper]]\nname = "stay"\nfirst = "ground/hook"\nsecond = "tip"\nstiffness = 30.0\nlength = 0.5\n',
        "",
        "stay",
        ('"tip"', '"tap"'),
    ),
    "loop": Table(
        LOOP.partition("[[constraint]]")[0]
        + '[[frame]]\nname = "rail"\nbody = "ground"\nposition = [0.0, 0.0, -1.9]\n'
        + '[[loop]]\nname = "slider"\nfirst = "ground/rail"\nsecond = "tip/end"\n'
        + 'joint = { type = "planar", normal = "z" }\n',
        "",
        "closed|loop|slider|constraints",
        ("tip/end", "tip/and"),
    ),
    "coupling": Table('[[coupling]]\nfollower = "tip"\nleader = "arm"\n', "", "mimic|coupling", ('"tip"', '"tap"')),
    "q": Table("", "q = { arm.angle = 0.4 }", "start coordinates", ANGEL),
    "v": Table("", "v = { arm.angle = 0.4 }", "start speeds|does not last", ANGEL),
    "start": Table("", 'start = "equilibrium"', "start", ("equilibrium", "equilibrum")),
    "tau": Table("", "tau = { arm.angle = 1.5 }", "tau", ANGEL),
    "guess": Table(LOOP, "guess = { arm.angle = 0.4 }", "start coordinates|loops", ANGEL),
    "integrator": Table("", 'integrator = "RK45"', "integrator|RK45", ("RK45", "RK54")),
    "step": Table("", 'integrator = "rk4"\nstep = 0.0005', "step", ("rk4", "rk5")),
    "rtol": Table("", "rtol = 1e-12", "rtol", ("1e-12", "-1")),
    "atol": Table("", "atol = 1e-14", "atol", ("1e-14", "-1")),
    "loops": Table(LOOP, 'loops = "independent"', "loops", ("independent", "dependent")),
}
MODEL = "it is the model"
ELSEWHERE = {
    **dict.fromkeys(("name", "gravity", "visuals", "body", "material", "structure", "frame"), MODEL),
    "formulation": "another model: tests/files/test_formulation.py",
    "output": "what runs record: tests/files/test_output.py",
    "live": "what pages offer to set: tests/files/test_live_table.py",
    "sweep": "cases of one command: tests/sweeps/test_sweep_tables.py",
    "equations": "settings of one command: tests/cli/test_equations.py",
    "simulation": "each key is a table here",
    "simulation.duration": "every file here has one; routes without a run need none",
    "simulation.samples": "how often runs are looked at: tests/simulation/test_simulate.py",
    "simulation.orientation": "q, written as a rotation: tests/files/test_inputs.py",
    "simulation.sensitivities": "what runs record besides: tests/simulation/test_sensitive_run.py",
}
"""Tables of a file, and keys of [simulation], that are not in `TABLES`, and why."""
NUMERICAL = ("integrator", "step", "rtol", "atol", "loops")
START = ("q", "v", "start", "guess")
WRITTEN = ("python", "equations", "derivation")
NO_RUN = "how a run is computed; no run is made"
SMALL = "small motions reach no stops and no events"
FUNCTIONS = "a function of the state, which its caller gives"
INPUT = "forces that are numbers, or held, are inputs of the equations, by name"
PICTURE = "a picture of the start shows no motion"
HOLES = {
    **{(route, key): NO_RUN for route in ("load", "info", "modes", "mat", "bench", *WRITTEN) for key in NUMERICAL},
    **{(route, key): NO_RUN for route in ("c", "casadi") for key in ("rtol", "atol")},
    **{(route, key): SMALL for route in ("modes", "mat") for key in ("event", "limit")},
    **{(route, key): FUNCTIONS for route in (*WRITTEN, "casadi") for key in START},
    **{(route, "tau"): INPUT for route in WRITTEN},
    **{("derivation", key): "what is looked at beside the equations" for key in ("event", "limit")},
    ("bench", "limit"): "the functions that are timed have no stops",
    ("bench", "coupling"): "it reads a robot without its couplings, which are no part of the dynamics",
    **{("glb", key): PICTURE for key in TABLES if key not in ("q", "start", "guess", "loop", "coupling")},
    ("lanes", "rtol"): "steps of fixed length have no tolerance",
    ("lanes", "atol"): "steps of fixed length have no tolerance",
    ("sweep", "atol"): "a run this short has steps of a part of its file, which are finer",
}
"""What a route leaves out without a word, and why."""


def file_of(folder: Path, key: str | None, base: str = ARM) -> Path:
    """A model file with one table more, or, for None, without; what closes loops is in both."""
    closed = key in ("guess", "loops")
    return _written(folder, key, base, closed)


def _written(folder: Path, key: str | None, base: str, closed: bool, plain: bool = False) -> Path:
    table = Table("", "", "", ("", "")) if key is None or plain else TABLES[key]
    text = base + (LOOP if closed and plain else "") + f"[simulation]\nduration = {DURATION}\n{table.simulation}\n"
    path = folder / "m.toml"
    path.write_text(text + table.text)
    return path


Seen = tuple[Any, str]
"""What a route shows: numbers and texts as they are compared, and its messages."""


def heard(route: Callable[[Path], Any], path: Path) -> Seen:
    """What a route shows of a file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            shown = route(path)
        except supple.SuppleError as error:
            return None, str(error)
    return shown, "\n".join(str(x.message) for x in caught).replace(str(path.parent), "")


def commanded(*arguments: object) -> Callable[[Path], Any]:
    """A command as a route: its output."""

    def route(path: Path) -> Any:
        shown: list[str] = []
        words = [str(path) if x is FILE else str(x).replace("FOLDER", str(path.parent)) for x in arguments]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["supple", *words])
            patch.chdir(path.parent)
            for console in (cli.out, cli.err):
                patch.setattr(console, "print", lambda *x, **_: shown.append(" ".join(map(_text, x))))
            with pytest.raises(SystemExit) as end:
                cli.main()
        text = re.sub(r"simulated in .*", "", "\n".join(shown)).replace(str(path.parent), "")
        for line in (x for x in shown if x.startswith(("warning:", "error:"))):
            warnings.warn(line.replace(str(path.parent), ""), UserWarning, stacklevel=2)
        return (end.value.code, re.sub(r"(?m)^(warning|error):.*$", "", text))

    return route


FILE = object()


def _text(x: Any) -> str:
    if isinstance(x, str):
        return x
    return str(getattr(x, "plain", "")) or repr([[*c.cells] for c in getattr(x, "columns", ())])


def last(result: Any) -> list[float]:
    """The last state of a result."""
    return [*result.q.values[-1].tolist(), *result.v.values[-1].tolist()]


def loaded(path: Path) -> Any:
    """`supple.load`: the forces of what the model holds."""
    return _forces(supple.load(path))


def _forces(model: Any) -> list[float]:
    """Forces of a state, and how many constraints there are."""
    return [*model.bias_forces(np.full(model.nq, 0.3), np.full(model.nv, 0.4)), len(model.description.constraints)]


def ran(path: Path) -> Any:
    """`supple run`."""
    shown = commanded("run", FILE, "-o", "FOLDER/m.nc", "--no-report", "--overwrite")(path)
    if shown[0]:
        return shown
    with supple.open_results(path.with_name("m.nc")) as result:
        atol = result.attrs.get("atol")
        return last(result.load()) + ([float(atol)] if isinstance(atol, float) else [])


def timed(path: Path) -> Any:
    """`supple bench`: what stands under the table of times, as a message."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "best_time", lambda call: 1.0)
        caption = timing.timing_table(path).caption
    if caption:
        warnings.warn(str(caption), UserWarning, stacklevel=2)
    return _forces(read(path, limits=False, mimic=False).model)


def written(target: str, *arguments: object) -> Callable[[Path], Any]:
    """A command as a route: the file, or the files of the folder, that it writes."""
    command = commanded(*arguments, "-o", f"FOLDER/{target}")

    def route(path: Path) -> Any:
        shown, made = command(path), path.with_name(target)
        if shown[0]:
            return shown
        files = sorted(made.iterdir()) if made.is_dir() else [made]
        return [re.sub(rb"[0-9a-f]{32,}", b"", x.read_bytes()) for x in files]

    return route


def exported(path: Path) -> Any:
    """`supple export --to mat`."""
    contents = read(path)
    model, target = contents.model, path.with_name("m.mat")
    supple.export.mat(model, target, contents.run_arguments())
    return target.read_bytes()[128:]  # behind the date


def programmed(path: Path) -> Any:
    """The C program of `supple equations --format program`."""
    contents = read(path)
    return run_program(contents.model, contents.run_arguments(), symbols_of(contents.model))


def fmu(path: Path) -> Any:
    """The sources of an FMU."""
    contents = read(path)
    target = path.with_name("m.fmu")
    supple.export.fmu(contents.model, target, contents.run_arguments(), sources_only=True)
    with zipfile.ZipFile(target) as packed:
        texts = {name: packed.read(name).decode() for name in packed.namelist()}
    return {name: re.sub(r'"[^"]*[0-9a-f]{32}[^"]*"|generationDateAndTime="[^"]*"', "", x) for name, x in texts.items()}


def swept(engine: str, **changes: Any) -> Callable[[Path], Any]:
    """One case of a sweep."""

    def route(path: Path) -> Any:
        measures = {"x": "last(arm.angle)", "y": "last(tip.angle)"}
        mass = {"body.arm.mass": [1.0]}
        found = supple.sweep(path, mass, measures, engine=engine, changes=changes)
        if str(found.message.values[0]) and int(found.status[0]) == 2:
            raise supple.StateError(str(found.message.values[0]))
        return [float(found.x[0]), float(found.y[0])]

    return route


def lanes(path: Path) -> Any:
    """A case as a lane; refused by name, or run."""
    own = read(path, mimic=False).run_arguments()
    changes = {} if "integrator" in own else {"simulation.integrator": "rk4", "simulation.step": 0.001}
    return swept("lanes", **changes)(path)


def lived(path: Path) -> Any:
    """The simulator behind `supple view`."""
    contents = read(path)
    live = LiveMotion(contents.model, contents.run_arguments())
    live.simulator.advance_to(DURATION)
    state = live.simulator.state
    return [*state.q.tolist(), *state.v.tolist()]


def compared(path: Path) -> Any:
    """`supple compare`, both formulations."""
    contents = read(path)
    found = formulations(contents.model, modes=[1], samples=3, **contents.run_arguments())
    return [*found.data["position"].values[:, -1].ravel().tolist()]


ROUTES: Mapping[str, Callable[[Path], Any]] = {
    "load": loaded,
    "run": ran,
    "info": commanded("info", FILE),
    "modes": commanded("modes", FILE, "-o", "FOLDER/modes.html"),
    "mat": exported,
    "bench": timed,
    "program": programmed,
    "c": written("library", "export", FILE, "--to", "c"),
    "python": written("m.py", "export", FILE, "--to", "python"),
    "casadi": written("m.casadi", "export", FILE, "--to", "casadi"),
    "glb": written("m.glb", "export", FILE, "--to", "glb"),
    "equations": written("m.txt", "equations", FILE),
    "derivation": written("m.txt", "equations", FILE, "--tables"),
    "fmu": fmu,
    "sweep": swept("serial"),
    "lanes": lanes,
    "live": lived,
    "compare": compared,
}


OTHER_WAYS = {
    "check": "looks at everything: see below",
    "export": "a route for each format",
    "fit": "cases as those of a sweep",
    "view": "live",
    "render": "the start as in glb, or a run",
    "plot": "reads results",
    "import": "reads no model file",
    "cache": "reads no model file",
}
"""Commands that are not routes by their own names, and why."""
FORMATS = {"csv": "of results", "parquet": "of results"}
"""Formats of `supple export` that are not routes, and why."""


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Seen]:
    """What a route shows of the file without a table."""

    @cache
    def found(route: str, closed: bool) -> Seen:
        base = BOOM if route == "compare" else ARM
        path = _written(tmp_path_factory.mktemp("without"), None, base, closed, plain=True)
        return heard(ROUTES[route], path)

    return lambda route, key: found(route, key in ("guess", "loops"))


RUNS = ("run", "fmu", "sweep", "lanes", "live", "compare")
"""Routes that take longer: all but a few of their cells are exhaustive."""
FEW = ("sampled", "event", "coupling", "step")


def cells() -> Iterator[Any]:
    for route in ROUTES:
        for key in TABLES:
            further = route in RUNS and key not in FEW
            yield pytest.param(route, key, id=f"{route}-{key}", marks=[pytest.mark.exhaustive] if further else [])


@pytest.mark.parametrize(("route", "key"), [*cells()])
def test_it_acts_or_is_named(route: str, key: str, without: Callable[[str, str], Seen], tmp_path: Path) -> None:
    before, before_said = without(route, key)
    path = file_of(tmp_path, key, BOOM if route == "compare" else ARM)
    after, said = heard(ROUTES[route], path)
    named = re.search(TABLES[key].word, said) is not None
    acts = after is not None and not (_same(before, after) and said == before_said)
    assert (acts or named) == ((route, key) not in HOLES), f"acts: {acts}, said: {said!r}, shown: {str(after)[:500]}"


def _same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b)) if isinstance(a, list) and isinstance(b, list) else bool(a == b)


def test_every_table_of_a_file_is_there() -> None:
    text = "".join(x.text for x in TABLES.values())
    keys = {key for x in TABLES.values() for key in re.findall(r"(?m)^(\w+) =", x.simulation)}
    tables = {key for key in ModelFile.model_fields if re.search(rf"(?m)^\[+{key}\]", text)}
    assert {*ModelFile.model_fields} == tables | {key for key in ELSEWHERE if "." not in key}
    assert {f"simulation.{key}" for key in SimulationTable.model_fields} == {
        *(f"simulation.{key}" for key in keys),
        *(key for key in ELSEWHERE if "." in key),
    }


def test_every_command_and_format_is_there() -> None:
    assert {*cli.HOMES} <= {*ROUTES, *OTHER_WAYS}
    assert {x.value for x in ExportFormat} <= {*ROUTES, *FORMATS}


@pytest.mark.parametrize("key", TABLES)
def test_check_looks_at_it(key: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.OmissionWarning)
        assert check(path) == []
    right, wrong = TABLES[key].wrong
    head, tail = path.read_text().split("[simulation]")
    path.write_text(f"{head}[simulation]{tail.replace(right, wrong)}")
    assert any(wrong.strip('"') in error for error in check(path))
