"""A method's parts, changed to what its theorem allows as well: operator, network, period, delays.

Each part that can be changed takes one number of an instance, a network two where it may change
from round to round; constants are those that the changed method states of itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass, replace
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
from algorithms.topologies.base import StaticTopology, Topology
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.refute.operators import WorstContraction, WorstUnbiased
from proofs_check.refute.rounds import RoundReading, in_rounds
from theory.theorem import Theorem

PERIODS = 8
_SLOW = 16.0


class ChangedPart(NamedTuple):
    """A field of a method, and what a number of [0, 1] makes of it.

    Attributes:
        field: its name.
        constant: the constant of the theorem that it rules; empty: the claim's own stays.
        change: the part for a number, given the part as it was and the problem.
    """

    field: str
    constant: str
    change: Callable[[float, Any, Problem], Any]


def changeable(method: Method[Any], theorem: Theorem, problem: Problem) -> tuple[ChangedPart, ...]:
    """The parts of a method that its theorem lets be others."""
    found: list[ChangedPart] = []
    own: tuple[Field[Any], ...] = fields(method) if is_dataclass(method) else ()
    for field in own:
        given = getattr(method, field.name)
        if _mixes(given) and problem.n > 1 and "lam" in theorem.needs:
            found.append(ChangedPart(field.name, "1 - lam", _of_network(_mixing)))
            if (reading := reading_of(theorem)) is not None:
                rounds = _of_network(partial(_rounds, reading))
                found.append(ChangedPart(field.name, "", rounds))
        elif isinstance(given, Compressor) and _worse(given, theorem, problem.d):
            found.append(ChangedPart(field.name, "", _operator))
        elif field.name == "period" and isinstance(given, int) and "H" in theorem.needs:
            found.append(ChangedPart(field.name, "H", _period))
        elif isinstance(given, ComputeTimes) and {"tau", "tau_coordinate"} & set(theorem.needs):
            found.append(ChangedPart(field.name, "tau", _times))
    return tuple(found)


def changed(
    method: Method[Any], theorem: Theorem, problem: Problem, numbers: tuple[float, ...]
) -> Method[Any]:
    """The method with its parts as the numbers say.

    Raises:
        ValueError: parts that do not suit one another.
    """
    new: dict[str, Any] = {}
    for part, number in zip(changeable(method, theorem, problem), numbers, strict=False):
        given = new.get(part.field, getattr(method, part.field))
        new[part.field] = part.change(number, given, problem)
    other: Any = replace(method, **new) if new else method  # type: ignore[type-var]
    return other  # type: ignore[no-any-return]


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


def _operator(number: float, given: Compressor, problem: Problem) -> Compressor:
    """In thirds, or halves where d is odd, of [0, 1]: short, long and turned."""
    own = operator_constants(given, problem.d)
    if own.omega is not None:
        return WorstUnbiased(own.omega)
    kinds = 3 if problem.d % 2 == 0 else 2
    return WorstContraction(own.need("delta"), min(int(number * kinds), kinds - 1))


def _period(number: float, given: int, problem: Problem) -> int:
    return 1 + min(int(number * PERIODS), PERIODS - 1)


def _times(number: float, given: ComputeTimes, problem: Problem) -> ComputeTimes:
    """One worker slower than the others, by a factor up to 16."""
    slow = math.exp(number * math.log(_SLOW))
    return Constant((1.0,) * (problem.n - 1) + (slow,))
