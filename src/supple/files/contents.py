"""A file that was read once: its model, and what it says about runs and equations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.files.equations import EquationsTable
from supple.files.relations import listed
from supple.files.schema import ModelFile, run_alone
from supple.files.vector_schema import VectorFile
from supple.model.model import Model


@dataclass(frozen=True, eq=False)
class Contents:
    """What a model file holds; made by `supple.files.read`.

    Attributes
    ----------
    path : Path
    model : Model, ErlsModel or KaneModel
    tables : ModelFile, VectorFile or None
        The tables of a TOML file; other formats hold a model alone.
    """

    path: Path
    model: Model
    tables: ModelFile | VectorFile | None = None

    def run_arguments(self) -> dict[str, Any]:
        """What the file says about a run, as keyword arguments of `supple.simulate`; files beside it are read now."""
        return {} if self.tables is None else self.tables.run_arguments(self.path.parent)

    def beside_model(self) -> list[str]:
        """Return in words what the file says about the motion in runs that is no part of the model, stops apart."""
        named = {} if self.tables is None else run_alone(self.tables)
        return [f"{kind} {listed(names)}" for kind, names in named.items()]

    def stops(self) -> list[str]:
        """Return the coordinates that have stops in runs: those of the model, and what tables of the file add."""
        own = [x.coordinate for x in self.tables.limit] if isinstance(self.tables, ModelFile) else []
        return list(dict.fromkeys([*(x.coordinate for x in self.model.description.limits), *own]))

    def slider_ranges(self) -> dict[str, tuple[float, float]]:
        """Ranges that the file gives for what can be set on its live page, by name."""
        table = None if self.tables is None else self.tables.live
        return {} if table is None else {name: (low, high) for name, (low, high) in table.sliders.items()}

    def equation_arguments(self) -> dict[str, Any]:
        """What the file says about its equations, as keyword arguments of `supple.equations`."""
        table = None if self.tables is None else self.tables.equations
        return table.arguments() if isinstance(table, EquationsTable) else {}
