"""The model inside its results, so that a results file says by itself what moved.

Two variables hold what `supple.save` would write: `model_text` is the text of the TOML file, and `model_bodies`, there
only if bodies are flexible, is the image of a ZIP archive with the HDF5 files that the text names. They are variables
since an HDF5 attribute cannot hold more than 64 KB.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
import xarray as xr

from supple.checksums import require_intact
from supple.errors import FileFormatError
from supple.files import toml
from supple.files.faults import require_file
from supple.model.model import Model

TEXT, BODIES = "model_text", "model_bodies"
FILE = "model.toml"


def embedded(model: Model) -> dict[str, xr.DataArray]:
    """Variables from which `embedded_model` gives an equal model."""
    with TemporaryDirectory() as folder:
        toml.write(model, Path(folder, FILE))
        text = Path(folder, FILE).read_text(encoding="utf-8")
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.h5"))}
    variables = {TEXT: xr.DataArray(np.array(text), attrs={"long_name": "the model, TOML"})}
    if files:
        archive = io.BytesIO()
        with ZipFile(archive, "w") as target:
            for name, content in files.items():
                target.writestr(ZipInfo(name), content)  # without the time of day
        image = np.frombuffer(archive.getvalue(), dtype=np.uint8)
        variables[BODIES] = xr.DataArray(image, dims="model_byte", attrs={"long_name": "flexible bodies, ZIP of HDF5"})
    return variables


def embedded_model(dataset: xr.Dataset) -> Model:
    """The model that `embedded` put into a dataset; a `FileFormatError` if there is none or it cannot be read."""
    if TEXT not in dataset:
        raise FileFormatError(f"expected results with a model in the variable {TEXT!r}, got none")
    with TemporaryDirectory() as folder:
        file = Path(folder, FILE)
        file.write_text(str(dataset[TEXT].item()), encoding="utf-8")
        try:
            if BODIES in dataset:
                with ZipFile(io.BytesIO(dataset[BODIES].values.tobytes())) as archive:
                    archive.extractall(folder)
            return toml.read(file).build()
        except BadZipFile as error:
            raise FileFormatError(f"{BODIES}: expected the image of a ZIP archive, got other bytes: {error}") from None
        except FileFormatError as error:
            raise FileFormatError(str(error).replace(f"{folder}{os.sep}", "")) from None


def read(path: Path) -> Model:
    """The model inside a results file."""
    require_file(path)
    try:
        require_intact(path)
        with xr.open_dataset(path, engine="h5netcdf", decode_times=False) as dataset:
            return embedded_model(dataset)
    except FileFormatError as error:
        faults = [fault.removeprefix(f"{path}: ") for fault in str(error).split("\n")]
        raise FileFormatError("\n".join(f"{path}: {fault}" for fault in faults)) from None
    except Exception as error:  # damaged files without a checksum fail in h5py, h5netcdf and xarray in many ways
        raise FileFormatError(f"{path}: expected results in netCDF, got a damaged or foreign file: {error}") from None
