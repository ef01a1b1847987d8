"""Does supple agree with Pinocchio on every robot of example-robot-data, on the ground and floating?

    python -m benchmarks.peers.all_robots [STATES] [--small]

prints a line for each robot: bodies, speeds, and the largest relative differences of inverse dynamics, mass matrix and
forward dynamics over random states. It fails if one of them exceeds its bound (see `supple.bench.pinocchio`), or if
supple cannot read a robot that Pinocchio can.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pinocchio as pin

from benchmarks.sizes import ARGUMENTS, SMALL
from supple import SuppleError
from supple.bench.pinocchio import Peer, compared
from support.files.robots import robot_directory


def line(path: Path, floating_base: bool, states: int) -> tuple[str, bool]:
    """What is said about a robot, and whether it is right."""
    try:
        pin.buildModelFromUrdf(str(path))
    except ValueError:
        return "skipped: Pinocchio cannot load it", True
    try:
        peer = Peer.of_file(path, floating_base)
    except SuppleError as error:
        return f"WRONG: {error}", False
    size = f"{len(peer.model.bodies):6d} {peer.model.nv:4d}"
    if peer.model.nv != peer.pin.nv or peer.model.nv == 0:
        return f"{size}  nothing moves", peer.model.nv == peer.pin.nv
    found = compared(peer, states)
    forward = "singular" if found.forward is None else f"{found.forward:.1e}"
    text = f"{size}  {found.inverse:8.1e} {found.mass_matrix:8.1e} {forward:>8} {found.forward_allowed:8.1e}"
    return text if found.right else f"{text}  WRONG", found.right


def main() -> int:
    """Number of robots that are not right."""
    states = int(ARGUMENTS[0]) if ARGUMENTS else 5
    wrong = 0
    print(f"{'file':45} {'base':8} {'bodies':>6} {'nv':>4}  {'inverse':>8} {'matrix':>8} {'forward':>8} {'allowed':>8}")
    for path in sorted(robot_directory().rglob("ur5*.urdf" if SMALL else "*.urdf")):
        for floating_base in (False, True):
            text, right = line(path, floating_base, states)
            wrong += not right
            print(f"{path.name:45} {'floating' if floating_base else 'fixed':8} {text}", flush=True)
    print(f"{wrong} wrong" if wrong else "all right")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(), 1))
