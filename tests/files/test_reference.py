"""The reference page."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import (
    assemblies,
    check,
    flexible_tables,
    joints,
    plates,
    reference,
    schema,
    sections,
    structure_table,
    structures,
)
from supple.files.file_table import FileTable
from supple.files.simulation import SimulationTable

PAGE = Path(__file__).parents[2] / "docs" / "model_files.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == reference.page(), "run: python -m supple.files.reference > docs/model_files.md"


def test_every_key_of_every_table_is_on_the_page() -> None:
    page = reference.page()
    tables: list[type[FileTable]] = [schema.ModelFile, schema.BodyTable, schema.FrameTable, SimulationTable]
    tables += [flexible_tables.ReductionTable, flexible_tables.ModeChoiceTable, flexible_tables.ModesTable]
    tables += [flexible_tables.StoredTable, structure_table.PointMassTable, sections.MaterialTable]
    tables += [plates.LayerTable, plates.ABDTable, sections.OrthotropicTable, assemblies.PartTable]
    tables += [assemblies.WeldTable, assemblies.AttachTable, assemblies.BushingTable, assemblies.FollowTable]
    kinds = [*joints.JOINTS.values(), *structures.STRUCTURES.values(), *sections.SECTIONS.values()]
    keys = {key for table in [*tables, *kinds] for key in table.model_fields}
    assert len(keys) > 50
    assert [key for key in keys - {"type"} if f"| `{key}` |" not in page] == []


def test_the_example_is_right(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(reference.EXAMPLE)
    assert check(path) == []
    model = supple.files.read(path).model
    assert model.coordinates == ("cart.position", "arm.angle")
    # Hanging and at rest only the spring of 40 N/m pulls, 0.1 m from its end.
    np.testing.assert_allclose(model.bias_forces([0.1, 0.0], [0.0, 0.0]), [4.0, 0.0], atol=1e-12)


def test_the_flexible_example_is_right(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(reference.FLEXIBLE_EXAMPLE)
    assert check(path) == []
    model = supple.load(path)
    assert model.coordinates == (
        "hub.angle",
        *(f"boom.mode{i}" for i in range(1, 5)),
        "camera.angle1",
        "camera.angle2",
    )
    _, p = model.pose(model.neutral(), "boom/antenna")
    np.testing.assert_allclose(p, [2.3, 0.0, 0.05], atol=1e-12)
