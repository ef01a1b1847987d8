"""Models inside results."""

from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
import xarray as xr

import supple
from supple.errors import FileFormatError
from supple.files import check, embedding
from supple.files.embedding import embedded, embedded_model
from support.cases import thinned
from support.files.robots import robot_directory
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree


def chain(bodies: int, name: str = "link") -> supple.Model:
    mech = supple.Mechanism("chain")
    parent = "ground"
    for i in range(bodies):
        mech.add_body(f"{name} {i} \u00e9", supple.RigidBody(1.0 + i, (0, 0, 0.1)), parent)
        parent = f"{name} {i} \u00e9"
    return mech.build()


def through_a_file(model: supple.Model, path: Path) -> supple.Model:
    xr.Dataset(embedded(model)).to_netcdf(path, engine="h5netcdf")
    with xr.open_dataset(path, engine="h5netcdf") as dataset:
        again = embedded_model(dataset)
    assert again == model
    return again


@pytest.mark.parametrize("seed", thinned(range(3), [1]))
def test_rigid_and_flexible_trees_come_back_equal(tmp_path: Path, seed: int) -> None:
    through_a_file(random_tree(seed, 11), tmp_path / "rigid.nc")
    flexible = random_flexible_tree(seed, 8, beams=True, forces=True)[0]
    assert "model_bodies" in embedded(flexible)
    again = through_a_file(flexible, tmp_path / "flexible.nc")
    q, v = flexible.random_state(1)
    assert np.array_equal(again.bias_forces(q, v), flexible.bias_forces(q, v))


def test_a_text_of_more_than_64_kb_comes_back_equal(tmp_path: Path) -> None:
    model = chain(100, "a link with a long name " * 20)
    assert len(embedded(model)["model_text"][1].item()) > 2**16
    through_a_file(model, tmp_path / "m.nc")


def test_a_robot_comes_back_equal(tmp_path: Path) -> None:
    path = robot_directory() / "panda_description/urdf/panda.urdf"
    through_a_file(supple.load(path, limits=False, mimic=False), tmp_path / "m.nc")


def test_results_are_loaded_like_a_model_file(tmp_path: Path) -> None:
    model, path = chain(2), tmp_path / "m.nc"
    xr.Dataset(embedded(model)).to_netcdf(path, engine="h5netcdf")
    assert supple.load(path) == model
    assert check(path) == []
    with pytest.raises(supple.FileFormatError, match=r"m.nc: floating_base: expected a body fixed to the ground"):
        supple.load(path, floating_base=True)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "m.nc: expected results with a model in the variable 'model_text', got none"),
        ({"model_text": "name = 3"}, "m.nc: model.toml: name: "),
        ({"model_text": "[[body]"}, "m.nc: model.toml: not valid TOML"),
        (
            {
                "model_text": 'name = "m"\n[[body]]\nname = "a"\njoint = { type = "fixed" }\n'
                'flexible = { file = "model.a.h5" }'
            },
            "m.nc: model.toml: .*file: model.a.h5: no such file",
        ),
        (
            {"model_text": "", "model_bodies": ("model_byte", np.zeros(9, dtype=np.uint8))},
            "m.nc: model_bodies: expected the image of a ZIP archive",
        ),
    ],
)
def test_results_without_a_sound_model(tmp_path: Path, variables: dict[str, object], message: str) -> None:
    path = tmp_path / "m.nc"
    xr.Dataset(variables).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(supple.FileFormatError, match=message) as caught:
        supple.load(path)
    assert check(path) == str(caught.value).split("\n")


def test_files_that_are_no_results(tmp_path: Path) -> None:
    path = tmp_path / "m.nc"
    with pytest.raises(supple.FileFormatError, match=r"m.nc: no such file"):
        supple.load(path)
    path.write_bytes(b"no netCDF")
    with pytest.raises(supple.FileFormatError, match=r"m.nc: expected results in netCDF, got a damaged or foreign"):
        supple.load(path)


def archived(names: dict[str, bytes]) -> xr.DataArray:
    """The image of a ZIP archive with such files."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return xr.DataArray(np.frombuffer(buffer.getvalue(), dtype=np.uint8), dims="model_byte")


@pytest.mark.parametrize("name", ["../x.h5", "/etc/x.h5", "a/b.h5", "..\\x.h5", "C:x.h5", "..", "model.toml"])
def test_names_that_leave_the_directory_are_refused(name: str) -> None:
    """In the archive, and in the text of the model, which could read any file of whoever opens the results."""
    sound = embedded(chain(1))
    with pytest.raises(FileFormatError, match="model_bodies: expected the plain name of a file"):
        embedded_model(xr.Dataset(sound | {"model_bodies": archived({name: b"x"})}))
    text = f"name = 'm'\n[[body]]\nname = 'b'\nflexible = {{ type = 'file', file = '{name}' }}\n"
    with pytest.raises(FileFormatError, match="model_text: expected the plain name of a file"):
        embedded_model(xr.Dataset({"model_text": xr.DataArray(np.array(text))}))


def test_an_archive_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "LARGEST", 1000)
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("x.h5", bytes(10**6))
    small = np.frombuffer(buffer.getvalue(), dtype=np.uint8)
    assert small.size > 1000  # deflated a thousand times
    for image, limit in ((small, 1000), (small, 2 * small.size)):
        monkeypatch.setattr(embedding, "LARGEST", limit)
        with pytest.raises(FileFormatError, match=f"at most {limit:,} bytes, got"):
            embedded_model(xr.Dataset(embedded(chain(1)) | {"model_bodies": xr.DataArray(image, dims="model_byte")}))
