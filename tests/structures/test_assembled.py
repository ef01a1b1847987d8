"""Structures made of others: as good as whole ones, and as shells of another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures import (
    Attach,
    Bushing,
    Follow,
    Material,
    Part,
    Rectangle,
    Structure,
    Weld,
    assemble,
    beam,
    from_mesh,
    plate,
)
from supple.structures.builders.connections import Connection

Parts = dict[str, Structure | Part]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
SQUARE = Rectangle(0.02, 0.01)
HALF = beam(0.5, SQUARE, ALUMINIUM, 4)
WHOLE = beam(1.0, SQUARE, ALUMINIUM, 8)
TURNED = Rotation.from_euler("z", 180, degrees=True)
CALCULIX = [12.957, 25.091, 42.885, 57.069, 72.318]
"""Hz, of version 2.20. Panel 1 m x 0.6 m in the x-y plane with a web 0.06 m deep under its middle, along x, both 4 mm
thick, E = 70 GPa, nu = 0.3, rho = 2700; 20 x 12 and 20 x 2 elements S8R that share the nodes of the line where they
meet; all degrees of freedom of the nodes at x = 0 held (*BOUNDARY 1, 6); *FREQUENCY."""


def frequencies(structure: Structure, modes: int = 5, root: str = "start") -> Floats:
    report = structure.reduce("cantilever", modes, root).report
    assert report is not None
    return report.frequencies


@pytest.mark.parametrize(
    ("second", "joint", "end"),
    [
        (Part(HALF, at=(0.5, 0, 0)), Weld(["a.end", "b.start"]), "b.end"),
        (Part(HALF, at=(1.0, 0, 0), rotation=TURNED), Attach("b", to="a"), "b.start"),
    ],
)
def test_two_halves_are_a_beam(second: Part, joint: Weld | Attach, end: str) -> None:
    made = assemble({"a": HALF, "b": second}, [joint], frames={"start": "a.start", "end": end})
    a, b = (s.reduce("cantilever", 4) for s in (WHOLE, made))
    assert a.report is not None
    assert b.report is not None
    np.testing.assert_allclose(b.report.frequencies, a.report.frequencies, rtol=1e-10)
    np.testing.assert_allclose(b.report.southwell, a.report.southwell, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(b.report.buckling, a.report.buckling, rtol=1e-8)
    np.testing.assert_allclose(b.inertia, a.inertia, atol=1e-15)
    np.testing.assert_allclose(np.abs(b.integrals.E), np.abs(a.integrals.E), atol=1e-12)
    strains = []
    for structure in (WHOLE, made):
        assert structure.strains is not None
        moved = structure.static({"end": (0, 0, 0, 0, 2.0, 1.0)}).ravel()
        strains.append(np.sort(np.abs(np.asarray(structure.strains.matrix @ moved))))
    np.testing.assert_allclose(strains[0], strains[1], atol=1e-15)
    assert made.strains is not None
    assert made.strains.places[-1] == "b 3-4 at 4"
    assert made.surface is not None
    assert np.ptp(made.surface.vertices(made.nodes), axis=0) == pytest.approx([1.0, 0.02, 0.01])


def test_a_stiffened_panel_vibrates_as_shells_of_another_program() -> None:
    """The web as a plate on its edge, and as a beam beside the panel."""
    panel = plate((1.0, 0.6), 0.004, ALUMINIUM, elements=(14, 8), frames={"start": "x_min"})
    web = plate((1.0, 0.06), 0.004, ALUMINIUM, elements=(14, 1), frames={"root": "x_min"})
    upright = Part(web, at=(0, 0, -0.03), rotation=Rotation.from_euler("x", 90, degrees=True))
    joints: list[Connection] = [Attach("web", to="panel"), Weld(["panel.start", "web.root"])]
    shells = assemble({"panel": panel, "web": upright}, joints, frames={"start": "panel.start"})
    np.testing.assert_allclose(frequencies(shells), CALCULIX, rtol=0.015)
    rib = beam(1.0, Rectangle(0.004, 0.06), ALUMINIUM, 14, shear=True)
    below: Parts = {"panel": panel, "rib": Part(rib, at=(0, 0, -0.03))}
    ribbed = assemble(below, [Attach("rib", to="panel", within=0.04)], frames={"start": "panel.start"})
    np.testing.assert_allclose(frequencies(ribbed), CALCULIX, rtol=0.015)
    assert len(ribbed.arms) == 14  # all nodes of the rib but that at the clamped edge


def test_an_offset_rib_bends_with_its_panel_as_one_section() -> None:
    """Steiner: I = I_1 + I_2 + e^2 A_1 A_2 / (A_1 + A_2)."""
    strip = plate((1.0, 0.05), 0.004, Material(E=70e9, nu=0.0, rho=2700), elements=(20, 2), frames={"start": "x_min"})
    rib = beam(1.0, Rectangle(0.004, 0.06), ALUMINIUM, 20)
    made = assemble(
        {"strip": strip, "rib": Part(rib, at=(0, 0, -0.03))},
        [Attach("rib", to="strip", within=0.031)],
        frames={"start": "strip.start", "end": "rib.end"},
    )
    A, e = np.array([0.05 * 0.004, 0.004 * 0.06]), 0.03
    second = 0.05 * 0.004**3 / 12 + 0.004 * 0.06**3 / 12 + e**2 * A.prod() / A.sum()
    moved = made.static({"end": (0, 0, 1.0)})[made.frames["end"][0]]
    assert moved[5] == pytest.approx(1 / (3 * 70e9 * second), rel=5e-3)


def test_parts_at_a_distance_are_welded_rigidly_and_any_frame_of_a_region_can_be_the_root() -> None:
    apart = assemble({"a": HALF, "b": Part(HALF, at=(0.5, 0, 0.2))}, [Weld(["a.end", "b.start"])])
    moved = apart.static({"b.end": (0, 0, 0, 0, 0, 1.0)}, root="a.start")
    ends = moved[[apart.frames["a.end"][0], apart.frames["b.start"][0]]]
    np.testing.assert_allclose(ends[1, :3], ends[0, :3], atol=1e-15)
    np.testing.assert_allclose(ends[1, 3:], ends[0, 3:] + np.cross(ends[0, :3], [0, 0, 0.2]), atol=1e-15)
    for root in ("a.end", "b.start"):
        body = apart.reduce("cantilever", 4, root)
        np.testing.assert_allclose(body.nodes[apart.frames[root][0]], 0.0, atol=1e-15)
        both = [body.frames[name] for name in ("a.end", "b.start")]
        np.testing.assert_allclose(both[1].position - both[0].position, [0, 0, 0.2], atol=1e-15)
        assert not both[0].shape.any()
        assert not both[1].shape.any()
    full = apart.reduce("cantilever", 2, "a.start")
    assert full.second_order is not None
    a, b = (full.frames[name] for name in ("a.end", "b.start"))
    np.testing.assert_allclose(b.shape[3:], a.shape[3:] + np.cross(a.shape[:3].T, [0, 0, 0.2]).T, atol=1e-12)


def test_solids_share_nodes_without_rotations() -> None:
    skfem = pytest.importorskip("skfem", reason="solid elements need scikit-fem")

    def block(start: float, end: float) -> Structure:
        ticks = [np.linspace(start, end, round((end - start) / 0.1) + 1), np.array([0, 0.05]), np.array([0, 0.04])]
        frames = {"start": lambda x: x[0] == 0} if start == 0 else {}
        return from_mesh(skfem.MeshHex2.from_mesh(skfem.MeshHex.init_tensor(*ticks)), ALUMINIUM, frames)

    made = assemble({"a": block(0, 0.1), "b": block(0.1, 0.2)}, [Attach("b", to="a")], frames={"start": "a.start"})
    whole = block(0, 0.2)
    assert made.condensed.size == whole.condensed.size
    np.testing.assert_allclose(frequencies(made, 3), frequencies(whole, 3), rtol=1e-9)


def test_a_bushing_is_a_spring_that_rigid_motions_do_not_strain() -> None:
    parts: Parts = {"a": HALF, "b": Part(HALF, at=(0.6, 0, 0.1))}
    springs = Bushing("a.end", "b.start", stiffness=(1e9, 1e9, 1e9), rotational=(1e7, 1e7, 1e7))
    made = assemble(parts, [springs], frames={"start": "a.start", "end": "b.end"})
    rigid = made.layout.rigid_motions(np.zeros(3))
    assert np.abs(made.stiffness @ rigid).max() < 1e-9 * np.abs(made.stiffness.data).max()
    welded = assemble(parts, [Weld(["a.end", "b.start"])], frames={"start": "a.start", "end": "b.end"})
    np.testing.assert_allclose(frequencies(made, 3), frequencies(welded, 3), rtol=1e-4)
    soft = assemble({"a": HALF, "b": Part(HALF, at=(0.5, 0, 0))},
                    [Bushing("a.end", "b.start", (1e12,) * 3, (1e12, 20.0, 1e12))],
                    frames={"start": "a.start", "end": "b.end"})  # fmt: skip
    turn = soft.static({"end": (0, 3.0, 0, 0, 0, 0)})
    assert turn[5, 1] - turn[4, 1] == pytest.approx(3.0 / 20.0, rel=1e-6)


def test_an_average_follows_nodes_and_does_not_stiffen_them() -> None:
    panel = plate((1.0, 0.5), 0.01, ALUMINIUM, elements=(6, 4), frames={"start": "x_min"})
    end = np.flatnonzero(panel.nodes[:, 0] > 1 - 1e-9)
    made = panel.with_average("end", end)
    np.testing.assert_allclose(frequencies(made, 4), frequencies(panel, 4), rtol=1e-9)
    moved = made.static({"end": (0, 0, 0, 0, 0, 1.0)})
    np.testing.assert_allclose(moved[-1, 3:], moved[end, 3:].mean(axis=0), atol=1e-16)
    each = panel.static({int(i): (0, 0, 0.2) for i in end})
    np.testing.assert_allclose(moved[:-1], each, atol=1e-12)
    body = made.with_mass("end", 1.0, (0.1, 0.1, 0.1)).reduce("cantilever", 3)
    assert body.mass == pytest.approx(panel.mass + 1.0)
    assert body.frames["end"].turning
    mast = assemble(
        {"panel": panel, "mast": Part(HALF, at=(0.8, 0, 0.0), rotation=Rotation.from_euler("y", -90, degrees=True))},
        [Follow("mast.start", [f"panel.{i}" for i in (9, 10, 16, 17, 23, 24)])],
        frames={"start": "panel.start"},
    )
    rigid = mast.condensed.layout.rigid_motions(np.zeros(3))
    assert np.abs(mast.condensed.stiffness @ rigid).max() < 1e-8 * np.abs(mast.condensed.stiffness.data).max()
    assert frequencies(mast, 1)[0] < frequencies(panel, 1)[0]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: assemble({}), "assembly: expected one part or more by name"),
        (lambda: assemble({"a.b": HALF}), "assembly: part 'a.b': expected a name without '.' and '/'"),
        (lambda: assemble({"a": cast(Any, 3)}), "assembly: part 'a': expected a Structure or a Part, got int"),
        (lambda: assemble({"a": HALF, "b": HALF}), "assembly: nothing joins 'b' to 'a'"),
        (lambda: two(Weld(["a.end", "b.strt"])), "assembly: weld 1: part 'b': no frame 'strt'; did you mean 'start'"),
        (lambda: two(Weld(["a.end", "c.start"])), "weld 1: no part 'c'"),
        (lambda: two(Weld(["a.end", "start"])), 'expected "part.frame" or "part.12", got \'start\''),
        (lambda: two(Attach("a", "a")), "attach 1: expected two parts, got 'a' twice"),
        (lambda: two(Attach("b", "a")), "attach 1: no node of 'b' is within 5e-07 m of 'a'; the nearest is 0.3 m away"),
        (lambda: two(Bushing("a.end", "b.start")), "bushing 1: expected stiffnesses of zero or more, not all zero"),
        (lambda: two(Bushing("a.end", "b.start", (-1, 0, 0))), "bushing 1: expected stiffnesses of zero or more"),
        (lambda: two(Follow("b.start", ["a.end"]), Follow("b.0", ["a.0"])), "node 5 follows other nodes already"),
        (lambda: two(Follow("b.start", ["a.1", "b.start"])), "average: node 5 follows a node that follows others"),
        (lambda: two(cast(Any, "glue")), "assembly: str 1: expected a Weld, Attach, Bushing or Follow, got 'glue'"),
        (lambda: assemble({"a": HALF}, frames={"x": "a.strt"}), "assembly: frame 'x': part 'a': no frame 'strt'"),
        (lambda: assemble({"a": Part(HALF, at=(1, 2))}), r"assembly: part 'a': at: expected numbers of shape \(3,\)"),
    ],
)
def test_wrong_assemblies_are_refused(act: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        act()


def two(*connections: Any) -> Structure:
    return assemble({"a": HALF, "b": Part(HALF, at=(0.8, 0, 0))}, connections)
