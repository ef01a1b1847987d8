"""Products of matrices on one thread, where threads of our own do better than those of the library."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Products take one thread meanwhile, in the whole process.

    Threads of a library wait for each other at every product. With thousands of products of a few hundred rows they
    take twice the time of one thread.
    """
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """Those by which numpy and scipy multiply."""
    return ThreadpoolController()
