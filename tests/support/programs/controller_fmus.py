"""FMUs of a PI controller, built from the C text beside this file: descriptions by FMI 2 and 3, and archives."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple

RATE = 40.0
PI_INPUTS: dict[str, float | str] = {"measured": "cart.position", "rate": "rate(cart.position)", "reference": 0.5}
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


def pi_fmu(folder: Path, version: int = 3, **options: Any) -> supple.FmuController:
    """The controller of one of the FMUs in a folder, on the cart of cart_pendulum.toml."""
    wiring: dict[str, Any] = {"inputs": PI_INPUTS, "outputs": {"force": "cart.position"}, "rate": RATE}
    parameters = {"kp": 20.0, "ki": 5.0, "kd": 8.0, "limit": 1e6, "fail_at": 1e300}
    parameters |= options.pop("parameters", {})
    file = options.pop("file", f"pi{version}.fmu")
    return supple.FmuController("pi", folder / file, **wiring | options, parameters=parameters)


def fill(folder: Path) -> Path:
    """The folder, with the controller as pi2.fmu and pi3.fmu, and as unsaved2.fmu and unsaved3.fmu without a state."""
    for version in (2, 3):
        library = built_library(version, folder).read_bytes()
        packed(folder / f"pi{version}.fmu", description(version), library, place_of(version))
        unsaved = description(version, saves=False, any_step=False)
        packed(folder / f"unsaved{version}.fmu", unsaved, library, place_of(version))
    return folder


def pi_linear(ahead: bool = False) -> supple.LinearController:
    """The same controller in supple, without its limit; `ahead` as for FMUs."""
    A, B = np.array([[1.0]]), np.array([[-1.0 / RATE, 0.0]])
    C, D = np.array([[5.0]]), np.array([[-20.0, -8.0]])
    if ahead:  # outputs after the step, with the inputs of the sample
        C, D = C @ A, C @ B + D
    measured, reference = ["cart.position", "rate(cart.position)"], [0.5, 0.0]
    return supple.LinearController("pi", measured, ["cart.position"], A, B, C, D, reference=reference, rate=RATE)
