"""Shared libraries of an FMU: by the compiler of the system for this platform, by Zig's for others."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from supple.errors import StateError, SuppleError, nearest

HOST, ALL = "host", "all"


class Target(NamedTuple):
    """A platform: folders in FMI 2.0 and 3.0, the end of a library's name, and what Zig calls it."""

    folder2: str
    ending: str
    zig: str


TARGETS = {
    "x86_64-linux": Target("linux64", ".so", "x86_64-linux-gnu.2.17"),
    "aarch64-linux": Target("aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
    "x86_64-windows": Target("win64", ".dll", "x86_64-windows-gnu"),
    "x86_64-darwin": Target("darwin64", ".dylib", "x86_64-macos"),
    "aarch64-darwin": Target("aarch64-darwin", ".dylib", "aarch64-macos"),
}
"""By their names, which are the folders of FMI 3.0."""
FLAGS = ("-std=c99", "-shared", "-fvisibility=hidden")
LONG = 300_000
"""Characters of a source that is compiled with less optimization: it would take minutes."""


def host() -> str:
    """The name of this platform."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    return f"{machine}-{system}"


def chosen(platforms: Sequence[str]) -> list[str]:
    """Names of platforms, in order, each once."""
    known = (HOST, ALL, *TARGETS)
    if isinstance(platforms, str):
        raise StateError(f"platforms: expected a sequence of names, got {platforms!r}")
    found: dict[str, None] = {}
    for name in platforms:
        if name not in known:
            raise StateError(f"platforms: no {name!r}{nearest(str(name), known)}; known: {', '.join(known)}")
        found |= dict.fromkeys(TARGETS if name == ALL else [host() if name == HOST else name])
    return list(found)


def binaries(source: str, identifier: str, platforms: Sequence[str], fmi: int) -> dict[str, bytes]:
    """Libraries by their places in the archive.

    The environment variables CC and CFLAGS name another compiler for this platform, and further flags.

    Raises
    ------
    StateError
        If a platform is not known.
    SuppleError
        If there is no compiler, or it fails.
    """
    names = chosen(platforms)
    commands = {name: _command(name) for name in names}
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / f"{identifier}.c"
        text.write_text(source, encoding="ascii")
        for name, command in commands.items():
            target = TARGETS.get(name, Target(name, ".so", ""))
            library = Path(folder) / f"{identifier}{target.ending}"
            more = [] if name.endswith("windows") else ["-fPIC"]
            level = "-O1" if len(source) > LONG else "-O2"
            arguments = [*command, *FLAGS, *more, level, str(text), "-o", str(library)]
            arguments += shlex.split(os.environ.get("CFLAGS", ""))
            _run([*arguments, *([] if name.endswith("windows") else ["-lm"])], name, folder)
            where = target.folder2 if fmi == 2 else name
            found[f"binaries/{where}/{identifier}{target.ending}"] = library.read_bytes()
    return found


def _command(name: str) -> list[str]:
    """The compiler for a platform."""
    compiler = shutil.which(os.environ.get("CC", "cc")) if name == host() else None
    if compiler is not None:
        return [compiler]
    if importlib.util.find_spec("ziglang") is not None and name in TARGETS:
        return [sys.executable, "-m", "ziglang", "cc", "-target", TARGETS[name].zig]
    if name == host():
        raise SuppleError(
            "no C compiler 'cc' for the library of the FMU: install gcc or clang, or pip install ziglang; or write the "
            "sources alone, sources_only=True"
        )
    raise SuppleError(f"no compiler for {name!r}: pip install ziglang compiles for all platforms")


def _run(command: Sequence[str], name: str, folder: str) -> None:
    environment: Mapping[str, str] = {"ZIG_GLOBAL_CACHE_DIR": os.path.join(tempfile.gettempdir(), "supple-zig")}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if line.strip()), f"exit code {done.returncode}")
        raise SuppleError(f"the C compiler failed for {name!r}: {first}")
