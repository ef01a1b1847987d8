"""pyyeti, which reads the files of Nastran: how it is found, and what it says of damaged files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from supple.checks import Floats
from supple.errors import FileFormatError, ModelError
from supple.structures.formats.file_set import FileSet

T = TypeVar("T")


def pyyeti() -> Any:
    """The package pyyeti.nastran."""
    try:
        with np.printoptions():  # it changes how all arrays are printed
            from pyyeti import nastran
            from pyyeti.nastran import bulk, n2p, op2, op4  # noqa: F401
    except ImportError:
        raise ModelError("files of Nastran need pyyeti: pip install supple[nastran]") from None
    return nastran


def careful(files: FileSet, read: Callable[[], T]) -> T:
    """What a function of pyyeti reads; one error that names the file where it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyyeti speaks of its own dependencies
        try:
            return read()
        except ModelError:
            raise
        except FileNotFoundError as error:
            missing = Path(str(error.filename)).name
            raise FileFormatError(f"{files.first}: expected the file {missing} beside it, got none") from None
        except Exception as error:  # damaged files fail in pyyeti in many ways
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise FileFormatError(
                f"{files.first}: expected files of Nastran, got damaged or other ones: {said}"
            ) from None


def dense(matrix: Any) -> Floats:
    """A matrix of pyyeti, sparse or not, as an array."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)
