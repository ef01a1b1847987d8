"""The site builds without a warning, and what its pages show is true: code, commands, printed lines, names."""

from __future__ import annotations

import importlib
import io
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from supple import cli
from support.cases import thinned
from support.printed import same

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [DOCS / "tutorial.md", DOCS / "papers.md", DOCS / "functions.md", *sorted((DOCS / "how_to").glob("*.md"))]
PUBLIC = (
    "supple",
    "supple.structures",
    "supple.linear",
    "supple.identification",
    "supple.optimization",
    "supple.symbolic",
    "supple.results",
    "supple.view",
    "supple.erls",
    "supple.compare",
    "supple.integrators",
    "supple.interop",
    "supple.sweeps",
    "supple.export",
)
FENCE = re.compile(r"^```(?P<kind>\{code-block\} \w+|\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CAPTION = re.compile(r":caption: (?P<file>\S+)\n+")
COMMANDS: dict[str, Any] = dict(cli.command().commands)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Kind and text of all blocks of code; of one with a caption, the name of the file is in the kind."""
    for found in FENCE.finditer(page.read_text()):
        kind, text = found["kind"], found["text"]
        caption = CAPTION.match(text)
        if caption:
            yield f"file {caption['file']}", text[caption.end() :]
        else:
            yield kind, text


def run_command(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, on a terminal of 80 columns; one that serves a page is interrupted when it opens it."""

    def interrupt(address: str) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", interrupt)
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    for console in (cli.out, cli.err):
        monkeypatch.setattr(console, "_width", 80)
    with pytest.raises(SystemExit):
        cli.main()
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_what_a_page_shows_is_true(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    for kind, text in blocks(page):
        if kind.startswith("file "):
            (tmp_path / kind.removeprefix("file ")).write_text(text)
        elif kind == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(text, str(page), "exec"), namespace)
            printed = out.getvalue()
        elif kind == "text":
            assert same(text, printed), f"{page.name}: shown:\n{text}\nprinted:\n{printed}"
        elif kind == "console":
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                if command.startswith("supple "):
                    printed = run_command(command, monkeypatch, capsys)
                    assert not shown.strip() or same(shown, printed), f"{command}: printed:\n{printed}"
        elif kind == "toml":
            tomllib.loads(text)
        else:
            assert kind in ("c", "bash"), f"{page.name}: a block of kind {kind!r} is not checked"


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_every_command_that_is_named_exists(page: Path) -> None:
    for line in re.findall(r"(?:`|^\$ )supple ([^`\n]+)", page.read_text(), re.MULTILINE):
        name, *words = line.split()
        assert name in COMMANDS, f"{page.name}: supple {line}"
        known = [*(x for parameter in COMMANDS[name].params for x in (*parameter.opts, *parameter.secondary_opts))]
        assert all(word.split("=")[0] in known for word in words if word.startswith("-")), f"{page.name}: supple {line}"


def test_the_gallery_has_every_example_with_its_picture() -> None:
    text = (DOCS / "gallery.md").read_text()
    shown = set(re.findall(r"!\[[^]]*\]\(images/gallery/(\w+)\.png\)", text))
    assert shown == {path.stem for path in (ROOT / "examples").glob("*.py")}
    for name in shown:
        assert (DOCS / "images" / "gallery" / f"{name}.png").stat().st_size < 120_000
        for path in (ROOT / "examples").glob(f"{name}.*"):
            assert f"(../examples/{path.name})" in text


@pytest.mark.parametrize("builder", thinned(["html", "dummy"], ["dummy"]))
def test_the_site_builds_without_warnings_and_lists_every_public_name(builder: str, tmp_path: Path) -> None:
    """Every warning is an error, links that lead nowhere too. One test: the site takes long to build.

    It always is read and all its links are followed; pages are also written before a release, and the notebook is run.
    """
    kept, site = tmp_path / "kept", tmp_path / "site"
    options = "-W", "--keep-going", "-q", "-b", builder, "-c", str(DOCS / "tools"), "-d", str(kept)
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = [*PAGES, DOCS / "index.md", DOCS / "gallery.md"]
    if builder == "html":
        for page in pages:
            built = (site / page.relative_to(DOCS)).with_suffix(".html").read_text()
            assert page.read_text().splitlines()[0].removeprefix("# ") in built
        inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
        names = [line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()]
    else:
        read = pickle.loads((kept / "environment.pickle").read_bytes())
        assert {str(page.relative_to(DOCS).with_suffix("")) for page in pages} <= read.all_docs.keys()
        names = [*read.domaindata["py"]["objects"]]
    listed = {name.rpartition(".")[2] for name in names}
    missing = {module: set(importlib.import_module(module).__all__) - listed for module in PUBLIC}
    assert not any(missing.values()), missing
