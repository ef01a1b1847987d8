"""The table of a model file that says in which formulation its mechanism is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from supple.erls.mode_choice import ModeChoice
from supple.errors import ModelError, nearest
from supple.files.file_table import FileTable, Form, MaybePositive, Truth
from supple.formulations import SHORT_NAMES, Formulation
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody

Count = Annotated[int, Strict(), Field(ge=0)]
Names = list[Annotated[str, Field(min_length=1)]]
KEYS = {"modes": "count"}
"""Keys of a file that are called otherwise in `ModeChoice`."""


class LinkModesTable(FileTable):
    """Which elastic modes links keep, as equivalent rigid links alone do; see `supple.erls.ModeChoice`."""

    modes: Annotated[Count | None, Form("a whole number, zero or more")] = Field(
        None, description="How many elastic modes a link keeps at most; all if not given."
    )
    bandwidth: MaybePositive = Field(None, description="Highest natural frequency of the free link that is kept, Hz.")
    ranking: Annotated[Literal["frequency", "compliance"], Form('"frequency" or "compliance"')] = Field(
        "frequency",
        description="Which modes come first: the slowest, or those that yield most to forces at the joints.",
    )
    numbers: Annotated[list[Annotated[int, Strict(), Field(ge=1)]] | None, Form("a list of whole numbers")] = Field(
        None, description="In place of these three: the modes by number, 1 being the slowest."
    )
    static: Annotated[Annotated[bool, Strict()] | Names, Form("true, false, or a list of frames of the body")] = Field(
        False,
        description="Keep what the other modes yield statically to forces at the joints of a link, or at these frames.",
    )

    def choice(self) -> ModeChoice:
        """The choice of modes."""
        given = {key: getattr(self, key) for key in LinkModesTable.model_fields if key in self.model_fields_set}
        return ModeChoice(**{KEYS.get(key, key): x for key, x in given.items()})


class FormulationTable(LinkModesTable):
    """In which formulation the mechanism is simulated; the other keys are those of equivalent rigid links.

    Results files remember it, and a caller's choice takes the place of `name`.
    """

    name: Annotated[Literal["floating", "erls"], Form('"floating" or "erls"')] = Field(
        description='"floating": floating frames, as without this table; "erls": equivalent rigid links.'
    )
    printed: Truth = Field(
        False, description="Equivalent rigid links by the equations as they are printed, with which energy drifts."
    )
    links: Annotated[dict[str, LinkModesTable], Form("a table of tables such as { fore = { modes = 2 } }")] = Field(
        {}, description="Bodies that keep others than these modes, by name."
    )

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Floating frames keep the modes that their bodies have."""
        for key in sorted(data.keys() - {"name"}):
            if data.get("name") == "floating" and key in cls.model_fields:
                yield key, 'expected only with name = "erls", got it with "floating": bodies say their modes themselves'

    def settings(self, model: Model) -> dict[str, Any]:
        """What the formulation is restored from."""
        bodies = model.description.bodies
        for name in self.links:
            if name not in bodies:
                raise ModelError(f"links: no body {name!r}{nearest(name, bodies)}")
            if not isinstance(bodies[name].body, FlexibleBody):
                raise ModelError(f"links: expected flexible bodies, got {name!r}, which is rigid and has no modes")
        choices = {name: self.links.get(name, self).choice().settings() for name in bodies}
        return {"modes": choices, "printed": self.printed} if self.name == "erls" else {}


def formulated(model: Model, table: FormulationTable | None, name: str | None = None) -> Formulation:
    """A model in the formulation of a table, or of a short name that takes the place of the table's.

    Raises
    ------
    ModelError
        If the formulation does not take the mechanism.
    """
    kind = name or (table.name if table is not None else "floating")
    if kind not in SHORT_NAMES:
        raise ModelError(f"formulation: expected one of {', '.join(SHORT_NAMES)}, got {kind!r}")
    own = table if table is not None and table.name == kind else FormulationTable.model_validate({"name": kind})
    return SHORT_NAMES[kind].restored(model, own.settings(model))


def formulation_pairs(model: Formulation) -> list[tuple[str, Any]]:
    """Keys and values of the table of a model, for writing; none for floating frames."""
    short = next(name for name, kind in SHORT_NAMES.items() if kind.formulation == model.formulation)
    settings = model.formulation_settings()
    if not settings:
        return []
    words = {x: key for key, x in KEYS.items()}
    links = {}
    flexible = [name for name, placed in model.description.bodies.items() if isinstance(placed.body, FlexibleBody)]
    for name in flexible:
        kept = settings["modes"][name]
        own = {"count": kept} if isinstance(kept, int) else kept
        links[name] = {words.get(key, key): x for key, x in own.items()}
    printed = [("printed", True)] if settings.get("printed") else []
    return [("name", short), *printed, ("links", links)]
