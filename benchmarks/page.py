"""The tables of ``docs/performance.md``, made of ``benchmarks/results.json``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.jobs import SIZES

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- made by python -m benchmarks.speed -->", "<!-- end -->"


def rounded(value: Any) -> Any:
    """The same with four significant digits."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def tables(results: dict[str, Any]) -> str:
    """All tables, from what results.json holds."""
    parts = []
    for size in SIZES:
        for name, found in results.items():
            kind, _, dtype = name.partition(" ")
            if kind == size.name:
                head = f"### {size.name}, {dtype}: n = {size.n}, d = {size.d:,}"
                parts += [head, _limits(found), _table(found["jobs"])]
    return "\n\n".join(parts)


def _limits(found: dict[str, Any]) -> str:
    limits, machine = found["limits"], found["machine"]
    return (
        f"Copy {limits['copy'][0] / 1e9:.1f} GB/s (read and written), "
        f"{_by_cores(limits)}random rows "
        f"{limits['random rows'][0] / 1e9:.1f} GB/s, matrix product "
        f"{limits['matrix product'][0] / 1e9:.0f} GFlop/s on one core of {machine['cores']} "
        f"({machine['processor']}), whose load was {found['load']:.1f} at the start."
    )


def _by_cores(limits: dict[str, Any]) -> str:
    """The bandwidth of a copy by all cores, where it was measured."""
    shared = limits.get("copy, all cores")
    return f"{shared[0] / 1e9:.1f} GB/s by all cores at once, " if shared else ""


def _table(jobs: list[dict[str, Any]]) -> str:
    return "\n".join(_rows(jobs))


def _rows(jobs: list[dict[str, Any]]) -> Iterator[str]:
    head = ("method", "replicas", "over numpy", "over eager torch", "over modules",
            "in runs of one replica", "of the byte bound", "all cores over one",
            "over numpy", "in their runs of one", "of their byte bound")  # fmt: skip
    yield line(head)
    yield line("---" for _ in head)
    for job in jobs:
        over = job["over"]
        ratios = [times(over.get(program)) for program in ("numpy", "eager torch", "modules")]
        ratios.append(times(job.get("cost")))
        shares = [share(job["of_bound"]), times(job.get("by_cores"))]
        shares.append(times(job.get("over_by_cores", {}).get("numpy")))
        shares.append(times(job.get("cost_by_cores")))
        shares.append(share(job.get("of_bound_by_cores")))
        yield line((job["method"], str(job["replicas"]), *ratios, *shares))


def share(bound: list[float] | None) -> str:
    """A share with its spread; nothing of None."""
    return "" if bound is None else f"{bound[0]:.0%} ({bound[1]:.0%} to {bound[2]:.0%})"


def times(ratio: list[float] | None) -> str:
    """A ratio with its spread; nothing of None."""
    return "" if ratio is None else f"{ratio[0]:.3g} ({ratio[1]:.3g} to {ratio[2]:.3g})"


def seconds(found: list[float]) -> str:
    """Seconds with their spread."""
    return f"{found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f})"


def line(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def write(results: dict[str, Any]) -> None:
    """Put the tables of jobs into the page."""
    put(BEGIN, tables(results))


def put(begin: str, text: str) -> None:
    """Put a text into the page between a mark and the end mark that follows it."""
    page = PAGE.read_text()
    before, rest = page.split(begin)
    after = rest.split(END, 1)[1]
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{END}{after}")
