"""Real compiled code of every kind: wanted by many at once, and damaged in every way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest

from supple.engines.code_cache import code_files, read_code, write_code
from supple.engines.code_cache.code_origin import SOURCES
from supple.engines.code_cache.code_room import file_name
from support.cases import thinned

COUNT = 100
"""Files that are damaged in each way, of each kind of code."""
ANSWERS = """
import json, threading
import numpy as np
import supple
from supple.engines.code_cache import code_files

mech = supple.Mechanism("arm")
mech.add_body("upper", supple.RigidBody(1.0, (0, 0, -0.5), np.diag([0.1, 0.2, 0.25])), joint=supple.Universal("x", "y"))
mech.add_body("lower", supple.RigidBody(0.5, (0, 0.1, -0.4)), "upper", supple.Revolute("y"), at=(0, 0, -1))
model = mech.build()
q, v = model.random_state(0)

def one_of_each():
    tau = np.array([1.0, 2.0, 3.0])
    a, b = model.forward_dynamics(q, v, tau), model.forward_dynamics(q, v, tau, method="triangular")
    return [a.tolist(), b.tolist(), model.compile("inverse_dynamics")(q, v, a).tolist()]

def answers():
    found = one_of_each()
    a = model.forward_dynamics(q, v, np.ones(3), method="conjugate_gradient")
    matrices = [model.mass_matrix(q), a, model.compile("mass_matrix")(q)]
    return repr([found, *(M.tolist() for M in matrices)])
"""
ONCE = f"{ANSWERS}\nprint(answers())"
FIRST = f"{ANSWERS}\nprint(one_of_each())"
RECORDED = f"""{ANSWERS}
keys, name = [], code_files.file_name
code_files.file_name = lambda kind, key: (keys.append((kind, key)), name(kind, key))[1]
print(one_of_each())
print(answers())
print(json.dumps(keys))
"""
THREADS = f"""{ANSWERS}
barrier, found = threading.Barrier(8), [""] * 8
def work(i):
    barrier.wait()
    found[i] = answers()
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(set(found)) == 1, found
print(found[0])
"""


def started(cache: Path, code: str) -> subprocess.Popen[str]:
    """A new process whose compiled code is in a directory, blocks from the start; every warning is an error."""
    environment = {**os.environ, "SUPPLE_CACHE_DIR": str(cache), "SUPPLE_OPTIMIZATION": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code], env=environment, stdout=subprocess.PIPE, text=True
    )


def printed(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate()
    assert process.returncode == 0
    return out


def stored(cache: Path) -> dict[str, bytes]:
    """What is in the files of all kinds, by kind and name; drafts too."""
    return {str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.glob("*/*"))}


@dataclass(frozen=True)
class Filled:
    """A cache with code of all kinds: what the process that filled it has found, and the keys by kind."""

    cache: Path
    one_of_each: str
    answers: str
    keys: dict[str, list[str]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    cache = tmp_path_factory.mktemp("filled")
    one_of_each, answers, keys = printed(started(cache, RECORDED)).splitlines()
    asked = dict.fromkeys((kind, key) for kind, key in json.loads(keys))
    found = {f"{kind}/{file_name(kind, key)}": (kind, key) for kind, key in asked}
    assert stored(cache).keys() <= found.keys()
    by_kind = {kind: [key for k, key in (found[name] for name in stored(cache)) if k == kind] for kind in SOURCES}
    assert all(len(found) > 1 for found in by_kind.values())
    return Filled(cache, f"{one_of_each}\n", f"{answers}\n", by_kind)


@pytest.mark.parametrize("count", thinned([2, 4], [2]))
def test_processes_start_at_once(count: int, filled: Filled, tmp_path: Path) -> None:
    processes = [started(tmp_path, FIRST) for _ in range(count)]
    assert [printed(process) for process in processes] == count * [filled.one_of_each]
    assert {name.split("/")[0] for name in stored(tmp_path)} == set(SOURCES)
    assert stored(tmp_path).keys() <= stored(filled.cache).keys()  # and so no draft
    stamps = [path.stat().st_mtime_ns for path in sorted(tmp_path.glob("*/*"))]
    assert printed(started(tmp_path, FIRST)) == filled.one_of_each
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.glob("*/*"))] == stamps  # nothing was compiled again


def test_eight_threads_start_at_once(filled: Filled, tmp_path: Path) -> None:
    assert printed(started(tmp_path, THREADS)) == filled.answers
    assert stored(tmp_path).keys() == stored(filled.cache).keys()


Damage = Callable[[bytes, bytes, np.random.Generator], bytes]


def swapped(own: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """Whole, but with another key."""
    return other


def truncated(own: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """Without its end, or all of it."""
    return own[: rng.integers(len(own))]


def flipped(own: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """One bit is another; in every second file one of the head."""
    at = int(rng.integers(len(own) if rng.random() < 0.5 else code_files.HEAD))
    return own[:at] + bytes([own[at] ^ (1 << int(rng.integers(8)))]) + own[at + 1 :]


def foreign(own: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """The code of another behind the own head, bare code, or noise behind some of the head."""
    head, noise = own[: int(rng.integers(code_files.HEAD + 1))], rng.bytes(int(rng.integers(1, 2000)))
    made = own[: code_files.HEAD] + other[code_files.HEAD :], own[code_files.HEAD :], head + noise
    return made[rng.integers(len(made))]


DAMAGES: tuple[Damage, ...] = (swapped, truncated, flipped, foreign)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", SOURCES)
def test_a_damaged_file_is_never_read(
    filled: Filled, kind: str, damage: Damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(filled.cache, cache)
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(cache))
    rng = np.random.default_rng(COUNT)
    contents = list(stored(cache).values())
    for key in islice(cycle(filled.keys[kind]), COUNT):
        path = cache / kind / file_name(kind, key)
        own, code = path.read_bytes(), read_code(kind, key)
        assert code is not None
        others = [x for x in contents if x != own]
        path.write_bytes(damage(own, others[rng.integers(len(others))], rng))
        assert read_code(kind, key) is None
        write_code(kind, key, code)
        assert path.read_bytes() == own


@pytest.mark.parametrize("damage", thinned(DAMAGES, [foreign]), ids=lambda damage: damage.__name__)
def test_damaged_caches_are_rebuilt(filled: Filled, damage: Damage, tmp_path: Path) -> None:
    """Every file, each with another of its kind as the other; a process that finds them gives the same answers."""
    cache, rng = tmp_path / "cache", np.random.default_rng(7)
    shutil.copytree(filled.cache, cache)
    good = stored(cache)
    for kind in SOURCES:
        names = [name for name in good if name.startswith(f"{kind}/")]
        for name, other in zip(names, names[1:] + names[:1], strict=True):
            (cache / name).write_bytes(damage(good[name], good[other], rng))
    assert not any(content == good[name] for name, content in stored(cache).items())
    assert printed(started(cache, ONCE)) == filled.answers
    assert stored(cache) == good
