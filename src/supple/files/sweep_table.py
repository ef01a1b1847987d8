"""The table of a model file that says how it is swept: what is varied, and what is measured of each case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from supple.errors import StateError
from supple.files.file_table import FileTable, Form, MaybePositive, Number, Text
from supple.inputs.measure_formulas import MeasureFormula
from supple.sampling.distributions import is_specification, read_quantity

SPECIFICATION = 'a table of specifications by path, such as { "body.arm.mass" = { uniform = [0.8, 1.2] } }'
Whole = Annotated[int, Strict(), Field(ge=0)]


def joined_paths(x: Any) -> Any:
    """Specifications by path, also of paths that were written without quotes and became tables in tables."""
    if not isinstance(x, dict):
        return x
    out: dict[str, Any] = {}
    for key, inner in x.items():
        nested = isinstance(inner, dict) and inner and all(isinstance(y, dict) for y in inner.values())
        if nested and not is_specification(inner):
            out |= {f"{key}.{rest}": y for rest, y in joined_paths(inner).items()}
        else:
            out[key] = inner
    return out


class SweepTable(FileTable):
    """What `supple sweep` does with the model: the arguments of `supple.sweep`."""

    vary: Annotated[dict[str, Any], BeforeValidator(joined_paths), Form(SPECIFICATION)] = Field(
        {},
        description='What is varied, by its path in the file: `"body.arm.mass" = { uniform = [0.8, 1.2] }`. See '
        "Distributions.",
    )
    table: Annotated[str | None, Form("a text")] = Field(
        None,
        description="In place of `vary`: a CSV file beside the model file, paths in its first line and a case in each "
        "other.",
    )
    measure: Annotated[dict[str, str], Form("a table of formulas by name")] = Field(
        {}, description='What is kept of each case: `peak = "max(abs(arm.angle))"`. See Measures.'
    )
    sampler: Annotated[
        Literal["grid", "list", "lhs", "sobol", "halton", "random", "saltelli", "table"] | None,
        Form('"grid", "list", "lhs", "sobol", "halton", "random", "saltelli" or "table"'),
    ] = Field(
        None,
        description="All combinations of values; values line by line; points of a Latin hypercube, of a scrambled "
        "Sobol or Halton sequence, or independent ones; Saltelli's scheme for Sobol indices. By default grid of values "
        "and ranges, else lhs.",
    )
    samples: Annotated[Annotated[int, Strict(), Field(ge=1)] | None, Form("a whole number, one or more")] = Field(
        None, description="Number of cases, of samplers that draw points; of saltelli of groups of d + 2, a power of 2."
    )
    seed: Annotated[Whole, Form("a whole number, zero or more")] = Field(0, description="Of all that is random.")
    together: Annotated[list[Annotated[list[Text], Field(min_length=2)]], Form("lists of two or more paths")] = Field(
        [], description="Groups of paths that vary together."
    )
    correlation: Annotated[list[tuple[Text, Text, Number]], Form("a list of [path, path, number]")] = Field(
        [], description="Correlations of two paths: of their normal scores, -1 to 1."
    )
    trajectories: Annotated[list[Text], Form("a list of texts")] = Field(
        [], description='Variables ("q") or signals ("arm.angle") of the results to keep over time.'
    )
    timeout: MaybePositive = Field(None, description="Time after which a case is given up, s.")

    @classmethod
    def conflicts(cls, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Specifications and formulas that cannot be read."""
        if ("vary" in data) == ("table" in data):
            yield "", f"expected either vary or table, got {'both' if 'vary' in data else 'neither'}"
        vary, measure = joined_paths(data.get("vary")), data.get("measure")
        for path, spec in vary.items() if isinstance(vary, dict) else ():
            try:
                read_quantity(spec, repr(path))
            except StateError as error:
                yield "vary", str(error)
        for name, text in measure.items() if isinstance(measure, dict) else ():
            try:
                MeasureFormula(text, repr(name)) if isinstance(text, str) else None
            except StateError as error:
                yield "measure", str(error)

    def arguments(self) -> dict[str, Any]:
        """What the file gives, as keyword arguments of `supple.sweep`."""
        return self.model_dump(exclude_unset=True)


class SweptFile(FileTable):
    """The part of a file that has this table."""

    sweep: Annotated[SweepTable, Form("a table")] = Field(description="What `supple sweep` does.")
