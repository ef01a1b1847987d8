"""FMUs of a PI controller, built from the C text beside this file: descriptions by FMI 2 and 3, and archives."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("pi_controller.c")
TOKEN = "{9d1b1a54-6c7e-4f0b-8f3e-2f6d4c0f7a11}"
REALS = {
    "measured": "input",
    "rate": "input",
    "reference": "input",
    "kp": "parameter",
    "ki": "parameter",
    "kd": "parameter",
    "limit": "parameter",
    "fail_at": "parameter",
    "force": "output",
}
STARTS = {"input": 0.0, "parameter": 1.0}
OTHERS = {
    "saturated": (100, "Boolean", "output"),
    "enabled": (101, "Boolean", "input"),
    "steps": (102, "Int", "output"),
}


def description(version: int, *, saves: bool = True, any_step: bool = True, kind: str = "CoSimulation") -> str:
    """modelDescription.xml of the controller."""
    flags = {
        "canHandleVariableCommunicationStepSize": any_step,
        "canGetAndSetFMU" + ("state" if version == 2 else "State"): saves,
        "canSerializeFMU" + ("state" if version == 2 else "State"): saves,
    }
    told = " ".join(f'{key}="{str(x).lower()}"' for key, x in flags.items())
    variables = [_variable(version, n, i, c, "Real") for i, (n, c) in enumerate(REALS.items())]
    variables += [_variable(version, n, i, c, kind) for n, (i, kind, c) in OTHERS.items()]
    token = "guid" if version == 2 else "instantiationToken"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="{version}.0" modelName="pi" {token}="{TOKEN}">
<{kind} modelIdentifier="pi" {told}/>
<ModelVariables>
{"".join(variables)}</ModelVariables>
<ModelStructure/>
</fmiModelDescription>
"""


def _variable(version: int, name: str, reference: int, causality: str, kind: str) -> str:
    variability = "fixed" if causality == "parameter" else "continuous" if kind == "Real" else "discrete"
    own = f'name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"'
    value = "true" if name == "enabled" else STARTS.get(causality)
    start = "" if value is None else f' start="{value}"'
    if version == 3:
        return f"<{ {'Real': 'Float64', 'Int': 'Int32'}.get(kind, kind) } {own}{start}/>\n"
    return f"<ScalarVariable {own}><{ {'Int': 'Integer'}.get(kind, kind) }{start}/></ScalarVariable>\n"


def place_of(version: int) -> str:
    """Where in an FMU the library for this machine is."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}[sys.platform]
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    end = {"linux": "so", "darwin": "dylib", "windows": "dll"}[system]
    folder = f"{system.replace('windows', 'win')}64" if version == 2 else f"{machine}-{system}"
    return f"binaries/{folder}/pi.{end}"


def built_library(version: int, folder: Path) -> Path:
    """The library of the controller; without a compiler the tests are skipped, but not where they must run."""
    compiler = shutil.which("cc")
    if compiler is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler")
        pytest.skip("no C compiler")
    target = folder / f"pi{version}"
    options = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", f"-DFMI={version}"]
    command = [compiler, *options, f'-DTOKEN="{TOKEN}"', str(SOURCE), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def packed(path: Path, text: str, library: bytes | None = None, place: str = "") -> Path:
    """An archive with a description, and a library."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
        if library is not None:
            archive.writestr(place, library)
    return path
