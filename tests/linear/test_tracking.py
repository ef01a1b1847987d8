"""Modes are followed by their shapes: through crossings, through zero and out of planes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.linear.tracking import ModeSet, followed, pairs, started

Numbers = NDArray[Any]


def set_of(values: list[complex], shapes: Numbers) -> ModeSet:
    return ModeSet(np.array(values), np.asarray(shapes, dtype=complex), np.eye(len(shapes)))


def test_modes_cross() -> None:
    tracks = started(set_of([1j, 2j], np.eye(2)))
    for x in (1.3, 1.6):
        tracks = followed(tracks, set_of([(x) * 1j, (2.9 - x) * 1j], np.eye(2)), 1.0)
    assert tracks.places.tolist() == [0, 1]
    swapped = followed(tracks, set_of([1.0j, 1.9j], np.eye(2)[:, ::-1]), 1.0)  # sorted by size now
    assert swapped.places.tolist() == [1, 0]
    assert swapped.likeness == pytest.approx([1.0, 1.0])


def test_a_mode_passes_zero_as_its_conjugate() -> None:
    forward, backward = np.array([1.0, -1j]) / np.sqrt(2), np.array([1.0, 1j]) / np.sqrt(2)
    tracks = started(set_of([0.4j, 2j], np.stack([forward, backward], axis=1)))
    tracks = followed(tracks, set_of([0.1j, 2.3j], np.stack([forward, backward], axis=1)), 0.3)
    # The eigenvalue of the first is -0.2j now; of the pair 0.2j is kept, with the conjugate shape.
    tracks = followed(tracks, set_of([0.2j, 2.6j], np.stack([backward, backward], axis=1)), 0.3)
    assert tracks.places.tolist() == [0, 1]
    assert tracks.values == pytest.approx([-0.2j, 2.6j])


def test_shapes_of_one_eigenvalue_stand_for_a_plane() -> None:
    circles = np.array([[1.0, 1.0], [-1j, 1j]]) / np.sqrt(2)
    tracks = followed(started(set_of([1j, 1j], np.eye(2))), set_of([0.9j, 1.1j], circles), 0.1)
    assert sorted(tracks.places) == [0, 1]
    assert tracks.likeness == pytest.approx([1.0, 1.0])
    # Through such a place later on, modes are known by what they were before.
    again = followed(tracks, set_of([1j, 1j], np.eye(2)), 0.1)
    beyond = followed(again, set_of([0.9j, 1.1j], circles[:, ::-1]), 0.1)
    assert beyond.places[tracks.places].tolist() == [1, 0]


def test_a_mode_that_is_gone_is_marked() -> None:
    tracks = followed(started(set_of([1j, 2j], np.eye(2))), set_of([2j], np.eye(2)[:, 1:]), 0.1)
    assert tracks.places.tolist() == [-1, 0]


def test_two_real_eigenvalues_of_one_motion_are_one_mode() -> None:
    shapes = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = pairs(set_of([-0.1, -7.0, 3j], shapes), 2)
    assert found.values.tolist() == [-0.1, 3j]
    whole = set_of([1j, 3j], np.eye(2))
    assert pairs(whole, 2) is whole
