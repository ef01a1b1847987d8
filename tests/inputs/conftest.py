"""FMUs that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller_fmus import built_library, description, packed, place_of


@pytest.fixture(scope="session")
def fmu_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the PI controller as pi2.fmu and pi3.fmu, and with these without a state that can be saved."""
    folder = tmp_path_factory.mktemp("fmus")
    for version in (2, 3):
        library = built_library(version, folder).read_bytes()
        packed(folder / f"pi{version}.fmu", description(version), library, place_of(version))
        unsaved = description(version, saves=False, any_step=False)
        packed(folder / f"unsaved{version}.fmu", unsaved, library, place_of(version))
    return folder
