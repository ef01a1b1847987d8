"""What all commands share: the terminal, the application, tables, common arguments.

Names of files, bodies and joints are printed as they are: no output of a command is read as markup, and no help.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperArgument, TyperGroup, TyperOption

import supple
from supple.files.changes import read_change
from supple.formulations import SHORT_NAMES

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console(markup=False, emoji=False, highlight=False)
err = Console(stderr=True, markup=False, emoji=False, highlight=False)

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf, or results that hold a model, .nc.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free the base that the file fixes to the ground.")]

Collision = Annotated[
    bool, typer.Option("--collision", help="Of a robot, .urdf, draw the collision geometry and not the visual one.")
]

Formulated = Annotated[
    str | None,
    typer.Option("--formulation", help=f"{' or '.join(SHORT_NAMES)}; by default what the file says."),
]


Changed = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value of the file: body.arm.mass=2, simulation.duration=5, body[2].com=[0, 0, 1]; repeatable.",
    ),
]


def changes_of(texts: list[str] | None) -> dict[str, Any]:
    """Values by path that --set gives; of equal paths the last counts."""
    return dict(map(read_change, texts or ()))


def escaped() -> TyperGroup:
    """The application with the commands that are imported; brackets in their help texts are text, not markup."""
    return _escaped(len(app.registered_commands))


@cache
def _escaped(commands: int) -> TyperGroup:
    """Made once for so many commands: all signatures and help texts are read for it."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for part in (group, *group.commands.values()):
        part.help = escape(part.help or "")
        for parameter in part.params:
            if isinstance(parameter, TyperOption | TyperArgument) and parameter.help:
                parameter.help = escape(parameter.help)
    return group


def options_of(group: TyperGroup, name: str) -> set[str]:
    """Names of the arguments that a command takes as options, "floating_base" for --floating-base; none if unknown."""
    parameters = group.commands[name].params if name in group.commands else ()
    return {parameter.name for parameter in parameters if isinstance(parameter, TyperOption) and parameter.name}


def as_options(message: str, known: set[str]) -> str:
    """A message of the library in words of the command: its advice `resume=True` is --resume here.

    >>> as_options("resume=True continues it", {"resume"})
    '--resume continues it'
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in known:
            return found[0]
        return f"--{'no-' if value == 'False' else ''}{name.replace('_', '-')}"

    return re.sub(r"\b([a-z_]+)=(True|False)\b", option, message)


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
