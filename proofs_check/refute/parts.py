"""A method's parts, changed to what its theorem allows as well: operator, network, period, delays,
who takes part.

Each part that can be changed takes one number of an instance, a network two where it may change
from round to round; constants are those that the changed method states of itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.exchanges.gossip_rounds import PlainRound
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.periods import FixedPeriod
from algorithms.synchronisation.stale import Stale
from algorithms.topologies.base import StaticTopology, Topology
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.refute.operators import WorstAbsolute, WorstContraction, WorstUnbiased
from proofs_check.refute.rounds import RoundReading, in_rounds
from theory.theorem import Theorem

PERIODS = 8
OPERATORS = ("omega", "delta")
"""Constants that say how much an operator loses."""

RULING = (*OPERATORS, "absolute_error", "lam", "H", "tau", "lead")
"""Constants of a theorem that let a part of its method be another."""

_SLOW = 16.0
_ALL_TAKE_PART = 0.75
_MOST_OMEGA, _LEAST_DELTA, _LENGTHS = 100.0, 0.01, 1000.0
_LATE = frozenset({"tau", "tau_coordinate", "lead"})
_LOCAL_STEPS = ("H", "H_stale", "H_velocity")


class ChangedPart(NamedTuple):
    """A field of a method, and what a number of [0, 1] makes of it.

    Attributes:
        field: its name; FIELD.FIELD for one of a method within the method.
        constant: the constant of the theorem that it rules; empty: the claim's own stays.
        change: the part for a number, given the part as it was and the problem.
    """

    field: str
    constant: str
    change: Callable[[float, Any, Problem], Any]


def changeable(method: Method[Any], theorem: Theorem, problem: Problem) -> tuple[ChangedPart, ...]:
    """The parts of a method that its theorem lets be others, those of a method within it too; how
    much operators lose comes last."""
    found: list[ChangedPart] = []
    sizes: list[ChangedPart] = []
    for field, given in _parts(method):
        if _mixes(given) and problem.n > 1 and "lam" in theorem.needs:
            found.append(ChangedPart(field, "1 - lam", _of_network(_mixing)))
            if (reading := reading_of(theorem)) is not None:
                rounds = _of_network(partial(_rounds, reading))
                found.append(ChangedPart(field, "", rounds))
        elif isinstance(given, Compressor) and _worse(given, theorem, problem.d):
            found.append(ChangedPart(field, "", _operator))
            ruled = "omega" if "omega" in theorem.needs else "delta"
            sizes.append(ChangedPart(field, ruled, _size))
        elif isinstance(given, Compressor) and _absolute(given, theorem, problem.d):
            found.append(ChangedPart(field, "", _constant_error))
            sizes.append(ChangedPart(field, "absolute_error", _length))
        elif ruled := _period_of(field, given, theorem):
            found.append(ChangedPart(field, ruled, _period))
        elif _takes_part(field) and set(OPERATORS) & set(theorem.needs):
            found.append(ChangedPart(field, "", _participation))
        elif isinstance(given, ComputeTimes) and (late := _LATE & set(theorem.needs)):
            found.append(ChangedPart(field, "lead" if "lead" in late else "tau", _times))
        elif isinstance(given, Stale) and "lead" in theorem.needs:
            found.append(ChangedPart(field, "lead", _lead))
    return (*found, *sizes)


def changed(
    method: Method[Any], theorem: Theorem, problem: Problem, numbers: tuple[float, ...]
) -> Method[Any]:
    """The method with its parts as the numbers say.

    Raises:
        ValueError: parts that do not suit one another.
    """
    new: dict[str, Any] = {}
    own = dict(_parts(method))
    for part, number in zip(changeable(method, theorem, problem), numbers, strict=False):
        given = new.get(part.field, own[part.field])
        new[part.field] = part.change(number, given, problem)
    other: Method[Any] = _with(method, new)
    return other


def _parts(method: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    """Fields and their values; those of a method within it follow, as FIELD.FIELD."""
    inner: list[tuple[str, Any]] = []
    for field in fields(method) if is_dataclass(method) else ():
        given = getattr(method, field.name)
        yield within + field.name, given
        if isinstance(given, Method):
            inner.append((f"{within}{field.name}.", given))
    for path, given in inner:
        yield from _parts(given, path)


def _with(method: Any, new: dict[str, Any]) -> Any:
    """The method with other values of some fields, by their paths."""
    own = {path: value for path, value in new.items() if "." not in path}
    for path, value in new.items():
        field, _, rest = path.partition(".")
        if rest:
            own[field] = _with(own.get(field, getattr(method, field)), {rest: value})
    return replace(method, **own) if own else method


def _period_of(field: str, given: Any, theorem: Theorem) -> str:
    """The constant that a period rules; empty: it is none, or the theorem does not speak of it."""
    named = field.rpartition(".")[2] in ("period", "periods")
    if not (named and isinstance(given, int | FixedPeriod)):
        return ""
    return next((one for one in _LOCAL_STEPS if one in theorem.needs), "")


def _takes_part(field: str) -> bool:
    """Whether a field says how many workers take part in a round, as their number or as the
    probability of each."""
    return field.rpartition(".")[2] in ("participants", "participation")


def _participation(number: float, given: int | float | None, problem: Problem) -> Any:
    """All as they were up to three quarters of [0, 1]; then ever fewer, down to one in expectation
    or by number. What that loses, the method states."""
    if number <= _ALL_TAKE_PART:
        return given
    share = (1 - number) / (1 - _ALL_TAKE_PART)
    if isinstance(given, float):
        return max(given * share, 1 / problem.n)
    most = problem.n if given is None else given
    return max(1, math.ceil(share * most))


def _mixes(given: Any) -> bool:
    """Whether a part is a network with one W, or a round of gossip over one."""
    return isinstance(given.topology if isinstance(given, PlainRound) else given, StaticTopology)


def _of_network(change: Callable[[float, Any, Problem], Topology]) -> Any:
    """A change of a network, made within a round of gossip where the part is one."""

    def changed_network(number: float, given: Any, problem: Problem) -> Any:
        if isinstance(given, PlainRound):
            return replace(given, topology=change(number, given.topology, problem))
        return change(number, given, problem)

    return changed_network


def _mixing(number: float, given: StaticTopology, problem: Problem) -> StaticTopology:
    """W = (1 - w) I + w J for w up to where its diagonal is 0."""
    n = problem.n
    w = number * n / (n - 1)
    if not 1e-3 < w:
        raise ValueError("workers must meet")
    return FixedMatrix((1 - w) * np.eye(n) + w * np.ones((n, n)) / n, label=f"w={w:g}")


def reading_of(theorem: Theorem) -> RoundReading | None:
    """Which lam a theorem means where the network changes; None: it speaks of one W."""
    if not theorem.changing_network:
        return None
    told: RoundReading | None = getattr(theorem, "rounds", None)
    return told or RoundReading.WORST


def _rounds(
    reading: RoundReading, number: float, given: StaticTopology, problem: Problem
) -> Topology:
    return in_rounds(number, given, reading)


def _worse(given: Compressor, theorem: Theorem, d: int) -> bool:
    """Whether the theorem speaks of every operator with the constant that this one claims."""
    if isinstance(given, Identity) or not {"omega", "delta"} & set(theorem.needs):
        return False
    try:
        own = operator_constants(given, d)
    except ValueError:
        return False
    return own.omega is not None or own.delta is not None


def _absolute(given: Compressor, theorem: Theorem, d: int) -> bool:
    """Whether the theorem speaks of every operator with the absolute error that this one states."""
    return "absolute_error" in theorem.needs and given.absolute_error(d) is not None


def _constant_error(number: float, given: Compressor, problem: Problem) -> Compressor:
    """The operator itself up to half of [0, 1], then the one whose error is always the same."""
    most = given.absolute_error(problem.d)
    return WorstAbsolute(most) if number > 0.5 and most is not None else given


def _length(number: float, given: Compressor, problem: Problem) -> Compressor:
    """The constant error of another length: its own in the middle, a thousandth and a thousand
    times it at the ends."""
    if isinstance(given, WorstAbsolute):
        return replace(given, square=given.square * _LENGTHS ** (4 * number - 2))
    return given


def _operator(number: float, given: Compressor, problem: Problem) -> Compressor:
    """In thirds, or halves where d is odd, of [0, 1]: short, long and turned."""
    own = operator_constants(given, problem.d)
    if own.omega is not None:
        return WorstUnbiased(own.omega)
    kinds = 3 if problem.d % 2 == 0 else 2
    return WorstContraction(own.need("delta"), min(int(number * kinds), kinds - 1))


def _size(number: float, given: Compressor, problem: Problem) -> Compressor:
    """The worst operator of another delta or omega: its own in the middle; at the ends a tenth and
    ten times of it, or what loses nearly all if that is further."""
    up, share = number > 0.5, abs(2 * number - 1)
    if isinstance(given, WorstContraction):
        factor = 10.0 if up else min(0.1, _LEAST_DELTA / given.delta)
        return replace(given, delta=min(1.0, given.delta * factor**share))
    if isinstance(given, WorstUnbiased) and given.omega:
        factor = max(10.0, _MOST_OMEGA / given.omega) if up else 0.1
        return replace(given, omega=given.omega * factor**share)
    return given


def _period(number: float, given: int | FixedPeriod, problem: Problem) -> int | FixedPeriod:
    steps = 1 + min(int(number * PERIODS), PERIODS - 1)
    return FixedPeriod(steps) if isinstance(given, FixedPeriod) else steps


def _lead(number: float, given: Stale, problem: Problem) -> Stale:
    """Up to so many clocks ahead of the slowest, from 0."""
    clocks = min(int(number * PERIODS), PERIODS - 1)
    return replace(given, s=clocks)  # type: ignore[type-var]


def _times(number: float, given: ComputeTimes, problem: Problem) -> ComputeTimes:
    """One worker slower than the others, by a factor up to 16."""
    slow = math.exp(number * math.log(_SLOW))
    return Constant((1.0,) * (problem.n - 1) + (slow,))
