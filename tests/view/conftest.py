"""A browser, and two motions to look at in it: a flexible chain, and a free satellite with a solid panel."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple import structures

Run = tuple[supple.Model, xr.Dataset]
SOFTWARE_GL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
SOFT = structures.Material(E=3e8, nu=0.4, rho=1200.0)


@pytest.fixture(scope="session")
def chain() -> Run:
    """Three soft beams that swing, with names that a page must not take for its own text."""
    mech = supple.Mechanism("a <b>chain & <!-- <script>")
    beam = structures.beam(0.5, structures.Rectangle(0.03, 0.02), SOFT, 6).reduce("cantilever", modes=3)
    mech.add_body("link<1>", beam)
    mech.add_body("link2", beam, "link<1>", supple.Revolute("z"), at="end")
    mech.add_body("bob", supple.RigidBody(0.2, (0.05, 0, 0), (1e-4, 2e-4, 2e-4)), "link2", at="end")
    model = mech.build()
    return model, supple.simulate(model, 1.0, v={"link2.angle": 2.0}, samples=201, rtol=1e-7)


@pytest.fixture(scope="session")
def satellite() -> Run:
    """A free body with a panel of solid elements and a nodal boom, joined by a spring."""
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(4.0, (0.02, 0, 0), (0.1, 0.12, 0.15)), joint=supple.Free())
    panel = structures.box(0.6, 0.2, 0.02, SOFT, (3, 2, 1)).reduce("cantilever", modes=3)
    boom = structures.beam(0.5, structures.Rectangle(0.03, 0.03), SOFT, 5, lumped=True).reduce("nodal")
    mech.add_body("panel", panel, "bus", supple.Revolute("x", stiffness=1.0), at=(0.2, 0, 0))
    mech.add_body("boom", boom, "bus", supple.Fixed(), at=(-0.2, 0, 0), rotation=np.diag([-1.0, -1.0, 1.0]))
    mech.add_spring_damper("tie", "bus", "boom/end", stiffness=0.1)
    model = mech.build()
    rng = np.random.default_rng(1)
    times = np.linspace(0.0, 1.0, 41)
    q = np.tile(model.neutral(), (41, 1)) + 0.02 * np.sin(7 * times)[:, None] * rng.normal(size=model.nq)
    q = model.normalize(q)
    zero = np.zeros(41)
    return model, xr.Dataset(
        {
            "q": (("time", "coordinate"), q),
            "v": (("time", "speed"), np.zeros((41, model.nv))),
            "kinetic_energy": ("time", zero),
            "potential_energy": ("time", zero),
        },
        {"time": times, "coordinate": list(model.coordinates), "speed": list(model.speeds)},
    )


def no_browser(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser("playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        no_browser("no chromium on the path")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=SOFTWARE_GL)
        yield browser
        browser.close()
