"""What the file of an FMU says about it: version, variables, platforms; nothing in it is run."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from supple.errors import FileFormatError, StateError, nearest
from supple.input_files import read_bytes
from supple.xml_tree import xml_tree

DESCRIPTION = "modelDescription.xml"
LARGEST = 2 * 2**30
"""Bytes that an FMU may have when it is unpacked."""
REAL = ("Real", "Float64", "Float32")
WHOLE = ("Integer", "Enumeration", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)))
BOOLEAN, TEXT = "Boolean", "String"
TRUE = ("true", "1")


@dataclass(frozen=True)
class InterfaceVariable:
    """A variable of an FMU: its number there, what it is for, its type, and whether it is one value."""

    name: str
    reference: int
    causality: str
    kind: str
    scalar: bool

    @property
    def numeric(self) -> bool:
        """Whether a number can stand for it."""
        return self.scalar and self.kind in (*REAL, *WHOLE, BOOLEAN)

    def value(self, x: Any, where: str) -> Any:
        """A value of its type, or a StateError."""
        wanted = {BOOLEAN: "true or false", TEXT: "a text"}.get(self.kind)
        wanted = wanted or ("a number" if self.kind in REAL else "a whole number")
        number = isinstance(x, int | float) and not isinstance(x, bool)
        right = {
            BOOLEAN: isinstance(x, bool),
            TEXT: isinstance(x, str),
        }.get(self.kind, number and (self.kind in REAL or float(x).is_integer()))
        if not right:
            raise StateError(f"{where}: expected {wanted}, got {x!r}")
        return float(x) if self.kind in REAL else int(x) if number else x

    def of_number(self, x: float) -> Any:
        """The value that a number stands for: the nearest whole number; true if it is not zero."""
        return x if self.kind in REAL else x != 0.0 if self.kind == BOOLEAN else round(x)


@dataclass(frozen=True)
class FmuInterface:
    """An FMU for co-simulation, as its file describes it.

    Attributes
    ----------
    file : Path
    digest : str
        Of its content.
    version : int
        Of FMI, 2 or 3.
    token, identifier : str
        What an instance is made with, and the name of the library.
    variables : mapping of str to InterfaceVariable
    platforms : tuple of str
        Directories of binaries, "linux64" or "x86_64-linux".
    saves : bool
        Whether its state can be written down.
    any_step : bool
        Whether steps may differ in length.
    """

    file: Path
    digest: str
    version: int
    token: str
    identifier: str
    variables: Mapping[str, InterfaceVariable]
    platforms: tuple[str, ...]
    saves: bool
    any_step: bool

    def variable(self, name: str, causality: str, where: str) -> InterfaceVariable:
        """The variable of a name, which has to be there for this."""
        fitting = [x.name for x in self.variables.values() if x.causality == causality]
        if name not in self.variables:
            hint = nearest(name, fitting)
            raise StateError(f"{where}: {self.file.name} has no variable {name!r}{hint}")
        found = self.variables[name]
        if found.causality != causality:
            expected = f"expected one of causality {causality!r}, got {found.causality!r}"
            raise StateError(f"{where}: {self.file.name}: {name!r}: {expected}{nearest(name, fitting)}")
        return found


def read_interface(path: Path) -> FmuInterface:
    """What an FMU says about itself; a FileFormatError if it is none, or none for co-simulation by FMI 2 or 3."""
    content = read_fmu(path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            size = sum(x.file_size for x in archive.infolist())
            if size > LARGEST:
                raise FileFormatError(f"{path}: expected at most {LARGEST >> 30} GiB unpacked, got {size >> 30} GiB")
            if DESCRIPTION not in names:
                raise FileFormatError(f"{path}: expected an FMU, got an archive without {DESCRIPTION}")
            root, _ = xml_tree(archive.read(DESCRIPTION), path / DESCRIPTION)
    except FileFormatError:
        raise
    except Exception as error:  # of damaged archives zipfile and zlib raise errors of many kinds
        raise FileFormatError(f"{path}: expected an FMU, which is a ZIP archive, got another file: {error}") from None
    return _described(path, hashlib.sha256(content).hexdigest(), root, names)


def read_fmu(path: Path) -> bytes:
    """The bytes of a file, or a FileFormatError that says why there are none."""
    return read_bytes(path, LARGEST)


def _described(path: Path, digest: str, root: Element, names: list[str]) -> FmuInterface:
    """From the root of the description, and the names of all files."""
    stated = root.get("fmiVersion", "none")
    if root.tag != "fmiModelDescription" or stated.partition(".")[0] not in ("2", "3"):
        raise FileFormatError(f"{path}: expected an FMU of FMI 2 or 3, got version {stated!r}")
    version = int(stated.partition(".")[0])
    steps = root.find("CoSimulation")
    if steps is None:
        others = [x.tag for x in root if x.tag in ("ModelExchange", "ScheduledExecution")]
        raise FileFormatError(
            f"{path}: expected an FMU for co-simulation, got one for {', '.join(others) or 'nothing'}"
        )
    identifier = steps.get("modelIdentifier", "")
    token = root.get("guid" if version == 2 else "instantiationToken", "")
    if not identifier or PurePosixPath(identifier).name != identifier:
        raise FileFormatError(f"{path}: expected a modelIdentifier that names a library, got {identifier!r}")
    places = [PurePosixPath(name) for name in names]
    platforms = {x.parts[1] for x in places if len(x.parts) == 3 and x.parts[0] == "binaries" and x.stem == identifier}
    state = "state" if version == 2 else "State"
    flags = [f"canGetAndSetFMU{state}", f"canSerializeFMU{state}"]
    return FmuInterface(
        path,
        digest,
        version,
        token,
        identifier,
        {x.name: x for x in _variables(root, version)},
        tuple(sorted(platforms)),
        all(steps.get(flag) in TRUE for flag in flags),
        steps.get("canHandleVariableCommunicationStepSize") in TRUE,
    )


def _variables(root: Element, version: int) -> Iterator[InterfaceVariable]:
    """All variables."""
    for x in root.find("ModelVariables") or ():
        inner = [child.tag for child in x]
        kind = x.tag if version == 3 else next((tag for tag in inner if tag in (*REAL, *WHOLE, BOOLEAN, TEXT)), "")
        reference = x.get("valueReference", "")
        if reference.isdecimal():
            yield InterfaceVariable(
                x.get("name", ""), int(reference), x.get("causality", "local"), kind, "Dimension" not in inner
            )
