"""Modules in which many mutants lie side by side, and one at a time is switched on.

A mutant of a function is an expression ``wrong if it is switched on else right``, so that one
import serves all of them (Untch, Offutt, Harrold 1993, mutant schemata). Where nothing is changed
by the wrong expression, the largest expression around it of which this holds is computed with it
beside the right one in a run of the genuine code: a mutant that no input tells from the right one
there is known before it is run (Howden 1982, weak mutation). Mutants of compiled code and of what
is computed at import replace the expression.
"""

from __future__ import annotations

import ast
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast, final

import numpy as np
import torch

from experiments.closure.graph import Name
from experiments.mutation.coverage import name_of
from experiments.mutation.formulas import in_place
from experiments.mutation.marks import MARK, MemoryMark, compared, marked
from experiments.mutation.noted_keys import noted, noted_draws
from experiments.mutation.noted_tables import NotedTable
from experiments.mutation.origins import origins
from experiments.mutation.sites import Mutant, changed, entry_keys, reads, table_of
from proofs_check.audit.own_folders import names_of_users

_PROBE = "__mutants__"
_PURE = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript,
         ast.Tuple, ast.BoolOp, ast.IfExp, ast.Load, ast.operator, ast.unaryop, ast.cmpop,
         ast.boolop, ast.Slice, ast.keyword, ast.Set, ast.List)  # fmt: skip
_EFFECTLESS = frozenset(
    "need abs min max float int bool len round range tuple sqrt "
    "log log2 log1p exp expm1 pow ceil floor isfinite isclose bit_length sum mean amax amin square "
    "norm where clamp clamp_min clamp_max full zeros ones arange eye stack cat expand expand_as "
    "reshape view unsqueeze squeeze long double uniform normal integers eigvalsh eigh fold "
    "draws claims stated_bits index_bits code_of for_shapes".split()
)
"""Calls that change nothing, by the last name of what is called."""

_RULES = frozenset("rule step_rule stepsize step_size".split())
_PLAIN_RULES = "theory.stepsizes"  # whose rules note nothing


@final
class MutantSwitch:
    """The switch of the mutants, and what a run of the genuine code shows of them.

    Attributes:
        active: number of the mutant that is switched on, -1 for none.
        watching: whether values are compared.
        reached: mutants whose expression was computed.
        told: mutants whose wrong value was another than the right one, or was not computed.
        loading: whether modules are being imported.
        origins: by mutant, for which definitions its expression was computed then; None: unknown.
    """

    def __init__(self) -> None:
        self.active = -1
        self.watching = True
        self.reached: set[int] = set()
        self.told: set[int] = set()
        self.loading = False
        self.origins: dict[int, set[Name | None]] = {}

    def saw(self, number: int, value: Any, wrong: Callable[[], Any] | None = None) -> Any:
        """The right value, noted; of a key or draws, once a number is read."""
        if self.loading:
            self.origins.setdefault(number, set()).update(origins(sys._getframe(1)))
        if self.watching and number not in self.told:
            self.reached.add(number)
            if wrong is not None and self._alike(value, wrong):
                return value
            if hasattr(value, "without_numbers"):
                return noted(value, partial(self.told.add, number))
            if hasattr(type(value), "counters"):
                return noted_draws(value, partial(self.told.add, number))
            self.told.add(number)
        return value

    def table(self, value: dict[Any, Any], keys: Mapping[int, Sequence[str]]) -> NotedTable:
        """A table in which mutants lie, told where one of their entries is read."""
        return NotedTable(value, keys, self.saw)

    def asked(self, rule: Any, *given: Any) -> Any:
        """A rule's stepsize, if the rule does not note who asks.

        Raises:
            TypeError: it may.
        """
        if type(rule).__module__ != _PLAIN_RULES:
            raise TypeError(f"a rule of {_PLAIN_RULES} would do, got {type(rule).__name__}")
        return rule(*given)

    def _alike(self, value: Any, wrong: Callable[[], Any]) -> bool:
        try:
            return same(value, wrong())
        except (Exception, SystemExit):  # a wrong expression may raise anything, which tells it
            return False


def same(one: object, other: object) -> bool:
    """Whether two values are equal bit for bit and of one type."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        kinds = (one.dtype, one.shape) == (other.dtype, other.shape)
        return kinds and same(one.numpy(force=True), other.numpy(force=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        kinds = (one.dtype, one.shape) == (other.dtype, other.shape)
        return kinds and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, complex) and isinstance(other, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, np.generic) and isinstance(other, np.generic):
        return one.tobytes() == other.tobytes()
    return one is other or bool(one == other) or bool(one != one and other != other)


@final
class MutatedModules(MetaPathFinder, Loader):
    """Finds modules in which mutants lie, and loads them with these in place.

    ``mutants`` have their numbers; those that are not ``deferred`` are there for good, but for
    those ``noted`` (:func:`mutated`). With a ``mark`` the right expressions stay in their places,
    and are marked.
    """

    def __init__(
        self, mutants: Mapping[int, Mutant], probe: MutantSwitch,
        noted: frozenset[int] = frozenset(), mark: MemoryMark | None = None,
    ) -> None:  # fmt: skip
        self.probe, self._noted, self._mark = probe, noted, mark
        self._by_module: dict[str, list[tuple[int, Mutant]]] = {}
        for number, mutant in mutants.items():
            self._by_module.setdefault(mutant.module, []).append((number, mutant))

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Specification of a module that has mutants."""
        if name not in self._by_module:
            return None
        file = Path(self._by_module[name][0][1].file)
        package = [str(file.parent)] if file.name == "__init__.py" else None
        return spec_from_file_location(name, file, loader=self, submodule_search_locations=package)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the making of the module to Python."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with its mutants."""
        its = self._by_module[module.__name__]
        file = its[0][1].file
        module.__dict__[_PROBE] = self.probe
        module.__dict__.update(names_of_users(Path(file)))
        if self._mark is not None:
            module.__dict__[MARK] = self._mark.function()
        tree = mutated(Path(file), its, self._noted, marks=self._mark is not None)
        exec(compile(tree, file, "exec"), module.__dict__)


def mutated(
    file: Path, mutants: Sequence[tuple[int, Mutant]], noted: frozenset[int] = frozenset(),
    *, marks: bool = False,
) -> ast.Module:  # fmt: skip
    """A module's tree with numbered mutants in it; of those ``noted``, which lie in constants,
    with no more than a note where the constant is read; with ``marks``, which compiled code can
    set, in their places."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    by_node: dict[int, list[tuple[int, Mutant, ast.expr]]] = {}
    nodes = list(ast.walk(tree))
    parents = {id(part): node for node in nodes for part in ast.iter_child_nodes(node)}
    for number, mutant in mutants:
        if number not in noted:
            node: Any = nodes[mutant.index]
            wrong: Any = changed(mutant, node, parents[id(node)])
            if marks:
                whole = compared(node, wrong, parents)
                outer = node if whole is None else whole
                beside = None if whole is None else in_place(outer, node, wrong)
                other = marked(deepcopy(outer), beside)
            else:
                outer = widest(node, wrong, parents) if mutant.deferred else node
                other = in_place(outer, node, wrong)
            by_node.setdefault(id(outer), []).append((number, mutant, other))
    readers: dict[int, list[int]] = {}
    tables: dict[int, dict[int, tuple[str, ...]]] = {}
    for number, mutant in mutants:
        keys = entry_keys(mutant) if number in noted else ()
        table = table_of(tree, mutant.definition) if keys else None
        if table is not None:
            tables.setdefault(id(table), {})[number] = keys
        for node in reads(tree, mutant.definition) if number in noted and not keys else ():
            readers.setdefault(id(node), []).append(number)
    made = _Noting(readers, tables).visit(_Replacing(by_node).visit(tree))
    return ast.fix_missing_locations(made)  # type: ignore[no-any-return]


class _Noting(ast.NodeTransformer):
    def __init__(
        self, readers: Mapping[int, Sequence[int]],
        tables: Mapping[int, Mapping[int, tuple[str, ...]]],
    ) -> None:  # fmt: skip
        self._readers, self._tables = readers, tables

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        made: ast.expr = node
        self.generic_visit(node)
        if keys := self._tables.get(id(node)):
            table = ast.Attribute(ast.Name(_PROBE, ast.Load()), "table", ast.Load())
            told = ast.parse(repr(dict(keys)), mode="eval").body
            made = ast.copy_location(ast.Call(table, [node, told], []), node)
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        made: ast.expr = node
        for number in self._readers.get(id(node), ()):
            saw = ast.Attribute(ast.Name(_PROBE, ast.Load()), "saw", ast.Load())
            made = ast.copy_location(ast.Call(saw, [ast.Constant(number), made], []), node)
        return made


def widest(node: ast.expr, wrong: ast.expr, parents: Mapping[int, ast.AST]) -> ast.expr:
    """The largest expression of a statement around ``node`` that can be computed twice, once with
    ``wrong`` in its place; the node itself where that cannot."""
    found, around = node, parents.get(id(node))
    if not _pure(wrong) or not _pure(node):
        return node
    while isinstance(around, ast.expr | ast.keyword) and _pure(around):
        value = not isinstance(around, ast.keyword | ast.Slice | ast.Tuple)
        if value and isinstance(getattr(around, "ctx", ast.Load()), ast.Load):
            found = cast(ast.expr, around)
        around = parents.get(id(around))
    return found


def _pure(node: ast.AST) -> bool:
    return all(
        isinstance(part, _PURE)
        or (isinstance(part, ast.Call) and _name(part.func) in _EFFECTLESS | _RULES)
        for part in ast.walk(node)
    )


def _name(node: ast.AST) -> str:
    """The last name of ``a.b.c``."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


class _Replacing(ast.NodeTransformer):
    def __init__(self, by_node: Mapping[int, list[tuple[int, Mutant, ast.expr]]]) -> None:
        self._by_node = by_node

    def visit(self, node: ast.AST) -> Any:
        mine = self._by_node.get(id(node), [])
        made = self.generic_visit(node)
        for number, mutant, other in mine:
            made = ast.copy_location(
                _switched(number, made, other) if mutant.deferred else other, node
            )
        return made


class _Asking(ast.NodeTransformer):
    """Rules are asked by way of the probe, which knows whether they note it."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if _name(node.func) not in _RULES:
            return node
        asked = ast.Attribute(ast.Name(_PROBE, ast.Load()), "asked", ast.Load())
        return ast.copy_location(ast.Call(asked, [node.func, *node.args], node.keywords), node)


def _switched(number: int, right: Any, wrong: ast.expr) -> ast.expr:
    """``wrong if PROBE.active == number else PROBE.saw(number, right, lambda: wrong)``."""
    probe = ast.Name(_PROBE, ast.Load())
    on = ast.Compare(ast.Attribute(probe, "active", ast.Load()), [ast.Eq()], [ast.Constant(number)])
    arguments: list[ast.expr] = [ast.Constant(number), right]
    if _pure(wrong):
        nothing = ast.arguments([], [], None, [], [], None, [])
        arguments.append(ast.Lambda(nothing, _Asking().visit(deepcopy(wrong))))
    saw = ast.Call(ast.Attribute(probe, "saw", ast.Load()), arguments, [])
    return ast.IfExp(on, wrong, saw)


def import_anew(finder: MutatedModules, ours: Sequence[str]) -> None:
    """Have modules of ``ours`` imported again, with mutants, in a process that ends soon.

    Those of this room stay, but for judges: they carry what is found to other processes.
    """
    room = __name__.rpartition(".")[0]
    kept = [name for name in sys.modules if name.startswith(room) and "judges" not in name]
    for name in [n for n in sys.modules if n.partition(".")[0] in ours and n not in kept]:
        del sys.modules[name]
    for old in [one for one in sys.meta_path if type(one).__module__.partition(".")[0] in ours]:
        sys.meta_path.remove(old)  # the new modules put in their own
    sys.meta_path.insert(0, finder)


def compile_anew(functions: frozenset[Name]) -> None:
    """Have numba neither read nor store what it compiles of these definitions."""
    from numba.core.dispatcher import Dispatcher

    enable = Dispatcher.enable_caching

    def chosen(dispatcher: Any) -> None:
        if name_of(dispatcher.py_func) not in functions:
            enable(dispatcher)

    setattr(Dispatcher, "enable_caching", chosen)  # noqa: B010
