"""The server answers its own page and nobody else."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest

import supple
from supple.view import LivePage
from supple.view.live.server import LONGEST_COMMAND

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def page() -> Iterator[LivePage]:
    mech = supple.Mechanism("<i>pendulum<i>")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    page = LivePage(mech.build(), {"q": {"arm.angle": 1.0}})
    thread = threading.Thread(target=page.serve)
    thread.start()
    yield page
    page.server.shutdown()
    thread.join()


def ask(
    page: LivePage, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
) -> tuple[int, str]:
    """Status and text of an answer; a path that does not begin with a slash is one of the page."""
    server = page.server
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    try:
        place = path if path.startswith("/") else server.root + path
        connection.request(method, place, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8")
    finally:
        connection.close()


def newest(page: LivePage) -> tuple[int, float]:
    news = page.session.live.news(-1, -1, 0.0)
    assert news is not None
    return news[1][-1].run, float(news[1][-1].q[0])


def test_the_socket_is_on_the_loopback_address_alone(page: LivePage) -> None:
    assert page.server.socket.getsockname() == ("127.0.0.1", page.server.server_port)
    assert page.server.address.startswith(f"http://127.0.0.1:{page.server.server_port}/")
    assert len(page.server.token) >= 32


def test_the_page_is_served_and_forbids_what_it_does_not_need(page: LivePage) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", page.server.server_port, timeout=20)
    connection.request("GET", page.server.root)
    answer = connection.getresponse()
    text = answer.read().decode("utf-8")
    connection.close()
    assert answer.status == 200
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "<h1>&lt;i&gt;pendulum&lt;i&gt;</h1>" in text
    assert "default-src 'none'" in text
    assert "connect-src 'self'" in text
    assert page.server.token not in text


@pytest.mark.parametrize("host", ["localhost.example:80", "127.0.0.1", "evil.example", ""])
@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "news"), ("POST", "command")])
def test_another_host_is_refused(page: LivePage, host: str, method: str, path: str) -> None:
    before = newest(page)
    status, text = ask(page, method, path, '{"reset": "start"}' if method == "POST" else None, JSON | {"Host": host})
    assert status == 403
    assert "supple view" in text
    assert newest(page) == before


@pytest.mark.parametrize("path", ["/", "/news", "/command", "/wrong/", "/wrong/news", "/wrong/command", "//", "/../"])
def test_a_request_without_the_token_is_refused(page: LivePage, path: str) -> None:
    before = newest(page)
    assert ask(page, "GET", path)[0] == 403
    assert ask(page, "POST", path, '{"reset": "start"}', JSON)[0] == 403
    assert newest(page) == before


def test_the_token_alone_without_its_path_is_refused(page: LivePage) -> None:
    assert ask(page, "GET", f"/{page.server.token}")[0] == 403


def test_another_origin_is_refused(page: LivePage) -> None:
    before = newest(page)
    status, _ = ask(page, "POST", "command", '{"reset": "start"}', JSON | {"Origin": "http://evil.example"})
    assert status == 403
    assert newest(page) == before
    own = f"http://127.0.0.1:{page.server.server_port}"
    assert ask(page, "POST", "command", '{"reset": "start"}', JSON | {"Origin": own})[0] == 204
    assert newest(page)[0] == before[0] + 1


def test_nothing_changes_but_by_a_post_of_json(page: LivePage) -> None:
    before = newest(page)
    assert ask(page, "GET", "command")[0] == 404
    assert ask(page, "POST", "command", '{"reset": "start"}', {"Content-Type": "text/plain"})[0] == 415
    assert ask(page, "PUT", "command", '{"reset": "start"}', JSON)[0] == 501
    assert ask(page, "GET", "../../../../etc/passwd")[0] == 404
    assert newest(page) == before


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("{", "command: Invalid JSON"),
        ('{"halt": true}', "halt: Extra inputs are not permitted"),
        ('{"run": "yes"}', "run: Input should be a valid boolean"),
        ('{"speed": -1}', "speed: Input should be greater than 0"),
        ('{"set": {"arm.angle": NaN}}', "set.arm.angle: Input should be a finite number"),
        ('{"set": {"leg.angle": 1}}', "leg.angle"),
        ('{"configuration": {"arm.angel": 1}}', "did you mean 'arm.angle'"),
    ],
)
def test_wrong_commands_are_explained(page: LivePage, command: str, reason: str) -> None:
    before = newest(page)
    status, text = ask(page, "POST", "command", command, JSON)
    assert status == 400
    assert reason in text
    assert newest(page) == before


def test_a_command_too_long_is_not_read(page: LivePage) -> None:
    with socket.create_connection(("127.0.0.1", page.server.server_port), timeout=20) as line:
        head = f"POST {page.server.root}command HTTP/1.1\r\nHost: {page.server.host}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {LONGEST_COMMAND + 1}\r\n\r\n"
        line.sendall(head.encode("ascii"))
        assert b" 413 " in line.recv(100)


def test_the_stream_tells_the_state_and_what_changes(page: LivePage) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", page.server.server_port, timeout=20)
    connection.request("GET", page.server.root + "news")
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream"

    def told(until: str) -> dict[str, object]:
        for _ in range(2000):
            line = answer.readline().decode("utf-8")
            if line.startswith("data: "):
                message: dict[str, object] = json.loads(line.removeprefix("data: "))
                if until in message:
                    return message
        pytest.fail(f"never told of {until}")

    first = told("frames")
    assert first["afresh"]
    assert first["samples"] == [[0.0, 0.0, pytest.approx(-9.81 * 0.5 * 0.5403, rel=1e-3), 1.0]]
    assert ask(page, "POST", "command", '{"configuration": {"arm.angle": 0.25}}', JSON)[0] == 204
    second = told("frames")
    assert second["afresh"]
    assert newest(page)[1] == 0.25
    connection.close()
