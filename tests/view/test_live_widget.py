"""`supple.live`: the back end in a kernel of its own, the front end in a page that plays the part of the notebook."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import supple
from supple.view.live.session import LiveSession
from supple.view.live.widget import Stream, front_end
from support.browser import wait

HOSTILE = "a <b>arm & <!-- <script>"
CELL = """
import time
import supple

mech = supple.Mechanism("pendulum")
mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)))
widget = supple.live(mech.build(), q={"arm.angle": 1.0}, sliders={"arm.mass": (0.5, 2.0)})
widget
"""
PLAY = """
sent = []
widget._stream._send = lambda content, buffers: sent.append((content["kind"], len(buffers)))
widget._handle_custom_msg({"kind": "open"}, [])
widget._handle_custom_msg({"kind": "command", "id": "1", "command": {"run": True}}, [])
while widget.session.live.t < 0.1:
    time.sleep(0.01)
    widget._handle_custom_msg({"kind": "seen"}, [])
widget._handle_custom_msg({"kind": "save", "id": "2"}, [])
print(sorted(set(sent)), float(widget.result().q[0, 0]))
widget.close()
"""
HOST = """() => {
const url = URL.createObjectURL(new Blob([FRONT_END], { type: "text/javascript" }));
const heard = new Set();
window.model = {
  get: (key) => (TRAITS)[key],
  on: (kind, act) => heard.add(act),
  off: (kind, act) => heard.delete(act),
  send: (content) => window.toKernel(JSON.stringify(content)),
};
window.fromKernel = (content) => heard.forEach((act) => act(content, []));
import(url).then(({ default: widget }) => {
  window.end = widget.render({ model: window.model, el: document.getElementById("output") });
  window.live = document.querySelector("#output > div").live;
});
}"""


@cache
def pendulum(name: str = "pendulum") -> supple.Model:
    mech = supple.Mechanism(name)
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    return mech.build()


def test_a_notebook_with_the_widget_runs() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("anywidget")
    cells = [nbformat.v4.new_code_cell(text) for text in (CELL, PLAY)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown, printed = (cell["outputs"] for cell in notebook["cells"])
    assert any("application/vnd.jupyter.widget-view+json" in x.get("data", {}) for x in shown)
    text = "".join(x.get("text", "") for x in printed)
    assert text.startswith("[('command', 0), ('news', 0), ('save', 1)] 1.0")


def test_a_front_end_that_could_not_answer_for_a_while_finds_the_simulation_running_again() -> None:
    session = LiveSession(pendulum(), {"q": {"arm.angle": 1.0}})
    told = threading.Event()
    stream = Stream(session, lambda content, buffers: told.set(), patience=0.2)
    try:
        stream.receive({"kind": "open"})
        assert told.wait(60)
        stream.receive({"kind": "command", "command": {"run": True}})
        until(lambda: not session.live.running)  # nothing was said to be seen
        stopped = session.live.t
        stream.receive({"kind": "seen"})
        until(lambda: session.live.t > stopped)
        until(lambda: not session.live.running)
        stream.receive({"kind": "command", "command": {"run": False}})
        told.clear()
        assert told.wait(60)
        assert not session.live.running
    finally:
        session.live.close()


def until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("never came true")


def test_the_front_end_moves_obeys_and_leaves_the_notebook_alone(browser: Any) -> None:
    session = LiveSession(pendulum(HOSTILE), {"q": {"arm.angle": 1.0}})
    page = browser.new_page(viewport={"width": 900, "height": 640})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    waiting: list[dict[str, Any]] = []
    lock = threading.Lock()

    def to_front_end(content: dict[str, Any], buffers: list[bytes]) -> None:
        with lock:
            waiting.append(content)

    def deliver(condition: str) -> None:
        for _ in range(400):
            with lock:
                messages, waiting[:] = list(waiting), []
            for message in messages:
                page.evaluate("(x) => window.fromKernel(x)", message)
            if page.evaluate(condition):
                return
            page.wait_for_timeout(20)
        pytest.fail(f"never came true: {condition}")

    stream = Stream(session, to_front_end)
    page.expose_function("toKernel", lambda text: stream.receive(json.loads(text)))
    page.set_content('<h2 id="cell">In [1]</h2><div id="output"></div>')
    plain = page.evaluate("getComputedStyle(document.getElementById('cell')).fontSize")
    traits = {"title": HOSTILE, "data": json.dumps(session.data)}
    page.evaluate(HOST.replace("FRONT_END", json.dumps(front_end())).replace("TRAITS", json.dumps(traits)))
    try:
        wait(page, "window.live !== undefined")
        deliver("live.sample !== null")
        assert page.locator("#output h1").inner_text() == HOSTILE
        assert page.evaluate("live.sample[3]") == 1.0
        page.get_by_role("button", name="Run").click()
        deliver("live.sample[0] > 0.1 && live.status.running")
        mass = page.locator("[data-kind=parameter] input[type=number]").nth(1)
        mass.fill("-1")
        mass.press("Enter")
        deliver(
            "live.status.error === '' && document.querySelector('#output > div').shadowRoot"
            ".querySelector('.alert').textContent.includes('mass')"
        )
        assert page.evaluate("getComputedStyle(document.getElementById('cell')).fontSize") == plain
        page.evaluate("window.end()")
        for _ in range(400):
            if not session.live.running:
                break
            page.wait_for_timeout(20)
        assert not session.live.running
        assert faults == []
    finally:
        session.live.close()
        page.close()
