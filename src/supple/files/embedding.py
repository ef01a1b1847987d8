"""The model inside its results, so that a results file says by itself what moved.

Two variables hold what `supple.save` would write: `model_text` is the text of the TOML file, and `model_bodies`, there
only if bodies are flexible, is the image of a ZIP archive with the HDF5 files that the text names. They are variables
since an HDF5 attribute cannot hold more than 64 KB. Mesh files that bodies are drawn as stand in the text as triangles,
reduced to what a page shows. A formulation other than floating frames stands in the settings of the run, the variable
`settings`. In a results file they are in a group of their own, `model`, so that they are no part of the dataset; files
of earlier versions have them beside the motion.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from supple.checksums import require_intact
from supple.errors import FileFormatError
from supple.files import toml
from supple.files.error_list import lines_of
from supple.formulations import Formulation, restored
from supple.lazy import LazyModule
from supple.model.model import Model

if TYPE_CHECKING:
    import h5py
else:
    h5py = LazyModule("h5py")

TEXT, BODIES, SETTINGS = "model_text", "model_bodies", "settings"
INSIDE = (TEXT, BODIES, SETTINGS)
GROUP = "model"
"""The group of a results file that holds these variables."""
FILE = "model.toml"
LARGEST = 4 * 2**30
"""Bytes of all flexible bodies in a results file: more is not a model, but an archive that unpacks without end."""


Variable = tuple[tuple[str, ...], Any, dict[str, str]]
"""Dimensions, values and attributes, as `xarray.Dataset` takes them."""


def embedded(model: Model) -> dict[str, Variable]:
    """Variables from which `embedded_model` gives an equal model."""
    with TemporaryDirectory() as folder:
        toml.write(model, Path(folder, FILE), portable=True)
        text = Path(folder, FILE).read_text(encoding="utf-8")
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.h5"))}
    variables: dict[str, Variable] = {TEXT: ((), np.array(text), {"long_name": "the model, TOML"})}
    if files:
        archive = io.BytesIO()
        with ZipFile(archive, "w") as target:
            for name, content in files.items():
                target.writestr(ZipInfo(name), content)  # without the time of day
        image = np.frombuffer(archive.getvalue(), dtype=np.uint8)
        variables[BODIES] = ("model_byte",), image, {"long_name": "flexible bodies, ZIP of HDF5"}
    return variables


def embedded_model(dataset: Mapping[Any, Any]) -> Model:
    """The model that `embedded` put into a dataset, or into arrays by name.

    Raises
    ------
    FileFormatError
        If there is none or it cannot be read.
    """
    if TEXT not in dataset:
        raise FileFormatError(f"expected results with a model in the variable {TEXT!r}, got none")
    with TemporaryDirectory() as folder:
        file = Path(folder, FILE)
        file.write_text(str(dataset[TEXT].item()), encoding="utf-8")
        try:
            if BODIES in dataset:
                _extract(np.asarray(dataset[BODIES]), folder)
            return toml.read(file, _require_beside).mechanism.build()
        except BadZipFile as error:
            raise FileFormatError(f"{BODIES}: expected the image of a ZIP archive, got other bytes: {error}") from None
        except FileFormatError as error:
            raise FileFormatError(str(error).replace(f"{folder}{os.sep}", "")) from None


def _extract(image: NDArray[Any], folder: str) -> None:
    """Write the files of a ZIP archive to a folder; others than plain names, and too much, are refused."""
    _require_size(BODIES, image.nbytes)
    with ZipFile(io.BytesIO(image.tobytes())) as archive:
        inside = archive.infolist()
        for x in inside:
            _require_plain(x.filename, BODIES)
        if sum(x.file_size for x in inside) > LARGEST:
            raise FileFormatError(
                f"{BODIES}: expected files of at most {LARGEST:,} bytes, got {sum(x.file_size for x in inside):,}"
            )
        for x in inside:
            with archive.open(x) as source, open(Path(folder, x.filename), "xb") as target:
                shutil.copyfileobj(source, target)  # no more than file_size: the archive's reader sees to that


def _require_beside(content: Any) -> None:
    """Refuse the content of a model file that names files other than those beside it."""
    waiting = [content]
    while waiting:
        x = waiting.pop()
        if isinstance(x, dict):
            names = x.get("file")
            for name in names if isinstance(names, list) else [names]:
                if isinstance(name, str):
                    _require_plain(name, TEXT)
            waiting += x.values()
        elif isinstance(x, list):
            waiting += x


def _require_plain(name: str, where: str) -> None:
    """Refuse a name that leaves the directory, or is none on some system."""
    if not name or set(name) & set("/\\:\0") or name in (".", "..", FILE):
        raise FileFormatError(f"{where}: expected the plain name of a file beside the model, got {name!r}")


def simulated_model(dataset: Mapping[Any, Any], path: Path) -> Formulation:
    """The model of a dataset in the formulation in which it was simulated; errors begin with the path of its file."""
    try:
        return _simulated(dataset)
    except FileFormatError as error:
        lines = [line.removeprefix(f"{path}: ") for line in lines_of(error)]
        raise FileFormatError("\n".join(f"{path}: {line}" for line in lines)) from None


def _simulated(dataset: Mapping[Any, Any]) -> Formulation:
    model = embedded_model(dataset)
    if SETTINGS not in dataset:
        return model
    try:
        settings = json.loads(str(dataset[SETTINGS].item()))
    except ValueError as error:
        raise FileFormatError(f"{SETTINGS}: expected settings in JSON, got others: {error}") from None
    if not isinstance(settings, dict):
        raise FileFormatError(f"{SETTINGS}: expected settings by name, got {type(settings).__name__}")
    return restored(model, settings)


def stored_variables(path: Path) -> dict[str, NDArray[Any]]:
    """The variables of a file that hold the model. The others, which may be long, are left alone."""
    found: dict[str, NDArray[Any]] = {}
    with h5py.File(path, "r") as file:
        place = file[GROUP] if isinstance(file.get(GROUP), h5py.Group) else file
        for name in INSIDE:
            if name in place:
                _require_size(name, place[name].nbytes)
                value = place[name][()]
                found[name] = np.array(value.decode() if isinstance(value, bytes) else value)
    return found


def _require_size(name: str, size: int) -> None:
    if size > LARGEST:
        raise FileFormatError(f"{name}: expected at most {LARGEST:,} bytes, got {size:,}")


def read(path: Path) -> Formulation:
    """The model inside a results file, in the formulation in which it was simulated."""
    try:
        require_intact(path)
        return simulated_model(stored_variables(path), path)
    except FileFormatError:
        raise
    except Exception as error:  # damaged files without a checksum fail in h5py in many ways
        raise FileFormatError(f"{path}: expected results in netCDF, got a damaged or foreign file: {error}") from None
