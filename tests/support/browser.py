"""Handling a page in a browser, for the tests that need one."""

from __future__ import annotations

from typing import Any

import pytest


def wait(page: Any, condition: str) -> None:
    """Until something is so; playwright's own way would need a page that allows eval."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never came true: {condition}")


def slide(page: Any, name: str, value: float) -> None:
    """Move a slider, by its name."""
    slider = page.locator(f"[name={name}]")
    slider.evaluate("(x, value) => { x.value = value; x.dispatchEvent(new Event('input')); }", value)
