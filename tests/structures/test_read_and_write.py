"""One door to read and one to write: bodies of supple and of other programs, options that a file cannot take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.errors import ModelError, OmissionWarning
from supple.structures import BeamPieces, Circle, FlexibleBody, Material, beam, read, write

BOOM = beam(1.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), 4)


@pytest.mark.parametrize("format", [None, "hdf5"])
def test_bodies_and_beams_in_pieces_go_through_the_same_doors(tmp_path: Path, format: str | None) -> None:
    write(BOOM.reduce("cantilever", modes=2), tmp_path / "boom.h5", format)
    write(BOOM.pieces(2), tmp_path / "pieces.h5", format)
    body, pieces = read(tmp_path / "boom.h5"), read(str(tmp_path / "pieces.h5"), units="m-kg-s")
    assert isinstance(body, FlexibleBody)
    assert isinstance(pieces, BeamPieces)
    assert (body.modes, len(pieces)) == (2, 2)


def test_a_body_of_modal_data_has_the_root_that_is_asked_for(tmp_path: Path) -> None:
    write(BOOM.reduce("free-free", modes=2), tmp_path / "boom.fem", nodes=["end"])
    at_start = read(tmp_path / "boom.fem", root="start")
    with pytest.warns(OmissionWarning, match="coordinates move the root 'end'"):
        at_end = read(tmp_path / "boom.fem", root="end")
    assert isinstance(at_start, FlexibleBody)
    assert isinstance(at_end, FlexibleBody)
    assert (at_start.root, at_end.root) == ("start", "end")
    np.testing.assert_allclose(at_start.frames["end"].position, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(at_end.frames["start"].position, [-1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("boom.h5", {"root": "end"}, r"root: expected none for supple: \.h5, got 'end'"),
        ("boom.h5", {"frames": {"a": 1}}, r"frames: expected none for supple: \.h5, got"),
        ("boom.h5", {"units": "mm-t-s"}, r"units: expected none for supple: \.h5, got 'mm-t-s'"),
        ("boom.sid_fem", {"interfaces": ["end"]}, r"interfaces: expected none for SID_FEM, got \['end'\]"),
    ],
)
def test_options_that_a_file_cannot_take_are_named(
    tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    write(BOOM.reduce("cantilever", modes=2), tmp_path / name)
    with pytest.raises(ModelError, match=message):
        read(tmp_path / name, **options)


def test_nodes_are_not_chosen_in_files_that_keep_all(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nodes: expected none for \.h5, which keeps all nodes, got \['end'\]"):
        write(BOOM.reduce("cantilever", modes=2), tmp_path / "boom.h5", nodes=["end"])
