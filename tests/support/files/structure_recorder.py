"""Compare what two versions of the package make of every structure of the tests.

As a plugin of pytest it records each structure and flexible body that a test makes; as a program it compares records.
The package and the tests of a version are those of its own tree, so that tests are matched by their names:

    cd OLD; python -m pytest -p structure_recorder --record-structures=OLD.h5 tests/structures
    cd NEW; python -m pytest -p structure_recorder --record-structures=NEW.h5 tests/structures
    python tests/support/files/structure_recorder.py OLD.h5 NEW.h5

Matrices, masses, strains, stresses and section forces for given motions of the nodes, and geometric stiffness under
given displacements have to agree to 1e-12 of their largest entry, frequencies to 1e-10, and modes to 1e-8 up to their
signs and to rotations among equal frequencies.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy

MATRICES, FREQUENCIES, MODES = 1e-12, 1e-10, 1e-8
CLUSTER = 1e-6
"""Relative gap of squared frequencies within which modes may turn into each other."""
LARGEST = 20_000
"""Entries of the motion of all nodes up to which tables are recorded."""
MOTIONS = 3
ZERO = 1e-300


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the name of the record."""
    parser.addoption("--record-structures", help="file for the structures of all tests")


def pytest_configure(config: pytest.Config) -> None:
    """Record if asked to."""
    if name := config.getoption("--record-structures"):
        config.pluginmanager.register(Recorder(Path(name).absolute()))


class Recorder:
    """Keeps the structures and bodies that are made during a test, and writes them when it ends."""

    def __init__(self, path: Path) -> None:
        from supple.structures import FlexibleBody, Structure

        self.file = h5py.File(path, "w")
        self.made: list[Any] = []
        self.kinds = (Structure, FlexibleBody)
        for kind in self.kinds:
            self._watch(kind)

    def _watch(self, kind: Any) -> None:
        checked = kind.__post_init__

        def kept(made: Any) -> None:
            checked(made)
            self.made.append(made)

        kind.__post_init__ = kept

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write what a module has made when it was imported."""
        self._write(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Write what the test has made."""
        self._write(item.nodeid)

    def _write(self, place: str) -> None:
        made, self.made = self.made, []
        for i, x in enumerate(made):
            kind = next(kind.__name__ for kind in self.kinds if isinstance(x, kind))
            values = of_structure(x) if kind == "Structure" else of_body(x)
            group = self.file.create_group(f"{place.replace('/', '|')}#{kind}{i}")
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    _write(group, values)
                except (ValueError, TypeError, ArithmeticError) as error:  # of numbers that cannot be computed with
                    group.attrs["error"] = str(error)
        self.made.clear()

    def pytest_sessionfinish(self) -> None:
        """Close the record."""
        self.file.close()


def _write(group: h5py.Group, values: Iterator[tuple[str, Any]]) -> None:
    for name, value in values:
        dense = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
        group.create_dataset(name, data=dense, compression="lzf" if dense.ndim else None)


def of_structure(x: Any) -> Iterator[tuple[str, Any]]:
    """Matrices and tables of a structure; products with given vectors stand for large matrices."""
    rng = np.random.default_rng(0)
    u = rng.standard_normal((x.layout.size, MOTIONS))
    moved = scipy.sparse.csr_array(rng.standard_normal((6 * len(x.nodes), MOTIONS)))
    yield "nodes", x.nodes
    yield "stiffness", x.stiffness @ u
    yield "mass_matrix", x.mass_matrix @ u
    yield "positions", x.masses.positions
    yield "weights", x.masses.weights @ np.ones(len(x.masses.positions))
    for axis, rows in enumerate(x.masses.motion):
        yield f"masses{axis}", rows @ u
    if x.surface is not None:
        yield "surface", x.surface.vertices(x.nodes)
        yield "faces", x.surface.faces
    if moved.shape[0] > LARGEST:
        return
    if x.strains is not None:
        yield "strains", np.asarray((x.strains.matrix @ moved).toarray())
        yield "strain_positions", x.strains.positions
    elements = getattr(x, "elements", None) or getattr(x, "stress_source", None)
    if elements is not None:
        own = moved[: 6 * len(elements.layout.points)] if hasattr(elements, "layout") else moved
        for name in ("stresses", "section_forces"):
            try:
                found = getattr(elements, name)(own)
            except ValueError:  # of frames that are means of nodes, in versions that could not recover them
                continue
            if found is not None:
                yield name, found.matrix
                yield f"{name}_positions", found.positions
                yield f"{name}_nodes", found.nodes
    yield from _geometric(x, rng)


def _geometric(x: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """K_sigma under two load cases, as shapes see it."""
    known = getattr(x, "geometric", None) or getattr(x, "elements", None)
    if known is None or not getattr(known, "stiffens", True):
        return
    given = getattr(known, "matrices", None) or getattr(known, "tangents", None)
    if given:
        shares = rng.standard_normal((len(given), 2))
    else:
        shares = rng.standard_normal((12, 2))
    load_cases: Any = next(x for name, x in _own_names() if name == "LoadCases")
    displacements, shapes = rng.standard_normal((2, x.layout.size, 2))
    cases = load_cases(displacements, shares, np.zeros(3), np.full(len(x.nodes), -1))
    states = known.stressed(cases) if hasattr(known, "stressed") else known.geometric_stiffness(cases)
    for i, state in enumerate(states):
        yield f"geometric{i}", state.seen_by(shapes)
        yield f"geometric_forces{i}", state.forces


def _own_names() -> Iterator[tuple[str, Any]]:
    """All names of the modules of structures, wherever a version keeps them."""
    for module in [x for name, x in sys.modules.items() if name.startswith("supple.structures.")]:
        yield from vars(module).items()


def of_body(x: Any) -> Iterator[tuple[str, Any]]:
    """Coordinates, their matrices and what is recovered of a body."""
    yield "labels", len(x.labels)
    yield "nodes", x.nodes
    if x.shapes.shape[0] > LARGEST:
        return
    if x.modes and x.labels[0] != "mode1":
        yield "stiffness", x.stiffness @ np.ones(x.modes)
        yield "mass_matrix", x.mass_matrix @ np.ones(x.modes)
        return
    yield "squares", x.stiffness.diagonal()
    yield "shapes", x.shapes
    yield "moment", x.integrals.moment
    yield "second", x.integrals.second
    yield "mode_E", x.integrals.E.T
    yield "mode_X", x.integrals.X.reshape(x.modes, -1).T
    tables = {} if x.recovery is None else {"stresses": x.recovery.stresses, "forces": x.recovery.section_forces}
    for name, table in {"strains": x.strains, **tables}.items():
        if table is not None:
            yield f"mode_{name}", table.matrix


def compared(old: h5py.Group, new: h5py.Group) -> Iterator[tuple[str, float, float]]:
    """Quantities of one structure or body with their relative difference, and what is allowed."""
    turn = None
    for name in old:
        a, b = np.asarray(old[name]), np.asarray(new[name]) if name in new else None
        if b is None or a.shape != b.shape or (a.ndim and np.shape(old["nodes"]) != np.shape(new["nodes"])):
            yield name, np.inf, 0.0
        elif name == "squares":
            gaps = np.abs(np.sqrt(np.abs(a)) - np.sqrt(np.abs(b))) / np.sqrt(np.maximum(np.abs(a), ZERO))
            yield name, float(gaps.max(initial=0.0)), FREQUENCIES
        elif name == "shapes" or name.startswith("mode_"):
            if turn is None:
                turn = _turn(np.asarray(old["squares"]), _motion(old), _motion(new))
            size = np.maximum(np.abs(a).max(initial=0.0), ZERO)
            yield name, float(np.abs(b @ turn - a).max(initial=0.0) / size), MODES
        else:
            yield name, float(np.abs(a - b).max(initial=0.0) / max(float(np.abs(a).max(initial=0.0)), ZERO)), MATRICES
    if "error" not in old.attrs:  # otherwise the old version could not compute them
        yield from ((name, np.inf, 0.0) for name in new if name not in old)


def _motion(body: h5py.Group) -> Any:
    """Shapes with their integrals, of comparable size: a body of a file may have its shapes at few nodes."""
    parts = [np.asarray(body[name]) for name in ("shapes", "mode_E", "mode_X") if name in body]
    return np.concatenate([x / max(float(np.abs(x).max(initial=0.0)), ZERO) for x in parts])


def _turn(squares: Any, old: Any, new: Any) -> Any:
    """The nearest rotation, within clusters of equal frequencies, of new modes into old ones."""
    out = np.zeros((len(squares), len(squares)))
    gaps = np.diff(squares) > CLUSTER * np.abs(squares[1:])
    for part in np.split(np.arange(len(squares)), np.flatnonzero(gaps) + 1):
        if len(part):
            U, _, V = np.linalg.svd(new[:, part].T @ old[:, part])
            out[np.ix_(part, part)] = U @ V
    return out


def best(old: h5py.Group, candidates: list[h5py.Group]) -> list[tuple[str, float, float]]:
    """Return the comparison with the candidate that is nearest; versions make copies on the way that others do not."""
    found: list[list[tuple[str, float, float]]] = []
    for new in candidates:
        if np.shape(old["nodes"]) == np.shape(new["nodes"]):
            found.append(list(compared(old, new)))
            if all(size <= allowed for _, size, allowed in found[-1]):
                return found[-1]
    return min(found, key=lambda x: max(size / max(allowed, ZERO) for _, size, allowed in x), default=[])


def main(old: str, new: str) -> int:
    """Print the largest difference of each quantity; return whether all are allowed."""
    worst: dict[str, tuple[float, float, str, int]] = {}
    equal, other, missing = 0, [], []
    with h5py.File(old) as a, h5py.File(new) as b:
        for name in a:
            place, _, what = name.rpartition("#")
            kind = what.rstrip("0123456789")
            group: Any = [b[x] for x in b if x.rpartition("#")[0] == place and x.rpartition("#")[2].startswith(kind)]
            if "nodes" not in a[name] or not group:
                missing.append(name)
                continue
            found = best(a[name], group)
            within = bool(found) and all(size <= allowed for _, size, allowed in found)
            equal += within
            if not within:
                other.append((name, [x for x in found if x[1] > x[2]]))
            for quantity, size, allowed in found if within else []:
                largest, _, _, count = worst.get(quantity, (-1.0, 0.0, "", 0))
                worst[quantity] = (max(size, largest), allowed, name, count + 1)
    print(f"{equal} structures and bodies agree, {len(other)} do not, {len(missing)} are of tests that are not in both")
    print(f"{'quantity':24} {'compared':>8} {'largest':>10} {'allowed':>8}")
    for quantity, (size, allowed, _, count) in sorted(worst.items()):
        print(f"{quantity:24} {count:8} {size:10.1e} {allowed:8.0e}")
    for name, wrong in other:
        print(f"{name}: {', '.join(f'{what} {size:.1e}' for what, size, _ in wrong) or 'no candidate'}")
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
