"""Every format is recognised by its own files, bodies that others wrote among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.errors import ModelError
from supple.structures import FlexibleBody, Material, Rectangle, beam, read, write


@pytest.mark.parametrize("name", ["boom.fem", "boom.SID_FEM"])
def test_a_body_that_was_written_is_read(tmp_path: Path, name: str) -> None:
    body = beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700), 4).reduce("cantilever", 3)
    path = tmp_path / name
    write(body, path)
    found = read(path)
    assert isinstance(found, FlexibleBody)
    np.testing.assert_allclose(found.stiffness.diagonal(), body.stiffness.diagonal(), rtol=1e-9)
    assert found.mass == pytest.approx(body.mass)
    with pytest.raises(ModelError, match=r"units: time: expected 's'"):
        read(path, units="m-kg-ms")
    with pytest.raises(ModelError, match=r"frame 'end': expected the label of one node"):
        read(path, {"end": [1, 2]})
