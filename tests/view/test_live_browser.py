"""The live page in a browser: it moves, obeys its controls, and says what goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from browser import slide, wait
from supple.view import LivePage

Run = tuple[supple.Model, xr.Dataset]


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """Opens the live page of a model; at the end nothing was complained about and nothing else was asked for."""
    faults: list[str] = []
    fetched: list[str] = []
    opened: list[tuple[LivePage, threading.Thread, Any]] = []

    def start(model: supple.Model, values: Any = None, **options: Any) -> Any:
        live = LivePage(model, values)
        thread = threading.Thread(target=live.serve)
        thread.start()
        page = browser.new_page(viewport={"width": 1200, "height": 900}, **options)
        opened.append((live, thread, page))
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(live.server.address)
        wait(page, "window.live !== undefined && live.viewer !== null && live.sample !== null")
        return page, live

    yield start
    for live, thread, page in opened:
        page.close()
        live.server.shutdown()
        thread.join()
    assert faults == []
    assert all(url.startswith((opened[0][0].server.address, "data:")) for url in fetched)


@pytest.fixture(scope="module")
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    return mech.build()


def slider(page: Any, section: str, number: int, value: float) -> None:
    row = page.locator(f".{section} input").nth(number)
    row.evaluate("(x, value) => { x.value = value; x.dispatchEvent(new Event('input')); }", value)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_connects_and_time_goes_on_until_paused(show: Any, chain: Run, scheme: str) -> None:
    page, live = show(chain[0], color_scheme=scheme)
    assert page.locator("h1").inner_text() == chain[0].name
    assert page.locator(".clock").inner_text() == "0.00 s"
    before = np.array(page.evaluate("[...live.viewer.motion.poses[3].p]"))
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.2")
    page.get_by_role("button", name="Pause").click()
    wait(page, "!live.status.running && live.plots[0].x.at(-1) === live.sample[0]")
    after = np.array(page.evaluate("[...live.viewer.motion.poses[3].p]"))
    assert np.linalg.norm(after - before) > 1e-3
    news = live.live.news(-1, -1, 0.0)
    assert news is not None
    np.testing.assert_allclose(after, chain[0].poses(news[1][-1].q)[1][3], atol=1e-5)
    assert page.evaluate("live.viewer.paths[0].length === live.viewer.motion.frames.length")
    assert page.locator("figure").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_drive_force_moves_what_was_at_rest(show: Any, pendulum: supple.Model) -> None:
    page, _ = show(pendulum)
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.1")
    assert page.evaluate("live.sample[3]") == 0.0
    slider(page, "drives", 0, 5.0)
    wait(page, "live.sample[3] > 0.05")
    assert "5 N m" in page.locator(".drives label").first.inner_text()
    page.get_by_role("button", name="All zero").click()
    wait(page, "live.status.drive[0] === 0")


def test_reset_goes_back(show: Any, pendulum: supple.Model) -> None:
    page, _ = show(pendulum, {"q": {"arm.angle": 1.0}})
    page.locator("canvas.space").focus()
    page.keyboard.press("Space")
    wait(page, "live.sample[3] < 0.9")
    page.keyboard.press("Space")
    wait(page, "!live.status.running")
    page.get_by_role("button", name="Reset", exact=True).click()
    wait(page, "live.sample[0] === 0")
    assert page.evaluate("live.sample[3]") == 1.0
    assert page.evaluate("live.viewer.motion.frames.length") == 1
    assert page.evaluate("live.plots[0].x") == [0]
    assert page.get_by_role("button", name="Run").is_visible()


def test_joints_are_set_while_paused_and_make_the_start(show: Any, pendulum: supple.Model) -> None:
    page, _ = show(pendulum, {"q": {"arm.angle": 1.0}})
    assert page.locator(".configuration input").first.is_enabled()
    assert not page.get_by_role("button", name="Start of the file").is_visible()
    slider(page, "configuration", 0, -0.5)
    wait(page, "Math.abs(live.sample[3] + 0.5) < 0.01")
    np.testing.assert_allclose(page.evaluate("live.viewer.motion.poses[1].R[2]"), np.sin(-0.5), atol=0.01)
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.1")
    assert page.locator(".configuration input").first.is_disabled()
    page.get_by_role("button", name="Start of the file").click()
    page.get_by_role("button", name="Pause").click()
    wait(page, "!live.status.running && !live.status.altered")
    page.get_by_role("button", name="Reset", exact=True).click()
    wait(page, "live.sample[0] === 0 && live.sample[3] === 1")


def test_the_deformation_slider_moves_points(show: Any, chain: Run) -> None:
    page, _ = show(chain[0], {"q": {"link<1>.mode1": 0.01}})
    nodes = "[...live.viewer.motion.nodes(1)]"
    before = np.array(page.evaluate(nodes)).reshape(-1, 3)
    slide(page, "deformation", 1.0)
    after = np.array(page.evaluate(nodes)).reshape(-1, 3)
    x = np.stack([np.linspace(0, 0.5, 7), np.zeros(7), np.zeros(7)], axis=1)
    assert np.abs(before - x).max() > 1e-3
    np.testing.assert_allclose(after - x, 10.0 * (before - x), atol=1e-5)


def test_speed_is_chosen(show: Any, pendulum: supple.Model) -> None:
    page, live = show(pendulum)
    page.locator("[name=speed]").select_option("0.1")
    wait(page, "live.status.speed === 0.1")
    assert live.live.speed == 0.1


def test_failures_are_shown_and_reset_takes_them_away(show: Any) -> None:
    mech = supple.Mechanism("mast")
    mech.add_body("mast", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    mech.add_body("rod", supple.RigidBody(1.0, (0, 0, 1.0)), "mast", supple.Revolute("y"))
    page, _ = show(mech.build())
    assert not page.locator(".alert").is_visible()
    page.get_by_role("button", name="Run").click()
    wait(page, "!document.querySelector('.alert').hidden")
    assert "mast" in page.locator(".alert").inner_text()
    page.get_by_role("button", name="Reset", exact=True).click()
    wait(page, "document.querySelector('.alert').hidden")
    slider(page, "configuration", 1, 1.0)
    wait(page, "live.sample[4] > 0.9")
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.1")


def test_closing_the_page_pauses_the_simulation(show: Any, pendulum: supple.Model) -> None:
    page, live = show(pendulum)
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.1")
    page.goto("about:blank")
    wait_until_paused = threading.Event()
    for _ in range(600):
        if not live.live.running:
            break
        wait_until_paused.wait(0.05)
    assert not live.live.running
