"""Files of fits: of a model there is none to change."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files.toml_text import content_text
from supple.identification.fit_files import compared_runs, write_fitted


def test_fits_of_models_are_saved_by_other_means(tmp_path: Path) -> None:
    mech = supple.Mechanism("mass")
    mech.add_body("m", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    t = np.linspace(0, 1, 5)
    found = supple.fit(mech.build(), {"t": t, "m.position": -4.9 * t**2}, ["gravity.z"])
    assert found.values["gravity.z"] == pytest.approx(-9.8, rel=1e-9)
    assert compared_runs(found).differences["q.m.position"][0].largest < 1e-9
    with pytest.raises(supple.StateError, match="expected a fit of a model file, got one of a model"):
        write_fitted(found, tmp_path / "x.toml")


def test_tables_are_written_as_they_were_read() -> None:
    content = {
        "name": "a",
        "body": [{"name": "b", "com": [0, 0, 1.5]}],
        "simulation": {"q": {"b": {"angle": 1}}, "x y": "z"},
    }
    assert tomllib.loads(content_text(content)) == content
