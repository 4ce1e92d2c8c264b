"""Faults drawn by chance in the steps of sound methods: a sign, a missing term, a stale entry, a
wrong weight, a sum in place of a mean.

``python -m tests.proofs_check.method_audit.drawn 100`` prints the share that the facts find, with
no method to compare with.
"""

from __future__ import annotations

import ast
import inspect
import random
import sys
import textwrap
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from proofs_check.method_audit.audit import verdicts_on
from proofs_check.method_audit.instances import INSTANCES
from proofs_check.method_audit.runs import difference, models_of
from proofs_check.method_audit.subject import MethodSubject
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.method_audit import sound


class Drawn(NamedTuple):
    """A fault: what was changed, and the method with it."""

    kind: str
    told: str
    subject: MethodSubject


def changes(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every tree with one fault."""
    for place, node in enumerate(ast.walk(tree)):
        for kind, new in _changed(node):
            other = deepcopy(tree)
            target = list(ast.walk(other))[place]
            yield kind, _Put(target, new).visit(other)


class _Put(ast.NodeTransformer):
    def __init__(self, target: ast.AST, new: ast.AST) -> None:
        self._target, self._new = target, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._target else super().generic_visit(node)


def _changed(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            turned = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield "sign", ast.BinOp(left, turned, right)
            yield "missing term", left
        case ast.BinOp(left=ast.Name() as left, op=ast.Mult(), right=right):
            yield "wrong weight", ast.BinOp(ast.BinOp(ast.Constant(2.0), ast.Mult(), left),
                                            ast.Mult(), right)  # fmt: skip
            yield "wrong weight", right
        case ast.Call(func=ast.Attribute(value=value, attr="mean", ctx=ctx), args=args):
            yield "sum", ast.Call(ast.Attribute(value, "sum", ctx), args, [])
        case ast.Call(func=ast.Name(id="gradients"), args=[ast.Name(id="x" | "y")]):
            state = ast.Subscript(ast.Name("state", ast.Load()), ast.Constant("x"), ast.Load())
            yield "stale", ast.Call(ast.Name("gradients", ast.Load()), [state], [])
        case ast.Dict(keys=keys, values=values):
            for place, key in enumerate(keys):
                if isinstance(key, ast.Constant) and key.value != "x":
                    old = ast.Subscript(ast.Name("state", ast.Load()), key, ast.Load())
                    yield "stale", ast.Dict(keys, [*values[:place], old, *values[place + 1 :]])


def faults_of(subject: MethodSubject) -> Iterator[Drawn]:
    """Every fault of a method whose step is a function of this folder, equivalent ones included."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(subject.step)))
    for kind, changed in changes(tree):
        space = dict(vars(sound))
        exec(compile(ast.fix_missing_locations(changed), "drawn", "exec"), space)
        step = space[subject.step.__name__]
        yield Drawn(kind, ast.unparse(changed), replace(subject, step=step))


def differs(one: Drawn, subject: MethodSubject) -> bool:
    """Whether it is a fault at all: other models, somewhere, from code that runs."""
    with np.errstate(all="ignore"):
        try:
            return not all(
                difference(models_of(one.subject, at, 20), models_of(subject, at, 20)).same
                for at in INSTANCES
            )
        except Exception:  # whatever the changed code raises
            return False


def first_refuted(subject: MethodSubject) -> Verdict | None:
    """What is refuted first."""
    with np.errstate(all="ignore"):
        found = verdicts_on(subject)
        return next((one for one in found if one.outcome is Outcome.REFUTED), None)


def drawn(count: int, seed: int) -> list[tuple[MethodSubject, Drawn]]:
    """So many faults of all methods, drawn without return."""
    pairs = [(subject, one) for subject in sound.METHODS for one in faults_of(subject)]
    random.Random(seed).shuffle(pairs)
    chosen: list[tuple[MethodSubject, Drawn]] = []
    for subject, one in pairs:
        if len(chosen) == count:
            break
        if differs(one, subject):
            chosen.append((subject, one))
    return chosen


def main(count: int) -> None:
    """Print the share that is found, and each that is not."""
    found: dict[str, list[bool]] = {}
    for subject, one in drawn(count, seed=0):
        verdict = first_refuted(one.subject)
        found.setdefault(one.kind, []).append(verdict is not None)
        if verdict is None:
            claims = "exact" if subject.exact else "not exact"
            print(f"missed: {subject.name} ({claims}), {one.kind}\n{one.told}\n")
    every = [hit for hits in found.values() for hit in hits]
    for kind, hits in found.items():
        print(f"{kind}: {sum(hits)} of {len(hits)}")
    print(f"all: {sum(every)} of {len(every)}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
