"""Start of rank and worker processes: from a server that has imported their modules, or afresh.

A fresh interpreter takes seconds to import torch and this package, each rank its own. A server
(``multiprocessing``'s fork server) imports them once, and each rank is a fork of it that has run
nothing yet; the server ends with the process that started it and with its ranks.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from multiprocessing import forkserver
from multiprocessing.connection import wait

import numpy as np

_SHARED = ("theory", "algorithms")
"""Packages whose modules the server imports: those that the caller has imported."""

PRELOADED = ("torch._dynamo", "algorithms.network.registered")
"""Modules that a rank imports otherwise at the first step of torch's optimizers and
DistributedDataParallel (1.2 processor seconds), and tables of its first compiled call (0.4)."""


def start_method(fresh: bool, modules: Iterable[str] = ()) -> str:
    """Start method of ``multiprocessing``: "spawn" if processes must be ``fresh`` interpreters
    (which hash words differently from each other, and may take a GPU), else from the server.

    ``modules`` are what it imports if it does not run yet; none: all that ranks need.
    """
    if fresh or sys.platform != "linux":
        return "spawn"
    shared = [name for name in sys.modules if name.partition(".")[0] in _SHARED]
    _ready([*modules] or [*PRELOADED, *shared])
    return "forkserver"


def start_early() -> None:
    """Start the server before the caller has imported anything, so that both import at once."""
    if sys.platform == "linux":
        _ready([*PRELOADED, "algorithms.catalogue"])


def _ready(modules: list[str]) -> None:
    """Start the server, if none runs, with the caller's import path.

    It looks for modules in PYTHONPATH alone, which is why that is set for as long as it starts.
    """
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    kept = dict(os.environ)
    multiprocessing.get_context("forkserver").set_forkserver_preload(modules)
    os.environ.update(PYTHONPATH=path, PYTHONSAFEPATH="1")
    try:
        forkserver.ensure_running()
    finally:
        restore(kept)


def restore(environment: Mapping[str, str]) -> None:
    """Make the environment what the caller's was."""
    os.environ.clear()
    os.environ.update(environment)


def settle(environment: Mapping[str, str]) -> None:
    """In a rank: the caller's environment, draws of its own, and an end with the caller's."""
    restore(environment)
    np.random.seed()
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
