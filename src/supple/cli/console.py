"""What all commands share: the terminal, the application, tables, common arguments.

Names of files, bodies and joints are printed as they are: no output of a command is read as markup, and no help.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
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

BETWEEN = 60.0
"""Seconds between lines that say how far a command is."""

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf, or results that hold a model, .nc.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free the base that the file fixes to the ground.")]

Collision = Annotated[
    bool, typer.Option("--collision", help="Of a robot, .urdf, draw the collision geometry and not the visual one.")
]

Limits = Annotated[
    bool | None,
    typer.Option(
        "--limits/--no-limits",
        help="Take the joint limits as stops; by default those of a .toml or results file, not those of a robot.",
    ),
]

Mimic = Annotated[bool | None, typer.Option("--mimic/--no-mimic", help="Take mimic joints and couplings as gears.")]

Formulated = Annotated[
    str | None,
    typer.Option("--formulation", help=f"{' or '.join(SHORT_NAMES)}; by default what the file says."),
]


Changed = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value of the file: body.arm.mass=2, simulation.duration=5, body[2].com=[0, 0, 1]; repeatable. "
        "Of a robot or results settings of the run alone, such as simulation.q.arm.angle=0.5.",
    ),
]


INTEGRATOR_OPTIONS = ("step", "rtol", "atol")
"""Keys of a file that belong to its integrator."""


class Lines:
    """A line on the error output now and then, where that is no terminal: a long command must not look dead.

    Parameters
    ----------
    what : str
        The work in progress: "simulating".
    clock : function
        Gives seconds.
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._last = clock()

    def show(self, share: float, shown: str = "") -> None:
        """Say how much is done, if the last line is a minute old."""
        if not err.is_terminal and self._clock() - self._last >= BETWEEN:
            self._last = self._clock()
            say(f"{self._what}: {share:.0%}{f', {shown}' if shown else ''}", err)


def changes_of(texts: list[str] | None) -> dict[str, Any]:
    """Values by path that --set gives; of equal paths the last counts."""
    return dict(map(read_change, texts or ()))


def refuse_of_results(file: Path, options: Mapping[str, Any]) -> None:
    """Raise, by name, for options about a model; None, and False of a flag, are not given."""
    for name, x in options.items():
        negative = x is False and name in ("limits", "mimic")
        if x or negative:
            option = f"--{'no-' if negative else ''}{name.replace('_', '-')}"
            raise supple.StateError(f"{file}: {option}: expected a model file, .toml or .urdf, got results")


def overridden(settings: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run with those of the command line; None is not given.

    An integrator that is named replaces that of the file with all its options.
    """
    own = {} if given.get("integrator") is None else dict.fromkeys(("integrator", *INTEGRATOR_OPTIONS))
    kept = {key: x for key, x in settings.items() if key not in own}
    return kept | {key: x for key, x in given.items() if x is not None}


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
    """An empty table, columns with > right-aligned.

    On a narrow terminal names go on in the next line: they often differ at their ends.
    """
    table = Table(title=title)
    for column in columns:
        table.add_column(column.removesuffix(">"), justify="right" if column.endswith(">") else "left", overflow="fold")
    return table


def row(table: Table, *cells: object) -> None:
    """Add a row to a table."""
    table.add_row(*map(str, cells))
