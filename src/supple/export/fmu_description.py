"""The description of an FMU in XML: modelDescription.xml of FMI 3.0 and 2.0, and how its sources are built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET

from supple.export.fmu_variables import FmuVariable, FmuVariables
from supple.version import VERSION

UNITS: dict[str, dict[str, int]] = {
    "1": {},
    "s": {"s": 1},
    "1/s": {"s": -1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "kg": {"kg": 1},
    "kg.m2": {"kg": 1, "m": 2},
}
"""Exponents of the base units."""
LOGGED = "logStatusError"


class FmuHead(NamedTuple):
    """What a description says of the whole: name of the model, identifier of files, token, and the usual run."""

    name: str
    identifier: str
    token: str
    duration: float | None
    interval: float | None
    tolerance: float


def described3(head: FmuHead, variables: FmuVariables) -> bytes:
    """modelDescription.xml of FMI 3.0."""
    root = _root(head, "3.0", "instantiationToken")
    common = {
        "modelIdentifier": head.identifier,
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": str(variables.run.directional).lower(),
        "providesAdjointDerivatives": str(variables.run.adjoint).lower(),
    }
    ET.SubElement(root, "ModelExchange", common | {"needsCompletedIntegratorStep": "true"})
    ET.SubElement(root, "CoSimulation", common | {"canHandleVariableCommunicationStepSize": "true"})
    _shared(root, head, variables)
    own = ET.SubElement(root, "ModelVariables")
    for x in variables.all:
        found = {"name": x.name, "valueReference": str(x.reference), "causality": x.causality}
        found |= {"variability": x.variability} | _optional(x)
        found |= {} if x.derivative_of is None else {"derivative": str(x.derivative_of)}
        ET.SubElement(own, "Float64", found)
    structure = ET.SubElement(root, "ModelStructure")
    for kind, unknowns in (("Output", variables.outputs), ("ContinuousStateDerivative", variables.rates)):
        for x in unknowns:
            ET.SubElement(structure, kind, {"valueReference": str(x.reference)} | _dependencies(x, variables, 0))
    for x in _initial(variables):
        ET.SubElement(structure, "InitialUnknown", {"valueReference": str(x.reference)})
    for x in variables.indicators:
        ET.SubElement(structure, "EventIndicator", {"valueReference": str(x.reference)})
    return _bytes(root)


def described2(head: FmuHead, variables: FmuVariables, sources: Iterable[str]) -> bytes:
    """modelDescription.xml of FMI 2.0."""
    root = _root(head, "2.0", "guid")
    root.set("numberOfEventIndicators", str(variables.run.parts.sizes["WATCHED"]))
    common = {
        "modelIdentifier": head.identifier,
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
        "providesDirectionalDerivative": str(variables.run.directional).lower(),
    }
    for kind, more in (("ModelExchange", {}), ("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"})):
        files = ET.SubElement(ET.SubElement(root, kind, common | more), "SourceFiles")
        for source in sources:
            ET.SubElement(files, "File", {"name": source})
    _shared(root, head, variables)
    own = ET.SubElement(root, "ModelVariables")
    for x in variables.all:
        found = {"name": x.name, "valueReference": str(x.reference), "causality": x.causality}
        found |= {"variability": x.variability}
        own_attributes = _optional(x)
        for key in ("description", "initial"):
            found |= {key: own_attributes.pop(key)} if key in own_attributes else {}
        own_attributes |= {} if x.derivative_of is None else {"derivative": str(x.derivative_of + 1)}
        ET.SubElement(ET.SubElement(own, "ScalarVariable", found), "Real", own_attributes)
    structure = ET.SubElement(root, "ModelStructure")
    for kind, unknowns in (("Outputs", variables.outputs), ("Derivatives", variables.rates)):
        parent = ET.SubElement(structure, kind)
        for x in unknowns:
            ET.SubElement(parent, "Unknown", {"index": str(x.reference + 1)} | _dependencies(x, variables, 1))
    parent = ET.SubElement(structure, "InitialUnknowns")
    for x in _initial(variables):
        ET.SubElement(parent, "Unknown", {"index": str(x.reference + 1)})
    return _bytes(root)


def build_description(head: FmuHead, sources: Iterable[str]) -> bytes:
    """sources/buildDescription.xml of FMI 3.0."""
    root = ET.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    build = ET.SubElement(root, "BuildConfiguration", {"modelIdentifier": head.identifier})
    files = ET.SubElement(build, "SourceFileSet", {"language": "C99"})
    for name in sources:
        ET.SubElement(files, "SourceFile", {"name": name})
    return _bytes(root)


def _root(head: FmuHead, version: str, token: str) -> ET.Element:
    found = {"fmiVersion": version, "modelName": head.name, token: head.token, "generationTool": f"supple {VERSION}"}
    return ET.Element("fmiModelDescription", found | {"variableNamingConvention": "flat"})


def _shared(root: ET.Element, head: FmuHead, variables: FmuVariables) -> None:
    """Units, categories of messages, and how long a run usually is."""
    units = ET.SubElement(root, "UnitDefinitions")
    for name in sorted({x.unit for x in variables.all if x.unit}):
        unit = ET.SubElement(units, "Unit", {"name": name})
        if name in UNITS:
            ET.SubElement(unit, "BaseUnit", {key: str(n) for key, n in UNITS[name].items()})
    ET.SubElement(ET.SubElement(root, "LogCategories"), "Category", {"name": LOGGED, "description": "what is refused"})
    numbers = {"startTime": 0.0, "stopTime": head.duration, "tolerance": head.tolerance, "stepSize": head.interval}
    ET.SubElement(root, "DefaultExperiment", {key: repr(float(x)) for key, x in numbers.items() if x is not None})


def _optional(x: FmuVariable) -> dict[str, str]:
    """Attributes of a variable that not all have."""
    found = {"description": x.description, "initial": x.initial, "unit": x.unit}
    found = {key: text for key, text in found.items() if text}
    return found | ({} if x.start is None else {"start": repr(float(x.start))})


def _dependencies(x: FmuVariable, variables: FmuVariables, first: int) -> dict[str, str]:
    """What a variable depends on; `first` is the number of the first variable."""
    if x.reference not in variables.dependencies:
        return {}
    return {"dependencies": " ".join(str(i + first) for i in sorted(variables.dependencies[x.reference]))}


def _initial(variables: FmuVariables) -> list[FmuVariable]:
    """What initialization finds."""
    return [x for x in variables.all if x.initial == "calculated" and x not in variables.indicators]


def _bytes(root: ET.Element) -> bytes:
    ET.indent(root)
    text: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"
