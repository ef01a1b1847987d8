"""The page of natural modes: a row for each, and frames that are the mode."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import linear, structures
from supple.view import write_modes
from supple.view.pages.modes import MOVE, PHASES, TURN, modes_page
from supple.view.pages.scene_json import mode_scene
from view.test_report_page import Page


def unpack(text: str, kind: str = "<f4") -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def sprung() -> supple.Model:
    """Two masses in a row, 1 m apart, whose modes are known: together, and against each other."""
    mech = supple.Mechanism("<pair>", gravity=(0, 0, 0))
    mech.add_body("low", supple.RigidBody(1.0), joint=supple.Prismatic("z", stiffness=100.0))
    mech.add_body("high", supple.RigidBody(1.0), "low", supple.Prismatic("z", stiffness=100.0), at=(0, 0, 1.0))
    return mech.build()


def test_each_mode_has_its_row_and_a_period_of_motion(tmp_path: Path) -> None:
    found = linear.modes(sprung())
    page = Page(write_modes(found, tmp_path / "modes.html"))
    assert [tag for tag, _ in page.tags].count("tr") == 1 + 2
    assert f"{found.frequencies[1]:.5g}" in page.texts
    assert "<pair>: natural modes" in page.texts
    for i, (mode, frames) in enumerate(zip(page.data["modes"], page.data["frames"], strict=True)):
        times = unpack(frames["times"], "<f8")
        assert times[-1] == pytest.approx(1 / found.frequencies[i])
        z = unpack(frames["joints"]).reshape(PHASES + 1, 2, 7)[:, :, 6]
        assert mode["period"] == pytest.approx(times[-1])
        np.testing.assert_allclose(z[0], z[-1], atol=1e-6)
        np.testing.assert_allclose(z[0] / z[0, 0], found.shapes[:, i].real / found.shapes[0, i].real, rtol=1e-5)
        np.testing.assert_allclose(z[PHASES // 2], -z[0], atol=1e-6)
        moved = np.abs(np.cumsum(z, axis=1)).max()
        assert moved == pytest.approx(MOVE * 1.0, rel=1e-3)


def test_the_table_of_modes_is_whole_beside_the_view(
    browser: Any, chain: tuple[supple.Model, Any], tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(write_modes(linear.modes(chain[0]), tmp_path / "modes.html").as_uri())
    rows = page.locator(".modes tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()] == [str(i + 1) for i in range(rows.count())]
    assert page.locator(".modes th").last.inner_text() == "Kinetic energy, %"
    assert page.evaluate("(({ scrollWidth: w, clientWidth: c }) => w <= c)(document.querySelector('.modes .scroll'))")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_few_modes_can_be_asked_for(chain: tuple[supple.Model, Any]) -> None:
    model = chain[0]
    found = linear.modes(model, fixed=["link<1>"])
    assert modes_page(found, count=1).count("<tr>") == 2
    q = np.stack([found.configuration(0, 0.0), found.configuration(0, 0.01)])
    data, frames = mode_scene(model, np.array([0.5, 2.0]), np.stack([q, q[::-1]]))
    assert [unpack(x["times"], "<f8")[-1] for x in frames] == [0.5, 2.0]
    assert data["joints"] == frames[0]["joints"]
    assert unpack(frames[1]["joints"]).reshape(2, -1)[0].tolist() == unpack(data["joints"]).reshape(2, -1)[1].tolist()


def test_turns_are_kept_small(tmp_path: Path) -> None:
    """A wheel that turns in place moves no point: how far it turns is bounded itself."""
    mech = supple.Mechanism("wheel")
    mech.add_body("wheel", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Revolute("y", stiffness=10.0))
    page = Page(write_modes(linear.modes(mech.build()), tmp_path / "modes.html"))
    y, w = unpack(page.data["frames"][0]["joints"]).reshape(PHASES + 1, 7)[:, [1, 3]].T
    assert np.abs(2 * np.arctan2(y, w)).max() == pytest.approx(TURN, rel=1e-3)


def test_torsion_turns_nodes_that_do_not_move(tmp_path: Path) -> None:
    """The nodes of a shaft lie on its axis: in torsion their motion is rounding, and how far they turn is bounded."""
    steel = structures.Material(E=2e11, nu=0.3, rho=7800.0)
    shaft = structures.beam(1.0, structures.Circle(0.05), steel, elements=4).reduce("cantilever", modes=8)
    mech = supple.Mechanism("shaft", gravity=(0.0, 0.0, 0.0))
    turned = [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]
    mech.add_body("shaft", shaft, joint=supple.Revolute("y", stiffness=1e3), rotation=turned)
    page = Page(write_modes(linear.modes(mech.build()), tmp_path / "modes.html"))
    shapes = shaft.shapes.toarray().reshape(-1, 6, shaft.modes)
    amplitudes = [unpack(x["amplitudes"]).reshape(PHASES + 1, -1)[:, : shaft.modes] for x in page.data["frames"]]
    angles = [shapes @ eta.T for eta in amplitudes]
    in_torsion = [x[:, :3] for x in angles if np.abs(x[:, 0]).max() > 1e3 * np.abs(x[:, 1:3]).max()]
    assert len(in_torsion) >= 1
    assert [np.abs(x).max() for x in in_torsion] == pytest.approx([TURN] * len(in_torsion), rel=1e-3)
