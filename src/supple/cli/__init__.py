"""The command line: supple run, view, compare, equations, modes, info, check, bench."""

from __future__ import annotations

import sys
import warnings

from rich.text import Text

import supple
from supple.cli import compare, equations, run, show, view  # noqa: F401  each adds its commands
from supple.cli.console import app, command, err, out, say

__all__ = ["app", "command", "err", "main", "out"]


def main() -> None:
    """Entry point: what went wrong is said in one line, without a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.simplefilter("always", supple.OmissionWarning)
        warnings.showwarning = lambda message, *_: say(f"note: {message}", err)
        try:
            command()()
        except (supple.SuppleError, OSError) as error:
            err.print(Text.assemble(("error:", "red"), f" {error}"), soft_wrap=True)
            sys.exit(1)
