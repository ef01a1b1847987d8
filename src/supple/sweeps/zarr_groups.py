"""Zarr, where it is installed: groups of arrays in a directory."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import ResultsError

SLASH = "\N{DIVISION SLASH}"
"""Stands for a slash in the names of arrays, where zarr has groups."""


def stored_name(name: str) -> str:
    """The name of an array in the store."""
    return name.replace("/", SLASH)


def zarr() -> Any:
    """The package; an error if it is not installed."""
    try:
        return importlib.import_module("zarr")
    except ImportError:
        raise ResultsError("sweep: a store needs zarr: pip install supple[sweep]") from None


@contextmanager
def quiet() -> Iterator[None]:
    """Zarr warns that texts are not in its specification yet; every reader knows them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="zarr")
        warnings.filterwarnings("ignore", message=".*(Zarr format 3 specification|not have a Zarr V3 specification).*")
        warnings.filterwarnings("ignore", message="Consolidated metadata")
        yield


def open_group(path: str | Path, mode: str) -> Any:
    """The group in a directory."""
    with quiet():
        return zarr().open_group(str(path), mode=mode, zarr_format=3)


def texts(values: Sequence[str]) -> Any:
    """Texts as an array that zarr takes."""
    kind = getattr(np.dtypes, "StringDType", None)
    return np.array(list(values), dtype=object if kind is None else kind())
