"""Files that are whole or not there: they are written under another name, and then given their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, EISDIR
from pathlib import Path
from secrets import token_hex

from supple.errors import ResultsError, StateError


@contextmanager
def draft_of(target: Path) -> Iterator[Path]:
    """An empty file beside `target` to write into; it takes the place of `target` when the block ends.

    If the block fails the draft is removed and `target` stays as it was. Who may read the file is what the umask of the
    process says, as of every file that is opened for writing; `tempfile` would hide it from everybody else.
    """
    # The name is short whatever that of the target is, and no other process has it.
    draft = target.with_name(f".{token_hex(8)}.draft")
    if "\0" in str(target):
        raise OSError(EINVAL, "its name has a null character")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield draft
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


@contextmanager
def export_target(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """The path of a file for another program: it must end in `suffix`, and what cannot be written is named."""
    target = Path(path)
    if target.suffix.lower() != suffix:
        raise StateError(f"export: expected a name that ends in {suffix}, got {target}")
    try:
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        yield target
    except OSError as error:
        raise ResultsError(f"{target}: cannot be written: {error.strerror or error}") from None


@contextmanager
def export_draft(path: str | os.PathLike[str], suffix: str) -> Iterator[Path]:
    """A draft of such a file."""
    with export_target(path, suffix) as target, draft_of(target) as draft:
        yield draft
