"""A sign of life while a command's modules are imported, which takes seconds."""

from __future__ import annotations

import sys
from threading import Timer

from experiments.processes.gc_policy import loaded

_AFTER = 1.0  # seconds of silence
_timers: list[Timer] = []


def loading() -> None:
    """Say so on standard error, unless :func:`begun` is called within a second."""
    timer = Timer(_AFTER, _say)
    timer.daemon = True
    _timers.append(timer)
    timer.start()


def begun() -> None:
    """A command has something to say of its own: its modules are loaded."""
    while _timers:
        _timers.pop().cancel()
        loaded()


def _say() -> None:
    print("note: loading methods and checks", file=sys.stderr, flush=True)
