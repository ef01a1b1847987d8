"""The command line: supple run, view, compare, equations, modes, info, check, bench."""

from __future__ import annotations

import sys
import warnings

from rich.markup import escape

import supple
from supple.cli import compare, equations, run, show, view  # noqa: F401  each adds its commands
from supple.cli.console import app, err, out

__all__ = ["app", "err", "main", "out"]


def main() -> None:
    """Entry point: what went wrong is said in one line, without a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.showwarning = lambda message, *_: err.print(
            f"note: {message}", highlight=False, markup=False, soft_wrap=True
        )
        try:
            app()
        except (supple.SuppleError, OSError) as error:
            err.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
            sys.exit(1)
