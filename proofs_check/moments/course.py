"""The maps of all steps of a run: some at the start, then a period of them for ever."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, final

import numpy as np

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.moments.leaves import same_course
from proofs_check.moments.maps import Affine, Chance, Laws, StepMap, step_map
from proofs_check.moments.probe import Probe, probe
from proofs_check.moments.reasons import NotLinear, Reason
from theory.stepsizes import ConstantStep, Stepsize

_FIRST, _MOST = 12, 768  # steps that are looked at before a period is sought, and at most
_NODES = (1.0, 0.75, 0.5, 0.25)  # shares of the first stepsize at which a step is looked at
_ENDS = (1.0, 0.25)  # of a step that is linear in its stepsize
_CHECKED = 0.6


@final
@dataclass(frozen=True)
class MapSequence:
    """Maps of steps 0, 1, ...: ``maps[t]`` for t < ``begin`` + ``period``, then those of a period
    again and again; ``period`` 0: there are no steps but these.

    Each is a tuple of maps, coefficients of 1, r, r^2, ...; r = ``rule(t) / rule(0)``.

    Attributes:
        size: length D of a state's vector.
        start: the vector at the start ``[D]``.
    """

    size: int
    start: np.ndarray[Any, np.dtype[np.float64]]
    maps: tuple[tuple[StepMap, ...], ...]
    begin: int
    period: int
    rule: Stepsize | None = None

    def place(self, t: int) -> int:
        """Index of the map of step t."""
        late = t - self.begin
        return t if late < 0 or not self.period else self.begin + late % self.period


def course(method: Method[Any], problem: Problem, steps: int, key: Key) -> MapSequence:
    """The maps of ``steps`` steps of a method on a quadratic.

    Raises:
        NotLinear: the method is outside the engine.
    """
    rules = {f.name: r for f in fields(method)  # type: ignore[arg-type]
             if isinstance(r := getattr(method, f.name), Stepsize)}  # fmt: skip
    falling = {name: rule for name, rule in rules.items() if not isinstance(rule, ConstantStep)}
    if len(falling) != 1 or steps <= _MOST:
        return _constant(probe(method, problem, key, steps), steps)
    ((name, rule),) = falling.items()
    one = probe(method, problem, key, steps)
    known: dict[float, MapSequence] = {}

    def between(nodes: tuple[float, ...]) -> MapSequence:
        for share in (*nodes, _CHECKED):
            if share not in known:
                slower = replace(one, method=_at(method, name, share * rule(0)))
                known[share] = _constant(slower, steps)
        return _interpolated({share: known[share] for share in (*nodes, _CHECKED)}, rule)

    try:
        found = between(_ENDS)
    except NotLinear:
        found = between(_NODES)
    _check_polynomial(found, one, steps)
    return found


def _interpolated(courses: dict[float, MapSequence], rule: Stepsize) -> MapSequence:
    """The course at any stepsize, from those at some shares of the first; the last is a check."""
    shares, first = tuple(courses), next(iter(courses.values()))
    begin = max(c.begin for c in courses.values())
    if any(c.period != first.period for c in courses.values()):
        raise NotLinear(Reason.STEPSIZE, what="another period at another stepsize")
    maps = tuple(
        _polynomial([c.maps[c.place(t)][0] for c in courses.values()], shares)
        for t in range(begin + first.period)
    )
    return MapSequence(first.size, first.start, maps, begin, first.period, rule)


def _at(method: Method[Any], name: str, gamma: float) -> Method[Any]:
    changed: Any = replace(method, **{name: ConstantStep(gamma)})  # type: ignore[type-var]
    return changed  # type: ignore[no-any-return]


def _constant(one: Probe, steps: int) -> MapSequence:
    """The course of a method whose steps come again, or of few steps."""
    laws, states, look = Laws(), [one.start], _FIRST
    maps: list[StepMap] = []
    start = one.shape.vector(one.start)[0].numpy()
    while True:
        while len(maps) < min(steps, look):
            found, after = step_map(one, states[-1], len(maps), laws)
            maps.append(found)
            states.append(after)
        single = tuple((found,) for found in maps)
        if len(maps) == steps:
            return MapSequence(one.shape.size, start, (*single, single[-1]), steps + 1, 0)
        begin, period = _period(maps)
        if period and _comes_again(one, states, maps, begin, period, steps, laws):
            return MapSequence(one.shape.size, start, single[: begin + period], begin, period)
        if look >= _MOST:
            raise NotLinear(Reason.PERIOD, what=f"{look} steps")
        look *= 2


def _period(maps: list[StepMap]) -> tuple[int, int]:
    """From which step on the maps come again and after how many; (0, 0): not three times."""
    count = len(maps)
    for period in range(1, count // 3 + 1):
        begin = count - period
        while begin and same_map(maps[begin - 1], maps[begin - 1 + period]):
            begin -= 1
        if count - begin >= 3 * period and begin <= count // 2:
            return begin, period
    return 0, 0


def _comes_again(
    one: Probe, states: list[Any], maps: list[StepMap], begin: int, period: int, steps: int,
    laws: Laws,
) -> bool:  # fmt: skip
    """Whether far steps are those of the period too, where the course of the state stands there."""
    here, later = (one.shape.course(states[begin + turn * period]) for turn in (0, 1))
    if not same_course(here, later):
        return False
    for share in (16, 4, 1):
        late = steps // share - 1
        phase = (late - begin) % period
        if late < len(maps):
            continue
        if not same_map(step_map(one, states[begin + phase], late, laws)[0], maps[begin + phase]):
            return False
    return True


def same_map(one: StepMap, other: StepMap, tolerance: float = 1e-12) -> bool:
    """Whether two steps do the same, up to rounding."""
    pairs = list(zip(one.arrays, other.arrays, strict=False))
    return len(one.arrays) == len(other.arrays) and all(
        a.shape == b.shape
        and np.abs(a - b).max(initial=0) <= tolerance * (1 + np.abs(a).max(initial=0))
        for a, b in pairs
    )


def _polynomial(nodes: list[StepMap], at: tuple[float, ...]) -> tuple[StepMap, ...]:
    """Coefficients of the map as a polynomial of the stepsize's share, of the lowest degree that
    meets all the shares ``at`` which it was looked at, the last of them a check."""
    shares, count = np.array(at), len(at) - 1
    for degree in range(count):
        used = np.linspace(0, count - 1, degree + 1).round().astype(int)
        table = np.linalg.inv(np.vander(shares[used], increasing=True))
        found = tuple(combined([nodes[i] for i in used], row) for row in table)
        told = [combined(found, share ** np.arange(degree + 1)) for share in shares]
        if all(same_map(one, node, 1e-13) for one, node in zip(told, nodes, strict=True)):
            return found
    raise NotLinear(Reason.STEPSIZE)


def combined(maps: Any, weights: Any) -> StepMap:
    """Sum of maps with ``weights``; their choices keep their probabilities."""

    def total(parts: list[Any]) -> Any:
        return sum(w * part for w, part in zip(weights, parts, strict=True))

    def affine(parts: list[Affine]) -> Affine:
        return Affine(*(total(list(same)) for same in zip(*parts, strict=True)))

    chances = tuple(
        Chance(each[0].weights, affine([c.off for c in each]))
        for each in zip(*(m.chances for m in maps), strict=True)
    )
    return StepMap(affine([m.mean for m in maps]), chances, total([m.outputs for m in maps]))


def _check_polynomial(found: MapSequence, one: Probe, steps: int) -> None:
    """The method's own steps are what the polynomial says at its own stepsizes."""
    assert found.rule is not None
    laws, state = Laws(), one.start
    for t in range(min(steps, found.begin + 2 * found.period)):
        own, after = step_map(one, state, t, laws)
        maps = found.maps[found.place(t)]
        share = found.rule(t) / found.rule(0)
        if not same_map(combined(maps, share ** np.arange(len(maps))), own, 1e-9):
            raise NotLinear(Reason.STEPSIZE, what=f"step {t} is another")
        state = after
