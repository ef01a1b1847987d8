"""The errors of a file: collected, and raised together."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from supple.errors import FileFormatError, ModelError, PhysicsWarning
from supple.files.error_list import MOST_ERRORS, MOST_WARNINGS, ErrorList, ReportedError, as_path


def test_errors_are_collected_in_order_and_raised_together() -> None:
    errors = ErrorList(Path("m.toml"))
    errors.raise_any()
    errors.add("body[1]", "mass: missing")
    with errors.collected("body[2]", prefix="body 'b': "):
        raise ModelError("body 'b': expected a name")
    with errors.collected("body[3]"):
        raise ReportedError  # what is in the list already is not added again
    with errors.collected("body[4]"):
        raise OverflowError("too large")
    assert errors.lines[:2] == ["m.toml: body[1]: mass: missing", "m.toml: body[2]: expected a name"]
    assert "body[4]: cannot be computed, some number is far too large or too small: OverflowError" in errors.lines[2]
    with pytest.raises(FileFormatError) as caught:
        errors.raise_any()
    assert str(caught.value).split("\n") == errors.lines


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), ErrorList(Path("m.toml")).collected(""):
        raise KeyError("a mistake of the program")


def test_warnings_are_collected_and_issued_as_one() -> None:
    errors = ErrorList(Path("m.toml"))
    for place in ("material[1]", "material[2]"):
        with errors.collected_warnings(place, prefix="material: "):
            warnings.warn("material: very soft", PhysicsWarning, stacklevel=1)
    assert errors.warnings == ["material[1]: very soft", "material[2]: very soft"]
    with pytest.warns(PhysicsWarning, match=r"m\.toml: read with warnings: material\[1\]: very soft; material\[2\]"):
        errors.warn()
    with pytest.warns(UserWarning, match="of another kind"), errors.collected_warnings("material[3]"):
        warnings.warn("of another kind", UserWarning, stacklevel=1)
    assert len(errors.warnings) == 2


def test_errors_and_warnings_are_counted() -> None:
    errors = ErrorList(Path("m.toml"))
    for i in range(MOST_ERRORS):
        errors.add(f"body[{i}]", "mass: missing")
    with pytest.raises(FileFormatError, match=r"body\[99\]: mass: missing\nm\.toml: more than 100 errors$"):
        errors.add("body[100]", "mass: missing")
    errors.warnings = [f"body[{i}]: light" for i in range(MOST_WARNINGS + 1234)]
    with pytest.warns(PhysicsWarning, match=r"body\[49\]: light; 1,234 more$"):
        errors.warn()


@pytest.mark.parametrize("path", [None, 3, ""])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(FileFormatError, match="path: expected the path of a file, got"):
        as_path(path)
