"""supple cache: the compiled code that is kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from supple.cli.console import app, err, out, row, say, table_of
from supple.engines.code_cache.code_directory import cache_directory, reason_against
from supple.engines.code_cache.code_room import MIB, CodeFile, cache_limit, code_files, remove

HOLDS = {
    "functions": "elementary functions, calls",
    "blocks": "bodies, shared by all models",
    "sweeps": "loops over models, integrators",
    "programs": "blocks in order, of one structure",
}
"""What the kinds of code are for."""


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled code, of every version.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing.")] = False,
) -> None:
    """Show the compiled code that is kept on disk, or remove it; what is removed is compiled again when it is needed.

    The environment variable SUPPLE_CACHE_DIR chooses the directory, SUPPLE_CACHE_SIZE the limit in MiB.
    """
    limit, files = cache_limit(), code_files()
    if clear:
        _clear(files, yes)
    else:
        _show(files, limit)


def _show(files: Sequence[CodeFile], limit: int) -> None:
    """Where the code is, a table of its kinds, and how much of what room it takes."""
    directory = cache_directory()
    say(f"directory: {directory}")
    table = table_of("compiled code", "kind", "holds", "files>", "MiB>", "of other versions>")
    for kind, holds in HOLDS.items():
        own = [file for file in files if file.kind == kind]
        row(table, kind, holds, len(own), _mib(own), sum(not file.current for file in own))
    out.print(table)
    stale = [file for file in files if not file.current]
    say(f"{_mib(files)} MiB of at most {limit // MIB} MiB, {_mib(stale)} MiB of other versions")
    reason = reason_against(directory) if directory.is_dir() else None
    if reason:
        say(f"warning: compiled code is not kept here: the directory {reason}", err)


def _clear(files: Sequence[CodeFile], yes: bool) -> None:
    """Remove all code, after a question."""
    if not files:
        say(f"{cache_directory()}: no compiled code")
        return
    if not yes:
        typer.confirm(f"{cache_directory()}: remove {len(files)} files, {_mib(files)} MiB?", abort=True, err=True)
    removed = remove(files)
    say(f"removed {len(removed)} files, {_mib(removed)} MiB")
    if len(removed) < len(files):
        say(f"warning: {len(files) - len(removed)} files could not be removed, or were gone already", err)


def _mib(files: Sequence[CodeFile]) -> str:
    return f"{sum(file.size for file in files) / MIB:.1f}"
