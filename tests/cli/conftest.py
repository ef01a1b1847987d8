"""A command in this process."""

from __future__ import annotations

import sys

import pytest

from supple import cli
from support.programs.commands import Command


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command on a wide terminal; it ends by itself."""
    monkeypatch.setattr(cli.out, "_width", 200)

    def called(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["supple", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return called
