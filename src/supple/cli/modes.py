"""supple modes: the natural modes of a model file."""

from __future__ import annotations

from typing import Annotated

import typer

from supple.cli.console import File, Floating, Formulated, app, say
from supple.files import read
from supple.linear import modes_report


@app.command()
def modes(
    file: File,
    static: Annotated[bool, typer.Option("--static", help="Find the static equilibrium first.")] = False,
    fixed: Annotated[
        list[str] | None, typer.Option(help="Coordinate, or body whose joint is held; repeatable.")
    ] = None,
    count: Annotated[int, typer.Option(help="How many modes to show.")] = 20,
    floating_base: Floating = False,
    formulation: Formulated = None,
) -> None:
    """Show the natural modes of a model about its neutral configuration or its static equilibrium."""
    model = read(file, floating_base, formulation=formulation).model
    text = modes_report(model, static=static, fixed=fixed or (), count=count)
    say(text)
