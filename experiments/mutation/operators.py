"""Mutation operators of the field: small wrong changes of an expression, and what they stand for.

An operator reads one expression and gives wrong ones in its place. They follow the faults that are
made in distributed SGD: off by one in time, worker or coordinate, a lost sign, a factor, an axis, a
random key that is late or shared, a bit too many, a stepsize that does not fall (DeMillo, Lipton,
Sayward 1978 for the idea, Offutt et al. 1996 for operators that suffice in general).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import NamedTuple

from experiments.mutation.formulas import formula_changes

TIME = frozenset(
    "t step steps start begin first done begun tick ticks now since tau delay age version versions "
    "period H T until records spacing every horizon".split()
)
"""Names that count steps."""

WORKERS = frozenset("n i j m worker workers rank ranks replica replicas size".split())
"""Names that count workers or replicas."""

COORDINATES = frozenset("d k numbers coordinate coordinates rows count places".split())
"""Names that count coordinates."""

FACTORS = frozenset(
    "gamma eta alpha beta scale shift step_size stepsize momentum mu L sigma sigma2 G2 zeta2 delta "
    "omega weight weights factor share rate lam gap norm mean budget consensus_step".split()
)
"""Names of real numbers that multiply others."""

_AXES = frozenset(
    "sum mean amax amin norm cumsum argmax argmin max min sort topk gather scatter_ unsqueeze "
    "squeeze index_select select flatten".split()
)
_RULES = ("step_rule", "rule", "stepsize", "step_size")
_BITS = ("bits", "length", "width")
_LIMITS = ("limit", "largest", "bracket")
_LARGEST = 1 << 20  # beyond: words of hashes, masks


class SitePlace(NamedTuple):
    """Where an expression stands.

    Attributes:
        module: dotted name of its module.
        function: name of the innermost function, "" outside of any.
        parent: the node that holds it.
    """

    module: str
    function: str
    parent: ast.AST


class WrongExpression(NamedTuple):
    """A wrong expression.

    Attributes:
        kind: what the fault is, as scores list it.
        node: the expression that takes the place.
    """

    kind: str
    node: ast.expr


MutationOperator = Callable[[ast.expr, SitePlace], Iterator[WrongExpression]]


def changes(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """All wrong expressions in the place of one, that differ from it as text."""
    before = ""
    for operator in _OPERATORS:
        for kind, made in operator(node, place):
            before = before or ast.unparse(node)
            if ast.unparse(made) != before:
                yield WrongExpression(
                    kind, ast.fix_missing_locations(ast.copy_location(made, node))
                )
    yield from formula_changes(node, place, changes)


def _counted(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """t, n or d read as one more or one less."""
    name = _last(node)
    held = isinstance(place.parent, ast.Attribute) or getattr(place.parent, "func", None) is node
    if held or not _loaded(node):
        return
    for names, kind in ((TIME, "time"), (WORKERS, "worker"), (COORDINATES, "coordinate")):
        if name in names:
            yield WrongExpression(f"off by one in {kind}", _binary(node, ast.Sub(), 1))
            yield WrongExpression(f"off by one in {kind}", _binary(node, ast.Add(), 1))


def _neighbour(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """x + 1 or x - 1 read as x; powers of two tell index bits of d and of d - 1 apart."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and _is(node.right, 1)
    ):
        kind = "index bits" if _called(place.parent, "bit_length") else "off by one dropped"
        yield WrongExpression(kind, deepcopy(node.left))


def _sign(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not _axis(place.parent):
        yield WrongExpression("sign", deepcopy(node.operand))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        if isinstance(node.left, ast.Constant | ast.JoinedStr | ast.Tuple | ast.List):
            if not isinstance(getattr(node.left, "value", None), int | float):
                return
        yield WrongExpression(
            "sign", _with(node, op=ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())
        )


def _constant(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A number doubled or halved; exponents and numbers of axes have kinds of their own."""
    value = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or _axis(place.parent):
        return
    if value == 0 or value > _LARGEST:
        return
    kind = "constant of a limit" if _about(place, _LIMITS) else "constant"
    if isinstance(place.parent, ast.BinOp) and isinstance(place.parent.op, ast.Pow):
        kind = "exponent"
    whole = isinstance(value, int) and value % 2 == 0
    yield WrongExpression(kind, ast.Constant(value * 2))
    if whole or isinstance(value, float) or kind == "constant of a limit":
        yield WrongExpression(kind, ast.Constant(int(value / 2) if whole else value / 2))


def _factor(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A real factor 5% off."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)):
        return
    sides = (node.left, node.right)
    real = isinstance(node.op, ast.Div) and not any(_word(side) for side in sides)
    if real or any(_last(side) in FACTORS or _real(side) for side in sides):
        for factor in (1.05, 0.95):
            yield WrongExpression(
                "factor 5% off", ast.BinOp(ast.Constant(factor), ast.Mult(), deepcopy(node))
            )


def _weight(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """w x read as x."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult):
        for own, other in ((node.left, node.right), (node.right, node.left)):
            if _last(own) in FACTORS:
                yield WrongExpression("weight dropped", deepcopy(other))


_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}  # fmt: skip


def _comparison(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """An edge that counts to the other side; max read as min."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SWAPPED:
        if not any(isinstance(side, ast.Constant) and isinstance(side.value, str)
                   for side in (node.left, *node.comparators)):  # fmt: skip
            yield WrongExpression("comparison", _with(node, ops=[_SWAPPED[type(node.ops[0])]()]))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
        other = {"max": "min", "min": "max"}.get(node.func.id)
        if other:
            yield WrongExpression("comparison", _with(node, func=ast.Name(other, ast.Load())))


def _axes(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A sum over workers read as one over coordinates, and the like."""
    value = _number(node)
    if value in (-1, -2, 0, 1) and _axis(place.parent):
        yield WrongExpression("axis", _whole({-1: -2, -2: -1, 0: 1, 1: 0}[value]))


def _keys(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A key's word of the step before or after, or of no step: numbers that are shared."""
    if not isinstance(node, ast.Call) or _last(node.func) not in ("fold", "draws"):
        return
    for number, word in enumerate(node.args):
        if _last(word) in TIME | WORKERS or isinstance(word, ast.BinOp):
            for wrong, kind in (
                (_binary(word, ast.Add(), 1), "key one late"),
                (ast.Constant(0), "key shared"),
            ):
                words = [*node.args[:number], wrong, *node.args[number + 1 :]]
                yield WrongExpression(kind, _with(node, args=words))


def _bits(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A length one bit too long or too short."""
    returned = isinstance(place.parent, ast.Return) and _about(place, _BITS)
    counted = isinstance(node, ast.Call) and _last(node.func) == "bit_length"
    stated = place.module == "theory.bits" and isinstance(place.parent, ast.Return)
    if (returned or counted or stated) and not isinstance(node, ast.Tuple | ast.Constant):
        yield WrongExpression("bits", _binary(node, ast.Add(), 1))
        yield WrongExpression("bits", _binary(node, ast.Sub(), 1))


def _limits(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """A stepsize limit 5% too long."""
    theory = place.module.startswith("theory.theorems") or not place.module.startswith("algorithms")
    if isinstance(place.parent, ast.Return) and _about(place, _LIMITS) and theory:
        if not isinstance(node, ast.Constant):
            yield WrongExpression("stepsize limit", _binary(node, ast.Mult(), 1.05))


def _stepsizes(node: ast.expr, place: SitePlace) -> Iterator[WrongExpression]:
    """The first stepsize in the place of later ones: a rule that does not fall."""
    if isinstance(node, ast.Call) and _last(node.func) in _RULES and len(node.args) == 1:
        yield WrongExpression("first stepsize kept", _with(node, args=[ast.Constant(0)]))


_OPERATORS: tuple[MutationOperator, ...] = (
    _counted, _neighbour, _sign, _constant, _factor, _weight, _comparison, _axes, _keys, _bits,
    _limits, _stepsizes,
)  # fmt: skip


def _last(node: ast.AST) -> str:
    """The last name of ``a.b.c``."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _loaded(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _binary(node: ast.expr, op: ast.operator, number: float) -> ast.expr:
    return ast.BinOp(deepcopy(node), op, ast.Constant(number))


def _with(node: ast.expr, **fields: object) -> ast.expr:
    made = deepcopy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _whole(value: int) -> ast.expr:
    number = ast.Constant(abs(value))
    return ast.UnaryOp(ast.USub(), number) if value < 0 else number


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _is(node: ast.expr, value: int) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _real(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _word(node: ast.expr) -> bool:
    """Text, or the path of a file, which has / too."""
    return isinstance(node, ast.Constant | ast.JoinedStr) and not isinstance(
        getattr(node, "value", ""), int | float
    )


def _axis(parent: ast.AST) -> bool:
    """Whether numbers in it name an axis."""
    if isinstance(parent, ast.keyword):
        return parent.arg in ("dim", "axis")
    return (
        isinstance(parent, ast.Call)
        and _last(parent.func) in _AXES
        and (isinstance(parent.func, ast.Attribute))
    )


def _called(parent: ast.AST, name: str) -> bool:
    return isinstance(parent, ast.Attribute) and parent.attr == name


def _about(place: SitePlace, words: tuple[str, ...]) -> bool:
    return any(word in place.function for word in words)
