"""A model as a C99 library for microcontrollers and hardware in the loop, written to a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats
from supple.checks import text as checked_text
from supple.drafts import draft_of
from supple.engines.blocks.block_c_text import CPrecision
from supple.errors import FileFormatError, StateError, one_of
from supple.export.c_library_derivatives import NAME as DERIVATIVES
from supple.export.c_library_derivatives import derivatives
from supple.export.c_library_example import cmake_text, main_text, readme_text
from supple.export.c_library_functions import STEPPED, CFunction, close_loops, of_the_table
from supple.export.c_library_numbers import LibraryNumbers
from supple.export.c_library_source import CLibrary, header, source
from supple.expressions.printers.c99 import RESERVED
from supple.expressions.printers.head import identifiers
from supple.formulations import floating_frames
from supple.model.functions.holes import require_made
from supple.model.functions.table import require_function
from supple.model.model import Model
from supple.model.program_sizes import rows_quickly_made

INTEGRATOR = "rk4"
FUNCTIONS = (
    "forward_dynamics",
    "inverse_dynamics",
    "mass_matrix",
    "bias_forces",
    "pose",
    "velocity",
    "energy",
    INTEGRATOR,
)
"""Those that a library has unless others are asked for."""
MATRICES = ("mass_matrix", "inverse_mass_matrix", "regressor", "tangent", "direction_rates", "jacobian", DERIVATIVES)
"""Functions whose code grows with the square of the speeds."""
PRECISIONS = ("double", "float")
HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool
stddef stdint stdio stdlib string tgmath time wchar wctype""".split()  # noqa: SIM905 - one word a line is no easier to read
"""Headers of C, whose place no header of a library takes."""
LONGEST_STEP, SMALL, POWERS = 1e-3, 1e-6, 20
"""Longest step of the example, s; changes by which its fastest motion is found, and how many times."""


@checked
def c_library(
    model: Model,
    folder: str | os.PathLike[str],
    functions: Sequence[str] = FUNCTIONS,
    *,
    precision: str = "double",
    parameters: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    name: str | None = None,
    start: tuple[ArrayLike, ArrayLike] | None = None,
) -> Path:
    """Write a C99 library of a model, and give its folder.

    The library has a header, a source, a program that uses it, a file for CMake and a README. It allocates nothing and
    has no state: every call works in memory that its caller owns. Its size grows with the kinds of bodies and joints,
    not with their number: bodies that are alike share their code, and a table says on which cells it works.

    Parameters
    ----------
    model : Model
    folder : path
        Made if it is not there; files of the same names are replaced.
    functions : sequence of str
        Names of the table of functions (docs/functions.md), or "close_loops", a step towards closed loops. "rk4" takes
        steps in time with your own forces, or with held ones.
    precision : str
        "double" or "float".
    parameters : sequence of str, optional
        Numbers of the model (see `supple.symbolic.parameter_names`) that the library's user can set, as members of a
        structure; all others are constants.
    frames : sequence of str, optional
        Frames of functions about frames; all bodies without it.
    name : str, optional
        In front of all names of the library, and of its files; the model's name without it.
    start : (q, v), optional
        State from which the program that uses the library begins; the model's neutral state without it.

    Examples
    --------
    >>> import tempfile
    >>> from supple import Mechanism, RigidBody
    >>> mech = Mechanism("pendulum")
    >>> mech.add_body("arm", RigidBody(1.0, com=(0, 0, -0.5)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = c_library(mech.build(), folder, ["forward_dynamics"], parameters=["arm.mass"])
    ...     print(*sorted(path.name for path in written.iterdir()))
    CMakeLists.txt README.md pendulum.c pendulum.h pendulum_main.c
    """
    model = floating_frames(model, "c_library")
    if precision not in PRECISIONS:
        raise StateError(f"c_library: no precision {precision!r}{one_of(PRECISIONS)}")
    if model.nv == 0:
        raise StateError(f"c_library: model {model.name!r} has no degrees of freedom")
    wanted = _chosen(model, functions)
    prefix = _prefix(model.name if name is None else name)
    numbers = LibraryNumbers(model, _names(parameters or (), "parameters"), _frames(model, frames))
    q, v = _start(model, start)
    if precision == "float" and DERIVATIVES in wanted:
        _require_independent(model, q)
    made = [_made(numbers, x) for x in _needed(model, wanted)]
    library = CLibrary(prefix, CPrecision(precision), numbers, made, INTEGRATOR in wanted)
    step = _example_step(model, q, v) if library.integrator else LONGEST_STEP
    texts = {
        f"{prefix}.h": header(library),
        f"{prefix}.c": source(library),
        f"{prefix}_main.c": main_text(library, (q.tolist(), v.tolist()), step),
        "CMakeLists.txt": cmake_text(library),
        "README.md": readme_text(library),
    }
    return _written(Path(folder), texts)


def _names(given: Sequence[str], what: str) -> list[str]:
    """A sequence of names, each once."""
    if isinstance(given, str) or not all(isinstance(x, str) for x in given):
        raise StateError(f"c_library: {what}: expected a sequence of names, got {given!r}")
    for i, x in enumerate(given):
        if x in given[:i]:
            raise StateError(f"c_library: {what}: {x!r} stands twice")
    return list(given)


def _chosen(model: Model, functions: Sequence[str]) -> list[str]:
    """The functions that are asked for, refused where the model does not have them."""
    found = _names(functions, "functions")
    if not found:
        raise StateError("c_library: functions: expected at least one, got none")
    for x in found:
        if x != STEPPED:
            require_function(x, STEPPED)
            require_made(model, x, "c_library")
        elif model.loops is None:
            raise StateError(f"c_library: {x}: model {model.name!r} has no closed loops")
    return found


def _require_independent(model: Model, q: Floats) -> None:
    """Refuse derivatives in single precision where constraint equations are redundant: rounding would swamp them."""
    if model.loops is not None and model.loops.redundancy(model.loops.jacobian(q)).rank < len(model.loops):
        raise StateError(
            f"c_library: {DERIVATIVES}: model {model.name!r} has redundant constraints, expected precision 'double'"
        )


def _needed(model: Model, wanted: Sequence[str]) -> list[str]:
    """The functions that are printed: those that are asked for, and those that steps in time call."""
    stepping = ["forward_dynamics", "derivative", *(["close_loops"] if model.loops is not None else [])]
    return list(dict.fromkeys(y for x in wanted for y in (stepping if x == INTEGRATOR else [x])))


def _made(numbers: LibraryNumbers, what: str) -> CFunction:
    """A function; models whose blocks would be many are refused."""
    structure, model = numbers.structure, numbers.model
    fits = structure.fits()
    if what in MATRICES:
        fits = structure.differentiable() and (what == DERIVATIVES or rows_quickly_made(numbers.tree))
    if not fits:
        raise StateError(
            f"c_library: {what}: too large, model {model.name!r} has {len(model.bodies)} bodies and {model.nv} speeds"
        )
    if what == DERIVATIVES:
        return derivatives(numbers)
    return close_loops(numbers) if what == STEPPED else of_the_table(numbers, what)


def _prefix(name: str) -> str:
    """A name as C takes it, in small letters."""
    if not checked_text(name, "c_library: name").strip():
        raise StateError("c_library: name: expected a name, got an empty one")
    (found,) = identifiers([name.strip().lower()], {*RESERVED, *HEADERS}).values()
    return found


def _frames(model: Model, frames: Sequence[str] | None) -> list[str]:
    """The frames of functions about frames, which are those of all bodies if none are chosen."""
    if frames is None:
        return list(model.bodies)
    found = _names(frames, "frames")
    if not found:
        raise StateError("c_library: frames: expected at least one, got none")
    for x in found:
        model.find_frame(x)
    return found


def _start(model: Model, start: tuple[ArrayLike, ArrayLike] | None) -> tuple[Floats, Floats]:
    """The state from which the example begins, its loops closed."""
    q, v = (model.neutral(), np.zeros(model.nv)) if start is None else start
    (q_, v_), _, _ = model.batch(q=(q, model.nq), v=(v, model.nv))
    if model.loops is None:
        return q_[0], v_[0]
    closed = model.loops.assemble(q_[0])
    return closed, model.loops.consistent(closed, v_[0])


def _example_step(model: Model, q: Floats, v: Floats) -> float:
    """A step of the example: a third of the time in which the fastest small motion turns by a radian, or less."""
    tau = np.zeros(model.nv)

    def by_position(x: Floats) -> Floats:
        ends = [model.forward_dynamics(model.integrate(q, x, h), v, tau) for h in (SMALL, -SMALL)]
        return (ends[0] - ends[1]) / (2 * SMALL)

    def by_speed(x: Floats) -> Floats:
        ends = [model.forward_dynamics(q, v + h * x, tau) for h in (SMALL, -SMALL)]
        return (ends[0] - ends[1]) / (2 * SMALL)

    fastest = max(np.sqrt(_growth(by_position, model.nv)), _growth(by_speed, model.nv))
    return float(f"{min(LONGEST_STEP, 1 / (3 * fastest)) if fastest > 0 else LONGEST_STEP:.0e}")


def _growth(change: Callable[[Floats], Floats], count: int) -> float:
    """The size of the largest eigenvalue of a linear map, by its powers."""
    x, size = np.random.default_rng(0).normal(size=count), 0.0
    for _ in range(POWERS):
        x = change(x / np.linalg.norm(x))
        size = float(np.linalg.norm(x))
        if not 0 < size < np.inf:
            return 0.0
    return size


def _written(folder: Path, texts: Mapping[str, str]) -> Path:
    """All files, or none of them."""
    there = folder.is_dir()
    for file in texts:
        if (folder / file).is_dir():
            raise FileFormatError(f"{folder / file}: cannot be written: Is a directory")
    try:
        folder.mkdir(exist_ok=True)
        with ExitStack() as stack:
            drafts = [(stack.enter_context(draft_of(folder / file)), text) for file, text in texts.items()]
            for draft, text in drafts:
                draft.write_text(text, encoding="ascii", newline="\n")
    except OSError as error:
        if not there:
            with suppress(OSError):
                folder.rmdir()
        raise FileFormatError(f"{folder}: cannot be written: {error.strerror or error}") from None
    return folder
