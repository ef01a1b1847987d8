"""What all commands share: the terminal, the application, tables, common arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

app = typer.Typer(
    help="Dynamics of rigid and flexible multibody systems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console()
err = Console(stderr=True)

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf, or results that hold a model, .nc.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free what is fixed to the ground.")]


def table_of(title: str, *columns: str) -> Table:
    """An empty table, columns with > right-aligned; names are shown as they are, brackets and all."""
    table = Table(title=escape(title))
    for column in columns:
        table.add_column(column.removesuffix(">"), justify="right" if column.endswith(">") else "left")
    return table


def row(table: Table, *cells: object) -> None:
    """Add a row to a table."""
    table.add_row(*(escape(str(cell)) for cell in cells))
