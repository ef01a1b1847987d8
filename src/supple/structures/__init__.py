"""Flexible bodies: beams, plates, solids, imported mass and stiffness; their reduction to few coordinates."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
    from supple.structures.body.modal_integrals import ModalIntegrals, Pairs, Quadratic
    from supple.structures.body.nodal_forces import BodyMotion, nodal_forces
    from supple.structures.body.recovery import Recovery
    from supple.structures.body.substructured_beam import BeamPieces
    from supple.structures.body.superelement import Superelement
    from supple.structures.builders.assembly import assemble
    from supple.structures.builders.beam import Beam, beam, beam_path
    from supple.structures.builders.connections import Attach, Bushing, Follow, Part, Weld
    from supple.structures.builders.from_matrices import from_matrices
    from supple.structures.builders.from_modes import NodalMasses, from_modes
    from supple.structures.builders.plate import plate
    from supple.structures.builders.shell import shell
    from supple.structures.builders.solid import box, from_mesh
    from supple.structures.damping import Rayleigh
    from supple.structures.discretization.couplings import Average
    from supple.structures.elements.external import StressRecovery
    from supple.structures.elements.recovery_table import RecoveryTable, von_mises
    from supple.structures.formats.imported import ImportedStructure
    from supple.structures.formats.read import read
    from supple.structures.formats.report import ImportReport
    from supple.structures.formats.tangents import Tangent
    from supple.structures.formats.write import write
    from supple.structures.layups import Layer, Layup, Orthotropic
    from supple.structures.materials import Material
    from supple.structures.reduction.mode_selection import Bandwidth, EffectiveMass
    from supple.structures.reduction.report import Report
    from supple.structures.sections.cross_sections import Circle, CrossSection, IBeam, Rectangle, Section, Tube
    from supple.structures.stiffening.second_order import SecondOrder
    from supple.structures.structure import Structure

__all__ = [
    "Attach",
    "Average",
    "Bandwidth",
    "Beam",
    "BeamPieces",
    "BodyMotion",
    "Bushing",
    "Circle",
    "CrossSection",
    "EffectiveMass",
    "FlexibleBody",
    "Follow",
    "IBeam",
    "ImportReport",
    "ImportedStructure",
    "Layer",
    "Layup",
    "Material",
    "ModalIntegrals",
    "NodalMasses",
    "Orthotropic",
    "Pairs",
    "Part",
    "Quadratic",
    "Rayleigh",
    "Recovery",
    "RecoveryTable",
    "Rectangle",
    "Report",
    "SecondOrder",
    "Section",
    "ShapeFrame",
    "StressRecovery",
    "Structure",
    "Superelement",
    "Tangent",
    "Tube",
    "Weld",
    "assemble",
    "beam",
    "beam_path",
    "box",
    "from_matrices",
    "from_mesh",
    "from_modes",
    "nodal_forces",
    "plate",
    "read",
    "shell",
    "von_mises",
    "write",
]

_HOMES = {
    "supple.structures.builders.assembly": ("assemble",),
    "supple.structures.builders.beam": ("Beam", "beam", "beam_path"),
    "supple.structures.body.flexible_body": ("FlexibleBody", "ShapeFrame"),
    "supple.structures.builders.connections": ("Attach", "Bushing", "Follow", "Part", "Weld"),
    "supple.structures.damping": ("Rayleigh",),
    "supple.structures.formats.report": ("ImportReport",),
    "supple.structures.formats.imported": ("ImportedStructure",),
    "supple.structures.formats.read": ("read",),
    "supple.structures.formats.write": ("write",),
    "supple.structures.formats.tangents": ("Tangent",),
    "supple.structures.body.modal_integrals": ("ModalIntegrals", "Pairs", "Quadratic"),
    "supple.structures.body.recovery": ("Recovery",),
    "supple.structures.elements.external": ("StressRecovery",),
    "supple.structures.layups": ("Layer", "Layup", "Orthotropic"),
    "supple.structures.materials": ("Material",),
    "supple.structures.builders.from_matrices": ("from_matrices",),
    "supple.structures.reduction.mode_selection": ("Bandwidth", "EffectiveMass"),
    "supple.structures.builders.from_modes": ("NodalMasses", "from_modes"),
    "supple.structures.body.nodal_forces": ("BodyMotion", "nodal_forces"),
    "supple.structures.body.substructured_beam": ("BeamPieces",),
    "supple.structures.builders.plate": ("plate",),
    "supple.structures.reduction.report": ("Report",),
    "supple.structures.discretization.couplings": ("Average",),
    "supple.structures.stiffening.second_order": ("SecondOrder",),
    "supple.structures.sections.cross_sections": ("Circle", "CrossSection", "IBeam", "Rectangle", "Section", "Tube"),
    "supple.structures.builders.shell": ("shell",),
    "supple.structures.builders.solid": ("box", "from_mesh"),
    "supple.structures.elements.recovery_table": ("RecoveryTable", "von_mises"),
    "supple.structures.structure": ("Structure",),
    "supple.structures.body.superelement": ("Superelement",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
