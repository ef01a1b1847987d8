"""Results on disk: killed at any moment, resumed, damaged, refused, and what the files hold."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.simulation import netcdf, part_files
from supple.simulation.manifest import RunManifest
from supple.simulation.recording import Recording, open_results, results_model
from supple.structures import Material, Rectangle, beam
from support.cases import thinned
from support.runs import recorded_runs
from support.runs.recorded_runs import manifest, run, segments

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL, fork or locks of POSIX")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "motion.nc"


@pytest.fixture
def directory(path: Path) -> Path:
    return path.with_name("motion.nc.parts")


def whole(count: int) -> xr.Dataset:
    """What an uninterrupted run gives, joined by xarray."""
    made = [dataset for dataset, _ in segments(count)]
    joined = xr.concat([d.drop_vars("unit") for d in made], "time", join="override")
    return joined.assign_coords(unit=made[0].unit).assign_attrs(made[-1].attrs)


def same(results: xr.Dataset, expected: xr.Dataset) -> bool:
    """Bit for bit, names, units and attributes too, but for what is added to the segments."""
    own = results.copy()
    own.attrs.pop("finished")
    return own.identical(expected) and own.q.values.tobytes() == expected.q.values.tobytes()


def interrupted(path: Path, count: int, of: int = 9) -> None:
    """Leave a run with so many parts."""
    with Recording.begin(path, manifest(of)) as recording:
        for dataset, memory in segments(count):
            recording.append(dataset, memory)


def snapshot(folder: Path) -> dict[str, bytes]:
    """All files but the locks, with their content."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "lock"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


# ------------------------------------------------------------ killed


def script(*arguments: str) -> subprocess.Popen[str]:
    """A process that records."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, recorded_runs.__file__, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)


@POSIX
@pytest.mark.parametrize("kills", thinned([3, 10], [3]))
def test_a_run_killed_at_random_moments_gives_the_same_bits(kills: int, path: Path) -> None:
    known, counts = 0, np.random.default_rng(5).integers(1, 12, size=kills)
    with script("moments", str(path), *map(str, counts)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for count in counts:
            told = [int(word) for word in next(process.stdout).split()]
            assert len(told) == count
            assert told[0] > known, "it went on where it was"
            known = told[-1]
            with open_results(path) as left:
                assert left.attrs["finished"] == 0
                assert left.attrs["steps"] >= known
                assert same(left, whole(left.attrs["steps"]))
            print(file=process.stdin, flush=True)
    assert process.returncode == 0
    recording, memory = Recording.resume(path, manifest(0))
    assert memory is not None
    recording.finish()
    with open_results(path) as results:
        assert results.attrs["finished"] == 1
        assert same(results, whole(int(memory["number"])))
    assert os.listdir(path.parent) == ["motion.nc"]


@POSIX
@pytest.mark.parametrize("stride", thinned([1, 3], [3]))
def test_a_run_killed_between_any_two_touches_of_the_disk_goes_on(stride: int, tmp_path: Path) -> None:
    with script("everywhere", str(tmp_path), str(stride)) as process:
        rows = [line.split(" ") for line in process.communicate()[0].splitlines()]
    assert process.returncode == 0
    expected = whole(2).q.values.tobytes().hex()
    assert len(rows) > 36 // stride
    assert [row[0] for row in rows] == ["True"] * (len(rows) - 1) + ["False"]
    assert all(expected.startswith(row[2]) for row in rows)
    assert len({row[2] for row in rows}) == 3, "killed before the first, before the second part and behind it"
    assert all(row[2] == expected for row in rows if row[1] == "True"), "a file at the final name is complete"
    assert {row[1] for row in rows} == {"True", "False"}
    assert all(row[3:] == [expected, "True"] for row in rows)


# ------------------------------------------------------------ what the files hold


def test_a_run_without_interruption(path: Path, directory: Path) -> None:
    with Recording.begin(path, manifest(4)) as recording:
        for number, (dataset, memory) in enumerate(segments(4)):
            recording.append(dataset, memory)
            file = directory / f"{number:05d}.nc"
            assert xr.load_dataset(file, engine="h5netcdf").identical(dataset)
            image = part_files.content(file)
            assert image is not None
            stored = netcdf.memory_of(image)
            assert {name: x.tobytes() for name, x in stored.items()} == {n: x.tobytes() for n, x in memory.items()}
        recording.finish()
    with xr.open_dataset(path, engine="h5netcdf") as results:
        assert results.attrs["finished"] == 1
        assert same(results, whole(4))
    assert supple.load(path) == recorded_runs.model()


def test_the_model_of_results_is_read_from_parts_and_from_files_of_any_version(path: Path, tmp_path: Path) -> None:
    interrupted(path, 2)
    assert not path.exists()
    assert results_model(path) == recorded_runs.model()
    with Recording.resume(path, manifest(9))[0] as recording:
        recording.finish()
    assert results_model(path) == recorded_runs.model()
    earlier = tmp_path / "earlier.nc"  # the model beside the motion, as it was once
    with open_results(path) as results:
        results.assign(manifest(9).dataset()).to_netcdf(earlier, engine="h5netcdf")
        without = tmp_path / "without.nc"
        results.to_netcdf(without, engine="h5netcdf")
    with open_results(earlier) as results:
        assert not {"model_text", "model_bodies", "settings"} & set(results.variables)
    assert results_model(earlier) == supple.load(earlier) == recorded_runs.model()
    assert results_model(without) is None


def test_the_parts_of_a_run_and_the_joined_file_read_the_same(path: Path) -> None:
    interrupted(path, 5)
    from_parts = open_results(path)
    assert from_parts.attrs["finished"] == 0
    recording, _ = Recording.resume(path, manifest(9))
    recording.finish(finished=False)
    with xr.open_dataset(path, engine="h5netcdf") as results:
        assert results.identical(from_parts)
        assert same(results, whole(5))
    recording, memory = Recording.resume(path, manifest(9))
    assert memory is not None
    dataset, memory = recorded_runs.segment(memory)
    recording.append(dataset, memory)
    with open_results(path) as later, recording:
        assert same(later, whole(6)), "the parts go beyond the joined file"


def test_every_type_that_results_may_have_comes_back() -> None:
    dataset = xr.Dataset(
        {
            "f": (("time", "free"), np.array([[np.nan, -0.0], [np.inf, 1e-310]])),
            "single": ("time", np.array([1.5, 2.5], dtype=np.float32), {"units": "seconds"}),
            "count": ((), np.int64(7)),
            "on": ("time", np.array([True, False])),
            "word": ("none", np.array([], dtype="U3")),
            "text": ((), "n\u00e4chste Zeile\n" * 10000),
        },
        {"time": [0.0, 1.0], "where": ("time", ["a", "b"])},
        {"title": "any", "number": 3, "numbers": [1.0, 2.0]},
    )
    again = netcdf.unpacked(netcdf.packed(dataset, {"x": np.zeros((0, 3))}))
    xr.testing.assert_identical(again, dataset)
    assert {name: again[name].dtype for name in ("f", "single", "count", "on")} == {
        "f": np.dtype(float),
        "single": np.dtype(np.float32),
        "count": np.dtype(np.int64),
        "on": np.dtype(bool),
    }
    assert np.signbit(again.f[0, 1])
    with pytest.raises(supple.ResultsError, match=r"variable 'z' is of type complex128"):
        netcdf.packed(xr.Dataset({"z": ("time", np.zeros(2, dtype=complex))}))


def test_segments_of_another_layout_are_refused_at_once(path: Path) -> None:
    (first, memory), (second, _) = segments(2)
    with Recording.begin(path, manifest(2)) as recording:
        with pytest.raises(supple.ResultsError, match=r"00000.nc: expected a segment with a variable 'time'"):
            recording.append(first.drop_vars("time"), memory)
        recording.append(first, memory)
        with pytest.raises(supple.ResultsError, match=r"00001.nc: expected a segment with .*q.*, got "):
            recording.append(second.drop_vars("q"), memory)
        with pytest.raises(supple.ResultsError, match=r"00001.nc: .*float32\(time, coordinate 3\)"):
            recording.append(second.assign(q=second.q.astype(np.float32)), memory)


def test_the_work_for_a_part_does_not_grow_with_their_number(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    listed: list[Any] = []
    intact, listdir = part_files.intact, os.listdir

    def counted_intact(file: Path) -> bool:
        read.append(file)
        return intact(file)

    def counted_listdir(folder: Any) -> list[str]:
        listed.append(folder)
        return listdir(folder)

    monkeypatch.setattr(part_files, "intact", counted_intact)
    monkeypatch.setattr(os, "listdir", counted_listdir)
    with Recording.begin(path, manifest(50)) as recording:
        listed.clear()
        for dataset, memory in segments(50):
            recording.append(dataset, memory)
        assert (read, listed) == ([], [])
        recording.finish()
    assert len(read) == 50
    assert len(listed) < 5


def test_results_are_joined_and_checked_in_little_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of `finish`, in blocks of 64 KiB, is a small share of the results, whatever their size."""
    monkeypatch.setattr(netcdf, "BLOCK", 2**16)
    monkeypatch.setattr(part_files, "BLOCK", 2**16)
    rng = np.random.default_rng(0)
    rows, count = 20_000, 6
    values = rng.normal(size=(count, rows, 20))
    with Recording.begin(path, manifest(1)) as recording:
        for i in range(count):
            times = np.arange(i * rows, (i + 1) * rows, dtype=float)
            recording.append(xr.Dataset({"x": (("time", "free"), values[i])}, {"time": times}), {})
        tracemalloc.start()
        recording.finish()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 0.2 * values.nbytes
    assert path.stat().st_size < 1.1 * values.nbytes + 2**20
    with open_results(path) as results:
        np.testing.assert_array_equal(results.x.values, values.reshape(-1, 20))
        assert results.attrs["finished"] == 1


# ------------------------------------------------------------ begin and resume


def test_begin_refuses_an_unfinished_run_unless_told_to_overwrite(path: Path) -> None:
    interrupted(path, 3)
    before = snapshot(path.parent)
    with pytest.raises(
        supple.ResultsError, match=r"motion.nc: .* 3 parts in .*resume=True continues it.*overwrite=True starts"
    ):
        Recording.begin(path, manifest(9))
    assert snapshot(path.parent) == before
    with Recording.begin(path, manifest(2), overwrite=True) as recording:
        for dataset, memory in segments(2):
            recording.append(dataset, memory)
        recording.finish()
    with open_results(path) as results:
        assert same(results, whole(2))


def test_a_run_that_has_no_part_yet_is_no_obstacle(path: Path) -> None:
    with Recording.begin(path, manifest(2)):
        pass
    with pytest.raises(supple.ResultsError, match=r"no results: expected this file, or parts"):
        open_results(path)
    recording, memory = Recording.resume(path, manifest(2))
    assert memory is None
    recording.finish(finished=False)
    assert not path.exists()
    with Recording.begin(path, manifest(3)) as recording, pytest.raises(supple.ResultsError, match=r"no part"):
        recording.finish()


def test_results_of_an_earlier_run_stay_until_the_next_is_finished(path: Path, directory: Path) -> None:
    run(path, 2)
    earlier = path.read_bytes()
    interrupted(path, 3, of=3)
    assert path.read_bytes() == earlier
    with pytest.warns(supple.ResultsWarning, match=f"results of an earlier run; a later one in {directory} is unfin"):
        results = open_results(path)
    with results:
        assert same(results, whole(2))
    run(path, 3)
    with open_results(path) as results:
        assert same(results, whole(3))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (manifest(8), "segments: was 9, is 8"),
        (manifest(9, rtol=1e-9), "rtol: was null, is 1e-09"),
        (manifest(9, q=[0.1, 0.2, 0.4]), r"q\[2\]: was 0.3, is 0.4"),
        (manifest(9, q=[0.1]), r"q: was \[0.1, 0.2, 0.3\], is \[0.1\]"),
        (manifest(9, integrator="x" * 200), 'integrator: was "logistic", is "xxxxx.*xxxxxx[.][.][.]'),
        (
            RunManifest(recorded_runs.model(2.0), manifest(9).settings),
            r"model: line \d+: was mass = 1.0, is mass = 2.0",
        ),
    ],
)
def test_resume_refuses_another_manifest_and_says_what_differs(path: Path, other: RunManifest, message: str) -> None:
    interrupted(path, 2)
    before = snapshot(path.parent)
    with pytest.raises(supple.ResultsError, match=message) as caught:
        Recording.resume(path, other)
    assert str(caught.value).startswith(f"{path}: the unfinished run there is a different one")
    assert snapshot(path.parent) == before
    Recording.resume(path, manifest(9))[0].finish(finished=False)


def test_flexible_bodies_are_compared_by_their_numbers(path: Path) -> None:
    def hub(thickness: float) -> supple.Model:
        material = Material(E=70e9, nu=0.3, rho=2700)
        mech = supple.Mechanism("hub")
        mech.add_body("boom", beam(1.0, Rectangle(0.02, thickness), material, 4).reduce("cantilever", 3))
        return mech.build()

    model = hub(0.01)
    with Recording.begin(path, RunManifest(model, {})) as recording:
        recording.append(*next(segments(1)))
    with pytest.raises(supple.ResultsError, match=r"model: the text is the same, flexible bodies are not"):
        Recording.resume(path, RunManifest(hub(0.011), {}))
    for same_model in (model, hub(0.01)):
        Recording.resume(path, RunManifest(same_model, {}))[0].finish(finished=False)
    assert supple.load(path) == model


def test_resume_says_when_there_is_nothing_to_resume(path: Path, directory: Path) -> None:
    with pytest.raises(supple.ResultsError, match=r"motion.nc: nothing to resume: no run was begun there"):
        Recording.resume(path, manifest(1))
    assert os.listdir(path.parent) == []
    run(path, 1)
    before = snapshot(path.parent)
    with pytest.raises(supple.ResultsError, match=r"motion.nc: nothing to resume: the run is finished"):
        Recording.resume(path, manifest(1))
    assert snapshot(path.parent) == before
    recording = Recording.begin(path, manifest(2))
    recording.append(*next(segments(1)))
    recording.finish(finished=False)
    for file in directory.iterdir():
        file.unlink()
    with pytest.raises(supple.ResultsError, match=r"not finished, but its parts in .* are gone"):
        Recording.resume(path, manifest(2))
    with open_results(path) as results:
        assert results.attrs["finished"] == 0


@POSIX
def test_two_runs_at_once_are_refused(path: Path) -> None:
    with Recording.begin(path, manifest(2)) as recording:
        for attempt in (Recording.begin, Recording.resume):
            with pytest.raises(supple.ResultsError, match=r"motion.nc: another run is writing there now"):
                attempt(path, manifest(2))
        recording.append(*next(segments(1)))
        assert open_results(path).sizes["time"] == 1, "reading is no writing"
    Recording.resume(path, manifest(2))[0].finish(finished=False)


def test_settings_that_cannot_be_kept_are_refused(path: Path) -> None:
    with pytest.raises(supple.ResultsError, match=r"settings: expected what JSON can hold: .*function"):
        Recording.begin(path, manifest(1, tau=lambda t: t))
    assert os.listdir(path.parent) == []


# ------------------------------------------------------------ damage


def damage(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    if how == "flipped":
        # In the numbers themselves, where HDF5 has no checksum.
        numbers = xr.load_dataset(file, engine="h5netcdf").q.values.tobytes()
        content[content.index(numbers) + 3] ^= 1
        file.write_bytes(content)
    elif how == "absent":
        file.unlink()
    else:
        file.write_bytes(content[: {"empty": 0, "half": len(content) // 2, "end": len(content) - 1}[how]])


@pytest.mark.parametrize("how", ["flipped", "half", "end", "empty", "absent"])
def test_a_damaged_part_sends_the_run_back_to_the_part_before(path: Path, directory: Path, how: str) -> None:
    interrupted(path, 6)
    damage(directory / "00003.nc", how)
    reason = f"00003.nc is {'missing' if how == 'absent' else 'damaged'}"
    with pytest.warns(supple.ResultsWarning, match=f"{reason}.*the 3 parts before it are read"):
        assert same(open_results(path), whole(3))
    with pytest.warns(supple.ResultsWarning, match=f"{reason}.*the 3 parts before it are kept"):
        recording, memory = Recording.resume(path, manifest(9))
    assert memory is not None
    assert int(memory["number"]) == 3
    with recording:
        assert sorted(file.name for file in directory.glob("0*")) == ["00000.nc", "00001.nc", "00002.nc"]
    run(path, 9)
    with open_results(path) as results:
        assert same(results, whole(9))


def test_damage_that_happens_during_the_run_is_found_before_anything_is_joined(path: Path, directory: Path) -> None:
    with Recording.begin(path, manifest(3)) as recording:
        for dataset, memory in segments(3):
            recording.append(dataset, memory)
        damage(directory / "00001.nc", "flipped")
        with pytest.raises(supple.ResultsError, match=r"00001.nc is damaged"):
            recording.finish()
    assert not path.exists()
    with pytest.warns(supple.ResultsWarning, match=r"00001.nc is damaged.*the 1 parts"):
        run(path, 3)
    with open_results(path) as results:
        assert same(results, whole(3))


def test_a_damaged_plan_leaves_the_motion(path: Path, directory: Path) -> None:
    interrupted(path, 2)
    damage(directory / "manifest.nc", "half")
    assert open_results(path).attrs.pop("finished") == 0
    assert np.array_equal(open_results(path).q, whole(2).q)
    with pytest.raises(supple.ResultsError, match=r"manifest.nc is damaged.*overwrite=True starts over"):
        Recording.resume(path, manifest(9))


def test_leftovers_with_temporary_names_are_of_no_account(path: Path, directory: Path) -> None:
    interrupted(path, 2)
    for name in ("00002.nc.draft", "result.nc.draft", "result.nc"):
        (directory / name).write_bytes(b"half")
    assert same(open_results(path), whole(2))
    run(path, 9)
    with open_results(path) as results:
        assert same(results, whole(9))
    assert os.listdir(path.parent) == ["motion.nc"]


@pytest.mark.parametrize("content", [b"", b"no netCDF", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_a_file_that_holds_no_results(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(supple.ResultsError, match=r"motion.nc: expected results in netCDF, got a damaged or foreign"):
        open_results(path)


# ------------------------------------------------------------ what cannot be written


def test_places_where_no_file_can_be(tmp_path: Path, path: Path, directory: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.nc").mkdir()
    before = snapshot(tmp_path)
    for place, message in [
        (tmp_path / "folder.nc", "folder.nc: expected a file, got a directory"),
        (tmp_path / "nowhere" / "m.nc", "m.nc: cannot be written: expected a directory .*nowhere, got nothing"),
        (tmp_path / "file" / "m.nc", "m.nc: cannot be written: expected a directory .*file, got a file"),
    ]:
        for attempt in (Recording.begin, Recording.resume):
            with pytest.raises(supple.ResultsError, match=message):
                attempt(place, manifest(1))
        with pytest.raises(supple.ResultsError, match=r"(no results|got a directory)"):
            open_results(place)
    assert snapshot(tmp_path) == before
    directory.write_text("mine")
    with pytest.raises(supple.ResultsError, match=r"motion.nc.parts: cannot be written: File exists"):
        Recording.begin(path, manifest(1))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written(path: Path) -> None:
    path.parent.chmod(0o500)
    with pytest.raises(supple.ResultsError, match=r"motion.nc.parts: cannot be written: Permission denied"):
        Recording.begin(path, manifest(1))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_keeps_the_parts(path: Path, directory: Path) -> None:
    run(path, 1)
    earlier = path.read_bytes()
    interrupted(path, 3, of=4)
    full = directory / "00003.nc.draft"
    recording, memory = Recording.resume(path, manifest(4))
    assert memory is not None
    dataset, memory = recorded_runs.segment(memory)
    with recording:
        full.symlink_to("/dev/full")
        with pytest.raises(
            supple.ResultsError, match=r"00003.nc: cannot be written: No space left .* 3 parts before it are kept"
        ):
            recording.append(dataset, memory)
        recording.append(dataset, memory)  # somebody made room
        (directory / "result.nc.draft").symlink_to("/dev/full")
        with pytest.raises(
            supple.ResultsError,
            match=r"motion.nc: cannot be written: No space left .* are kept, resume=True joins them",
        ):
            recording.finish()
    assert path.read_bytes() == earlier
    run(path, 4)
    with open_results(path) as results:
        assert same(results, whole(4))


@pytest.fixture
def limited() -> Iterator[None]:
    """No file may grow beyond 1000 bytes: a write stops in its middle."""
    resource = pytest.importorskip("resource", reason="limits are of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_run_that_cannot_even_begin_leaves_nothing(path: Path, limited: None) -> None:
    with pytest.raises(supple.ResultsError, match=r"manifest.nc: cannot be written: File too large"):
        Recording.begin(path, manifest(1))
    assert os.listdir(path.parent) == []


def test_a_directory_that_takes_the_place_of_the_results(path: Path, directory: Path) -> None:
    recording = Recording.begin(path, manifest(1))
    recording.append(*next(segments(1)))
    path.mkdir()
    with pytest.raises(supple.ResultsError, match=r"motion.nc: cannot be written: Is a directory; the parts .* kept"):
        recording.finish()
    path.rmdir()
    run(path, 1)
    with open_results(path) as results:
        assert same(results, whole(1))
