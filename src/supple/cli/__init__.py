"""The command line: supple run, view, compare, equations, modes, info, check, bench, cache."""

from __future__ import annotations

import sys
import warnings

from rich.text import Text

import supple
from supple.cli import cache, compare, equations, run, show, view  # noqa: F401  each adds its commands
from supple.cli.console import app, as_options, command, err, options_of, out, say

__all__ = ["app", "command", "err", "main", "out"]


def main() -> None:
    """Entry point: an error is one line, without a traceback."""
    group = command()
    known = options_of(group, "".join(sys.argv[1:2]))
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.simplefilter("always", supple.OmissionWarning)
        warnings.showwarning = lambda message, *_: say(f"warning: {as_options(str(message), known)}", err)
        try:
            group()
        except (supple.SuppleError, OSError) as error:
            err.print(Text.assemble(("error:", "red"), f" {as_options(str(error), known)}"), soft_wrap=True)
            sys.exit(1)
