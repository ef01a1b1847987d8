"""Serving a page to the browser of this computer, and nobody else.

The socket listens on the loopback address alone. Other web sites that the same browser shows could still send requests
to it, themselves or by pointing a name of theirs at this address. So every address holds a token that only the page
knows, the request must name this server as its host, and nothing changes but by a POST of JSON, which browsers let no
other site send. No path is ever looked up on the disk: there are a few answers, all held in memory.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socketserver
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from supple.errors import SuppleError

HOST = "127.0.0.1"
LONGEST_COMMAND = 1_000_000
"""Bytes."""
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Server(ThreadingHTTPServer):
    """One page, and if it is live a stream of news for it and the commands it sends.

    Parameters
    ----------
    page : str
        HTML.
    port : int
        0 for any that is free.
    stream : function, optional
        Gives an iterator over what the page is told, JSON-like; None is sent as a sign of life.
    command : function, optional
        Takes the bytes of what the page asks for; a SuppleError is its answer to a bad one.
    result : function, optional
        Gives the bytes of a results file; a SuppleError if there is none.
    """

    daemon_threads = True
    # A restart must not wait for the port; on this address nobody else can answer in its place.
    allow_reuse_address = True

    def __init__(
        self,
        page: str,
        port: int = 0,
        stream: Callable[[], Iterator[Any]] | None = None,
        command: Callable[[bytes], None] | None = None,
        result: Callable[[], bytes] | None = None,
    ) -> None:
        self.page = page.encode("utf-8")
        self.stream, self.command, self.result = stream, command, result
        self.token = secrets.token_urlsafe(24)
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        """Bind, without asking a name server who this is."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    @property
    def host(self) -> str:
        """What a request must name."""
        return f"{HOST}:{self.server_port}"

    @property
    def root(self) -> str:
        """Path of the page; the others follow it."""
        return f"/{self.token}/"

    @property
    def address(self) -> str:
        """Of the page."""
        return f"http://{self.host}{self.root}"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 60.0

    def do_GET(self) -> None:
        """Answer with the page, or with the stream."""
        if not self._admitted():
            return
        place = self.path.removeprefix(self.server.root)
        if place == "":
            self._answer(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        elif place == "news" and self.server.stream is not None:
            self._stream(self.server.stream())
        elif place == "result" and self.server.result is not None:
            self._give(self.server.result)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        """Take a command."""
        if not self._admitted():
            return
        length = self.headers.get("Content-Length", "")
        if self.path.removeprefix(self.server.root) != "command" or self.server.command is None:
            self._refuse(HTTPStatus.NOT_FOUND, "no such command")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        elif not length.isdecimal() or int(length) > LONGEST_COMMAND:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {LONGEST_COMMAND} bytes")
        else:
            try:
                self.server.command(self.rfile.read(int(length)))
            except SuppleError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            else:
                self._answer(HTTPStatus.NO_CONTENT, b"", "text/plain; charset=utf-8")

    def _admitted(self) -> bool:
        """Whether the request is from the page; else it is refused."""
        own = self.headers.get_all("Host") == [self.server.host]
        origin = self.headers.get("Origin")
        given = self.path.split("/")[1] if self.path.startswith("/") else ""
        known = hmac.compare_digest(given.encode("utf-8"), self.server.token.encode("utf-8"))
        if own and known and origin in (None, f"http://{self.server.host}") and self.path.startswith(self.server.root):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "open the address that supple view printed")
        return False

    def _give(self, result: Callable[[], bytes]) -> None:
        try:
            self._answer(HTTPStatus.OK, result(), "application/x-netcdf")
        except SuppleError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._answer(status, reason.encode("utf-8"), "text/plain; charset=utf-8")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self._head(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)

    def _stream(self, news: Iterator[Any]) -> None:
        """Server-sent events until the page is closed."""
        self._head(HTTPStatus.OK, "text/event-stream")
        self.end_headers()
        for item in news:
            text = ":\n\n" if item is None else f"data: {json.dumps(item, allow_nan=False, separators=(',', ':'))}\n\n"
            self.wfile.write(text.encode("utf-8"))
            self.wfile.flush()

    def handle(self) -> None:
        """Handle a request; one that breaks off is nothing to report."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def version_string(self) -> str:
        """Name no version."""
        return "supple"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""
