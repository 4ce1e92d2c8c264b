"""Dependencies between definitions, read from the sources alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import final

import networkx as nx

from experiments.closure.definitions import ALWAYS, Chain, ParsedModule, SourcePiece, parse

Name = tuple[str, str]
"""A definition: module and name; the name :data:`WHOLE` is all that the module holds."""

WHOLE = "*"
DISCOVERY = "theory.members"
"""Whoever reads a function of this module depends on all modules of the packages it names."""

LOOKUP: Name = ("algorithms.catalogue", "row")
"""Finds a row of the catalogue by its key."""

LOOKING = re.compile(r"proofs_check\.(instruments|table_iv|evidence\.\w+\.effects\w*)(\..*)?")
"""Modules of these names look rows up by keys that stand in them, or in who calls them from here,
as string constants or as arguments of a partial."""

_ROW = "row of the catalogue"  # in place of a module, for a row's value

FLOORS = ("theory", "algorithms", "proofs_check")


@final
class DefinitionGraph:
    """Definitions as nodes, reading as edges; ``files`` says where each module lies.

    What it does not see: code that is reached by a computed name (``getattr`` on a module,
    ``import_module`` of a variable). The project discovers members through :data:`DISCOVERY` only,
    which it does see.

    ``rows`` has by key what the value of a catalogue's row is made of, its text and what it rests
    on: a definition under :data:`LOOKING` rests on the rows whose keys it names, not on the whole
    catalogue.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.files = files
        self.rows: dict[str, tuple[str, frozenset[Name]]] = {}
        self._sources: dict[str, ParsedModule] = {}
        self._edges: dict[Name, frozenset[Name]] = {}

    @classmethod
    def from_folder(cls, root: Path, floors: Iterable[str] = FLOORS) -> DefinitionGraph:
        """Of all Python files in the folders ``floors`` of ``root``."""
        found = (path for floor in floors for path in sorted((root / floor).rglob("*.py")))
        return cls({_module(path.relative_to(root)): path for path in found})

    def __contains__(self, module: str) -> bool:
        return module in self.files

    @cached_property
    def modules(self) -> tuple[str, ...]:
        """All modules of the project, by name."""
        return tuple(sorted(self.files))

    def source(self, module: str) -> ParsedModule:
        """The parsed module.

        Raises:
            KeyError: it is none of the project.
        """
        if module not in self._sources:
            path = self.files[module]
            package = module if path.stem == "__init__" else module.rpartition(".")[0]
            self._sources[module] = parse(path.read_text(encoding="utf-8"), package)
        return self._sources[module]

    def closure(
        self, roots: Iterable[Name], without: frozenset[Name] = frozenset()
    ) -> frozenset[Name]:
        """The roots and all that they reach, but for what is reached by way of those ``without``
        alone."""
        seen = set[Name](without)
        todo = list(roots)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.edges(name)
        return frozenset(seen - without)

    def edges(self, name: Name) -> frozenset[Name]:
        """Direct references of a definition; names outside the project have none."""
        if name[0] == _ROW:
            return self.rows[name[1]][1]
        if name not in self._edges:
            self._edges[name] = frozenset(self._reached(name)) if name[0] in self else frozenset()
        return self._edges[name]

    def lambdas(self, module: str, line: int) -> tuple[SourcePiece, ...]:
        """Lambda expressions that begin in this line."""
        return tuple(s for s in self.source(module).lambdas if s.first == line)

    def read_by(self, module: str, statement: SourcePiece) -> set[Name]:
        """Names that a statement of the module reads."""
        read = set(self._named_by(module, statement))
        if self.rows and _looks(module):
            read -= {LOOKUP}
        return read.union(self.rows_of(module, statement.words))

    def rows_of(self, module: str, words: Iterable[object]) -> Iterator[Name]:
        """The rows whose keys are among ``words``, if the module looks rows up."""
        if _looks(module):
            yield from (
                (_ROW, word) for word in words if isinstance(word, str) and word in self.rows
            )

    def _named_by(self, module: str, statement: SourcePiece) -> Iterator[Name]:
        for chain in statement.reads:
            yield from self._resolved(module, chain)
        for target, attribute in statement.imports:
            yield from self._in(target, (attribute,) if attribute else ())
        beside = self.files[module].parent
        for word in statement.words:
            if "." in word and "\n" not in word and len(word) < 100 and (beside / word).is_file():
                yield str(beside / word), WHOLE

    def text(self, name: Name) -> bytes:
        """The source of a definition, or the content of a data file; empty for what is outside."""
        module, own = name
        if module == _ROW:
            return self.rows[own][0].encode()
        if module in self:
            statements = self.source(module).definitions.get(own, ())
            return "\n".join(s.text for s in statements).encode()
        return Path(module).read_bytes() if own == WHOLE and Path(module).is_file() else b""

    def digests(self, roots: Iterable[Name]) -> dict[Name, bytes]:
        """A hash for each definition that the roots reach, over it and all that it reaches."""
        graph = nx.DiGraph()
        for name in self.closure(roots):
            graph.add_node(name)
            graph.add_edges_from((name, other) for other in self.edges(name))
        circles = nx.condensation(graph)
        found: dict[int, bytes] = {}
        for circle in reversed(list(nx.topological_sort(circles))):
            digest = hashlib.sha256()
            for name in sorted(circles.nodes[circle]["members"]):
                digest.update(f"{_label(name)}\0".encode())
                digest.update(hashlib.sha256(self.text(name)).digest())
            for part in sorted(found[other] for other in circles.successors(circle)):
                digest.update(part)
            found[circle] = digest.digest()
        return {name: found[circles.graph["mapping"][name]] for name in graph}

    def _reached(self, name: Name) -> Iterator[Name]:
        module, own = name
        source = self.source(module)
        if own == WHOLE:
            yield from ((module, each) for each in source.definitions)
            for target, attribute in source.bindings.values():
                yield from self._in(target, (attribute,) if attribute else ())
            return
        if own != ALWAYS and own not in source.definitions:
            yield module, WHOLE  # made in some other way: by all of the module
        for statement in source.definitions.get(own, ()):
            read = self.read_by(module, statement)
            yield from read
            if module != DISCOVERY and any(other == DISCOVERY for other, _ in read):
                beside = [s for c in statement.reads for s in source.definitions.get(c[0], ())]
                yield from self._discovered(module, (statement, *beside))
        if own != ALWAYS and ALWAYS in source.definitions:
            yield module, ALWAYS

    def _discovered(self, module: str, statements: Sequence[SourcePiece]) -> Iterator[Name]:
        """All modules of the packages that the statements name; of all, if they name none."""
        named = {word for statement in statements for word in statement.words if word in self}
        if any(("__name__",) in statement.reads for statement in statements):
            named.add(module)
        for other in self.modules:
            if not named or any(f"{other}.".startswith(f"{package}.") for package in named):
                yield other, WHOLE

    def _resolved(self, module: str, chain: Chain) -> Iterator[Name]:
        """Target of a dotted name that is read in the module; none if it is local there."""
        source = self.source(module)
        if chain[0] in source.definitions:
            yield module, chain[0]
        elif chain[0] in source.bindings:
            target, attribute = source.bindings[chain[0]]
            yield from self._in(target, ((attribute,) if attribute else ()) + chain[1:])

    def _in(self, module: str, chain: Chain) -> Iterator[Name]:
        """Target of a ``chain`` that starts at a module.

        A package's own definition hides a module of the same name in it.
        """
        while chain and f"{module}.{chain[0]}" in self and not self._defines(module, chain[0]):
            module, chain = f"{module}.{chain[0]}", chain[1:]
        if module not in self:
            yield module, chain[0] if chain else WHOLE
        elif not chain:
            yield module, WHOLE
        else:
            found = list(self._resolved(module, chain))
            yield from found or [(module, WHOLE)]

    def _defines(self, module: str, name: str) -> bool:
        return module in self and name in self.source(module).definitions


def _looks(module: str) -> bool:
    return LOOKING.fullmatch(module) is not None


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _label(name: Name) -> str:
    """The name without the folder that the project lies in."""
    module, own = name
    return f"{Path(module).name if '/' in module else module}:{own}"
