"""The tables of all rows in ``docs/performance.md``, made of ``benchmarks/rows.json``."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks.page import line, put, times
from benchmarks.row_jobs import BASE

BEGIN = "<!-- made by python -m benchmarks.rows -->"

Found = dict[str, Any]
_SHARES = (0.75, 0.3)  # of the base's speed
_SLOWEST = 10


def tables(jobs: dict[str, Found]) -> str:
    """All tables, of the jobs that were measured."""
    parts = [_quartiles(jobs), *map(_measured, jobs.values())]
    parts += ["### Beside the loop that does the same", _loops(jobs)]
    for found in jobs.values():
        parts += [f"### The slowest on {found['title']}", _slowest(found)]
    return "\n\n".join(part for part in parts if part)


def summary(found: Found) -> str:
    """A job's quartiles and what lies below its loop, in words."""
    low, middle, high = _cuts(found)
    description = f"quartiles {low:,.0f}, {middle:,.0f}, {high:,.0f} worker-steps a second"
    below = [one["key"] for one in found["lines"] if _below(one)]
    return f"{description}; below its own loop: {', '.join(below) or 'none'}"


def _measured(found: Found) -> str:
    processor, cores = found["machine"]["processor"], found["machine"]["cores"]
    clock = "processor time of the thread" if found["busy"] else "time by the clock"
    return (
        f"{found['title']}: {clock} on one of {cores} cores ({processor}), {found['day']}; load "
        f"{found['load']:.1f} at the start."
    )


def _cuts(found: Found) -> tuple[float, float, float]:
    """Quartiles of the rows' medians [worker-steps / s]."""
    speeds = [one["speed"][0] for one in _timed(found)]
    low, middle, high = (
        statistics.quantiles(speeds, n=4, method="inclusive") if len(speeds) > 1 else 3 * speeds
    )
    return low, middle, high


def _timed(found: Found) -> list[Found]:
    return [one for one in found["lines"] if one["speed"]]


def _base(found: Found) -> Found:
    """The line of the base."""
    return next(one for one in found["lines"] if one["key"] == BASE)


def _below(one: Found) -> bool:
    return bool(one["over_loop"]) and one["over_loop"][0] < 1


def _quartiles(jobs: dict[str, Found]) -> str:
    head = (
        "job", "rows", "slowest", "lower quartile", "median", "upper quartile", "bsp-sgd",
        "median over bsp-sgd", *(f"rows at {share:.0%} of it" for share in _SHARES),
        "below its own loop", "below that of bsp-sgd", "not measured",
    )  # fmt: skip
    return _table(head, (_quartile(found) for found in jobs.values()))


def _quartile(found: Found) -> Iterator[str]:
    timed = _timed(found)
    over = [one["over"][0] for one in timed if one["over"]]
    yield from (found["title"], str(len(timed)))
    yield f"{min(one['speed'][0] for one in timed):,.0f}"
    yield from (f"{cut:,.0f}" for cut in _cuts(found))
    yield f"{_base(found)['speed'][0]:,.0f}"
    yield f"{statistics.median(over):.3g}"
    yield from (str(sum(one >= share for one in over)) for share in _SHARES)
    looped = [one for one in timed if one["over_loop"]]
    yield f"{sum(map(_below, looped))} of {len(looped)}"
    yield str(sum(one["speed"][0] < _base(found)["loop"][0] for one in timed))
    lost = [one for one in found["lines"] if not one["speed"]]
    yield "; ".join(f"{one['key']} ({one['note']})" for one in lost)


def _loops(jobs: dict[str, Found]) -> str:
    """A line for each row that has a loop, a column for each job."""
    known = {
        name: {one["key"]: one["over_loop"] for one in found["lines"] if one["over_loop"]}
        for name, found in jobs.items()
    }
    keys = dict.fromkeys(key for own in known.values() for key in own)
    rows = ((key, *(times(own.get(key)) for own in known.values())) for key in keys)
    return _table(("row", *known), rows)


def _slowest(found: Found) -> str:
    """The slowest rows of a job, and what their steps spend their time on."""
    head = ("row", "worker-steps a second", "over bsp-sgd", "microseconds a step", "why")
    slow = sorted(_timed(found), key=lambda one: float(one["speed"][0]))[:_SLOWEST]
    rows = (
        (
            one["key"], f"{one['speed'][0]:,.0f}", times(one["over"]),
            f"{1e6 * one['work'] / one['speed'][0]:,.0f}",
            "; ".join(filter(None, (one["note"], found["reasons"].get(one["key"], "")))),
        )
        for one in slow
    )  # fmt: skip
    return _table(head, rows)


def _table(head: tuple[str, ...], rows: Iterator[Any]) -> str:
    return "\n".join([line(head), line("---" for _ in head), *map(line, rows)])


def write(jobs: dict[str, Found]) -> None:
    """Put the tables into the page, between their marks."""
    put(BEGIN, tables(jobs))
