"""How tests run: settings of the process, made before anything is imported that reads them; the longest tests first."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

# Workers are as many as processors; threads of linear algebra would take turns with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Bytecode is kept, for a hundred child processes that would each compile all modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What Hypothesis remembers is not left in the working directory.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir(), "supple-hypothesis")))

import numpy as np  # noqa: E402

from supple.bench import best_time  # noqa: E402

# No test outlives a failure of the power: waiting for the disk takes longer than the runs whose parts are written.
os.fsync = lambda descriptor: None  # type: ignore[assignment]

# Recorded graphs are large and live long: collections as often as usual take a sixth of the time.
gc.set_threshold(500_000, 50, 50)
SOURCE = Path(__file__).parents[1] / "src"
FIRST = (
    "tests/test_house.py",
    "tests/test_docs.py::test_the_site",
    "tests/sweeps/test_dask_engine.py",
    "tests/sweeps/test_local_engine.py",
    "tests/files/test_mutated_files.py",
    "tests/simulation/test_recorder.py",
)
"""Files whose longest tests take ten seconds: at the end, other workers would wait for one of them."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are looked for in files of the library that have some, and in no tests."""
    found = yield
    has_examples = SOURCE in file_path.parents and b">>>" in file_path.read_bytes()
    return found if has_examples else [x for x in found if not isinstance(x, DoctestModule)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


@pytest.fixture(autouse=True, scope="session")
def short_timings() -> None:
    """Timings repeat a call for 10 ms, not for 0.3 s: no test looks at what they find."""
    best_time.__defaults__ = (0.01,)


@pytest.fixture(autouse=True)
def printed_as_usual() -> Iterator[None]:
    """How arrays are printed stays as it is: pyyeti changes it when it is imported."""
    with np.printoptions():
        yield


@pytest.fixture
def own_garbage() -> Iterator[None]:
    """`gc.collect()` looks at objects of this test alone: at all that earlier tests have left it takes ten seconds."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def fmu_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the PI controller as pi2.fmu and pi3.fmu, and with these without a state that can be saved."""
    from support.programs.controller_fmus import fill  # imports supple, which the settings above have to precede

    return fill(tmp_path_factory.mktemp("fmus"))
