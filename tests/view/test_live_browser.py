"""The live page in a browser: it moves, obeys its controls, and says what goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.view import LivePage
from support.browser import slide, wait

Run = tuple[supple.Model, xr.Dataset]


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """Opens the live page of a model; at the end nothing was complained about and nothing else was asked for."""
    faults: list[str] = []
    fetched: list[str] = []
    opened: list[tuple[LivePage, threading.Thread, Any]] = []

    def start(model: supple.Model, values: Any = None, sliders: Any = None, **options: Any) -> Any:
        live = LivePage(model, values, sliders)
        thread = threading.Thread(target=live.serve)
        thread.start()
        page = browser.new_page(**{"viewport": {"width": 900, "height": 640}} | options)
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
    assert [x for x in faults if "400 (Bad Request)" not in x] == []  # a refused command
    assert all(url.startswith((opened[0][0].server.address, "data:", "blob:")) for url in fetched)


@pytest.fixture(scope="module")
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    return mech.build()


HOSTILE = "<img src=x onerror=document.title=1>"


def slider(page: Any, kind: str, number: int, value: float) -> None:
    row = page.locator(f"[data-kind={kind}] input[type=range]").nth(number)
    row.evaluate("(x, value) => { x.value = value; x.dispatchEvent(new Event('input')); }", value)


def test_it_moves_in_time_and_looks_as_the_model_does(show: Any, chain: Run) -> None:
    page, live = show(chain[0], {"q": {"link<1>.mode1": 0.01}}, color_scheme="dark")
    assert page.locator("h1").inner_text() == chain[0].name
    assert page.locator(".clock").inner_text() == "0.00 s"
    assert page.evaluate("document.querySelector('[name=save]').disabled")
    before = np.array(page.evaluate("[...live.viewer.motion.poses[3].p]"))
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.2")
    page.get_by_role("button", name="Pause").click()
    wait(page, "!live.status.running && live.plots[0].x.at(-1) === live.sample[0]")
    t = page.evaluate("live.sample[0]")
    page.get_by_role("button", name="Step").click()
    wait(page, f"live.sample[0] > {t}")
    after = np.array(page.evaluate("[...live.viewer.motion.poses[3].p]"))
    assert np.linalg.norm(after - before) > 1e-3
    np.testing.assert_allclose(after, chain[0].poses(live.session.live.state[0])[1][3], atol=1e-5)
    assert page.evaluate("live.sample[0]") == pytest.approx(live.session.live.t)
    assert page.evaluate("live.viewer.paths[0].length === live.viewer.motion.frames.length")
    assert page.locator("figure").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_sliders_and_number_fields_act_and_reset_goes_back(show: Any, pendulum: supple.Model) -> None:
    values = {"q": {"arm.angle": 1.0}, "variables": {HOSTILE: 2.0}}
    page, live = show(pendulum, values, {"arm.com.z": (-1.0, -0.25)})
    assert page.locator("[data-kind=variable] .name").inner_text() == HOSTILE
    names = page.locator("[data-kind=parameter] .name").all_inner_texts()
    assert names == ["arm.com.z", "gravity.z", "arm.mass"]
    assert page.locator("[data-kind=target]").is_hidden()
    assert page.locator("[data-kind=configuration] input").first.is_enabled()
    assert not page.get_by_role("button", name="As in the file").is_visible()
    slider(page, "configuration", 0, 0.0)
    wait(page, "Math.abs(live.sample[3]) < 0.01")
    page.locator("canvas.space").focus()
    page.keyboard.press("Space")
    wait(page, "live.sample[0] > 0.1")
    assert page.locator("[data-kind=configuration] input").first.is_disabled()
    slider(page, "force", 0, 5.0)
    wait(page, "live.sample[3] > 0.05")
    assert page.locator("[data-kind=force] input[type=number]").input_value() == "5"
    page.locator("[data-kind=parameter] input[type=number]").nth(2).fill("2.5")
    page.keyboard.press("Enter")
    wait(page, "live.status.controls.includes(2.5)")
    slider(page, "parameter", 0, -0.8)
    wait(page, "live.status.controls.some((x) => Math.abs(x + 0.8) < 1e-3) && live.status.recorded > 0.2")
    page.locator("[name=speed]").select_option("0.1")
    wait(page, "live.status.speed === 0.1")
    page.get_by_role("button", name="All zero").click()
    wait(page, "live.status.controls[1] === 0")
    page.get_by_role("button", name="Pause").click()
    wait(page, "!live.status.running")
    assert live.session.live.motion.simulator.model.mass == 2.5
    page.locator("[data-kind=parameter] input[type=number]").nth(2).fill("-1")
    page.keyboard.press("Tab")
    wait(page, "document.querySelector('.alert').textContent.includes('mass')")
    page.get_by_role("button", name="Reset", exact=True).click()
    wait(page, "live.sample[0] === 0 && document.querySelector('.alert').hidden")
    assert page.evaluate("live.viewer.motion.frames.length") == 1
    page.get_by_role("button", name="As in the file").click()
    wait(page, "live.sample[3] === 1 && !live.status.altered")
    assert live.session.live.motion.simulator.model.mass == 1.0
    assert page.title() == "pendulum"


def test_the_mouse_draws_a_body_and_what_was_done_is_saved(show: Any, pendulum: supple.Model, tmp_path: Path) -> None:
    page, live = show(pendulum)
    box = page.locator("canvas.space").bounding_box()
    tip = page.evaluate("live.viewer.labels.at(live.grabber.at(0))")
    page.mouse.move(box["x"] + tip[0], box["y"] + tip[1])
    assert page.evaluate("live.viewer.canvas.classList.contains('near')")
    view = page.evaluate("live.viewer.camera.angle")
    page.mouse.down()
    page.mouse.move(box["x"] + tip[0] + 150, box["y"] + tip[1], steps=3)
    page.keyboard.press("Space")
    wait(page, "live.status.pull !== null && Math.abs(live.sample[3]) > 0.05")
    held = page.evaluate("[live.grabber.held.target, live.status.pull, live.viewer.camera.angle]")
    assert np.dot(np.subtract(held[0], held[1]["point"]), held[1]["force"]) > 0
    assert held[2] == view
    page.mouse.up()
    wait(page, "live.status.pull === null && live.status.recorded > 0.3")
    page.keyboard.press("Space")
    wait(page, "!live.status.running")
    with page.expect_download() as download:
        page.locator("[name=save]").click()
    path = tmp_path / "live.nc"
    download.value.save_as(path)
    assert download.value.suggested_filename == "pendulum.nc"
    with supple.open_results(path) as result:
        assert float(result.time[-1]) == pytest.approx(live.session.live.t)
        assert float(abs(result.mouse_force).max()) > 1.0
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 20, steps=2)
    page.mouse.up()
    assert page.evaluate("live.viewer.camera.angle") != view


def test_failures_are_shown_and_reset_takes_them_away(show: Any) -> None:
    mech = supple.Mechanism("mast")
    mech.add_body("mast", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    mech.add_body("rod", supple.RigidBody(1.0, (0, 0, 1.0)), "mast", supple.Revolute("y"))
    page, live = show(mech.build(), viewport={"width": 390, "height": 800})
    assert not page.locator(".alert").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Run").click()
    wait(page, "!document.querySelector('.alert').hidden")
    assert "mast" in page.locator(".alert").inner_text()
    page.get_by_role("button", name="Reset", exact=True).click()
    wait(page, "document.querySelector('.alert').hidden")
    slider(page, "configuration", 1, 1.0)
    wait(page, "live.sample[4] > 0.9")
    page.get_by_role("button", name="Run").click()
    wait(page, "live.sample[0] > 0.1")
    page.goto("about:blank")  # nobody watches: it pauses
    quiet = threading.Event()
    for _ in range(600):
        if not live.session.live.running:
            break
        quiet.wait(0.05)
    assert not live.session.live.running


def test_the_deformation_slider_moves_points(show: Any, chain: Run) -> None:
    page, _ = show(chain[0], {"q": {"link<1>.mode1": 0.01}})
    end, x = "live.viewer.motion.place(1).p", np.array([0.5, 0.0, 0.0])
    before = np.array(page.evaluate(end))
    slide(page, "deformation", 1.0)
    after = np.array(page.evaluate(end))
    assert np.abs(before - x).max() > 1e-3
    np.testing.assert_allclose(after - x, 10.0 * (before - x), atol=1e-5)
