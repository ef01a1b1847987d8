"""Results on disk, written as a run goes, so that a process that is killed loses no more than its last segment.

While a run goes on, or after it was interrupted, its files are in a directory beside the place of the results:

    motion.nc.parts/manifest.nc      the model and the settings, written before anything else
    motion.nc.parts/00000.nc     the first segment, 00001.nc the next, and so on
    motion.nc.parts/lock         held by the process that writes; the system lets go of it when that ends
    motion.nc.parts/*.draft      being written, of no account
    motion.nc.parts/result.nc    all segments joined, on its way to motion.nc

`manifest.nc` holds the variables of `supple.files.embedding` and `settings`, a text in JSON. A part is a netCDF file:
the samples as xarray shows them, and in the HDF5 group `memory` the arrays from which the next part is computed. Both
end in a checksum, see `part_files`.

The results, `motion.nc`, hold all parts joined along `time`, in the group `model` what `manifest.nc` holds, and the
attribute `finished`: 1, or 0 for a run that was interrupted in order, whose directory stays. When all is finished
`result.nc` is written, then `manifest.nc` removed: from that moment the run counts as finished. Then `result.nc` takes
the place of `motion.nc`, which until then is what an earlier run left there, and the rest is removed. Whoever finds a
directory without `manifest.nc` may complete that.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EISDIR
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checksums import require_intact, seal
from supple.errors import FileFormatError, ResultsError, ResultsWarning, warn
from supple.files.embedding import GROUP, INSIDE, TEXT, simulated_model, stored_variables
from supple.formulations import Formulation
from supple.input_files import unreadable
from supple.lazy import LazyModule
from supple.simulation import netcdf
from supple.simulation.manifest import RunManifest
from supple.simulation.part_files import PartFiles, content, failures, locked, sync, write, write_by
from supple.simulation.result_layout import require_layout

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

FINISHED = "finished"
SUFFIX = ".nc"
"""Of results: `supple.load` and the command know them by it."""


class Recording:
    """The results of a run that goes on: made by `begin` or `resume`, ended by `finish`.

    As a context manager it lets go of the files when the block ends in any other way; the run can then be resumed.
    """

    def __init__(self, parts: PartFiles, lock: int) -> None:
        self._parts = parts
        self._lock: int | None = lock
        self._files: list[Path] = []
        self._layout: dict[str, str] = {}

    @classmethod
    def begin(cls, path: str | os.PathLike[str], manifest: RunManifest, overwrite: bool = False) -> Recording:
        """A new recording for results at `path`; results that are there stay until this run is finished.

        Parameters
        ----------
        path : path-like
        manifest : RunManifest
        overwrite : bool
            Throw away what an unfinished run left.

        Raises
        ------
        ResultsError
            When an unfinished run is there, another process writes there, or nothing can be written.
        """
        parts = PartFiles(_target(path))
        image = netcdf.packed(manifest.dataset())
        with failures(parts.directory, "written"):
            parts.directory.mkdir(exist_ok=True)
        with _opened(parts) as recording:
            parts.settle()
            if parts.numbers() and not overwrite:
                raise ResultsError(
                    f"{parts.target}: an unfinished run is there, {len(parts.numbers())} parts in {parts.directory}; "
                    "resume=True continues it, overwrite=True starts over"
                )
            parts.empty()
            try:
                with failures(parts.manifest, "written"):
                    write(parts.manifest, image)
            except BaseException:
                parts.remove(recording._release)
                raise
            return recording

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], manifest: RunManifest
    ) -> tuple[Recording, dict[str, NDArray[Any]] | None]:
        """The recording of a run that was interrupted, and the memory of its last part, None if it has no part.

        Damaged parts, and those behind them, are removed with a `ResultsWarning`.

        Raises
        ------
        ResultsError
            When there is no unfinished run, it had another manifest, or another process writes there.
        """
        parts = PartFiles(_target(path))
        if not parts.directory.is_dir():
            raise ResultsError(_nothing(parts))
        with _opened(parts) as recording:
            parts.settle()
            if not parts.manifest.exists():
                parts.remove(recording._release)
                raise ResultsError(_nothing(parts))
            _require_same(parts, manifest)
            files, fault = parts.sound()
            if fault:
                kept = f"{fault}; the {len(files)} parts before it are kept, and the run goes on from there"
                warn(kept, ResultsWarning)
                parts.drop(len(files))
            recording._files = files
            last = content(files[-1]) if files else None
            if last is None:
                return recording, None
            recording._layout = netcdf.layout(netcdf.unpacked(last))
            return recording, netcdf.memory_of(last)

    def append(self, segment: xr.Dataset, memory: Mapping[str, NDArray[Any]]) -> None:
        """Write one part; when this returns it is on the disk.

        Parameters
        ----------
        segment : xarray.Dataset
            Over the dimension `time`, which is a variable too; all segments have the same variables. What does not
            depend on time counts in the first, attributes in the last.
        memory : dict of str to array
            What `resume` is to give back.
        """
        file = self._parts.part(len(self._files))
        layout = netcdf.layout(segment)
        if netcdf.TIME not in segment.variables or layout != (self._layout or layout):
            expected = self._layout or "a variable 'time'"
            raise ResultsError(f"{file}: expected a segment with {expected}, got {layout}")
        image = netcdf.packed(segment, memory)
        with failures(
            file, "written", f"the {len(self._files)} parts before it are kept, resume=True continues from there"
        ):
            write(file, image)
        self._files.append(file)
        self._layout = layout

    def finish(self, finished: bool = True) -> None:
        """Join all parts to the results, and let go of the files.

        Parameters
        ----------
        finished : bool
            Whether the run came to its end. If not the parts stay for `resume`; if it has none, nothing is written.
        """
        parts = self._parts
        with (
            self,
            failures(parts.target, "written", f"the parts in {parts.directory} are kept, resume=True joins them"),
        ):
            if not self._files and not finished:
                return
            files, fault = parts.sound()
            if fault or not files:
                raise ResultsError(
                    f"{fault or f'{parts.directory}: no part'}; resume=True continues from the parts before it"
                )
            if parts.target.is_dir():
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
            write_by(parts.result, lambda stream: _join(parts, files, finished, stream))
            seal(parts.result)
            if finished:
                parts.manifest.unlink()
                sync(parts.directory)
            parts.result.replace(parts.target)
            sync(parts.target.parent)
            if finished:
                with suppress(OSError):  # what is left is of no account, and the next run removes it
                    parts.remove(self._release)

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._release()

    def _release(self) -> None:
        """Let go of the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@checked
def open_results(path: str | os.PathLike[str]) -> xr.Dataset:
    """The results at `path`; of a run that goes on or was killed, its parts, with the attribute `finished` 0.

    The values of a large results file are read as they are asked for, and the file is open only then; parts are read at
    once. A `ResultsWarning`
    tells of parts that are damaged, or of a later unfinished run beside finished results. The model inside is not part
    of the dataset: `supple.load` reads it.

    Raises
    ------
    ResultsError
        When there are no results, or the file cannot be read as such.
    """
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ResultsError(f"path: expected the path of a results file, got {path!r}")
    parts = PartFiles(Path(path))
    with failures(parts.target, "read"):
        try:
            return _found(parts)
        except FileNotFoundError:  # the run was finished and its parts removed while they were read
            return _found(parts)


def results_model(path: str | os.PathLike[str]) -> Formulation | None:
    """The model of results that `open_results` reads, in the formulation of the run; None if they hold none."""
    parts = PartFiles(Path(path))
    file = next((file for file in (parts.target, parts.result) if file.exists()), None)
    stored: Mapping[Any, Any]
    if file is None:
        manifest = content(parts.manifest)
        stored = netcdf.unpacked(manifest) if manifest is not None else {}
    else:
        stored = stored_variables(file)
    return simulated_model(stored, parts.target) if TEXT in stored else None


def _found(parts: PartFiles) -> xr.Dataset:
    _require_no_directory(parts.target)
    unfinished = parts.manifest.exists()
    file = parts.result if parts.result.exists() and not unfinished else parts.target
    files, fault = parts.sound() if unfinished else ([], "")
    results = _read(file) if file.exists() else None
    if results is not None and (results.attrs.get(FINISHED, 1) or not files):
        if files:
            later = f"a later one in {parts.directory} is unfinished; resume=True continues it"
            warn(f"{file}: these are the results of an earlier run; {later}", ResultsWarning)
        return results
    if results is not None:
        results.close()
    if fault:
        warn(f"{fault}; the {len(files)} parts before it are read", ResultsWarning)
    if not files:
        raise ResultsError(f"{parts.target}: no results: expected this file, or parts of a run in {parts.directory}")
    whole = BytesIO()
    _join(parts, files, False, whole)
    return netcdf.unpacked(whole.getbuffer())


def _join(parts: PartFiles, files: list[Path], finished: bool, stream: BinaryIO) -> None:
    """Write the results that parts make up; without the model if the manifest is damaged."""
    manifest = content(parts.manifest)
    also = netcdf.unpacked(manifest) if manifest is not None else xr.Dataset()
    netcdf.join(files, also.assign_attrs({FINISHED: int(finished)}), GROUP, stream)


def _read(file: Path) -> xr.Dataset:
    try:
        require_intact(file)
        stored = xr.open_dataset(file, engine="h5netcdf", decode_times=False, drop_variables=INSIDE)
        found: xr.Dataset = import_module("supple.simulation.reopened").reopened(file, stored)
    except FileFormatError as error:
        raise ResultsError(str(error)) from None
    except Exception as error:  # damaged files without a checksum fail in h5py, h5netcdf and xarray in many ways
        raise ResultsError(f"{file}: expected results in netCDF, got a damaged or foreign file: {error}") from None
    try:
        require_layout(found)
    except ResultsError as error:
        found.close()
        raise ResultsError(f"{file}: {error}") from None
    return found


@contextmanager
def _opened(parts: PartFiles) -> Iterator[Recording]:
    """A recording that has the lock, and loses it if the block fails."""
    with failures(parts.directory, "used"):
        lock = locked(parts.lock)
        if lock is None:
            raise ResultsError(f"{parts.target}: another run is writing there now; nothing was changed")
        recording = Recording(parts, lock)
        try:
            yield recording
        except BaseException:
            recording.__exit__(None, None, None)
            raise


def _require_same(parts: PartFiles, manifest: RunManifest) -> None:
    stored = content(parts.manifest)
    if stored is None:
        raise ResultsError(
            f"{parts.manifest} is damaged: its checksum does not fit its content; the run cannot be resumed, "
            "overwrite=True starts over"
        )
    differences = manifest.differences(netcdf.unpacked(stored))
    if differences:
        raise ResultsError(
            f"{parts.target}: the unfinished run there is a different one; overwrite=True starts over\n  "
            + "\n  ".join(differences)
        )


def _nothing(parts: PartFiles) -> str:
    """Why there is nothing to resume."""
    if not parts.target.exists():
        return f"{parts.target}: nothing to resume: no run was begun there"
    with _read(parts.target) as results:
        if results.attrs.get(FINISHED, 1):
            return f"{parts.target}: nothing to resume: the run is finished"
    return f"{parts.target}: nothing to resume: the run is not finished, but its parts in {parts.directory} are gone"


def _target(path: str | os.PathLike[str]) -> Path:
    """A path at which a file can be."""
    target = Path(path)
    _require_no_directory(target)
    require_suffix(target)
    if not target.parent.is_dir():
        found = "a file" if target.parent.exists() else "nothing"
        raise ResultsError(f"{target}: cannot be written: expected a directory {target.parent}, got {found}")
    return target


def require_suffix(target: Path) -> None:
    """Refuse a name that says that something else than netCDF is in the file; say how tables are written as CSV."""
    if target.suffix.lower() != SUFFIX:
        name = target.with_suffix(SUFFIX).name
        raise ResultsError(
            f"{target}: results are written as netCDF: expected a name that ends in {SUFFIX}, got suffix "
            f"{target.suffix!r}; supple.results.write_export makes CSV of them, `supple export` of {name} does too"
        )


def _require_no_directory(target: Path) -> None:
    """Raise a `ResultsError` if a path is that of a directory or no path at all."""
    try:
        directory = stat.S_ISDIR(os.stat(target).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:  # too long a name, a null character, a loop of links
        raise ResultsError(str(unreadable(target, error))) from None
    if directory:
        raise ResultsError(f"{target}: expected a file, got a directory")
