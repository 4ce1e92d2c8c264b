"""Mutants of a row, drawn over all that its result depends on."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from experiments.closure.graph import WHOLE, DefinitionGraph, Name
from experiments.closure.versions import ROOT, contents_of, with_rows
from experiments.mutation.coverage import compiled_functions
from experiments.mutation.sites import COMPILERS, Mutant, mutants
from proofs_check.cell import CellKind
from proofs_check.prepare import prepare
from proofs_check.row_coverage import cells_of
from proofs_check.suite import cells

SHARES: Mapping[str, int] = {"parts": 9, "loop": 7, "theory": 6, "costs": 5, "compiled": 3}
"""Of thirty mutants, how many are drawn from the method and its parts, from what runs it, from
theorems and rules, from bits and seconds, and from compiled code."""

_PARTS = (
    "methods", "memories", "compressors", "optimizers", "transforms", "topologies", "catalogue",
)  # fmt: skip
_COMPILING = re.compile("|".join(COMPILERS))
_COSTS = ("bits", "seconds", "length", "ledger", "codes", "clock", "stopwatch", "bill", "charge")


LEFT_OUT: Mapping[str, str] = {
    "algorithms.core.durable": "writes and removes files of runs",
    "algorithms.kernels.compiled": "removes kept kernels of this machine whose sources changed",
    "algorithms.network.alone": "removes the lock of a folder",
    "algorithms.network.checkpoint_files": "writes and removes checkpoints",
    "algorithms.network.launch": "makes and removes folders of runs on ranks",
    "algorithms.runner.kept_record": "writes and removes records of runs",
}
"""Modules that have no mutants, and why: a wrong path or condition in them would change files that
are not this trial's."""


def row_mutants(key: str, seed: int, count: int) -> list[Mutant]:
    """``count`` mutants of the row ``key``: of its runs' code, theorems, bits and seconds.

    A group is drawn by :data:`SHARES`, in it a kind of fault, of this kind a mutant, each with
    equal chances, so that rare kinds come as often as common ones.
    """
    graph = sources()
    own = [
        cell for cell in cells_of(key, cells("quick"))
        if cell.row == key and cell.kind in (CellKind.WATCHED, CellKind.RUN, CellKind.BOUND)
    ]  # fmt: skip
    roots = {root for cell in own for root in contents_of(prepare(cell), graph).roots}
    return drawn(closure_mutants(graph, roots), f"{key} {seed}", count)


@cache
def sources() -> DefinitionGraph:
    """Definitions of the project, read once: processes of trials have them from this one."""
    return with_rows(ROOT)


def closure_mutants(graph: DefinitionGraph, roots: Iterable[tuple[str, str]]) -> list[Mutant]:
    """All mutants of what ``roots`` reach in theory and algorithms."""
    reached: dict[str, set[str]] = {}
    for module, name in graph.closure(roots):
        ours = module.partition(".")[0] in ("theory", "algorithms")
        if module in graph and ours and module not in LEFT_OUT:
            reached.setdefault(module, set()).add(name)
    return switched_where_possible(
        mutant
        for module, names in sorted(reached.items())
        for mutant in mutants(
            module, graph.files[module], None if WHOLE in names else frozenset(names)
        )
    )


def switched_where_possible(every: Iterable[Mutant]) -> list[Mutant]:
    """Mutants, of which those in functions that nothing compiled has are computed when these
    run."""
    graph = sources()
    compiled = graph.closure(_compiled_roots(graph))
    return [_deferred(mutant, compiled) for mutant in every]


def _compiled_roots(graph: DefinitionGraph) -> Iterator[Name]:
    """Definitions that speak of a compiler, and those that this process has compiled."""
    yield from compiled_functions(used=False)
    for module, file in graph.files.items():
        if not _COMPILING.search(file.read_text(encoding="utf-8")):
            continue
        for name, statements in graph.source(module).definitions.items():
            if any(chain[-1] in COMPILERS for one in statements for chain in one.reads):
                yield module, name


def _deferred(mutant: Mutant, compiled: frozenset[Name]) -> Mutant:
    """The mutant as one that is computed when its function runs, if nothing compiled has it."""
    held = {(mutant.module, mutant.definition), (mutant.module, WHOLE)} & compiled
    return mutant if held or not mutant.function else replace(mutant, deferred=True)


def folder_mutants(module: str, file: Path, seed: int, count: int) -> list[Mutant]:
    """Mutants of a user's own module."""
    return drawn(mutants(module, file), f"{module} {seed}", count)


def drawn(every: Sequence[Mutant], seed: str, count: int) -> list[Mutant]:
    """``count`` mutants, or as many as there are."""
    random_ = random.Random(seed)
    left: dict[str, dict[str, list[Mutant]]] = {}
    for mutant in every:
        left.setdefault(group(mutant), {}).setdefault(mutant.kind, []).append(mutant)
    found: list[Mutant] = []
    while left and len(found) < count:
        names = sorted(left)
        name = random_.choices(names, [SHARES[name] for name in names])[0]
        kind = random_.choice(sorted(left[name]))
        pool = left[name][kind]
        found.append(pool.pop(random_.randrange(len(pool))))
        if not pool:
            del left[name][kind]
        if not left[name]:
            del left[name]
    return found


def group(mutant: Mutant) -> str:
    """Which of :data:`SHARES` a mutant is of."""
    words = f"{mutant.module}.{mutant.function}"
    if ".kernels" in mutant.module:
        return "compiled"
    if any(word in words for word in _COSTS):
        return "costs"
    if mutant.module.startswith("theory"):
        return "theory"
    room = mutant.module.split(".")[1] if "." in mutant.module else "methods"
    return "parts" if room in _PARTS or not mutant.module.startswith("algorithms") else "loop"
