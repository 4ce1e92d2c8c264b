"""Docstrings say what a stranger needs: what a thing is, every field, every error, every source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ("theory", "algorithms", "proofs_check", "experiments")
SHORTEST = 22
MEMBERS = ("Compressor", "Method", "Problem", "MixingSequence", "RandomMixing")

Function = ast.FunctionDef | ast.AsyncFunctionDef
SOURCE = re.compile(
    r"arXiv|\b(19|20)\d\d\b|derived here|\bours\b|textbook|the caller's own", re.IGNORECASE
)
"""An arXiv id, a year of publication, or a word that says why there is none."""


@dataclass(frozen=True)
class Thing:
    """A public module, class or function (``node``) of ``path``, inside the classes ``outer``."""

    path: Path
    node: ast.Module | ast.ClassDef | Function
    outer: tuple[ast.ClassDef, ...] = field(default=())

    @property
    def doc(self) -> str:
        return ast.get_docstring(self.node) or ""

    @property
    def name(self) -> str:
        names = [getattr(node, "name", "") for node in (*self.outer, self.node)]
        return f"{self.path.relative_to(ROOT)}:{'.'.join(filter(None, names))}"


def public(name: str) -> bool:
    return not name.startswith("_")


def inside(path: Path, body: list[ast.stmt], outer: tuple[ast.ClassDef, ...]) -> Iterator[Thing]:
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and public(node.name):
            yield Thing(path, node, outer)
            if isinstance(node, ast.ClassDef):
                yield from inside(path, node.body, (*outer, node))


@cache
def things() -> tuple[Thing, ...]:
    """Every public module, class, function and method of the four packages."""
    found = []
    for path in sorted(path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [Thing(path, tree), *inside(path, tree.body, ())]
    return tuple(found)


@cache
def classes() -> dict[str, list[Thing]]:
    """Public and private classes by name: a name may occur in several files."""
    found: dict[str, list[Thing]] = {}
    for thing in things():
        for node in ast.walk(thing.node) if isinstance(thing.node, ast.Module) else ():
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(Thing(thing.path, node))
    return found


def last_name(node: ast.expr) -> str:
    """``b`` of ``a.b``, ``a.b(c)`` and ``a.b[c]``."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@cache
def bases(node: ast.ClassDef) -> tuple[Thing, ...]:
    """Classes of the project that the class stems from, nearest first."""
    found: list[Thing] = []
    for base in node.bases:
        for thing in classes().get(last_name(base), []):
            if isinstance(thing.node, ast.ClassDef) and thing.node.name != node.name:
                found += [thing, *bases(thing.node)]
    return tuple(found)


def ancestors(thing: Thing) -> tuple[Thing, ...]:
    return bases(thing.node) if isinstance(thing.node, ast.ClassDef) else ()


def attribute(word: str, doc: str) -> bool:
    """Whether a docstring has a line for the word under ``Attributes:``."""
    return re.search(rf"^\s*{re.escape(word)}: ", doc, re.MULTILINE) is not None


def inherited(thing: Thing) -> str:
    """Docstrings of the methods that a method implements."""
    found = []
    for base in bases(thing.outer[-1]) if thing.outer else ():
        assert isinstance(base.node, ast.ClassDef)
        found += [
            ast.get_docstring(node) or ""
            for node in base.node.body
            if isinstance(node, Function) and node.name == getattr(thing.node, "name", "")
        ]
    return "\n".join(found)


@cache
def module_doc(path: Path) -> str:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return ast.get_docstring(ast.parse(text)) or ""


def legend(path: Path) -> str:
    """What the docstring of a package says of all its modules."""
    return module_doc(path.parent / "__init__.py")


def fields(node: ast.ClassDef) -> list[str]:
    """Public fields of a dataclass or NamedTuple."""
    made = {last_name(part) for part in (*node.decorator_list, *node.bases)}
    if not made & {"dataclass", "NamedTuple"}:
        return []
    return [
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign)
        and isinstance(part.target, ast.Name)
        and public(part.target.id)
        and "ClassVar" not in ast.unparse(part.annotation)
    ]


def raised(node: ast.AST) -> Iterator[str]:
    """Names of the exceptions that leave a function; what functions inside it raise, do not.

    A command's ``with bad_input()`` turns a ValueError into a message.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.With) and last_name(child.items[0].context_expr) == "bad_input":
            continue
        if isinstance(child, ast.Raise) and child.exc is not None:
            yield last_name(child.exc)
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from raised(child)


def named(word: str, text: str) -> bool:
    """Whether the word stands by itself in a text."""
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])", text) is not None


def without_errors(doc: str) -> str:
    return re.split(r"\n\s*Raises:\n", doc)[0]


def failing(report: list[str]) -> None:
    assert not report, f"{len(report)}:\n" + "\n".join(report)


def documented(thing: Thing) -> bool:
    """By its own docstring, that of what it implements, or by name in that of its class."""
    if thing.doc or inherited(thing):
        return True
    owner = Thing(thing.path, thing.outer[-1]) if thing.outer else thing
    texts = [legend(thing.path), *(owned.doc for owned in (owner, *ancestors(owner)))]
    word = getattr(thing.node, "name", "")
    return any(f"``{word}``" in text or attribute(word, text) for text in texts)


def test_every_public_thing_has_a_docstring() -> None:
    failing([thing.name for thing in things() if not documented(thing)])


def test_docstrings_are_sentences() -> None:
    short = [t for t in things() if t.doc and len(t.doc) < SHORTEST]
    failing([f"{t.name}: {t.doc!r} has fewer than {SHORTEST} characters" for t in short])


def test_every_field_is_named_in_the_docstring() -> None:
    report = []
    for thing in things():
        if isinstance(thing.node, ast.ClassDef):
            known = [thing.doc, *(base.doc for base in bases(thing.node)), legend(thing.path)]
            text = "\n".join(without_errors(doc) for doc in known)
            lacking = [name for name in fields(thing.node) if not named(name, text)]
            report += [f"{thing.name}: {', '.join(lacking)}"] if lacking else []
    failing(report)


def test_errors_are_documented() -> None:
    """A function tells what it raises; a class what making one raises. Commands end by Exit."""
    report = []
    for thing in things():
        if isinstance(thing.node, ast.ClassDef):
            made = [part for part in thing.node.body if isinstance(part, Function)]
            errors = [e for f in made if f.name in ("__init__", "__post_init__") for e in raised(f)]
            told = thing.doc
        elif isinstance(thing.node, Function):
            errors = list(raised(thing.node))
            told = (
                thing.doc
                + inherited(thing)
                + "".join(ast.get_docstring(outer) or "" for outer in thing.outer)
            )
        else:
            continue
        if {*errors} - {"Exit", "NotImplementedError"} and "Raises:" not in told:
            report.append(f"{thing.name}: raises {', '.join(sorted(set(errors)))}")
    failing(report)


@pytest.mark.parametrize("kind", MEMBERS)
def test_members_name_their_source(kind: str) -> None:
    """In the docstring of their class or of its file."""
    report, count = [], 0
    for thing in things():
        node, path = thing.node, thing.path
        if not isinstance(node, ast.ClassDef) or not path.is_relative_to(ROOT / "algorithms"):
            continue
        final = any(last_name(part) == "final" for part in node.decorator_list)
        if final and kind in {getattr(base.node, "name", "") for base in bases(node)}:
            count += 1
            told = f"{module_doc(path)}\n{thing.doc}"
            report += [] if SOURCE.search(told) else [thing.name]
    assert count
    failing(report)
