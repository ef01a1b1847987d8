"""Files that finite-element programs wrote, unpacked for a test; see tests/oracles/data/README.md."""

from __future__ import annotations

import tarfile
from pathlib import Path

DATA = Path(__file__).parents[2] / "oracles" / "data"


def unpacked(name: str, folder: Path) -> Path:
    """A folder with the files of an archive of tests/oracles/data."""
    with tarfile.open(DATA / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder
