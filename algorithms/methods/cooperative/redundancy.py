"""OnMoreShards: a method whose workers also hold some of the others' shards (RI-SGD)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, final

from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import StepBlock, block_of
from algorithms.problems.base import Problem, require_int
from algorithms.problems.redundant import Redundant
from theory.constants import Constants


@lru_cache(maxsize=16)
def with_shards(problem: Problem, shards: int) -> Redundant:
    """The problem with ``shards`` shards a worker, kept because it is asked for at every step."""
    return Redundant(problem, shards)


@final
@dataclass(frozen=True)
class OnMoreShards(Method[Any]):
    r"""``method`` where worker i holds ``shards`` shards i, i+1, ... mod n.

    With local SGD it is RI-SGD (Haddadpour, Kamani, Mahdavi, Cadambe 2019, ICML). A worker computes
    as many gradients a step as it holds shards.

    Raises:
        ValueError: shards < 1, or more than the problem's workers.
    """

    method: Method[Any]
    shards: int

    def __post_init__(self) -> None:
        require_int("shards", self.shards, 1)

    @property
    def shared_model(self) -> bool:  # type: ignore[override]
        return self.method.shared_model

    @property
    def name(self) -> str:
        return f"{self.method.name}, {self.shards} shards a worker"

    def constants(self, problem: Problem) -> Constants:
        return self.method.constants(with_shards(problem, self.shards))

    def init(self, x0: Tensor, context: RunContext) -> Any:
        return self.method.init(x0, self._within(context))

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        if context.network.stopwatch is not None:
            for _ in range(self.shards - 1):
                context.network.stopwatch.work()  # the last is charged with the gradient
        return self.method.step(state, t, self._within(context))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        block = block_of(self.method, self._within(context), t)
        if block is not None:
            block.more_gradients += self.shards - 1
        return block

    def _within(self, context: RunContext) -> RunContext:
        return replace(context, problem=with_shards(context.problem, self.shards))

    def models(self, state: Any) -> Tensor:
        return self.method.models(state)

    def seconds(self, state: Any, t: int) -> Tensor | None:
        return self.method.seconds(state, t)

    def computed(self, state: Any, t: int) -> Tensor | None:
        return self.method.computed(state, t)
