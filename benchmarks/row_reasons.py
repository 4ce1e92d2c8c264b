"""What a step of a row spends its time on: a profile of its steps, by module."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from benchmarks.row_jobs import Entrant

_ROOT = Path(__file__).parents[1]
_NAMED = 3

Place = tuple[str, int, str]
"""File, line and name of a function, as profiles have them; built-in ones are of the file ~."""


class Reason(NamedTuple):
    """Where the time of a step goes.

    Attributes:
        modules: shares of the largest modules, what each calls of torch and numpy among them.
        operation: the built-in function that takes most, with its share.
        calls: function calls of a step.
    """

    modules: tuple[tuple[str, float], ...]
    operation: tuple[str, float]
    calls: float

    @property
    def text(self) -> str:
        """In words."""
        if not self.modules:
            return "its steps are compiled as a whole"
        shares = [f"{name} {share:.0%}" for name, share in self.modules]
        name, share = self.operation
        most = f"most in {name} ({share:.0%})" if name else "none of them built in"
        return f"{', '.join(shares)}; {self.calls:,.0f} calls a step, {most}"


def reason(one: Entrant, steps: int) -> Reason:
    """The profile of so many steps of a row's own ``step``, once it is compiled, in time of the
    thread: other work does not show."""
    method, profile = one.method(steps), cProfile.Profile(time.thread_time)
    own = type(method).step

    def profiled(*arguments: Any) -> Any:
        profile.enable()
        try:
            return own(*arguments)
        finally:
            profile.disable()

    with mock.patch.object(type(method), "step", profiled):
        one.trace(steps)
    return shares(pstats.Stats(profile), steps) if profile.getstats() else Reason((), ("", 0.0), 0)


def shares(stats: pstats.Stats, steps: int) -> Reason:
    """Time by module, that of built-in functions counted for who calls them."""
    modules: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    calls = 0
    functions: dict[Place, Any] = stats.stats  # type: ignore[attr-defined]
    for place, (_, count, own, _, callers) in functions.items():
        calls += count
        if not _built_in(place):
            modules[_module(place)] += own
            continue
        if "_lsprof.Profiler" in place[2]:
            continue  # the profiler's own end, to which a thread that is stopped there is counted
        operations[_operation(place)] += own
        for caller, (_, _, part, _) in callers.items():
            modules[_module(caller)] += part
    total = sum(modules.values()) or 1.0
    largest = tuple((name, own / total) for name, own in modules.most_common(_NAMED))
    name, own = next(iter(operations.most_common(1)), ("", 0.0))
    return Reason(largest, (name, own / total), calls / steps)


def _built_in(place: Place) -> bool:
    return place[0] == "~"


def _module(place: Place) -> str:
    """The file's name without its ending, from the project's root; else the package."""
    path = Path(place[0])
    if path.is_relative_to(_ROOT) and "site-packages" not in path.parts:
        return path.relative_to(_ROOT).with_suffix("").as_posix()
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1]
    return "Python"


def _operation(place: Place) -> str:
    """A built-in function as one writes it: ``<method 'sum' of ...>`` is sum."""
    quoted = place[2].split("'")
    return quoted[1] if len(quoted) > 1 else place[2].strip("<>").split()[-1]
