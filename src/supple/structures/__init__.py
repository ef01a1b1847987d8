"""Flexible bodies: beams, plates, solids, imported mass and stiffness; their reduction to few coordinates."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.structures.assembled import assemble
    from supple.structures.beams import Beam, beam, beam_path
    from supple.structures.body import FlexibleBody, ShapeFrame
    from supple.structures.body_reader import load_body, load_pieces
    from supple.structures.body_writer import save_body
    from supple.structures.connections import Attach, Bushing, Follow, Part, Weld
    from supple.structures.damping import Rayleigh
    from supple.structures.exports.body_formats import write
    from supple.structures.given_recovery import StressRecovery
    from supple.structures.imports.import_report import ImportReport
    from supple.structures.imports.imported import ImportedStructure
    from supple.structures.imports.mbdyn import read_mbdyn
    from supple.structures.imports.reading import read
    from supple.structures.imports.sid import read_sid
    from supple.structures.imports.tangent_files import Tangent
    from supple.structures.integrals import ModalIntegrals, Pairs, Quadratic
    from supple.structures.interaction_forces import BodyMotion, nodal_forces
    from supple.structures.layups import Layer, Layup, Orthotropic
    from supple.structures.materials import Material
    from supple.structures.matrices import from_matrices
    from supple.structures.mode_choice import Bandwidth, EffectiveMass
    from supple.structures.modes import NodalMasses, from_modes
    from supple.structures.pieces import BeamPieces
    from supple.structures.plates import plate
    from supple.structures.reduction_report import Report
    from supple.structures.regions import Average
    from supple.structures.second_order import SecondOrder
    from supple.structures.section_forces import SectionForces
    from supple.structures.sections import Circle, CrossSection, IBeam, Rectangle, Section, Tube
    from supple.structures.shells import shell
    from supple.structures.solids import box, from_mesh
    from supple.structures.strains import Strains
    from supple.structures.stresses import Recovery, Stresses, von_mises
    from supple.structures.structure import Structure
    from supple.structures.superelement import Superelement

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
    "Rectangle",
    "Report",
    "SecondOrder",
    "Section",
    "SectionForces",
    "ShapeFrame",
    "Strains",
    "StressRecovery",
    "Stresses",
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
    "load_body",
    "load_pieces",
    "nodal_forces",
    "plate",
    "read",
    "read_mbdyn",
    "read_sid",
    "save_body",
    "shell",
    "von_mises",
    "write",
]

_HOMES = {
    "supple.structures.assembled": ("assemble",),
    "supple.structures.beams": ("Beam", "beam", "beam_path"),
    "supple.structures.body": ("FlexibleBody", "ShapeFrame"),
    "supple.structures.body_reader": ("load_body", "load_pieces"),
    "supple.structures.body_writer": ("save_body",),
    "supple.structures.connections": ("Attach", "Bushing", "Follow", "Part", "Weld"),
    "supple.structures.damping": ("Rayleigh",),
    "supple.structures.imports.import_report": ("ImportReport",),
    "supple.structures.imports.imported": ("ImportedStructure",),
    "supple.structures.imports.reading": ("read",),
    "supple.structures.exports.body_formats": ("write",),
    "supple.structures.imports.mbdyn": ("read_mbdyn",),
    "supple.structures.imports.sid": ("read_sid",),
    "supple.structures.imports.tangent_files": ("Tangent",),
    "supple.structures.integrals": ("ModalIntegrals", "Pairs", "Quadratic"),
    "supple.structures.given_recovery": ("StressRecovery",),
    "supple.structures.layups": ("Layer", "Layup", "Orthotropic"),
    "supple.structures.materials": ("Material",),
    "supple.structures.matrices": ("from_matrices",),
    "supple.structures.mode_choice": ("Bandwidth", "EffectiveMass"),
    "supple.structures.modes": ("NodalMasses", "from_modes"),
    "supple.structures.interaction_forces": ("BodyMotion", "nodal_forces"),
    "supple.structures.pieces": ("BeamPieces",),
    "supple.structures.plates": ("plate",),
    "supple.structures.reduction_report": ("Report",),
    "supple.structures.regions": ("Average",),
    "supple.structures.second_order": ("SecondOrder",),
    "supple.structures.sections": ("Circle", "CrossSection", "IBeam", "Rectangle", "Section", "Tube"),
    "supple.structures.shells": ("shell",),
    "supple.structures.solids": ("box", "from_mesh"),
    "supple.structures.section_forces": ("SectionForces",),
    "supple.structures.strains": ("Strains",),
    "supple.structures.stresses": ("Recovery", "Stresses", "von_mises"),
    "supple.structures.structure": ("Structure",),
    "supple.structures.superelement": ("Superelement",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
