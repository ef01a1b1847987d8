"""What all commands share: the terminal, the application, tables, common arguments.

Names of files, bodies and joints are printed as they are: no output of a command is read as markup, and no help.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperArgument, TyperGroup, TyperOption

import supple

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console(markup=False, emoji=False, highlight=False)
err = Console(stderr=True, markup=False, emoji=False, highlight=False)

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf, or results that hold a model, .nc.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free what is fixed to the ground.")]


def command() -> TyperGroup:
    """The application with its commands; brackets in their help texts are text, not markup."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for part in (group, *group.commands.values()):
        part.help = escape(part.help or "")
        for parameter in part.params:
            if isinstance(parameter, TyperOption | TyperArgument) and parameter.help:
                parameter.help = escape(parameter.help)
    return group


def _show_version(asked: bool) -> None:
    if asked:
        say(f"supple {supple.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Dynamics of rigid and flexible multibody systems."""


def say(line: str, console: Console = out) -> None:
    """Print a line as it is, of any length."""
    console.print(line, soft_wrap=True)


def table_of(title: str, *columns: str) -> Table:
    """An empty table, columns with > right-aligned."""
    table = Table(title=title)
    for column in columns:
        table.add_column(column.removesuffix(">"), justify="right" if column.endswith(">") else "left")
    return table


def row(table: Table, *cells: object) -> None:
    """Add a row to a table."""
    table.add_row(*map(str, cells))
