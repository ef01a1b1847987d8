"""Model files: TOML, URDF, and results with the model inside."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from supple.call_checks import checked
from supple.description.description import D
from supple.description.joints import Fixed, Free
from supple.description.members import GROUND
from supple.description.rewriting import free_base
from supple.errors import FileFormatError, ModelError, OmissionWarning, unexpected, warn
from supple.files import embedding, toml, urdf, vector_files
from supple.files.changes import apply_changes
from supple.files.contents import Contents
from supple.files.error_list import as_path, lines_of
from supple.files.formulation import FormulationTable, formulated
from supple.files.relations import related, unrelated
from supple.files.sweep_paths import sweep_errors
from supple.formulations import FORMULATIONS, SHORT_NAMES, Formulation, floating_frames
from supple.input_files import require_file
from supple.model.mechanism import Mechanism
from supple.model.model import Model
from supple.symbolic.kane.kane_model import KaneModel

__all__ = ["Contents", "check", "load", "read", "read_parsed", "save"]

SUFFIXES = (".toml", ".urdf", ".nc")
STRUCTURE = 'a [[structure]] table of type "import" in a .toml file reads it'
OTHERS = {
    ".xml": "MuJoCo models are not read; a URDF must be named .urdf",
    ".sdf": "SDFormat is not read; convert the model to URDF",
    ".xacro": "expand it to a .urdf file: xacro model.xacro > model.urdf",
    ".h5": "`flexible = { file = ... }` in a .toml file reads a flexible body",
    **dict.fromkeys((".inp", ".mtx", ".op2", ".op4", ".pch", ".fem"), STRUCTURE),
}
"""Advice about files that are no models, by suffix."""


class _Options(NamedTuple):
    """How a file becomes a model: the arguments of `load`."""

    floating_base: bool = False
    merge_fixed: bool = True
    joint_damping: bool = False
    limits: bool | None = None
    mimic: bool | None = None
    formulation: str | None = None
    changes: Mapping[str, Any] | None = None
    collision: bool = False
    alone: bool = False
    """Whether the model alone is requested, without what the file says about runs."""


@checked
def load(
    path: str | os.PathLike[str],
    floating_base: bool = False,
    merge_fixed: bool = True,
    joint_damping: bool = False,
    limits: bool | None = None,
    mimic: bool | None = None,
    formulation: str | None = None,
    changes: Mapping[str, Any] | None = None,
    collision: bool = False,
) -> Model:
    """Load the model that a file describes, without what its tables say about runs.

    Parameters
    ----------
    path : path-like
        A `.toml` model file, a `.urdf` robot description, or a `.nc` results file, which has its model inside; what was
        simulated as equivalent rigid links comes back as such, as a `supple.erls.ErlsModel`. What describes a system
        of vectors is a `supple.symbolic.KaneModel`.
    floating_base : bool
        Free the bodies that the file fixes to the ground (in URDF the root link).
    merge_fixed : bool
        URDF: make links on fixed joints part of the link that carries them; their names go on as names of frames. In
        TOML, bodies on fixed joints always stay bodies: they are there because the author wants their joint wrenches.
    joint_damping : bool
        URDF: take the damping of `<dynamics>` as joint dampers. Off, since other tools leave it out of the dynamics.
    limits : bool, optional
        Take `lower` and `upper` of URDF's `<limit>`, or the `[[limit]]` tables of TOML, as stops that `supple.simulate`
        acts on. By default they are left out with an `OmissionWarning`.
    mimic : bool, optional
        Take URDF's `<mimic>`, or the `[[coupling]]` tables of TOML, as gears: constraints between the coordinates. By
        default they are left out with an `OmissionWarning`.
    formulation : str, optional
        "floating" for floating frames or "erls" for equivalent rigid links, a `supple.erls.ErlsModel`; by default what
        the file says.
    changes : mapping of path to value, optional
        TOML: values of the file that are replaced before it is read, by paths such as "body.arm.mass": see
        `supple.files.changes`. Of other files, keys of the table [simulation], "simulation.q.arm.angle".
    collision : bool
        URDF: draw links as their collision geometry instead of the visual one.

    Raises
    ------
    FileFormatError
        With every error that was found, a line each: file, place in the file, expected and got.

    Warns
    -----
    OmissionWarning
        Once, if the file says more about the motion than the model holds, with the names: actuators, controllers,
        motions, wrenches by formulas, events, limits, the start, mimic joints. `supple.files.read` gives these too.
    """
    options = _Options(floating_base, merge_fixed, joint_damping, limits, mimic, formulation, changes, collision, True)
    return _contents(path, options).model


@checked
def read(
    path: str | os.PathLike[str],
    floating_base: bool = False,
    limits: bool | None = None,
    mimic: bool | None = None,
    formulation: str | None = None,
    changes: Mapping[str, Any] | None = None,
    collision: bool = False,
) -> Contents:
    """The model that a file describes, with what the file says about runs and equations.

    Parameters
    ----------
    path, floating_base, limits, mimic, formulation, changes, collision
        As for `load`.
    """
    options = _Options(
        floating_base, limits=limits, mimic=mimic, formulation=formulation, changes=changes, collision=collision
    )
    return _contents(path, options)


def _contents(path: str | os.PathLike[str], options: _Options) -> Contents:
    """What `load` and `read` give, by the suffix of the file."""
    file = as_path(path)
    suffix = _suffix(file)
    _require_text(file, suffix, options.changes)
    if options.collision and suffix != ".urdf":
        raise FileFormatError(f"{file}: collision: expected a .urdf file, which has collision geometry, got {suffix}")
    if suffix == ".urdf":
        read = urdf.read(file, options.joint_damping, bool(options.limits), options.collision)
        mech = related(read, file, options.limits, options.mimic)
        model = (free_base(mech) if options.floating_base else mech).build(options.merge_fixed)
        found = _with_run(file, _formulated(file, model, None, options), options)
        named = found.beside_model() if options.alone else []
        _warn(file, [*named, *unrelated(read, options.limits, options.mimic)])
        return found
    if suffix == ".nc":
        return _with_run(file, _simulated(file, options), options)
    found, left_out = _described(toml.parsed(file), file, options)
    _warn(file, left_out, "; supple.files.read has them as run_arguments()" if options.alone else "")
    return found


def _with_run(file: Path, model: Model, options: _Options) -> Contents:
    """Return a model whose file says nothing of runs, with the settings of a run that changes give."""
    if not options.changes:
        return Contents(file, model)
    content: dict[str, Any] = {}
    apply_changes(content, options.changes, file)
    tables = toml.run_tables(content, file)
    errors = [f"simulation: {error}" for error in tables.simulation.errors(model)] if tables.simulation else []
    if errors:
        raise FileFormatError("\n".join(f"{file}: {error}" for error in errors))
    return Contents(file, model, tables)


def _warn(file: Path, left_out: list[str], advice: str = "") -> None:
    """Name what changes the motion and is no part of the model."""
    if left_out:
        warn(f"{file}: the model leaves out {', '.join(left_out)}{advice}", OmissionWarning)


def read_parsed(content: Any, path: str | os.PathLike[str], changes: Mapping[str, Any]) -> Contents:
    """Return what `read` gives of a TOML file that was parsed already, without its warnings.

    Parameters
    ----------
    content : tables, lists, texts and numbers
        Changed in place.
    path : path-like
        Of the file: for messages, and for the files that it names.
    changes : mapping of path to value
    """
    return _described(content, as_path(path), _Options(changes=changes))[0]


def _described(content: Any, file: Path, options: _Options) -> tuple[Contents, list[str]]:
    """Return what the tables of a TOML file describe, changes applied, and the names of what is left out of it."""
    apply_changes(content, options.changes or {}, file)
    if vector_files.describes_vectors(content):
        found = _vectors(content, file, options)
        return found, found.beside_model() if options.alone else []
    tables, read = toml.read(file, content=content)
    if options.limits is False:
        tables = tables.model_copy(update={"limit": []})
    mech = related(read, file, options.limits, options.mimic)
    model = (_freed(mech, file) if options.floating_base else mech).build()
    found = Contents(file, _formulated(file, model, tables.formulation, options), tables)
    # What `read` gives has the stops among its run arguments.
    limits = options.limits if options.alone else False
    return found, [*(found.beside_model() if options.alone else ()), *unrelated(read, limits, options.mimic)]


def _formulated(file: Path, model: Model, table: FormulationTable | None, options: _Options) -> Model:
    """The model in the formulation that the file, or the caller, says."""
    try:
        # Both formulations have the names of Model.
        return cast(Model, formulated(model, table, options.formulation))
    except ModelError as error:
        raise FileFormatError(f"{file}: formulation: {str(error).removeprefix('formulation: ')}") from None


def _vectors(content: Any, file: Path, options: _Options) -> Contents:
    """Return a system of vectors, which has no base to be freed and no couplings."""
    tables, model = vector_files.read(content, file)
    if options.floating_base or options.mimic or options.formulation:
        model.floating_frames("load with floating_base, mimic or formulation")
    return Contents(file, cast(Model, model), tables)  # it has the names of Model


def _simulated(file: Path, options: _Options) -> Model:
    """The model inside a results file; the stops of the run that the file holds are its model's."""
    model = embedding.read(file)
    if options.floating_base or options.mimic:
        floating_frames(model, "load with floating_base or mimic")
    if isinstance(model, KaneModel):
        if options.formulation:
            model.floating_frames("load with a formulation")
        return cast(Model, model)
    own = related(model.description, file, options.limits is not False, bool(options.mimic))
    own = _freed(own, file) if options.floating_base else own
    if options.formulation is not None and SHORT_NAMES.get(options.formulation) is not type(model):
        return _formulated(file, Model(own), None, options)
    return cast(Model, model.restored(Model(own), model.formulation_settings()))


@checked
def save(model: Mechanism | Formulation, path: str | os.PathLike[str]) -> None:
    """Write a model to a `.toml` file, from which `load` gives an equal one, in its formulation.

    Its flexible bodies go to HDF5 files beside it, `model.body.h5`; bodies that are one share one file. A system of
    vectors, a `supple.symbolic.KaneModel`, is written with its formulas.
    """
    if not isinstance(model, (Mechanism, *FORMULATIONS)):
        raise unexpected("supple.save", "a Mechanism or a Model", model)
    file = as_path(path)
    if file.suffix.lower() != ".toml":
        raise FileFormatError(f"{file}: expected a name that ends in .toml to write to, got {file.suffix!r}")
    if isinstance(model, KaneModel):
        toml.write_text(vector_files.text(model, file.parent), file)
        return
    toml.write(model, file)


@checked
def check(
    path: str | os.PathLike[str],
    changes: Mapping[str, Any] | None = None,
    more: Callable[[Any], list[str]] | None = None,
) -> list[str]:
    """Return all errors that one reading of a model file can find; empty if there are none.

    They are those for which `load` raises a `FileFormatError`, and those of what a TOML file says about its run, its
    equations, its page and its sweep, which are no part of the model that `load` returns.

    Parameters
    ----------
    path : path-like
    changes : mapping of path to value, optional
        As for `load`.
    more : function, optional
        Finds further errors in the tables of a TOML file in which there are no others.
    """
    file = as_path(path)
    try:
        _require_text(file, _suffix(file), changes)
        if _suffix(file) != ".toml":
            errors = urdf.check(file) if _suffix(file) == ".urdf" else []
            if not errors and (changes or _suffix(file) == ".nc"):
                read(file, limits=False, mimic=False, changes=changes)
            return errors
        content = toml.parsed(file)
        apply_changes(content, changes or {}, file)
        own = (
            vector_files.check(content, file) if vector_files.describes_vectors(content) else toml.check(file, content)
        )
        own = own or sweep_errors(content, file, lambda: read_parsed(copy.deepcopy(content), file, {}).model)
        return own or (more(content) if more is not None else [])
    except ModelError as error:
        return lines_of(error)


def _require_text(file: Path, suffix: str, changes: Mapping[str, Any] | None) -> None:
    """Raise for changes of a file that has no paths, except settings of runs."""
    own = [path for path in changes or () if not path.startswith("simulation.")]
    if own and suffix != ".toml":
        raise FileFormatError(
            f"{file}: changes: {own[0]!r}: expected a .toml file, or a path such as simulation.q.NAME, got {suffix!r}; "
            "supple.save writes a .toml file"
        )


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        require_file(file)
        hint = f"; {OTHERS[suffix]}" if suffix in OTHERS else ""
        raise FileFormatError(f"{file}: expected a .toml, .urdf or .nc file, got suffix {suffix!r}{hint}")
    return suffix


def _freed(mech: D, file: Path) -> D:
    """`mech` with a floating base; an error if it has none to be freed."""
    grounded = [placed for placed in mech.bodies.values() if placed.parent == GROUND]
    if not any(isinstance(placed.joint, Fixed | Free) for placed in grounded):
        found = ", ".join(f"{placed.name!r} ({placed.joint.kind})" for placed in grounded)
        raise FileFormatError(f"{file}: floating_base: expected a body fixed to the ground, got {found}")
    return free_base(mech)
