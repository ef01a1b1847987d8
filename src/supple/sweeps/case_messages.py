"""What a sweep and its processes say to each other: objects with their length before them, on pipes."""

from __future__ import annotations

import importlib
import pickle
import struct
from typing import Any, BinaryIO

from supple.errors import StateError

HEAD = struct.Struct("<Q")


def packed(x: Any) -> bytes:
    """An object for another process of this sweep; functions of a script by their content if cloudpickle is there."""
    try:
        packer = importlib.import_module("cloudpickle")
    except ImportError:
        packer = pickle
    try:
        found: bytes = packer.dumps(x)
    except Exception as error:  # whatever is inside has methods of its own for this
        raise StateError(
            f"sweep: a law, a setting or a measure cannot be sent to another process: {error}; "
            "engine='serial' runs the cases in this one"
        ) from None
    return found


def unpacked(data: bytes) -> Any:
    """What `packed` has packed, in a process that the sweep has started."""
    return pickle.loads(data)


def send(pipe: BinaryIO, x: Any) -> None:
    """Send an object."""
    data = pickle.dumps(x)
    pipe.write(HEAD.pack(len(data)) + data)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """The next object; None when the other side has closed the pipe, or died."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    data = pipe.read(length)
    return pickle.loads(data) if len(data) == length else None
