"""From the changes of a case to a model and the settings of its run: of a model file, or of a model in Python."""

from __future__ import annotations

import hashlib
import inspect
import json
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from supple.errors import FileFormatError, OmissionWarning, StateError, nearest, warn
from supple.files import read_parsed
from supple.files.changes import apply_changes
from supple.files.embedding import BODIES, TEXT, embedded, embedded_model
from supple.files.relations import listed
from supple.files.sweep_paths import case_errors, require_paths
from supple.formulations import Formulation, restored, settings_of
from supple.input_files import read_bytes
from supple.model.parameters import parameter_names
from supple.simulation.simulate import simulate

START = ("q", "v")
SETTINGS = [
    name
    for name in inspect.signature(simulate).parameters
    if name not in ("model", "parts", "progress", "file", "resume", "overwrite", *START)
]
"""Settings of a run that can be varied."""


class CaseSource(Protocol):
    """What cases are made from."""

    @property
    def title(self) -> str:
        """Name of the model."""
        ...

    @property
    def text(self) -> str:
        """The model as a TOML file."""
        ...

    @property
    def digest(self) -> str:
        """Of all that the motion depends on besides the changes."""
        ...

    def require_paths(self, paths: Iterable[str]) -> None:
        """Refuse paths that nothing has, with the nearest that there are."""
        ...

    def errors(self, changes: Mapping[str, Any]) -> list[str]:
        """What is wrong with a case that can be found without a run."""
        ...

    def made(self, changes: Mapping[str, Any]) -> tuple[Formulation, dict[str, Any]]:
        """The model of a case, and the keyword arguments of its run."""
        ...


@dataclass(frozen=True)
class FileCases:
    """Cases of a model file: its text with other values.

    Attributes
    ----------
    text : str
    path : str
        Of the file, as the user wrote it.
    folder : str
        Where the file is, for what it refers to, wherever a case is run.
    changes : mapping of path to value
        Of all cases.
    """

    text: str
    path: str
    folder: str
    changes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, changes: Mapping[str, Any]) -> FileCases:
        """The cases of a file; what it refers to is looked for beside it wherever a case is run."""
        if path.suffix.lower() != ".toml":
            raise FileFormatError(f"{path}: sweep: expected a .toml file, got {path.suffix!r}; supple.save writes one")
        try:
            text = read_bytes(path).decode("utf-8")
        except UnicodeDecodeError:
            raise FileFormatError(f"{path}: expected UTF-8 text, got other bytes") from None
        found = cls(text, str(path), str(path.absolute().parent), dict(changes))
        found.warn_of_couplings()
        return found

    def warn_of_couplings(self) -> None:
        """Name joints that follow others in the file, and in no case."""
        with suppress(tomllib.TOMLDecodeError):  # an error that those say who read it
            followers = [str(x.get("follower")) for x in self.content().get("coupling", ()) if isinstance(x, dict)]
            if followers:
                said = f"{self.path}: the model leaves out mimic joints {listed(followers)}; a [[constraint]] of type"
                warn(f'{said} "gear" makes them follow', OmissionWarning)

    @property
    def title(self) -> str:
        """Name of the model."""
        return str(self.content().get("name", Path(self.path).stem))

    @property
    def digest(self) -> str:
        """Of the text and the changes."""
        return hashlib.sha256(json.dumps([self.text, self.changes]).encode()).hexdigest()

    def require_paths(self, paths: Iterable[str]) -> None:
        """Refuse paths that are neither in the file nor in its schema."""
        require_paths(self.content(), paths, Path(self.path), lambda: self.made({})[0])

    def errors(self, changes: Mapping[str, Any]) -> list[str]:
        """What does not fit the schema, and bodies that there cannot be."""
        content = self.content()
        apply_changes(content, changes, Path(self.path))
        return case_errors(content, Path(self.path))

    def made(self, changes: Mapping[str, Any]) -> tuple[Formulation, dict[str, Any]]:
        """The model and what the file says about a run."""
        file = Path(self.folder, Path(self.path).name)
        try:
            contents = read_parsed(self.content(), file, changes)
            return contents.model, contents.run_arguments()
        except FileFormatError as error:
            raise FileFormatError(str(error).replace(str(file), self.path)) from None

    def content(self) -> Any:
        """The file with the changes of all cases, parsed."""
        content = tomllib.loads(self.text)
        apply_changes(content, self.changes, Path(self.path))
        return content


@dataclass(eq=False)
class ModelCases:
    """Cases of a model in Python: other numbers of it, of its start and of its run.

    Attributes
    ----------
    model : Formulation
    settings : dict
        Keyword arguments of `supple.simulate`.
    """

    model: Formulation
    settings: Mapping[str, Any]

    @classmethod
    def changed(cls, model: Formulation, settings: Mapping[str, Any], changes: Mapping[str, Any]) -> ModelCases:
        """Cases of a model with other values in all of them."""
        given = cls(model, settings)
        try:
            given.require_paths(changes)
        except StateError as error:
            raise StateError(str(error).replace("vary: ", "changes: ", 1)) from None
        return cls(*given.made(changes))

    def __post_init__(self) -> None:
        unknown = [name for name in self.settings if name not in (*SETTINGS, *START)]
        if unknown:
            hint = nearest(unknown[0], [*SETTINGS, *START])
            raise StateError(f"supple.sweep: no argument {unknown[0]!r} of supple.simulate{hint}")

    @property
    def title(self) -> str:
        """Name of the model."""
        return self.model.name

    @property
    def text(self) -> str:
        """The model as `supple.save` writes it."""
        return str(self._image()[TEXT])

    @property
    def digest(self) -> str:
        """Of the model and all settings."""
        image = self._image()
        said = json.dumps([str(image[TEXT]), settings_of(self.model), _said(self.settings)], default=repr)
        return hashlib.sha256(said.encode() + bytes(image.get(BODIES, b""))).hexdigest()

    def require_paths(self, paths: Iterable[str]) -> None:
        """Refuse names that neither the model nor a run has."""
        for path in paths:
            self._require(path)

    def errors(self, changes: Mapping[str, Any]) -> list[str]:
        """What makes no model."""
        try:
            self.made(changes)
        except (StateError, ValueError) as error:
            return [str(error)]
        return []

    def made(self, changes: Mapping[str, Any]) -> tuple[Formulation, dict[str, Any]]:
        """The model with its numbers, and the settings with theirs."""
        settings, numbers = dict(self.settings), {}
        for path, value in changes.items():
            table, _, name = path.partition(".")
            if table == "simulation" and name.partition(".")[0] in START:
                key, _, state = name.partition(".")
                self._start(settings, key, state, value)
            elif table == "simulation":
                settings[name] = value
            elif table == "variables" and name in (settings.get("variables") or {}):
                settings["variables"] = {**settings["variables"], name: value}
            else:
                numbers[path] = value
        model: Any = self.model
        return (model.with_parameters(numbers) if numbers else model), settings

    def _start(self, settings: dict[str, Any], key: str, name: str, value: Any) -> None:
        given = settings.get(key)
        if given is None or isinstance(given, Mapping):
            settings[key] = {**(given or {}), name: value}
            return
        index = self.model.coordinate_index if key == "q" else self.model.speed_index
        settings[key] = np.array(given, dtype=float)
        settings[key][index(name)] = value

    def _require(self, path: str) -> None:
        variables = self.settings.get("variables") or {}
        numbers = parameter_names(self.model.mechanism_model()) if hasattr(self.model, "with_parameters") else []
        known = [*numbers, *(f"variables.{x}" for x in variables)]
        known += [f"simulation.{x}" for x in SETTINGS]
        known += [f"simulation.q.{x}" for x in self.model.coordinates]
        known += [f"simulation.v.{x}" for x in self.model.speeds]
        if path not in known:
            raise StateError(f"vary: model {self.model.name!r}: no {path!r}{nearest(path, known)}")

    def _image(self) -> dict[str, Any]:
        """The model as arrays and text, from which an equal one is read."""
        found = embedded(self.model.mechanism_model())
        return {key: values if key == TEXT else values.tobytes() for key, (_, values, _) in found.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {"image": self._image(), "formulation": settings_of(self.model), "settings": dict(self.settings)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        image = {key: x if key == TEXT else np.frombuffer(x, dtype=np.uint8) for key, x in state["image"].items()}
        self.model = restored(embedded_model(image), state["formulation"])
        self.settings = state["settings"]


def _said(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in words for a digest; arrays by their numbers."""
    return {key: x.tolist() if isinstance(x, np.ndarray) else x for key, x in sorted(settings.items())}
