"""Conservation laws: equations of a state's entries, read from text, held after every round."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from proofs_check.audit.reporting import Reporter
from proofs_check.method_audit.instances import AuditInstance, GradientOracle
from proofs_check.method_audit.runs import ROUNDS
from proofs_check.method_audit.subject import AuditedRun, MethodSubject, UnreadableClaim, arrays
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

_HELD = 1e-9
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.MatMult: np.matmul,
}  # fmt: skip
_OVER_WORKERS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda rows: np.mean(rows, 0), "sum": lambda rows: np.sum(rows, 0),
}  # fmt: skip


def sides(law: str, values: Mapping[str, Any]) -> tuple[Any, Any]:
    """Both sides of an equation such as ``mean(y) = mean(grad)``.

    Names of entries, of parameters, ``grad`` (each worker's gradient at its model), W and n;
    ``old_x`` and ``old_grad`` are those of a round before; ``+ - * / @``, ``mean`` and ``sum`` over
    workers.

    Raises:
        UnreadableClaim: it is no such equation.
    """
    left, equal, right = law.partition("=")
    try:
        if not equal or len(law) > 200:
            raise ValueError("an equation LEFT = RIGHT would do")
        trees = [ast.parse(side.strip(), mode="eval").body for side in (left, right)]
        found = _value(trees[0], values), _value(trees[1], values)
        np.broadcast_shapes(*map(np.shape, found))
        return found
    except (SyntaxError, TypeError, ValueError, IndexError) as error:
        raise UnreadableClaim(f"cannot read the law {law!r}: {error}") from error


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _OVER_WORKERS:
            return _OVER_WORKERS[name](_value(inner, values))
    raise ValueError(
        f"{ast.unparse(node)} is not allowed; {', '.join(values)}, + - * / @, mean, sum would do"
    )


def _values(subject: MethodSubject, instance: AuditInstance, run: AuditedRun) -> dict[str, Any]:
    grad = GradientOracle(instance)(run.models)
    numbers = {k: v for k, v in subject.parameters.items() if isinstance(v, int | float)}
    return {**numbers, "n": instance.n, "W": instance.W, "grad": grad, **arrays(run.state)}


def broken(law: str, subject: MethodSubject, instance: AuditInstance) -> str:
    """The first round at which a law fails, in words; empty: none does.

    Raises:
        UnreadableClaim: it is no such equation.
    """
    run, before = AuditedRun(subject, instance), dict[str, Any]()
    for t in range(ROUNDS + 1):
        now = _values(subject, instance, run)
        values = {**now, **before}
        before = {f"old_{name}": np.array(now[name]) for name in ("grad", *arrays(run.state))}
        if t or _names_of(law) <= set(values) | set(_OVER_WORKERS):  # some come with a round
            left, right = sides(law, values)
            gap = float(np.abs(np.subtract(left, right)).max())
            size = max(instance.scale, float(np.abs(left).max()), float(np.abs(right).max()))
            if not gap <= _HELD * size:
                return f"{instance.name}, after {t} rounds: {_shown(left)} against {_shown(right)}"
        run.step()
    return ""


def _names_of(law: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", law))


def _shown(side: Any) -> str:
    return f"({', '.join(f'{one:.6g}' for one in np.ravel(side)[:6])})"


def check_laws(
    subject: MethodSubject, instances: Sequence[AuditInstance], reporter: Reporter
) -> Iterator[Verdict]:
    """What is claimed to be conserved, and what else was seen to be."""
    for law in subject.conserves:
        found = next(filter(None, (broken(law, subject, one) for one in instances)), "")
        description = found or f"after each of {ROUNDS} rounds on {_names(instances)}"
        yield reporter.holds(law, "conservation", not found, description)
    seen = [law for law in _candidates(subject, instances[0]) if _holds(law, subject, instances)]
    more = [law for law in seen if law not in subject.conserves]
    if more:
        description = f"held in every round on {_names(instances)}"
        yield reporter.says("; ".join(more), "seen conserved", Outcome.COMPARED, description)


def _names(instances: Sequence[AuditInstance]) -> str:
    return ", ".join(one.name for one in instances)


def _holds(law: str, subject: MethodSubject, instances: Sequence[AuditInstance]) -> bool:
    return not any(broken(law, subject, one) for one in instances)


def _candidates(subject: MethodSubject, instance: AuditInstance) -> Iterator[str]:
    """Equations of each entry by itself, with the gradients, and with the others."""
    run = AuditedRun(subject, instance)
    run.step()
    found: dict[str, Floats] = arrays(run.state)
    rows = [name for name, value in found.items() if value.shape == (instance.n, instance.d)]
    common = [name for name, value in found.items() if value.shape == (instance.d,)]
    for name in rows:
        yield f"sum({name}) = 0"
        yield f"mean({name}) = mean(grad)"
        for other in common:
            yield f"{other} = mean({name})"
