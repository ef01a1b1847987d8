"""What FMUs say about themselves, and files that are none."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

import supple
from supple.inputs.fmu_interface import InterfaceVariable, read_interface
from support.programs.controller_fmus import description, packed


@pytest.mark.parametrize("version", [2, 3])
def test_version_variables_and_platforms_are_read(version: int, tmp_path: Path) -> None:
    path = packed(tmp_path / "pi.fmu", description(version), b"", "binaries/plan9/pi.so")
    found = read_interface(path)
    assert (found.version, found.identifier, found.platforms) == (version, "pi", ("plan9",))
    assert (found.saves, found.any_step) == (True, True)
    real, whole = ("Real", "Integer") if version == 2 else ("Float64", "Int32")
    assert found.variables["kp"] == InterfaceVariable("kp", 3, "parameter", real, True)
    assert found.variables["steps"] == InterfaceVariable("steps", 102, "output", whole, True)
    assert len(found.digest) == 64
    fixed = read_interface(packed(path, description(version, saves=False, any_step=False)))
    assert (fixed.saves, fixed.any_step, fixed.platforms) == (False, False, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (description(3, kind="ModelExchange"), "expected an FMU for co-simulation, got one for ModelExchange"),
        (
            description(2).replace('fmiVersion="2.0"', 'fmiVersion="1.0"'),
            "expected an FMU of FMI 2 or 3, got version '1.0'",
        ),
        ("<model/>", "expected an FMU of FMI 2 or 3, got version 'none'"),
        ("<model", "not valid XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "expected no document type"),
        (description(3).replace('"pi" can', '"../pi" can'), "expected a modelIdentifier that names a library"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_line(text: str, words: str, tmp_path: Path) -> None:
    path = packed(tmp_path / "pi.fmu", text)
    with pytest.raises(supple.FileFormatError, match=words) as caught:
        read_interface(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_fmus(tmp_path: Path) -> None:
    path = tmp_path / "pi.fmu"
    with pytest.raises(supple.FileFormatError, match=r"pi\.fmu: no such file$"):
        read_interface(path)
    for content in (b"", b"no archive", b"PK\x05\x06" + bytes(10)):
        path.write_bytes(content)
        with pytest.raises(supple.FileFormatError, match="expected an FMU, which is a ZIP archive, got another file"):
            read_interface(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.xml", "<a/>")
    with pytest.raises(supple.FileFormatError, match=r"expected an FMU, got an archive without modelDescription\.xml"):
        read_interface(path)
    with pytest.raises(supple.FileFormatError, match="expected a file, got a directory"):
        read_interface(tmp_path)


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    """Whatever byte is wrong, there is an error of a file, or an interface."""
    whole = packed(tmp_path / "whole.fmu", description(3)).read_bytes()
    path, refused = tmp_path / "damaged.fmu", 0
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(supple.FileFormatError):
            read_interface(path)
            refused -= 1
        refused += 1
    assert refused > 5
    for size in range(0, len(whole), 397):
        path.write_bytes(whole[:size])
        with pytest.raises(supple.FileFormatError):
            read_interface(path)
    assert zipfile.is_zipfile(io.BytesIO(whole))


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [("Float64", 2, 2.0), ("Int32", 3.0, 3), ("Boolean", True, True), ("String", "a", "a"), ("Enumeration", 2, 2)],
)
def test_values_have_the_type_of_their_variable(kind: str, given: object, value: object) -> None:
    found = InterfaceVariable("x", 1, "parameter", kind, True).value(given, "x")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("Real", "2", "x: expected a number, got '2'"),
        ("Int8", 2.5, "x: expected a whole number, got 2.5"),
        ("Boolean", 1, "x: expected true or false, got 1"),
        ("String", 1, "x: expected a text, got 1"),
    ],
)
def test_values_of_other_types_are_refused(kind: str, given: object, words: str) -> None:
    with pytest.raises(supple.StateError, match=words):
        InterfaceVariable("x", 1, "parameter", kind, True).value(given, "x")


def test_arrays_are_no_signals(tmp_path: Path) -> None:
    scalar = '<Float64 name="force" valueReference="8" causality="output" variability="continuous"/>'
    array = scalar.replace("/>", '><Dimension start="3"/></Float64>')
    assert scalar in description(3)
    path = packed(tmp_path / "pi.fmu", description(3).replace(scalar, array))
    with pytest.raises(supple.StateError, match="'force': expected one number, got an array"):
        supple.FmuController("pi", path, {}, {"force": "arm.angle"}, rate=10.0)
