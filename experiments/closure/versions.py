"""The version of a cell: a hash of all that its result depends on.

That is: the function that computes it and the values it computes on (a row's recipe, a problem's
entry, a study), written out; the source of every definition that these reach; the versions of
Python and of the numerical libraries. The numbers of the preset are in the cell itself.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from algorithms.catalogue import ROWS
from algorithms.core.versions import package_version
from experiments.closure.graph import DefinitionGraph, Name
from experiments.closure.values import Contents
from proofs_check.cell import Cell

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("torch", "numpy", "scipy", "numba", "scikit-learn", "sympy", "networkx")
_DIGITS = 12


def cell_versions(
    cells: Iterable[Cell], prepare: Callable[[Cell], Any], root: Path = ROOT
) -> dict[Cell, str]:
    """Twelve hex digits for each cell; ``prepare(cell)`` is what it computes.

    Nothing under ``experiments/`` counts: a new report template leaves every result valid.
    """
    graph = with_rows(root)
    contents = {cell: contents_of(prepare(cell), graph) for cell in cells}
    digests = graph.digests({name for content in contents.values() for name in content.roots})
    outside = environment()
    return {cell: _version(content, digests, outside) for cell, content in contents.items()}


def with_rows(root: Path) -> DefinitionGraph:
    """The definitions of the sources at ``root``, and what the catalogue's rows are made of."""
    graph = DefinitionGraph.from_folder(root)
    for row in ROWS:
        value = contents_of(row, graph)
        graph.rows[row.key] = value.text, frozenset(value.roots)
    return graph


def contents_of(value: Any, graph: DefinitionGraph) -> Contents:
    """A value written out, with the definitions that it rests on."""
    contents = Contents(graph)
    contents.add(value)
    return contents


def overall(versions: Mapping[Cell, str]) -> str:
    """One name for the versions of many cells; their own where they are all alike."""
    different = sorted(set(versions.values()))
    return different[0] if len(different) == 1 else _hash("\n".join(different).encode())


def environment() -> str:
    """Python and the libraries that results stand on, with their versions."""
    python = ".".join(platform.python_version_tuple()[:2])
    return "\n".join(
        (f"python {python}", *(f"{name} {package_version(name)}" for name in LIBRARIES))
    )


def _version(contents: Contents, digests: Mapping[Name, bytes], outside: str) -> str:
    reached = b"".join(digests[name] for name in sorted(contents.roots))
    return _hash(f"{outside}\n{contents.text}\n".encode() + reached)


def _hash(what: bytes) -> str:
    return hashlib.sha256(what).hexdigest()[:_DIGITS]
