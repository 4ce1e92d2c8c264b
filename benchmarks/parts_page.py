"""The tables of parts in ``docs/performance.md``, made of ``benchmarks/results.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.page import line, put, seconds, share, times

BEGIN = "<!-- made by python -m benchmarks.parts -->"

Found = dict[str, Any]
_MB = 1e6


def tables(parts: dict[str, Found]) -> str:
    """All tables, of the parts that were measured."""
    done = [(kind, parts[kind]) for kind in _SECTIONS if kind in parts]
    return "\n\n".join(part for kind, found in done for part in _section(kind, found))


def _section(kind: str, found: Found) -> Iterator[str]:
    title, made = _SECTIONS[kind]
    yield f"### {title}"
    yield made(found)
    processor, cores = found["machine"]["processor"], found["machine"]["cores"]
    yield f"Measured on {cores} cores ({processor}); load {found['load']:.1f} at the start."


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    return "\n".join([line(head), line("---" for _ in head), *map(line, rows)])


def _mlp(found: Found) -> str:
    others = ("modules", "one module", "vmap")
    head = (
        "workers", "over n modules", "over one module for all", "over vmap of torch.func",
        "its two products by torch alone, of its time", "those products over n modules",
    )  # fmt: skip
    rows = (
        (
            str(one["n"]), *(times(one["over"][name]) for name in others),
            share(one["of_products"]), times(one["products"]),
        )
        for one in found["lines"]
    )  # fmt: skip
    return _table(head, rows)


def _random(found: Found) -> str:
    head = ("numbers", "type", "uniforms over torch.rand", "normals over torch.randn")
    rows = (
        (
            f"{one['n']} x {one['d']:,}", one["dtype"], times(one["uniform"]), times(one["normal"]),
        )
        for one in found["lines"]
    )  # fmt: skip
    return _table(head, rows)


def _books(found: Found) -> str:
    parts = list(found["lines"][0]["shares"])
    head = (
        "method", "books of a round", "with records", "and their metrics",
        "a record and its metrics, in rounds", *parts,
    )  # fmt: skip
    rows = (
        (
            one["method"], share(one["books_of_rounds"]), share(one["with_recording"]),
            share(one["with_metrics"]), times(one["record_in_rounds"]),
            *(f"{one['shares'][part][0]:.1%}" for part in parts),
        )
        for one in found["lines"]
    )  # fmt: skip
    description = (
        f"{found['steps']:,} rounds and {found['records']} records, n = {found['n']}, d = "
    )
    return f"Of a run of {description}{found['d']:,}:\n\n{_table(head, rows)}"


def _memory(found: Found) -> str:
    head = ("method", "type", "held [MB]", "the run", "making the data", "finding the minimum")
    rows = (
        (
            one["method"], one["dtype"], f"{one['held'] / _MB:,.0f}",
            *(f"{one['peaks'][kind]:.2f}" for kind in ("run", "data", "minimum")),
        )
        for one in found["lines"]
    )  # fmt: skip
    description = ", ".join(
        f"{one['history']:,} bytes of history at d = {one['d']:,} (and {one['models']:,} of models)"
        for one in found["trace"]
    )
    records = found["trace"][0]["records"]
    return f"{_table(head, rows)}\n\nA trace of {records} records has {description}."


def _scaling(found: Found) -> str:
    return "\n\n".join(
        f"Against {what}: time of {each}, over that at {what[0]} = {found[key][0]['base']:,}.\n\n"
        + _curves(found[key], what[0])
        for key, what, each in (
            ("against n", f"n at d = {found['d']:,}", "a worker-step"),
            ("against d", f"d at n = {found['n']}", "a coordinate of a worker-step"),
        )
    )


def _curves(lines: list[Found], letter: str) -> str:
    sizes = sorted({point["at"] for one in lines for point in one["points"]})
    rows = []
    for one in lines:
        known = {point["at"]: times(point["relative"]) for point in one["points"]}
        rows.append((one["method"], *(known.get(size, "") for size in sizes)))
    return _table(("method", *(f"{letter} = {size:,}" for size in sizes)), iter(rows))


def _sweep(found: Found) -> str:
    return (
        f"{found['runs']} runs of 16 replicas and {found['steps']:,} steps, "
        f"{found['seconds']:.0f} s on one process: two processes are "
        f"{times(found['two over one'])} times as fast."
    )


def _commands(found: Found) -> str:
    head = ("command", "seconds", "processor seconds", "exit code")
    rows = (
        (
            f"`rateproof {one['command']}`", f"{one['wall']:.0f}", f"{one['processors']:.0f}",
            str(one["code"]),
        )
        for one in found["lines"]
    )  # fmt: skip
    often = (
        (
            f"`rateproof {one['command']}`", f"{one['first']:.2f}", seconds(one["wall"]),
            seconds(one["processors"]),
        )
        for one in found.get("short", ())
    )  # fmt: skip
    calls = ("command", "first start, nothing compiled", "seconds", "processor seconds")
    return f"{_table(calls, often)}\n\n{_table(head, rows)}"


def _device(found: Found) -> str:
    head = ("n", "d", "replicas", "method", f"CPU over {found['device']}")
    rows = (
        (f"{one['n']}", f"{one['d']:,}", f"{one['replicas']}", one["method"], times(one["over"]))
        for one in found["lines"]
    )
    return _table(head, rows)


_SECTIONS: dict[str, tuple[str, Callable[[Found], str]]] = {
    "mlp": ("A perceptron 784-64-10", _mlp),
    "random": ("Random numbers", _random),
    "books": ("Books of a round", _books),
    "memory": ("Memory", _memory),
    "scaling": ("Scaling", _scaling),
    "sweep": ("Two processes", _sweep),
    "commands": ("Commands", _commands),
    "device": ("A GPU", _device),
}


def write(parts: dict[str, Found]) -> None:
    """Put the tables into the page, between their marks."""
    put(BEGIN, tables(parts))
