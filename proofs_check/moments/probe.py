"""A method's step as a function of vectors: states, noise and choices in, states out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.noted_records import mean_model
from algorithms.methods.base import Method, RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from proofs_check.moments.leaves import COUNTS, StateShape, leaves, repeated, walk
from proofs_check.moments.reasons import NotLinear, Reason
from proofs_check.moments.script import NORMAL, UNIFORM, DrawSource, Script, scripted_key

LINES = 256
_WARM = 48  # steps in which every part that the models move is moved

Tables = Mapping[DrawSource, Tensor]
"""Numbers ``[S, c]`` that are chosen for a source, a line for each of S probes."""


class AskedNumbers(NamedTuple):
    """Numbers a step asks for: how many of ``noise`` sources and of those of ``choice``."""

    noise: dict[DrawSource, int]
    choice: dict[DrawSource, int]

    @property
    def size(self) -> int:
        """Number of noise values in all."""
        return sum(self.noise.values())


@final
@dataclass(frozen=True)
class Probe:
    """A method on a problem, for 256 replicas that draw the same where nothing is chosen.

    Attributes:
        method: whose step is looked at.
        shape: what of its state is moved.
        start: its state at the start.
        context: where it runs.
        script: what is chosen.
    """

    method: Method[Any]
    shape: StateShape
    start: Any
    context: RunContext
    script: Script

    @cached_property
    def scale(self) -> float:
        """The least power of two above all of 1, the minimum and gradients at the start: a map that
        is read off vectors so long loses no digits to what a step adds to them.
        """
        problem = self.context.problem
        sizes = [problem.all_gradients(problem.start())]
        sizes += [] if problem.x_star is None else [problem.x_star]
        largest = max(float(one.abs().max()) for one in sizes)
        if not 1.0 < largest < math.inf:
            return 1.0
        return float(2.0 ** math.frexp(largest)[1])

    def asked(self, state: Any, t: int) -> AskedNumbers:
        """Numbers that step t asks for at ``state``, whatever the choices it is given."""
        self.script.chosen, self.script.asked = {}, {}
        known: dict[DrawSource, int] = {}
        vectors = self.shape.vector(state)
        while True:
            self.method.step(self.shape.filled(state, vectors), t, self.context)
            choice = {s: c for s, c in self.script.asked.items() if s.high != NORMAL}
            if choice == known:
                break
            known = choice
            self.script.chosen = could_be_drawn(choice, LINES, 6)
        noise = {s: c for s, c in self.script.asked.items() if s.high == NORMAL}
        return AskedNumbers(noise, dict(sorted(known.items(), key=lambda one: repr(one[0]))))

    def stepped(
        self,
        state: Any,
        t: int,
        vectors: Tensor,
        noise: Tensor,
        asked: AskedNumbers,
        tables: Tables,
    ) -> tuple[Tensor, Any]:
        """Vectors ``[S, D]`` one step after ``vectors``, with ``noise`` ``[S, N]`` and choices; and
        a state from which the next step is taken.

        Raises:
            NotLinear: what is not moved by the models differs after the step, or a part is gone.
        """
        columns = torch.split(noise, [*asked.noise.values()], 1)
        chosen = {**dict(zip(asked.noise, columns, strict=True)), **tables}
        found = []
        for first in range(0, len(vectors), LINES):
            here = slice(first, first + LINES)
            self.script.chosen = {s: _padded(c[here]) for s, c in chosen.items()}
            before = self.shape.filled(state, _padded(vectors[here]))
            after = self.method.step(before, t, self.context)
            if name := self.shape.lost(after):
                raise NotLinear(Reason.SHAPE, name)
            if name := self.shape.split(after):
                raise NotLinear(Reason.COURSE, name)
            found.append(self.shape.vector(after)[: len(vectors[here])])
        return torch.cat(found), after

    def outputs(self, state: Any, vectors: Tensor) -> Tensor:
        """Mean models and model rows ``[S, d + m d]`` of ``vectors`` ``[S, D]``."""
        found = []
        for first in range(0, len(vectors), LINES):
            part = vectors[first : first + LINES]
            rows = self.method.models(self.shape.filled(state, _padded(part)))
            mean = mean_model(self.method, self.context.network, rows)
            found.append(torch.cat((mean, rows.flatten(1)), 1)[: len(part)])
        return torch.cat(found)


def could_be_drawn(
    choices: Mapping[DrawSource, int], count: int, seed: int
) -> dict[DrawSource, Tensor]:
    """Numbers ``[count, c]`` for every source as they could be drawn."""
    generator = torch.Generator().manual_seed(seed)
    return {
        source: torch.rand(count, size, dtype=torch.float64, generator=generator)
        if source.high == UNIFORM
        else torch.randint(source.high, (count, size), generator=generator)
        for source, size in choices.items()
    }


def probe(method: Method[Any], problem: Problem, key: Key, steps: int) -> Probe:
    """The probe of ``method`` for a run of ``steps`` steps; its fixed choices (schedules) are those
    of ``key``'s replica 0.

    Raises:
        NotLinear: the method does not run on the problem.
    """
    script = Script()
    try:
        states = tuple(method.init(problem.start(), _context(problem, key, Script(), count))
                       for count in COUNTS)  # fmt: skip
        context = _context(problem, key, script, LINES)
        start = method.init(problem.start(), context)
        found = leaves((states[0], states[1]))
        moved, again = _moved(method, problem, key, min(steps, _WARM))
    except (ValueError, TypeError, NotImplementedError) as error:
        raise NotLinear(Reason.PROBLEM, what=str(error)) from error
    stray = moved - {f.name for f in found}
    if stray:
        raise NotLinear(Reason.COURSE, min(stray))
    own = [f for f in found if f.name not in again]
    shape = StateShape(
        tuple(f for f in own if f.name in moved),
        tuple(f for f in own if f.name not in moved),
        again,
    )
    return Probe(method, shape, start, context, script)


def _context(problem: Problem, key: Key, script: Script, count: int) -> RunContext:
    replicas = torch.zeros(count, dtype=torch.int64)
    return RunContext(problem, Simulated(problem.n), scripted_key(key, script), replicas)


def _moved(
    method: Method[Any], problem: Problem, key: Key, steps: int
) -> tuple[set[str], dict[str, str]]:  # fmt: skip
    """Names of the floating-point leaves that another start or other noise changes; of those that
    are others throughout. Replicas are alike there, so that few show it."""
    script = Script()
    context = _context(problem, key, script, COUNTS[0])
    generator = torch.Generator().manual_seed(0)
    x0 = problem.start()
    shifted = x0 + torch.rand(x0.shape, generator=generator, dtype=x0.dtype)
    pair = [method.init(x0, context), method.init(shifted, context)]
    changed: set[str] = set()
    again = repeated(pair[0])
    for t in range(steps + 1):  # the last step may be the first that writes what differs
        changed |= _different(*pair)
        if t == steps:
            break
        script.asked = {}
        for place in (0, 1):
            script.chosen = {
                source: torch.randn(1, count, generator=generator, dtype=x0.dtype).expand(
                    COUNTS[0], -1
                )
                for source, count in script.asked.items()
                if source.high == NORMAL
            } if place else {}  # fmt: skip
            pair[place] = method.step(pair[place], t, context)
        now = repeated(pair[0])
        again = {name: first for name, first in again.items() if now.get(name) == first}
    return changed, again


def _different(one: Any, other: Any) -> set[str]:
    """Names of the floating-point leaves that two states do not share."""
    theirs = dict(walk(other))
    return {
        name
        for name, value in walk(one)
        if isinstance(value, Tensor)
        and value.is_floating_point()
        and not torch.equal(value, theirs[name])
    }


def _padded(lines: Tensor) -> Tensor:
    if len(lines) == LINES:
        return lines
    return torch.cat((lines, lines[:1].expand(LINES - len(lines), -1)))
