"""supple import: a flexible body from files of a finite-element program."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

import supple
from supple.checks import is_index
from supple.cli.console import app, err, say
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.formats.imported import ImportedStructure
from supple.structures.formats.read import read
from supple.structures.formats.tangents import Tangent


@app.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A deck beside which the matrices stand, or all files: .inp, .op4, .mtx, ...", metavar="FILE"
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Body to write, .h5; without it the files are only checked."),
    ] = None,
    frame: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NODES",
            help="Frame: start=ROOT takes a node set, end=17 a node, end=17,18,21 a rigid region; repeatable. "
            "The first is the root unless --root names another.",
        ),
    ] = None,
    units: Annotated[str, typer.Option(help="Length, mass and time of the files: mm-t-s.")] = "m-kg-s",
    basis: Annotated[str, typer.Option(help="cantilever, free-free or craig-bampton.")] = "craig-bampton",
    modes: Annotated[int, typer.Option(help="Normal modes.", min=0)] = 10,
    root: Annotated[str | None, typer.Option(help="Frame at the inboard joint.")] = None,
    tangent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOAD=SIZE:FILE",
            help="Deck with the stiffness under a load, by which the body stiffens: 'spin about z=100:spinning.inp', "
            "in rad/s, m/s^2, N ...; repeatable.",
        ),
    ] = None,
    superelement: Annotated[
        int | None, typer.Option(help="Which one of the several that files of NAS2CAM hold.", min=0)
    ] = None,
    damping: Annotated[float | None, typer.Option(help="Ratio for all modes.")] = None,
) -> None:
    """Read files of a finite-element program, show what to check, reduce the structure and store the body."""
    given = dict(map(_frame, frame or ()))
    name = root or next(iter(given), None)
    with _busy("reading"):
        found = read(files, given or None, units, dict(map(_tangent, tangent or ())) or None, superelement)
    if isinstance(found, ImportedStructure):
        with _busy("checking"):
            report = found.report
        say(str(report))
        if not given and found.source.sets:
            sets = ", ".join(f"{x} ({len(nodes)})" for x, nodes in found.source.sets.items())
            say(f"node sets: {sets}")
    else:
        say(repr(found))
    if output is None:
        return
    body: FlexibleBody | BeamPieces
    if isinstance(found, FlexibleBody | BeamPieces):
        body = found
    else:
        if name is None:
            raise supple.ModelError("expected --frame start=NODES for the root of the body, got no frame")
        with _busy("reducing"):
            body = found.reduce(basis, modes, name, damping=damping)
    with _busy("writing"):
        body.save(output)
    say(f"{body!r}"[1:-1].removeprefix("supple "))
    if isinstance(body, FlexibleBody) and body.report is not None:
        say(str(body.report))
    say(f"written: {output}")


def _frame(text: str) -> tuple[str, int | str | list[int]]:
    """A name and its node, nodes or node set."""
    name, sign, nodes = text.partition("=")
    parts = [part.strip() for part in nodes.split(",") if part.strip()]
    if not (name.strip() and sign and parts):
        raise supple.ModelError(f"--frame: expected NAME=NODES such as start=ROOT or end=17,18, got {text!r}")
    if all(is_index(part) for part in parts):
        numbers = [int(part) for part in parts]
        return name.strip(), numbers[0] if len(numbers) == 1 else numbers
    if len(parts) > 1:
        raise supple.ModelError(f"--frame {name}: expected numbers of nodes or the name of one node set, got {nodes!r}")
    return name.strip(), parts[0]


def _tangent(text: str) -> tuple[str, Tangent]:
    """A load case and where its tangent stands."""
    load, sign, rest = text.partition("=")
    size, colon, file = rest.partition(":")
    try:
        value = float(size)
    except ValueError:
        colon = ""
    if not (load.strip() and sign and colon and file.strip()):
        raise supple.ModelError(
            f"--tangent: expected LOAD=SIZE:FILE such as 'spin about z=100:spinning.inp', got {text!r}"
        )
    return load.strip(), Tangent(file.strip(), value)


def _busy(what: str) -> AbstractContextManager[object]:
    """Show what is going on, on a terminal."""
    return err.status(what) if err.is_terminal else nullcontext()
