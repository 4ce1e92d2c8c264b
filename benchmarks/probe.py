"""Where the time of a run goes: functions by part, each second counted once.

A deterministic profile of chosen functions only. What one of them calls that is chosen too is
counted for its own part; what is chosen nowhere is left to whoever called it. A call costs half a
microsecond more, which is counted where it happens.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any, NamedTuple
from unittest import mock

REST = "the rest"


class Watched(NamedTuple):
    """Functions ``names`` of a class or module ``owner``, which are work of ``part``."""

    part: str
    owner: Any
    names: tuple[str, ...]


class Probe:
    """Seconds by part while :meth:`on`, :data:`REST` for what no chosen function does."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {REST: 0.0}
        self._parts, self._since = [REST], 0.0

    @contextmanager
    def on(self, watched: Iterable[Watched]) -> Iterator[Probe]:
        """Within, the functions are counted."""
        with ExitStack() as stack:
            for part, owner, names in watched:
                self.seconds.setdefault(part, 0.0)
                for name in names:
                    stack.enter_context(self._patched(part, owner, name))
            self._since = time.perf_counter()
            yield self
            self._turn()

    def share(self, *parts: str) -> float:
        """What of all seconds those parts took."""
        return sum(self.seconds[part] for part in parts) / sum(self.seconds.values())

    def _patched(self, part: str, owner: Any, name: str) -> Any:
        here = inspect.getattr_static(owner, name)
        if isinstance(here, cached_property):
            return mock.patch.object(here, "func", self._counted(part, here.func))
        if isinstance(here, staticmethod):
            return mock.patch.object(owner, name, staticmethod(self._counted(part, here.__func__)))
        return mock.patch.object(owner, name, self._counted(part, here))

    def _counted(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **named: Any) -> Any:
            self._turn()
            self._parts.append(part)
            try:
                return function(*arguments, **named)
            finally:
                self._turn()
                self._parts.pop()

        return counted

    def _turn(self) -> None:
        """What passed since the last turn goes to the part at work."""
        now = time.perf_counter()
        self.seconds[self._parts[-1]] += now - self._since
        self._since = now
