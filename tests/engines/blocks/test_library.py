"""Objects on disk hold many blocks: what any of them calls is there when one of them is loaded."""

from __future__ import annotations

import pytest

from supple.engines.blocks import library
from supple.engines.blocks.library import Library
from supple.engines.llvm.jit import object_code_of
from supple.engines.vector_math.functions import symbol

TWO = """
declare double @{cos}(double)
define double @plain(double %x) {{ %y = fadd double %x, 1.0
ret double %y }}
define double @calling(double %x) {{ %y = call double @{cos}(double %x)
ret double %y }}
"""


def test_an_object_finds_the_functions_of_all_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the code of a block that is not wanted now calls nothing when it is."""
    known, ask = [], library._known

    def noted(function: str, lanes: int) -> int:
        known.append((function, lanes))
        return ask(function, lanes)

    monkeypatch.setattr(library, "_known", noted)
    found = Library(1)
    found._load(object_code_of(TWO.format(cos=symbol("cos", 1))), ["plain"])
    assert known == [("cos", 1)]
    assert list(found._addresses) == ["plain"]
