"""What makes compiled code stale: other sources that decide it, another compiler, processor or Python; nothing else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from importlib import machinery
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np
import pytest

from supple.engines.code_cache import code_origin
from supple.engines.code_cache.code_origin import PACKAGE, SOURCES
from supple.engines.llvm import jit
from supple.errors import SuppleError


def origins() -> dict[str, str]:
    """Of all kinds, as a new process finds them."""
    code_origin._compiler.cache_clear()
    return {kind: code_origin.origin.__wrapped__(kind) for kind in SOURCES}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources."""
    copy = tmp_path / "supple"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code_origin, "PACKAGE", copy)
    return copy


@pytest.mark.parametrize(
    ("source", "stale"),
    [
        ("engines/llvm/jit.py", {"functions", "blocks", "sweeps"}),
        ("engines/blocks/block_code.py", {"blocks", "programs"}),
        ("engines/sweeps/translate.py", {"sweeps", "programs"}),
        ("engines/vector_math/lanes.py", set()),
        ("engines/code_cache/code_room.py", set()),
        ("recursions/articulated.py", {"sweeps", "programs"}),
        ("spatial.py", {"sweeps", "programs"}),
        ("stepping/native_loop.py", {"sweeps"}),
        ("model/loops/loops.py", {"programs"}),
        ("expressions/graph.py", {"programs"}),
        ("cli/run.py", set()),
        ("files/urdf.py", set()),
    ],
)
def test_a_changed_source_makes_stale_what_it_decides(package: Path, source: str, stale: set[str]) -> None:
    before = origins()
    path = package / source
    path.write_bytes(path.read_bytes() + b"\n")
    after = origins()
    assert {kind for kind in SOURCES if before[kind] != after[kind]} == stale


def test_what_is_not_source_is_not_read(package: Path) -> None:
    before = origins()
    (package / "recursions" / "__pycache__").mkdir()
    (package / "recursions" / "__pycache__" / "x.py").write_text("x = 1")
    (package / "recursions" / "notes.txt").write_text("x")
    assert origins() == before
    (package / "recursions" / "tree.py").rename(package / "recursions" / "trees.py")
    assert origins() != before


def test_another_compiler_makes_all_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    before = origins()
    monkeypatch.setattr(llvmlite, "__version__", "0.0.0")
    after = origins()
    assert all(before[kind] != after[kind] for kind in SOURCES)
    monkeypatch.undo()
    assert origins() == before


OTHER_ABIS = (".cpython-314t-x86_64-linux-gnu.so", ".cpython-313d-x86_64-linux-gnu.so", ".cp313-win_amd64.pyd")


@pytest.mark.parametrize("ending", OTHER_ABIS)
def test_another_python_makes_all_stale(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """Code reads Python's objects: their heads are larger without a GIL or with debugging."""
    before = origins()
    monkeypatch.setattr(machinery, "EXTENSION_SUFFIXES", [ending, *machinery.EXTENSION_SUFFIXES[1:]])
    after = origins()
    assert all(before[kind] != after[kind] for kind in SOURCES)


def test_another_numpy_makes_all_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    before = origins()
    monkeypatch.setattr(np, "__version__", "0.0.0")
    after = origins()
    assert all(before[kind] != after[kind] for kind in SOURCES)


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Sets what LLVM reports of the host: triple and features."""
    cached = (code_origin.host_features, code_origin.host_fuses, code_origin._compiler, jit.host_lanes)

    def report(triple: str, **features: bool) -> None:
        monkeypatch.delenv("SUPPLE_LANES", raising=False)
        monkeypatch.delenv("SUPPLE_FMA", raising=False)
        monkeypatch.setattr(llvm, "get_default_triple", lambda: triple)
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
        for function in cached:
            function.cache_clear()

    yield report
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


PROCESSORS: list[tuple[str, dict[str, bool], int, bool]] = [
    ("arm64-apple-darwin24.6.0", {}, 2, True),  # LLVM reports nothing here
    ("aarch64-unknown-linux-gnu", {"neon": True, "fp-armv8": True}, 2, True),
    ("aarch64-unknown-linux-gnu", {"neon": True, "sve": True}, 4, True),
    ("armv7l-unknown-linux-gnueabihf", {"neon": True, "vfp4": False}, 2, False),  # NEON without fused doubles
    ("x86_64-unknown-linux-gnu", {"sse2": True, "avx": False, "fma": False}, 2, False),
    ("x86_64-pc-windows-msvc", {"sse2": True, "avx": True, "fma": True, "avx512f": False}, 4, True),
    ("riscv64-unknown-linux-gnu", {}, 1, False),
]


@pytest.mark.parametrize(("triple", "features", "lanes", "fuses"), PROCESSORS)
def test_lanes_and_fusing_follow_the_processor(
    processor: Callable[..., None], triple: str, features: dict[str, bool], lanes: int, fuses: bool
) -> None:
    processor(triple, **features)
    assert (jit.host_lanes(), code_origin.host_fuses()) == (lanes, fuses)


def test_another_processor_makes_all_stale(processor: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for triple, features, *_ in PROCESSORS:
        processor(triple, **features)
        found.append(origins())
    processor(PROCESSORS[0][0])
    monkeypatch.setenv("SUPPLE_FMA", "0")
    found.append(origins())
    assert all(len({x[kind] for x in found}) == len(PROCESSORS) + 1 for kind in SOURCES)


@pytest.fixture
def level_read_anew() -> Iterator[None]:
    """The level of optimization is read from the environment in the test, and again behind it."""
    code_origin.optimization_level.cache_clear()
    yield
    code_origin.optimization_level.cache_clear()
    code_origin._compiler.cache_clear()


@pytest.mark.usefixtures("level_read_anew")
def test_another_level_of_optimization_makes_all_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for level in ("0", "2", ""):
        monkeypatch.setenv("SUPPLE_OPTIMIZATION", level)
        code_origin.optimization_level.cache_clear()
        assert code_origin.optimization_level() == int(level or 1)
        found.append(origins())
    assert all(len({x[kind] for x in found}) == 3 for kind in SOURCES)


@pytest.mark.usefixtures("level_read_anew")
def test_a_level_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_OPTIMIZATION", "fast")
    with pytest.raises(SuppleError, match="SUPPLE_OPTIMIZATION: expected one of 0, 1, 2, 3, got 'fast'"):
        code_origin.optimization_level()


def test_all_that_is_compiled_into_sweeps_decides_them() -> None:
    """Modules with steps and sweeps, and what they import."""
    known = [str(PACKAGE / part) for part in SOURCES["sweeps"]]
    free = {"engines/kernels.py", "errors.py"}  # the decorators, and what is raised outside of sweeps
    found = [path for path in PACKAGE.rglob("*.py") if re.search(r"^@(step|sweep)$", path.read_text(), re.MULTILINE)]
    assert len(found) > 20
    for path in found:
        imported = re.findall(r"^from supple\.([\w.]+) import", path.read_text(), re.MULTILINE)
        modules = [PACKAGE / name.replace(".", "/") for name in imported]
        needed = [path, *(module if module.is_dir() else module.with_suffix(".py") for module in modules)]
        for source in needed:
            covered = any(str(source).startswith(part) for part in known)
            assert covered or str(source.relative_to(PACKAGE)) in free, f"{path.name}: {source}"
