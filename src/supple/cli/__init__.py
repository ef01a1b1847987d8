"""The command line: supple run, sweep, view, render, plot, export, import, compare, equations, modes, info, ..."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

from rich.text import Text
from typer.core import TyperGroup

import supple
from supple.cli.console import as_options, err, escaped, options_of, out, say

__all__ = ["command", "err", "main", "out"]

HOMES = {
    "compare": "compare",
    "equations": "equations",
    "run": "run",
    "sweep": "sweep",
    "fit": "fit",
    "modes": "modes",
    "info": "show",
    "check": "show",
    "bench": "show",
    "view": "view",
    "render": "render",
    "plot": "plot",
    "export": "export",
    "import": "import_",
    "cache": "cache",
}
"""Commands in the order of the help, and the modules that define them."""


def command(name: str = "") -> TyperGroup:
    """The application with the command of this name; with all commands if there is none of this name.

    Only the module of that command is imported, so that no command waits for what another one needs.
    """
    for home in {HOMES[name]} if name in HOMES else dict.fromkeys(HOMES.values()):
        import_module(f"supple.cli.{home}")
    group = escaped()
    group.commands = {known: group.commands[known] for known in HOMES if known in group.commands}
    return group


def main() -> None:
    """Entry point: an error is one line, without a traceback."""
    asked = "".join(sys.argv[1:2])
    group = command(asked)
    known = options_of(group, asked)
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.simplefilter("always", supple.OmissionWarning)
        warnings.showwarning = lambda message, *_: say(f"warning: {as_options(str(message), known)}", err)
        try:
            group()
        except (supple.SuppleError, OSError) as error:
            err.print(Text.assemble(("error:", "red"), f" {as_options(str(error), known)}"), soft_wrap=True)
            sys.exit(1)
