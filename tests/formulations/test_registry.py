"""Formulations are restored by name, and what is none is refused."""

from __future__ import annotations

from typing import Any

import pytest

import supple
from supple.erls import ErlsModel, build
from supple.formulations import FORMULATIONS, floating_frames, require_formulation, restored, settings_of
from support.mechanisms.rigid_links import arm


def test_names_differ() -> None:
    names = [x.formulation for x in FORMULATIONS]
    assert len(set(names)) == len(names) == 3


def test_settings_give_the_formulation_back() -> None:
    model = arm(2, modes=3).build()
    links = build(model, {"l0": 4, "l1": 2})
    again = restored(model, settings_of(links))
    assert isinstance(again, ErlsModel)
    assert again.coordinates == links.coordinates != build(model).coordinates
    assert all(restored(model, settings) is model for settings in (settings_of(model), {}))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"formulation": "magic"},
            "formulation: expected 'floating frames' or .*'vectors', got 'magic'",
        ),
        ({"formulation": 3}, "formulation: expected .*, got 3"),
        ({"formulation": "vectors"}, "system: expected the tables of a system of vectors, got None"),
        ({"formulation": "equivalent rigid links"}, "modes: expected numbers of modes by body, got None"),
        ({"formulation": "equivalent rigid links", "modes": {"l0": "two"}}, "modes: expected numbers of modes by body"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.FileFormatError, match=message):
        restored(arm(1, modes=1).build(), settings)


def test_what_is_no_model_is_refused() -> None:
    require_formulation(arm(1, modes=1).build(), "a gadget")
    with pytest.raises(supple.StateError, match="a gadget: expected a Model or an equivalent rigid-link system, got"):
        require_formulation({"q": 1}, "a gadget")
    with pytest.raises(supple.StateError, match="a gadget: expected a Model, got"):
        floating_frames(3, "a gadget")
